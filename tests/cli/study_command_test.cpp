#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/exit_code.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/cli_fixture.h"

namespace kiln {
namespace {

using test::CliResult;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kWorkload = R"yaml(workload: poly
summary: A short polynomial
parameters:
  n: {type: long, default: 1000, min: 1}
  degree: {type: int, default: 3, min: 1, max: 9}
  block: {type: int, default: 64, bind: compile, values: [32, 64]}
  wrong: {type: int, default: 0, bind: compile}
  idle: {type: int, default: 0}
buffers:
  y: {type: float, shape: [n]}
kernels:
  poly: {source: poly.cu, grid: ["ceil_div(n, block)"], block: [block], args: [y, params]}
run: [poly]
verify:
  checks:
    - {name: power, buffer: y, expected: "pow(2, degree)", rtol: 1e-6}
)yaml";

constexpr const char* kKernel = R"cuda(#include "kiln/params.h"
extern "C" __global__ void poly(float* y, const Params p) {
  const long i = blockIdx.x * Params::block + threadIdx.x;
  float value = 1;
  for (int k = 0; k < p.degree; ++k) value *= 2;
  if (i < p.n) y[i] = value + p.wrong;
}
)cuda";

constexpr const char* kStudy =
    "workload: poly\ninstantiate: {block: [32, 64]}\nmeasure: {rounds: 6, samples: 1, compiles: 1}\n";

/// Studies on the CPU, of a workload that compiles in a moment.
class StudyCommand : public test::CliTest {
 protected:
  StudyCommand() {
    write("poly/poly.yaml", kWorkload);
    write("poly/poly.cu", kKernel);
  }

  CliResult study(const std::string& text, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"study", write("study.yaml", text), "--device", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return kiln(arguments);
  }

  std::vector<nlohmann::json> lines(const std::string& kind) {
    std::vector<nlohmann::json> found;
    for (const std::string& line : split(trim(*files_->read_file(path("results/study.jsonl"))), '\n')) {
      auto json = nlohmann::json::parse(line);
      if (json["kind"] == kind) found.push_back(std::move(json));
    }
    return found;
  }

  /// The program itself, ended by `signal` once it has taken a sample; the shell's exit code is its own.
  int interrupted(const std::string& signal) {
    const std::string command = "'" KILN_PROGRAM "' study '" + write("study.yaml", kStudy) +
                                "' --device cpu --rounds 10000 --samples 50 --output '" + path("results") +
                                "' --cache-dir '" + path("cache") + "' --workload-path '" + path("") +
                                "' & pid=$!; for i in $(seq 600); do grep -q visit '" +
                                path("results/study.jsonl") + "' && break; sleep 0.1; done; kill -" + signal +
                                " $pid; wait $pid";
    return make_process_runner()->run({"bash", {"-c", command}, "", ""}).exit_code;
  }
  /// Whether a mark of a running case, a whole line, was left behind.
  [[nodiscard]] bool case_was_running() const {
    for (const auto& entry : std::filesystem::directory_iterator(path("results"))) {
      if (!entry.path().filename().string().starts_with(".running-")) continue;
      const auto text = files_->read_file(entry.path());
      if (text && text->find('\n') != std::string::npos) return true;
    }
    return false;
  }
};

