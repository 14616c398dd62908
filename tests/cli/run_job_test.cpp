#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "cli/cli_fixture.h"

namespace kiln {
namespace {

using test::CliResult;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kWorkload = R"yaml(workload: twice
summary: Doubles a vector
parameters:
  n: {type: long, default: 1000, min: 1}
  block: {type: int, default: 64, values: [32, 64, 128]}
  wrong: {type: int, default: 0}
constraints: ["block <= n"]
buffers:
  x: {type: float, shape: [n], init: {iota: [0, 1]}}
  y: {type: float, shape: [n]}
kernels:
  twice: {source: twice.cu, grid: ["ceil_div(n, block)"], block: [block], args: [y, x, params]}
run: [twice]
verify:
  checks:
    - {name: doubled, buffer: y, expected: "(n - 1) * n", reduce: sum}
metrics:
  rate: {unit: Gelem/s, value: "n / time * 1e-9", higher_is: better}
)yaml";

constexpr const char* kKernel = R"cuda(#include "kiln/params.h"
extern "C" __global__ void twice(float* y, const float* x, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) y[i] = 2 * x[i] + (i == 7 ? p.wrong : 0);
}
)cuda";

/// Runs jobs over a workload "twice" that compiles in a moment.
class RunJob : public test::CliTest {
 protected:
  RunJob() {
    write("twice/twice.yaml", kWorkload);
    write("twice/twice.cu", kKernel);
  }

  /// The arguments of a run of `text` as a job file.
  std::vector<std::string> job(const std::string& text, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"run", write("job.yaml", text), "--device", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  /// A job that must be refused: exit code 2, a message with `part`, nothing on standard output, nothing
  /// written.
  void expect_refusal(const std::string& text, const std::string& part) {
    const CliResult result = kiln(job(text, {"--output", path("results")}));
    EXPECT_EQ(result.code, kExitBadInput) << text;
    EXPECT_THAT(result.err, HasSubstr(part)) << text;
    EXPECT_THAT(result.out, IsEmpty()) << text;
    EXPECT_FALSE(exists("results")) << text;
    EXPECT_FALSE(exists("cache/v1")) << text;
  }
};

constexpr const char* kJob =
    "workload: twice\nsweep: {block: [32, 64]}\nmeasure: {min_time: 1 ms, max_time: 20 ms}\n";

TEST_F(RunJob, TheSecondRunCompilesNothingAndSaysSo) {
  const CliResult first = kiln(job(kJob));
  EXPECT_EQ(first.code, kExitDone) << first.err;
  EXPECT_THAT(first.out, AllOf(HasSubstr("2 variants: 2 ok"), HasSubstr("2 compiled, 0 from disk"),
                               HasSubstr("best: block=")));
  EXPECT_THAT(first.err, HasSubstr("[2/2] block=64: ok"));
  const CliResult second = kiln(job(kJob));
  EXPECT_EQ(second.code, kExitDone);
  EXPECT_THAT(second.out, HasSubstr("0 compiled, 2 from disk"));
}

TEST_F(RunJob, EveryFormatIsAViewOfTheSameVariants) {
  const std::string output = path("results");
  EXPECT_EQ(kiln(job(kJob, {"--format", "csv", "--output", output})).code, kExitDone);
  const CliResult json = kiln(job(kJob, {"--format", "json", "--output", output, "-q"}));
  EXPECT_THAT(json.err, IsEmpty());
  const std::vector<std::string> lines = split(trim(json.out), '\n');
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(nlohmann::json::parse(lines[1])["parameters"]["block"]["value"], 64);
  const std::string file = *files_->read_file(output + "/records.jsonl");
  EXPECT_EQ(split(trim(file), '\n').size(), 4U);
  EXPECT_THAT(file, HasSubstr(json.out));
  EXPECT_THAT(kiln(job(kJob, {"--format", "markdown"})).out, HasSubstr("| block=32 | ok | disk |"));
  EXPECT_THAT(kiln(job(kJob, {"--format", "csv"})).out, HasSubstr("param.block,bind.block"));
}

TEST_F(RunJob, AWrongVariantIsShownAndTheOthersAreComplete) {
  const CliResult result = kiln(job("workload: twice\nsweep: {wrong: [0, 5]}\nmeasure: false\n"));
  EXPECT_EQ(result.code, kExitFailed);
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("wrong=5: wrong\n  doubled: "), HasSubstr("2 variants: 1 ok, 1 wrong")));
}

