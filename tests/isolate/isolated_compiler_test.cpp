#include "isolate/isolated_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "base/scratch_folder.h"
#include "isolate/outcome.h"
#include "support/compile_result.h"
#include "support/fake_clock.h"
#include "support/fake_compiler.h"
#include "support/fake_process_runner.h"
#include "support/memory_file_system.h"
#include "support/recording_log.h"

namespace kiln {
namespace {

using test::diagnostic_of;
using test::FakeProcessRunner;
using test::make_specialization;
using testing::AllOf;
using testing::HasSubstr;

CodeObject code_from_a_worker() {
  CodeObject code;
  code.binary = "made in a worker";
  code.format = "fake";
  return code;
}

/// The worker is a function of the test's that works on the worker's folder.
class FakeWorker : public testing::Test {
 protected:
  FakeWorker() {
    processes_.add_program("/bin/kiln-worker", "/bin/kiln-worker");
    files_.make_directories("/scratch", true);
  }

  std::unique_ptr<Compiler> make(Isolation isolation) {
    Settings settings;
    settings.worker = "/bin/kiln-worker";
    settings.compile_time_limit = 7;
    return make_isolated_compiler(inner_, {isolation, settings, "/scratch", "/failures"}, processes_, files_,
                                  clock_, log_);
  }
  Diagnostic compile_with(FakeProcessRunner::Answer answer) {
    processes_.set_answer([this, answer = std::move(answer)](const Command& command) {
      if (command.arguments.empty()) return FakeProcessRunner::exited(2, "", usage_);
      return answer(command);
    });
    return diagnostic_of(make(Isolation::kProcess)->compile(make_specialization()));
  }