TEST_F(StudyCommand, MeasuresEveryCaseAndSaysWhatConstantsBuy) {
  const CliResult result = study(kStudy, {"--output", path("results")});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("aot_instantiated.block=32"), HasSubstr("degree at compile time: "),
                    HasSubstr("all at compile time: "), HasSubstr("jit_specialised against aot_generic: "),
                    HasSubstr("Time to the first result"), HasSubstr("the same code"),
                    HasSubstr("Not read by the kernels of a step\n  idle")));
  EXPECT_EQ(lines("study").size(), 1U);
  EXPECT_EQ(lines("case").size(), 10U);
  EXPECT_EQ(lines("visit").size(), 60U);
  ASSERT_EQ(lines("result").size(), 1U);
  const auto line = lines("result")[0];
  EXPECT_EQ(line["constants"].size(), 3U);
  EXPECT_EQ(line["unread"], nlohmann::json({"idle"}));
  EXPECT_GT(lines("case")[0]["costs"]["compile_seconds"][0].get<double>(), 0);
  const std::string records = *files_->read_file(path("results/records.jsonl"));
  EXPECT_EQ(split(trim(records), '\n').size(), 10U);
  // What a compiler makes for any machine is compared with what it makes for this one.
  EXPECT_EQ(line["compilers"].size(), 3U);
  for (const auto& found : line["cases"]) EXPECT_GT(found["code_bytes"].get<int>(), 0) << found["case"];
  ASSERT_EQ(line["amortisation"].size(), 1U);
  std::map<std::string, std::string> ways;
  for (const auto& curve : line["amortisation"][0]["curves"]) {
    ways[curve["way"]] += curve["case"].get<std::string>() + " ";
    EXPECT_GT(curve["first_seconds"].get<double>(), 0) << curve;
  }
  EXPECT_THAT(ways["ahead"], HasSubstr("aot_generic aot_generic.baseline aot_instantiated.block="));
  for (const char* way : {"cold", "disk", "background", "background_disk"})
    EXPECT_EQ(ways[way], "jit_specialised ") << way;
}

TEST_F(StudyCommand, LaunchesMayShareAUnit) {
  write("twice.cu",
        "#include \"kiln/params.h\"\nextern \"C\" __global__ void k(int* a, const Params p) {\n"
        "  if (threadIdx.x < p.n) a[threadIdx.x] = p.n;\n}\n");
  write("twice.yaml",
        "workload: twice\nparameters: {n: {type: int, default: 64}}\nbuffers: {a: {type: int, shape: [64]}}\n"
        "kernels: {k: {source: twice.cu, grid: [1], block: [64], args: [a, params]}}\n"
        "run: [k, {kernel: k, as: again, with: {n: 32}}]\n");
  const CliResult result = study("workload: twice.yaml\nmeasure: {rounds: 6, samples: 1, compiles: 1}\n",
                                 {"--output", path("results")});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_EQ(lines("case").size(), 5U);
}

TEST_F(StudyCommand, SeveralWorkloadsShareAFileAndGoOnInIt) {
  const std::string two =
      "workloads:\n- {workload: poly, name: small, set: {n: 512}, constants: [degree]}\n"
      "- {workload: poly, name: large, set: {n: 2048}, constants: [degree], leave_one_out: true}\n"
      "measure: {rounds: 6, samples: 1, compiles: 1}\n";
  const CliResult first = study(two, {"--output", path("results")});
  EXPECT_EQ(first.code, kExitDone) << first.err;
  EXPECT_THAT(first.out, AllOf(HasSubstr("small"), HasSubstr("large")));
  EXPECT_THAT(first.err,
              AllOf(HasSubstr("small on cpu, compile\nsmall on cpu, check and time compiles\n"),
                    HasSubstr("large on cpu, round 6 of 6, best "), HasSubstr(" of rounds left\n")));
  ASSERT_EQ(lines("result").size(), 2U);
  const std::size_t visits = lines("visit").size();
  EXPECT_EQ(study(two, {"--output", path("results"), "--resume", "--rounds", "7"}).code, kExitDone);
  EXPECT_EQ(lines("visit").size(), visits / 6 * 7);
  EXPECT_EQ(lines("result").size(), 4U);
}