TEST_F(RunJob, AKernelThatDoesNotCompileShowsTheUsersOwnLines) {
  std::string broken = kKernel;
  broken.replace(broken.find("2 * x[i]"), 8, "undeclared");
  write("twice/twice.cu", broken);
  const CliResult result = kiln(job(kJob));
  EXPECT_EQ(result.code, kExitFailed);
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("twice.cu:4:"), HasSubstr("undeclared"), HasSubstr("2 compile failed")));
  write("twice/twice.cu", std::string(kKernel) + "\nvoid unused() { undeclared = 1; }\n");
  EXPECT_EQ(kiln(job(kJob)).code, kExitDone) << "no kernel uses what does not compile";
}

TEST_F(RunJob, DryRunShowsTheVariantsAndWritesNothing) {
  const CliResult result = kiln(job(kJob, {"--dry-run", "--set", "n=500", "--output", path("results")}));
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("twice: 2 variants"), HasSubstr("block = 32"), HasSubstr("n = 500")));
  EXPECT_FALSE(exists("results"));
  EXPECT_FALSE(exists("cache"));
}

TEST_F(RunJob, AWorkloadsFileRunsWithItsDefaults) {
  const CliResult run = kiln({"run", path("twice/twice.yaml"), "--device", "cpu", "--set", "n=500"});
  EXPECT_EQ(run.code, kExitDone) << run.err;
  EXPECT_THAT(run.out, HasSubstr("1 variant: 1 ok"));
}

TEST_F(RunJob, TheCommandLineChangesTheJob) {
  const CliResult result = kiln({"run", "--set", "n=500", "block=128", write("job.yaml", kJob), "--sweep",
                                 "bind.n=compile,run", "--device", "cpu", "--dry-run"});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("bind.n=run on cpu"), HasSubstr("n = 500 (run time)"),
                                HasSubstr("block = 128")));
}

TEST_F(RunJob, AVariantThatAConstraintExcludesIsNamed) {
  const CliResult result =
      kiln(job("workload: twice\nset: {n: 50}\nsweep: {block: [32, 64]}\nmeasure: false\n"));
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, HasSubstr("left out: block=64: violates 'block <= n'"));
}

TEST_F(RunJob, RefusesBadJobsBeforeAnythingIsWritten) {
  expect_refusal("workload: twice\nswep: {block: [32]}\n",
                 "job.yaml:2:1: unknown key 'swep'; did you mean 'sweep'?");
  expect_refusal("workload: twice\nset: {blok: 32}\n", "job.yaml:2:");
  expect_refusal("workload: twice\nset: {n: many}\n", "job.yaml:2:10");
  expect_refusal("workload: twice\nset: {n: 2.5}\n", "job.yaml:2:10");
  expect_refusal("workload: twice\nset: {n: 0}\n", "job.yaml:2:10");
  expect_refusal("workload: twice\nset: {block: 48}\n", "job.yaml:2:14");
  expect_refusal("workload: twice\nset: {n: 10}\n", "constraint violated: 'block <= n'");
  expect_refusal("workload: twise\n", "did you mean 'twice'?");
  expect_refusal("workload: twice\nset: {n: 1\n", "job.yaml:");
  expect_refusal("workload: twice\nworkload: twice\n", "job.yaml:2:1");
  expect_refusal("workload: twice\nset: {n: 1000000000000}\nsweep: {block: [32, 64]}\n",
                 "the buffers need 7.28 TiB");
  expect_refusal("workload: [a]\n", "job.yaml:1:11");
  expect_refusal("", "workload");
}

/// The workload with one text replaced.
std::string workload_with(const std::string& text, const std::string& replacement) {
  std::string workload = kWorkload;
  return workload.replace(workload.find(text), text.size(), replacement);
}

