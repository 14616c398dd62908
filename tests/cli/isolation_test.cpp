// Compilers that misbehave, below the real program and the real kiln-worker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <map>
#include <thread>
#include <tuple>

#include "base/process.h"
#include "base/text.h"
#include "cli/cli_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kWorkload = R"yaml(workload: twice
parameters: {n: {type: int, default: 64, values: [64, 128, 256]}}
buffers: {y: {type: float, shape: [n]}}
kernels: {twice: {source: twice.cu, grid: [1], block: [n], args: [y, params]}}
run: [twice]
)yaml";
constexpr const char* kKernel =
    "#include \"kiln/params.h\"\nextern \"C\" __global__ void twice(float* y, const Params p) {\n"
    "  if (threadIdx.x < p.n) y[threadIdx.x] *= 2;\n}\n";

class IsolationTest : public CliTest {
 protected:
  IsolationTest() {
    write("twice/twice.yaml", kWorkload);
    write("twice/twice.cu", kKernel);
    job_ = write("job.yaml", "workload: twice\nmeasure: false\n");
    const std::filesystem::path worker = std::filesystem::path(KILN_PROGRAM).parent_path() / "kiln-worker";
    settings_ = write("settings.yaml", "worker: " + worker.string() + "\n");
  }

  /// A compiler that answers --version and does this for the rest.
  std::string compiler(const std::string& script) {
    const std::string file =
        write("g++", "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'g++ (fake) 12.2.0'; exit 0; fi\n" +
                         script + "\n");
    ::chmod(file.c_str(), 0755);
    return file;
  }

  /// `seconds`: the limit on a compile, so long that only a compiler that hangs meets it.
  CliResult compile(const std::string& program, const std::string& isolation, const char* seconds = "15") {
    return kiln({"compile", job_, "--cpu-compiler", program, "--isolation", isolation, "--compile-time-limit",
                 seconds, "--compile-memory-limit", "500 MiB", "--settings", settings_});
  }

  /// The only capsule.
  std::string capsule() {
    const auto names = files_->list(folder_ / "cache/failures");
    return names.size() == 1 ? path("cache/failures/" + names[0]) : "";
  }

  std::string job_, settings_;
};

struct Fault {
  const char* script;
  const char* expected;
};
const std::map<std::string, Fault> kFaults = {
    {"crashes", {"echo 'the log so far' >&2; kill -SEGV $$", "(Segmentation fault)"}},
    {"hangs", {"sleep 30", "did not finish within 1.50 s"}},
    {"prints", {"exec head -c 100000000 /dev/zero", "printed without end"}},
    {"garbles",
     {"while [ $# -gt 1 ]; do [ \"$1\" = -o ] && echo junk > \"$2\"; shift; done", "no shared object"}},
    {"ices",
     {"echo 'twice.cu:3: internal compiler error: Bus error' >&2; exit 4", "internal compiler error"}},
    // Without a limit, tail would hold all of it.
    {"eats", {"head -c 3000000000 /dev/zero | tail -n 1 > /dev/null; exit $?", "memory exhausted"}},
};

class FaultyCompiler : public IsolationTest,
                       public ::testing::WithParamInterface<std::tuple<std::string, std::string>> {};

TEST_P(FaultyCompiler, IsADiagnosticWithinItsLimitAndACapsule) {
  const auto& [name, isolation] = GetParam();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  if (name == "eats") GTEST_SKIP() << "no limit on memory under a sanitizer";
#endif
  const Fault& fault = kFaults.at(name);
  const auto begin = std::chrono::steady_clock::now();
  const CliResult result = compile(compiler(fault.script), isolation, name == "hangs" ? "1.5" : "15");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr(fault.expected));
  EXPECT_THAT(result.out, HasSubstr("kiln replay "));
  EXPECT_LT(result.out.size(), std::size_t{9} << 20);
  EXPECT_LT(elapsed.count(), 20);
  ASSERT_NE(capsule(), "");
  const CliResult again = kiln({"replay", capsule()});
  EXPECT_EQ(again.code, 1) << again.err;
  EXPECT_THAT(again.out, HasSubstr("before    "));
  EXPECT_THAT(again.out, HasSubstr("now       "));
  EXPECT_THAT(again.out, HasSubstr(fault.expected));
}

std::string fault_label(const ::testing::TestParamInfo<std::tuple<std::string, std::string>>& one) {
  return std::get<0>(one.param) + "_" + std::get<1>(one.param);
}