/// Checks each line of a file against one of Kiln's schemas, and that each line without one of its members
/// that are required is refused. References to other schemas are followed.
constexpr const char* kCheckLines =
    "import json, pathlib, sys, warnings\n"
    "warnings.simplefilter('ignore', DeprecationWarning)\n"
    "import jsonschema\n"
    "schema_file = pathlib.Path(sys.argv[1])\n"
    "schema = json.loads(schema_file.read_text())\n"
    "others = {p.as_uri(): json.loads(p.read_text()) for p in schema_file.parent.glob('*.json')}\n"
    "resolver = jsonschema.RefResolver(schema_file.as_uri(), schema, store=others)\n"
    "checker = jsonschema.Draft7Validator(schema, resolver=resolver)\n"
    "text = pathlib.Path(sys.argv[2]).read_text()\n"
    "lines = [json.loads(text)] if sys.argv[3] == 'whole' else [json.loads(t) for t in text.splitlines()]\n"
    "for line in lines: checker.validate(line)\n"
    "optional = set(schema.get('properties', {})) - set(schema['required']) if 'required' in schema else "
    "set()\n"
    "for line in lines:\n"
    "  for key in set(line) - optional:\n"
    "    assert not checker.is_valid({k: v for k, v in line.items() if k != key}), key\n";

TEST_F(StudyCommand, TheFileItsRecordsAndItsReportAgreeWithTheirSchemas) {
  const auto processes = make_process_runner();
  if (!processes->run({"python3", {"-c", "import jsonschema"}, "", ""}).ok())
    GTEST_SKIP() << "python3-jsonschema is not installed";
  const std::string more = "fast_math: [false, true]\nfactorial: true\n";
  ASSERT_EQ(study(kStudy + more, {"--output", path("results")}).code, kExitDone);
  ASSERT_EQ(kiln({"report", path("results"), "--format", "json", "-o", path("report.json")}).code, kExitDone);
  const auto check = [&](const std::string& schema, const std::string& file, const std::string& form) {
    const auto schema_file = std::filesystem::path(KILN_SOURCE_DIR) / "schemas" / schema;
    const ProcessResult checked =
        processes->run({"python3", {"-c", kCheckLines, schema_file.string(), path(file), form}, "", ""});
    EXPECT_TRUE(checked.ok()) << file << ": " << checked.output << checked.error;
  };
  check("study_result.schema.json", "results/study.jsonl", "lines");
  check("record.schema.json", "results/records.jsonl", "lines");
  check("report.schema.json", "report.json", "whole");
}

TEST_F(StudyCommand, ReportShowsTheStudyInEveryFormat) {
  const CliResult printed = study(kStudy, {"--output", path("results")});
  ASSERT_EQ(printed.code, kExitDone) << printed.err;
  const std::string file = path("results/study.jsonl");
  const CliResult table = kiln({"report", file});
  EXPECT_EQ(table.code, kExitDone) << table.err;
  EXPECT_EQ(table.out + "\nresults: " + file + "\n", printed.out) << "kiln study shows the same";
  EXPECT_THAT(
      kiln({"report", file, "--format", "markdown"}).out,
      AllOf(HasSubstr("## Study: poly on "), HasSubstr("| jit_specialised"), HasSubstr("- degree at")));
  EXPECT_THAT(kiln({"report", file, "--format", "csv"}).out,
              AllOf(HasSubstr("run_id,section,device,case,figure,"),
                    HasSubstr(",only.degree,speed_up,jit_generic,")));
  const auto json = nlohmann::json::parse(kiln({"report", file, "--format", "json"}).out);
  EXPECT_EQ(json["studies"][0]["result"], lines("result")[0]);
  EXPECT_TRUE(json["results"].empty());
  EXPECT_THAT(kiln({"report", file, "--format", "html"}).out,
              AllOf(HasSubstr("of each case, with its 95 % interval"), HasSubstr("What each constant buys"),
                    Not(HasSubstr("All records"))));
  const CliResult both = kiln({"report", path("results")});
  EXPECT_THAT(both.out, AllOf(HasSubstr("best variant of each device"), HasSubstr("Study: poly on ")));
  EXPECT_THAT(kiln({"report", path("results"), "--format", "csv"}).out, HasSubstr("harmonic_mean"))
      << "records and studies have no columns in common: those of the records";
}