  class WantsProcesses : public test::FakeCompiler {
   public:
    int compiles_at_once() const override { return at_once; }
    std::string surroundings(const Specialization& specialization) override {
      return "around " + specialization.source_text;
    }
    std::string abilities() override { return "all"; }
    int at_once = kAnyNumber;
  };

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  test::RecordingLog log_;
  FakeProcessRunner processes_;
  WantsProcesses inner_;
  std::string usage_ = "usage: kiln-worker CAPSULE\n";  ///< what the program says without arguments
};

TEST_F(FakeWorker, AnotherProgramThatFailsIsTheMachinesLack) {
  usage_ = "false: no usage\n";
  const Diagnostic diagnostic = compile_with([](const Command&) { return FakeProcessRunner::exited(1); });
  EXPECT_TRUE(diagnostic.environment);
  EXPECT_FALSE(diagnostic.compiler_fault);
  EXPECT_EQ(diagnostic.summary,
            "'/bin/kiln-worker' is not kiln-worker; correct the setting `worker` (KILN_WORKER)");
}

TEST_F(FakeWorker, CompilesThereAndLeavesNothingBehind) {
  processes_.set_answer([&](const Command& command) {
    const std::string& folder = command.arguments.at(0);
    const Capsule capsule = read_capsule(files_, folder);
    EXPECT_EQ(capsule.specialization.source_text, "the text");
    EXPECT_EQ(capsule.compiler.name, inner_.identity().name);
    EXPECT_EQ(command.time_limit, std::chrono::seconds(7));
    write_outcome(files_, folder, code_from_a_worker());
    return FakeProcessRunner::succeeded();
  });
  const CompileResult result = make(Isolation::kProcess)->compile(make_specialization("the text"));
  ASSERT_TRUE(std::holds_alternative<CodeObject>(result));
  EXPECT_EQ(std::get<CodeObject>(result).binary, "made in a worker");
  EXPECT_EQ(inner_.compiles(), 0);
  EXPECT_TRUE(files_.files_below("/").empty());
}

TEST_F(FakeWorker, IsOtherwiseTheCompilerItself) {
  const auto compiler = make(Isolation::kProcess);
  EXPECT_EQ(compiler->identity().fingerprint, inner_.identity().fingerprint);
  EXPECT_EQ(compiler->surroundings(make_specialization("x")), "around x");
  EXPECT_EQ(compiler->abilities(), "all");
  EXPECT_EQ(compiler->target_for("native"), inner_.target_for("native"));
  inner_.at_once = 3;
  EXPECT_EQ(compiler->compiles_at_once(), 3);
}

TEST_F(FakeWorker, OrdinaryDiagnosticsAndErrorsPassThrough) {
  const Diagnostic wrong = compile_with([&](const Command& command) {
    write_outcome(files_, command.arguments[0],
                  CompileResult(Diagnostic{"k.cu:1: error", "log", "cc", false}));
    return FakeProcessRunner::succeeded();
  });
  EXPECT_EQ(wrong.summary, "k.cu:1: error");
  EXPECT_EQ(wrong.capsule, "");
  processes_.set_answer([&](const Command& command) {
    write_outcome(files_, command.arguments[0], environment_error("no compiler"));
    return FakeProcessRunner::succeeded();
  });
  try {
    (void)make(Isolation::kProcess)->compile(make_specialization());
    FAIL() << "the error was lost";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
  }
  EXPECT_TRUE(files_.files_below("/").empty());
}

TEST_F(FakeWorker, EachWayToFailIsADiagnosticWithACapsule) {
  struct Case {
    const char* name;
    std::function<ProcessResult(const std::string& folder)> act;
    const char* expected;
  };
  const std::vector<Case> cases = {
      {"crash", [](const auto&) { return FakeProcessRunner::killed(SIGSEGV); },
       "was ended by signal 11 (Segmentation fault)"},
      {"hang", [](const auto&) { return FakeProcessRunner::timed_out(); }, "did not finish within 7.00 s"},
      {"flood",
       [](const auto&) {
         ProcessResult result = FakeProcessRunner::killed(SIGKILL);
         result.flooded = true;
         return result;
       },
       "printed without end"},
      {"memory",
       [](const auto&) {
         ProcessResult result = FakeProcessRunner::killed(SIGABRT);
         result.error = "LLVM ERROR: out of memory\n";
         return result;
       },
       "was ended by signal 6 (Aborted) (its memory limit is 8 GiB)"},
      {"exit", [](const auto&) { return FakeProcessRunner::exited(3); }, "ended with exit code 3"},
      {"nothing", [](const auto&) { return FakeProcessRunner::succeeded(); },
       "left no sound result: there is none"},
      {"garbage",
       [&](const std::string& folder) {
         write_outcome(files_, folder, code_from_a_worker());
         files_.write_file(folder + "/code/binary", "made by a gremlin", false);
         return FakeProcessRunner::succeeded();
       },
       "left no sound result: binary has"},
      {"code and a crash",
       [&](const std::string& folder) {
         write_outcome(files_, folder, code_from_a_worker());
         return FakeProcessRunner::killed(SIGSEGV);
       },
       "was ended by signal 11"},
  };
  for (const Case& one : cases) {
    const Diagnostic diagnostic = compile_with([&](const Command& command) {
      ProcessResult result = one.act(command.arguments.at(0));
      result.error += "the log so far\n";
      return result;
    });
    EXPECT_THAT(diagnostic.summary, HasSubstr(one.expected)) << one.name;
    EXPECT_THAT(diagnostic.summary, HasSubstr("axpy.cu: error: the compile process")) << one.name;
    EXPECT_THAT(diagnostic.log, HasSubstr("the log so far")) << one.name;
    EXPECT_TRUE(diagnostic.compiler_fault) << one.name;
    EXPECT_FALSE(diagnostic.environment) << one.name;
    EXPECT_EQ(diagnostic.command, "kiln replay " + diagnostic.capsule) << one.name;
    EXPECT_EQ(read_capsule(files_, diagnostic.capsule).settings.compile_time_limit, 7) << one.name;
    EXPECT_TRUE(files_.list("/scratch").empty()) << one.name;
  }
}

TEST_F(FakeWorker, ACompileThatIsStoppedIsNoFailure) {
  std::stop_source stop;
  processes_.set_answer([&](const Command& command) {
    EXPECT_EQ(command.stop, stop.get_token());
    write_outcome(files_, command.arguments.at(0), code_from_a_worker());
    return FakeProcessRunner::stopped();
  });
  EXPECT_THROW((void)make(Isolation::kProcess)->compile(make_specialization(), stop.get_token()), Cancelled);
  EXPECT_TRUE(files_.files_below("/").empty());
  EXPECT_TRUE(log_.warnings().empty());
  inner_.block();
  inner_.obey_stops();
  stop.request_stop();
  EXPECT_THROW((void)make(Isolation::kNone)->compile(make_specialization(), stop.get_token()), Cancelled);
  EXPECT_TRUE(files_.files_below("/").empty());
}

TEST_F(FakeWorker, AFaultInThisProcessLeavesACapsuleToo) {
  inner_.set_diagnostic(
      Diagnostic{"axpy.cu: error: the C++ compiler was ended by signal 11", "log", "g++", false, true});
  const Diagnostic diagnostic = diagnostic_of(make(Isolation::kNone)->compile(make_specialization()));
  EXPECT_THAT(diagnostic.summary, HasSubstr("repeat it with: kiln replay /failures/"));
  EXPECT_TRUE(processes_.commands().empty());
}

TEST_F(FakeWorker, AutoTakesAWorkerBesideAnotherCompileOnly) {
  processes_.set_answer([&](const Command& command) {
    write_outcome(files_, command.arguments.at(0), code_from_a_worker());
    return FakeProcessRunner::succeeded();
  });
  const auto compiler = make(Isolation::kAuto);
  for (const int at_once : {Compiler::kAnyNumber, 1}) {
    inner_.at_once = at_once;
    (void)compiler->compile(make_specialization());  // alone
    EXPECT_TRUE(processes_.commands().empty());
  }
  inner_.block();
  const int before = inner_.compiles();
  std::thread first([&] { (void)compiler->compile(make_specialization()); });
  inner_.wait_for_begun(before + 1);
  const CompileResult second = compiler->compile(make_specialization());
  EXPECT_EQ(std::get<CodeObject>(second).binary, "made in a worker");
  EXPECT_EQ(processes_.commands().size(), 1U);
  inner_.unblock();
  first.join();
}

TEST_F(FakeWorker, WhereManyAreExpectedAllCompileInWorkers) {
  processes_.set_answer([&](const Command& command) {
    write_outcome(files_, command.arguments.at(0), code_from_a_worker());
    return FakeProcessRunner::succeeded();
  });
  const auto compiler = make(Isolation::kAuto);
  inner_.at_once = 2;
  {
    const ExpectedCompiles expected = expect_compiles(*compiler, 64);
    (void)compiler->compile(make_specialization());  // alone yet
    EXPECT_EQ(inner_.compiles(), 0);
    EXPECT_EQ(processes_.commands().size(), 1U);
  }
  (void)compiler->compile(make_specialization());  // no further compile is expected
  EXPECT_EQ(inner_.compiles(), 1);
  inner_.at_once = Compiler::kAnyNumber;  // a compiler that starts processes itself
  const ExpectedCompiles expected = expect_compiles(*compiler, 64);
  (void)compiler->compile(make_specialization());
  EXPECT_EQ(inner_.compiles(), 2);
}

TEST_F(FakeWorker, WithoutAWorkerProgramManyCompileHere) {
  Settings settings;
  settings.worker = "/nowhere/kiln-worker";
  inner_.at_once = 2;
  const auto compiler = make_isolated_compiler(inner_, {Isolation::kAuto, settings, "/scratch", "/failures"},
                                               processes_, files_, clock_, log_);
  const ExpectedCompiles expected = expect_compiles(*compiler, 64);
  EXPECT_TRUE(std::holds_alternative<CodeObject>(compiler->compile(make_specialization())));
  EXPECT_EQ(inner_.compiles(), 1);
}

TEST_F(FakeWorker, WithoutAWorkerProgramItSaysWhereItLooked) {
  Settings settings;
  settings.worker = "/nowhere/kiln-worker";
  const auto compiler = make_isolated_compiler(
      inner_, {Isolation::kProcess, settings, "/scratch", "/failures"}, processes_, files_, clock_, log_);
  try {
    (void)compiler->compile(make_specialization());
    FAIL() << "compiled without a worker";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/kiln-worker"));
  }
}

TEST_F(FakeWorker, ATemporaryFolderThatIsFullIsTheMachinesLack) {
  files_.set_full(true);
  try {
    (void)make(Isolation::kProcess)->compile(make_specialization());
    FAIL() << "compiled without room";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'/scratch'"), HasSubstr("TMPDIR")));
  }
}

TEST(ParseIsolation, KnowsItsWords) {
  EXPECT_EQ(parse_isolation("auto"), Isolation::kAuto);
  EXPECT_EQ(parse_isolation("none"), Isolation::kNone);
  EXPECT_EQ(parse_isolation("process"), Isolation::kProcess);
  EXPECT_THROW((void)parse_isolation("proces"), Error);
}

}  // namespace
}  // namespace kiln