TEST_F(RunJob, RefusesBadWorkloadsBeforeAnythingIsWritten) {
  struct Case {
    std::string text, replacement, message;
  };
  const std::string grid = "ceil_div(n, block)";
  const std::vector<Case> cases = {
      {grid, "ceil_div(m, block)",
       "twice.yaml:12:37: kernels.twice.grid[0]: unknown name 'm'; did you mean 'n'?"},
      {grid, "n / wrong", "twice.yaml:12:37: kernels.twice.grid[0]: division by zero"},
      {grid, "n / block", "is 31.25; a whole number is needed: use ceil_div"},
      {grid, "0 * n", "'0 * n' is 0; expected 1 to"},
      {grid, "n * 100000000000", "expected 1 to 2147483647"},
      {grid, "ceil_div(n, ", "twice.yaml:12:"},
      {"block: [block]", "block: [\"block * 1000\"]", "kernel 'twice' cannot be launched"},
      {"constraints:", "let: {a: b + 1, b: a + 1}\nconstraints:", "twice.yaml:7:"},
      {"summary: Doubles a vector", "sumary: Doubles a vector",
       "twice.yaml:2:1: unknown key 'sumary'; did you mean 'summary'?"},
      {"args: [y, x, params]", "args: [y, z, params]", "'z' is neither a buffer"},
      {"source: twice.cu", "source: none.cu", "none.cu"},
  };
  for (const Case& bad : cases) {
    write("twice/twice.yaml", workload_with(bad.text, bad.replacement));
    expect_refusal(kJob, bad.message);
  }
}

TEST_F(RunJob, ValidateFindsWhatARunWouldRefuse) {
  write("twice/twice.yaml", workload_with("ceil_div(n, block)", "n / block"));
  EXPECT_THAT(kiln({"validate", path("twice/twice.yaml")}).err, HasSubstr("a whole number is needed"));
  EXPECT_THAT(kiln({"validate", write("job.yaml", kJob)}).err, HasSubstr("a whole number is needed"));
}

TEST_F(RunJob, RefusesArgumentsAndEntriesThatTheKernelDoesNotHave) {
  write("twice/twice.yaml", workload_with("args: [y, x, params]", "args: [y, x]"));
  const CliResult count = kiln(job(kJob));
  EXPECT_EQ(count.code, kExitBadInput);
  EXPECT_THAT(count.err, HasSubstr("kernel 'twice' takes 3 arguments, 2 are given"));
  write("twice/twice.yaml", workload_with("source: twice.cu,", "source: twice.cu, entry: thrice,"));
  const CliResult entry = kiln(job(kJob));
  EXPECT_NE(entry.code, kExitDone);
  EXPECT_THAT(entry.out + entry.err, AllOf(HasSubstr("thrice"), HasSubstr("its kernels: twice")));
}

TEST_F(RunJob, RefusesInputFilesOfTheWrongSizeOrContent) {
  const std::string init = "init: {iota: [0, 1]}";
  write("twice/bad.bin", "12345");
  write("twice/twice.yaml",
        workload_with(init, "init: {file: {path: " + path("twice/bad.bin") + ", format: binary}}"));
  EXPECT_THAT(kiln(job(kJob)).err, HasSubstr("bad.bin: holds 5 bytes; buffer 'x' needs exactly 4000"));
  write("twice/bad.txt", "1 nan 3");
  write("twice/twice.yaml",
        workload_with(init, "init: {file: {path: " + path("twice/bad.txt") + ", format: text}}"));
  const CliResult result = kiln(job(kJob));
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("bad.txt:1:3: expected a finite number; found 'nan'"));
}

TEST_F(RunJob, RefusesWhatTheCommandLineSays) {
  EXPECT_THAT(kiln({"run", path("none.yaml")}).err, HasSubstr("none.yaml: no such file"));
  EXPECT_EQ(kiln({"run", path("none.yaml")}).code, kExitBadInput);
  EXPECT_THAT(kiln(job(kJob, {"--format", "tabel"})).err, HasSubstr("did you mean 'table'?"));
  EXPECT_THAT(kiln(job(kJob, {"--set", "blok=1"})).err, HasSubstr("did you mean 'block'?"));
  EXPECT_THAT(kiln({"run", write("job.yaml", kJob), "--device", "gpu7"}).err, HasSubstr("gpu7"));
  EXPECT_EQ(kiln({"run", write("job.yaml", kJob), "--device", "gpu7"}).code, kExitBadInput);
}

TEST_F(RunJob, AnOutputFolderThatCannotBeWrittenIsRefusedBeforeTheRun) {
  write("file", "");
  const CliResult result = kiln(job(kJob, {"--output", path("file/results")}));
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("file/results' cannot be written"));
  EXPECT_FALSE(exists("cache/v1"));
}

TEST_F(RunJob, WithoutACompilerSaysWhatToInstall) {
  const CliResult result = kiln(job(kJob, {"--cpu-compiler", "no-such-compiler"}));
  EXPECT_EQ(result.code, kExitEnvironment);
  EXPECT_THAT(result.err, HasSubstr("no-such-compiler"));
}