INSTANTIATE_TEST_SUITE_P(All, FaultyCompiler,
                         ::testing::Combine(::testing::Values("crashes", "hangs", "prints", "garbles",
                                                              "ices"),
                                            ::testing::Values("none", "process")),
                         fault_label);
// The memory of a compiler is limited in worker processes.
INSTANTIATE_TEST_SUITE_P(Memory, FaultyCompiler,
                         ::testing::Combine(::testing::Values("eats"), ::testing::Values("process")),
                         fault_label);

TEST_F(IsolationTest, WorkerProcessesMakeTheSameCode) {
  if (!make_process_runner()->find_program("c++")) GTEST_SKIP() << "no C++ compiler on this machine";
  const CliResult cold = kiln({"compile", job_, "--isolation", "process", "--settings", settings_});
  EXPECT_EQ(cold.code, 0) << cold.out << cold.err;
  EXPECT_THAT(cold.out, HasSubstr("1 compiled, 0 in the cache, 0 failed"));
  const CliResult warm = kiln({"compile", job_, "--isolation", "none"});
  EXPECT_THAT(warm.out, HasSubstr("0 compiled, 1 in the cache, 0 failed"));
  EXPECT_FALSE(exists("cache/failures"));
}

TEST_F(IsolationTest, AWorkerAndItsCompilerEndWithTheirParent) {
  const std::string pid_file = path("pid");
  const std::string compile = std::string("'" KILN_PROGRAM "' compile '") + job_ + "' --cpu-compiler '" +
                              compiler("echo $$ > " + pid_file + "; exec sleep 1000") +
                              "' --isolation process --settings '" + settings_ + "' --cache-dir '" +
                              path("cache") + "' --workload-path '" + path("") + "'";
  Command command{"bash",
                  {"-c", compile + " & kiln=$!; for i in $(seq 600); do [ -s '" + pid_file +
                             "' ] && break; sleep 0.05; done; kill -9 $kiln; wait $kiln"},
                  "",
                  ""};
  const auto processes = make_process_runner();
  EXPECT_EQ(processes->run(command).exit_code, 128 + SIGKILL);
  const auto pid = files_->read_file(pid_file);
  ASSERT_TRUE(pid.has_value()) << "the compile had not begun";
  const std::filesystem::path compiler_process = "/proc/" + pid->substr(0, pid->find('\n'));
  std::error_code failure;
  // An ended process that was not reaped yet has no working directory.
  for (int i = 0; i < 500 && std::filesystem::exists(compiler_process / "cwd", failure); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(std::filesystem::exists(compiler_process / "cwd", failure));
}

TEST_F(IsolationTest, AJobMayAskForIt) {
  if (!make_process_runner()->find_program("c++")) GTEST_SKIP() << "no C++ compiler on this machine";
  const std::string isolated =
      write("isolated.yaml", "workload: twice\nmeasure: false\nisolation: process\n");
  const std::string settings = write("wrong_settings.yaml", "worker: nowhere/kiln-worker\n");
  EXPECT_EQ(kiln({"compile", job_, "--settings", settings}).code, 0);
  const CliResult result = kiln({"compile", isolated, "--settings", settings, "--set", "n=128"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("nowhere/kiln-worker"));
  const CliResult wrong = kiln({"run", write("wrong.yaml", "workload: twice\nisolation: proces\n")});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err,
              HasSubstr("wrong.yaml:2:12: isolation: 'proces' is not known; did you mean 'process'?"));
}

TEST_F(IsolationTest, AUsersErrorLeavesNoCapsule) {
  if (!make_process_runner()->find_program("c++")) GTEST_SKIP() << "no C++ compiler on this machine";
  write("twice/twice.cu", std::string(kKernel) + "wrong\n");
  const CliResult result = kiln({"compile", job_, "--isolation", "process", "--settings", settings_});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.out, HasSubstr("twice.cu:5:"));
  EXPECT_THAT(result.out, Not(HasSubstr("kiln replay")));
  EXPECT_FALSE(exists("cache/failures"));
}

TEST_F(IsolationTest, ReplayNeedsACapsule) {
  EXPECT_EQ(kiln({"replay"}).code, 2);
  const CliResult result = kiln({"replay", path("twice")});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("capsule.json: no such file"));
}

}  // namespace
}  // namespace kiln::test