TEST_F(StudyCommand, ReportRefusesWhatItCannotShowOfAStudy) {
  ASSERT_EQ(study(kStudy, {"--output", path("results")}).code, kExitDone);
  const std::string file = path("results/study.jsonl");
  CliResult result = kiln({"report", path("results"), "--reference", file});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("is a study's; expected records, as in the records.jsonl beside it"));
  result = kiln({"report", file, "--format", "paper"});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("--format paper: the files hold no records"));
  result = kiln({"report", file, "--workload", "pol"});
  EXPECT_THAT(result.err, HasSubstr("did you mean 'poly'?"));
  const std::string text = *files_->read_file(file);
  result = kiln({"report", write("cut.jsonl", text.substr(0, text.rfind("{\"kind\":\"result\"")))});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("cut.jsonl: the study of poly was cut short on cpu"));
}

TEST_F(StudyCommand, CsvAndMarkdownAreForms) {
  EXPECT_THAT(study(kStudy, {"--format", "csv", "-q"}).out,
              HasSubstr(",jit_specialised,break_even,aot_generic,"));
  EXPECT_THAT(study(kStudy, {"--format", "markdown", "-q"}).out, HasSubstr("\n### Break-even\n\n- jit_"));
}

TEST_F(StudyCommand, JsonIsTheResult) {
  const CliResult result = study(kStudy, {"--format", "json", "-q"});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_EQ(nlohmann::json::parse(result.out)["kind"], "result");
}

TEST_F(StudyCommand, ACaseThatIsWrongIsNamedAndTheExitCodeSaysSo) {
  const CliResult result =
      study("workload: poly\ninstantiate: {wrong: [0, 1]}\nmeasure: {rounds: 6, samples: 1, compiles: 1}\n");
  EXPECT_EQ(result.code, kExitFailed);
  EXPECT_THAT(result.out, AllOf(HasSubstr("aot_instantiated.wrong=1: wrong: power: "),
                                HasSubstr("degree at compile time: ")));
}

TEST_F(StudyCommand, CtrlCLeavesAStudyThatCanBeGoneOnWith) {
  ASSERT_EQ(interrupted("INT"), kExitInterrupted);
  const std::string text = *files_->read_file(path("results/study.jsonl"));
  EXPECT_EQ(text.back(), '\n');
  EXPECT_FALSE(lines("visit").empty());
  EXPECT_TRUE(lines("result").empty());
  const std::vector<std::string> more = {"--output", path("results"), "--samples", "50", "--rounds", "6"};
  const CliResult again = study(kStudy, more);
  EXPECT_EQ(again.code, kExitBadInput);
  EXPECT_THAT(again.err, HasSubstr("--resume goes on with it"));
  std::vector<std::string> resume = more;
  resume.push_back("--resume");
  EXPECT_EQ(study(kStudy, resume).code, kExitDone);
  ASSERT_EQ(lines("result").size(), 1U);
  EXPECT_EQ(lines("study").size(), 1U);
  const auto result = lines("result").front();
  for (const auto& found : result["cases"]) EXPECT_EQ(found["step_seconds"]["rounds"], 6);
}

TEST_F(StudyCommand, AStudyThatWasKilledCanBeGoneOnWith) {
  EXPECT_NE(interrupted("KILL"), kExitDone);
  std::vector<std::string> more = {"--output", path("results"), "--samples", "50", "--rounds",
                                   "6",        "--resume"};
  // The case that ran may be what ended the process: it counts as crashed. Between two cases none runs.
  const bool ran = case_was_running();
  const CliResult result = study(kStudy, more);
  EXPECT_EQ(result.code, ran ? kExitFailed : kExitDone) << result.err;
  EXPECT_EQ(result.err.find("is recorded as crashed") != std::string::npos, ran) << result.err;
  EXPECT_EQ(lines("result").size(), 1U);
  if (!ran) return;
  more.emplace_back("--retry-crashed");
  const CliResult again = study(kStudy, more);
  EXPECT_EQ(again.code, kExitDone) << again.err;
  EXPECT_EQ(lines("result").size(), 2U);
}