TEST_F(RunJob, CompilesAheadIntoTheCache) {
  const std::string file = write("job.yaml", kJob);
  const CliResult first = kiln({"compile", file, "--arch", "native"});
  EXPECT_EQ(first.code, kExitDone) << first.err;
  EXPECT_THAT(first.out, HasSubstr("2 compiled, 0 in the cache, 0 failed"));
  EXPECT_THAT(kiln({"compile", file}).out, HasSubstr("0 compiled, 2 in the cache, 0 failed"));
  EXPECT_THAT(kiln(job(kJob)).out, HasSubstr("0 compiled, 2 from disk"));
  EXPECT_THAT(kiln({"cache", "list"}).out, AllOf(HasSubstr("twice.cu twice"), HasSubstr("2 entries")));
  EXPECT_THAT(kiln({"cache", "verify"}).out, HasSubstr("2 entries: 0 damaged"));
  EXPECT_THAT(kiln({"cache", "clear"}).out, HasSubstr("2 entries removed"));
  EXPECT_EQ(kiln({"compile", file, "--arch", "gfx90a", "--hip", "/none/libamdhip64.so", "--hiprtc",
                  "/none/libhiprtc.so"})
                .code,
            kExitEnvironment);
  EXPECT_EQ(kiln({"compile", file, "--arch", "486"}).code, kExitBadInput);
}

TEST_F(RunJob, ADamagedEntryIsFoundByVerify) {
  EXPECT_EQ(kiln({"compile", write("job.yaml", "workload: twice\n")}).code, kExitDone);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "cache")) {
    if (entry.path().filename() == "binary") files_->write_file(entry.path(), "damaged", false);
  }
  const CliResult result = kiln({"cache", "verify"});
  EXPECT_EQ(result.code, kExitFailed);
  EXPECT_THAT(result.out, AllOf(HasSubstr("damaged: "), HasSubstr("1 damaged")));
}

TEST_F(RunJob, ValidateReportsEachFileAndNeedsNoDevice) {
  const std::string good = write("good.yaml", kJob);
  const std::string bad = write("bad.yaml", "workload: twice\nset: {blok: 1}\n");
  const std::string worse = write("worse.yaml", "wrkload: twice\n");
  const CliResult result = kiln({"validate", good, bad, worse, path("twice/twice.yaml")});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_EQ(result.out, good + ": ok\n" + path("twice/twice.yaml") + ": ok\n");
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("bad.yaml:2:"), HasSubstr("worse.yaml:1:1"), Not(HasSubstr("good.yaml"))));
}

TEST_F(RunJob, ValidateAssumesADeviceThatHasWhatIsAskedFor) {
  write("able/able.cu", "extern \"C\" __global__ void able(int* a) { *a = 1; }\n");
  const std::string workload =
      write("able/able.yaml",
            "workload: able\nparameters:\n  blocks: {type: int, default: \"4 * compute_units\", min: 1}\n"
            "  rate: {type: double, default: {cpu: 1, otherwise: memory_bandwidth}, min: 1}\n"
            "buffers: {a: {type: int, shape: 1}}\nrun: [able]\n"
            "kernels: {able: {source: able.cu, grid: [blocks], block: [1], args: [a]}}\n"
            "verify: {checks: [{buffer: a, expected: 1}]}\n");
  const std::string job = write("able.job.yaml", "workload: able\ndevice: [cpu, \"cuda:0\", \"hip:0\"]\n");
  const CliResult result = kiln({"validate", workload, job});
  EXPECT_EQ(result.out, workload + ": ok\n" + job + ": ok\n") << result.err;
}

TEST_F(RunJob, ValidateFindsAKernelTextThatIsMissing) {
  files_->remove_all(folder_ / "twice/twice.cu");
  const CliResult result = kiln({"validate", path("twice/twice.yaml")});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("kernels.twice.source: there is no file 'twice.cu'"));
}

TEST_F(RunJob, WorkloadsAreListedAndDescribed) {
  EXPECT_THAT(kiln({"workloads"}).out,
              AllOf(HasSubstr("twice"), HasSubstr("Doubles a vector"), HasSubstr("stencil7")));
  EXPECT_THAT(kiln({"workloads", "--names"}).out, HasSubstr("twice\n"));
  const std::string one = kiln({"workloads", "twice"}).out;
  EXPECT_THAT(one, AllOf(HasSubstr("32, 64, 128"), HasSubstr("at least 1"), HasSubstr("compile or run"),
                         HasSubstr("Gelem/s"), HasSubstr("Constraints: block <= n"),
                         HasSubstr("One step launches: twice")));
  EXPECT_THAT(kiln({"workloads", "twise"}).err, HasSubstr("did you mean 'twice'?"));
}