TEST_F(StudyCommand, RefusesWhatIsWrongBeforeAnythingIsWritten) {
  const auto expect_refusal = [&](const std::string& text, const std::string& message,
                                  std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--output", path("results")});
    const CliResult result = study(text, more);
    EXPECT_EQ(result.code, kExitBadInput) << text;
    EXPECT_THAT(result.err, HasSubstr(message)) << text;
    EXPECT_FALSE(exists("results")) << text;
    EXPECT_FALSE(exists("cache/v1")) << text;
  };
  expect_refusal("workload: poly\ninstantate: {block: [32]}\n",
                 "study.yaml:2:1: unknown key 'instantate'; did you mean 'instantiate'?");
  expect_refusal("workload: poly\nconstants: [degre]\n", "study.yaml:2:13: ");
  expect_refusal("workload: poly\nset: {degree: 10}\n", "study.yaml:2:15: degree: 10 is too large");
  expect_refusal("workload: poli\n", "did you mean 'poly'?");
  for (const auto& [option, value, range] : {std::tuple{"--rounds", "5", "6 to 10000"},
                                             {"--rounds", "0", "6 to 10000"},
                                             {"--rounds", "-1", "6 to 10000"},
                                             {"--rounds", "10001", "6 to 10000"},
                                             {"--samples", "0", "1 to 10000"},
                                             {"--samples", "-3", "1 to 10000"},
                                             {"--compiles", "0", "1 to 100"},
                                             {"--compiles", "101", "1 to 100"}}) {
    expect_refusal("workload: poly\n", std::string(option) + ": expected " + range + "; found " + value,
                   {option, value});
  }
  expect_refusal("workload: poly\n", "did you mean 'table'?", {"--format", "tabel"});
  expect_refusal("workload: poly\nset: {n: 1000000000000}\n", "the buffers need");
  EXPECT_THAT(study("workload: poly\n", {"--resume"}).err, HasSubstr("--resume needs the folder"));
  EXPECT_EQ(kiln({"study"}).code, kExitBadInput);
}

TEST_F(StudyCommand, ValidateKnowsStudies) {
  EXPECT_EQ(
      kiln({"validate", std::string(KILN_SOURCE_DIR) + "/configs/studies/minibude_constants.yaml"}).code,
      kExitDone);
  const CliResult result =
      kiln({"validate", write("bad.yaml", "workload: poly\nmeasure: {rounds: 9}\nset: {degre: 1}\n")});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("bad.yaml:3:14: workload 'poly' has no parameter 'degre'; did you mean"));
}

TEST_F(StudyCommand, DryRunShowsTheCasesOfTheStudyThatIsShipped) {
  const CliResult result =
      kiln({"study", std::string(KILN_SOURCE_DIR) + "/configs/studies/minibude_constants.yaml", "--device",
            "cpu", "--dry-run"});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("aot_instantiated.ppwi=64 fast_math\n"), HasSubstr("only.natpro"),
                                Not(HasSubstr("no_launch_bounds")), HasSubstr("aot_generic.baseline"),
                                HasSubstr("28 cases")));
}

TEST_F(StudyCommand, TheStudyThatIsShippedRunsOnTheCpu) {
  const CliResult result =
      kiln({"study", std::string(KILN_SOURCE_DIR) + "/configs/studies/minibude_constants.yaml", "--device",
            "cpu", "--rounds", "6", "--samples", "1", "--compiles", "1", "--output", path("results")});
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("natpro at compile time"));
}

}  // namespace
}  // namespace kiln