TEST_F(RunJob, DevicesShowTheCpuAndItsCompiler) {
  const CliResult result = kiln({"devices"});
  EXPECT_EQ(result.code, kExitDone);
  EXPECT_THAT(result.out, AllOf(HasSubstr(" cpu "), HasSubstr("cpu: compiles with ")));
  EXPECT_THAT(kiln({"devices", "--cpu-compiler", "no-such-compiler"}).out, HasSubstr("no-such-compiler"));
}

/// The workload without its checks.
std::string unchecked_workload() {
  std::string text = kWorkload;
  const std::size_t begin = text.find("verify:");
  return text.erase(begin, text.find("metrics:") - begin);
}

TEST_F(RunJob, AResultThatNothingComparedIsUncheckedAndSaysSo) {
  write("twice/twice.yaml", unchecked_workload());
  const CliResult result = kiln(job(kJob, {"--output", path("results")}));
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("2 variants: 0 ok, 2 unchecked"), HasSubstr("unchecked)")));
  EXPECT_THAT(result.err,
              HasSubstr("unchecked: nothing shows that the results of 2 of 2 are right: the workload has no "
                        "check (`verify`); --require-checks makes this an error"));
  EXPECT_THAT(kiln({"report", path("results")}).out, HasSubstr("(unchecked)"));
}

TEST_F(RunJob, RequiredChecksMakeAnUncheckedResultAnError) {
  write("twice/twice.yaml", unchecked_workload());
  const CliResult by_option = kiln(job(kJob, {"--require-checks"}));
  EXPECT_EQ(by_option.code, kExitFailed);
  EXPECT_THAT(by_option.err, HasSubstr("checks are required"));
  EXPECT_THAT(by_option.out, HasSubstr("2 unchecked"));
  const CliResult by_job = kiln(job(std::string(kJob) + "require_checks: true\n"));
  EXPECT_EQ(by_job.code, kExitFailed);
  write("twice/twice.yaml", kWorkload);
  const CliResult checked = kiln(job(kJob, {"--require-checks"}));
  EXPECT_EQ(checked.code, kExitDone) << checked.err;
  EXPECT_THAT(checked.err, Not(HasSubstr("unchecked")));
}

TEST_F(RunJob, ValidateSaysThatResultsWouldBeUnchecked) {
  const std::string workload = write("twice/twice.yaml", unchecked_workload());
  const std::string file = write("job.yaml", kJob);
  const CliResult result = kiln({"validate", file, workload});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, HasSubstr(file + ": ok; the results of 2 of 2 variants would be unchecked: the "
                                           "workload has no check (`verify`)\n"));
  EXPECT_THAT(result.out, HasSubstr(workload + ": ok; its results would be unchecked"));
  write("twice/twice.yaml", kWorkload);
  EXPECT_THAT(kiln({"validate", file, workload}).out, Not(HasSubstr("unchecked")));
}

TEST_F(RunJob, AnAbsurdToleranceIsRefusedByRunAndValidate) {
  std::string text = kWorkload;
  text.replace(text.find("reduce: sum"), 11, "reduce: sum, rtol: 2");
  const std::string workload = write("twice/twice.yaml", text);
  expect_refusal(kJob, "verify.checks[0].rtol: expected a number of at least 0 and below 1");
  for (const std::string& file : {workload, write("job.yaml", kJob)}) {
    const CliResult result = kiln({"validate", file});
    EXPECT_EQ(result.code, kExitBadInput);
    EXPECT_THAT(result.err, HasSubstr("rtol: expected a number of at least 0 and below 1"));
  }
}

TEST_F(RunJob, AnEndlessTimeIsRefused) {
  expect_refusal("workload: twice\nmeasure: {min_time: inf}\n",
                 "job.yaml:2:21: measure.min_time: expected a time");
}

TEST_F(RunJob, NamesThatCanBeNoFilesAreRefusedWithTheirPlace) {
  const std::string name(300, 'w');
  expect_refusal("workload: " + name + "\n", "job.yaml:1:11: workload: unknown workload 'www");
  expect_refusal("workload: twice\noutput: \"a\\0b\"\n", "job.yaml:2:9: a byte 0 in a text");
  expect_refusal("workload: twice\ndevice: \"\"\n", "job.yaml:2:9: device: expected a device");
  expect_refusal("workload: twice\ndevice: [cpu, \"cpu:-1\"]\n",
                 "job.yaml:2:15: device[1]: expected a device");
  const CliResult result = kiln(job("workload: " + name + "\n"));
  EXPECT_LT(result.err.size(), 1200U);
}

TEST_F(RunJob, ASourceThatIsNoFileIsRefusedWithItsPlace) {
  for (const char* source : {"\"\"", "."}) {
    std::string text = kWorkload;
    const std::string file = "source: twice.cu";
    text.replace(text.find(file), file.size(), std::string("source: ") + source);
    write("twice/twice.yaml", text);
    expect_refusal("workload: twice\n", "twice.yaml:12:");
    const CliResult result = kiln({"validate", path("twice/twice.yaml")});
    EXPECT_EQ(result.code, kExitBadInput);
    EXPECT_THAT(result.err, HasSubstr("kernels.twice.source: "));
  }
}

TEST_F(RunJob, ErrorsInTheParametersShowTheLineThatTheyName) {
  std::string text = kWorkload;
  text.replace(text.find("  wrong:"), 8, "  M_PI: {type: int, default: 1}\n  wrong:");
  write("twice/twice.yaml", text);
  write("twice/twice.cu",
        std::string("#include <cmath>\n") + kKernel + "// M_PI\nint pi() { return M_PI; }\n");
  const CliResult result = kiln(job("workload: twice\n"));
  EXPECT_EQ(result.code, kExitBadInput);
  const std::size_t at = result.err.find("kiln/params.h:");
  ASSERT_NE(at, std::string::npos) << result.err;
  const std::string excerpt = result.err.substr(at, 500);
  const std::string line = excerpt.substr(14, excerpt.find(':', 14) - 14);
  EXPECT_THAT(result.err, ::testing::ContainsRegex("\n *" + line + " \\|   static constexpr int M_PI = 1;"));
}

TEST_F(RunJob, AProgramThatIsNoCompilerIsTheMachinesLackAndNamesTheSetting) {
  const CliResult cat = kiln(job("workload: twice\n", {"--cpu-compiler", "/bin/cat"}));
  EXPECT_EQ(cat.code, kExitEnvironment) << cat.err;
  EXPECT_THAT(cat.err,
              HasSubstr("'/bin/cat' is not a C++ compiler; correct the setting `cpu_compiler` (KILN_CXX)"));
  const CliResult nothing = kiln(job("workload: twice\n", {"--cpu-compiler", "/bin/true"}));
  EXPECT_EQ(nothing.code, kExitEnvironment) << nothing.err;
  EXPECT_THAT(nothing.err, HasSubstr("KILN_CXX"));
}

TEST_F(RunJob, AProgramThatIsNoWorkerIsTheMachinesLackAndNamesTheSetting) {
  for (const char* program : {"/bin/false", "/bin/cat"}) {
    const std::string settings = write("settings.yaml", std::string("worker: ") + program + "\n");
    const CliResult result =
        kiln(job("workload: twice\n", {"--settings", settings, "--isolation", "process"}));
    EXPECT_EQ(result.code, kExitEnvironment) << result.err;
    EXPECT_THAT(result.err, HasSubstr(std::string("'") + program +
                                      "' is not kiln-worker; correct the setting `worker` (KILN_WORKER)"));
  }
}

TEST_F(RunJob, EveryShippedWorkloadJobAndStudyHasAnEffectiveCheck) {
  std::vector<std::string> arguments = {"validate"};
  for (const char* folder : {"/kernels_src", "/configs"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(KILN_SOURCE_DIR) + folder)) {
      if (entry.path().extension() == ".yaml") arguments.push_back(entry.path().string());
    }
  }
  ASSERT_GT(arguments.size(), 20U);
  const CliResult result = kiln(arguments);
  EXPECT_EQ(result.code, kExitDone) << result.err;
  for (const std::string& line : split(result.out, '\n')) {
    // Its larger clusters are checked on a GPU alone; the file says so.
    const bool known = line.find("paper/mojo_table4_hartree_fock.yaml") != std::string::npos;
    EXPECT_TRUE(known || line.find("unchecked") == std::string::npos) << line;
  }
}

}  // namespace
}  // namespace kiln
