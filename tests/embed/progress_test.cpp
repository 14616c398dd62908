// Progress reports of a program's requests, and how it ends them, on the cpu with a real compiler.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <future>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kiln/async.h"
#include "kiln/kiln.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

using Stage = GetProgress::Stage;
using test::error_of;
using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kText = R"cuda(
template <class T> __global__ void fill(T value, T* x) { x[blockIdx.x] = value; }
)cuda";

class Progress : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "kiln_progress.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    settings_.cache_dir = (folder_ / "cache").string();
    settings_.log_level = "off";
    if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] Service service() {
    return Service(settings_, {}, [this](const GetProgress& progress) {
      stages_.push_back(progress.stage);
      last_ = progress;
      return progress.stage != refused_;
    });
  }
  static FunctionRequest fill(const Service& service, const std::string& type = "int",
                              const char* text = kText) {
    return service.program("fill.cu", text)
        .function("fill", service.device("cpu"))
        .template_args({type})
        .block(1)
        .grid(4);
  }

  std::filesystem::path folder_;
  Settings settings_;
  std::vector<Stage> stages_;
  GetProgress last_;
  std::optional<Stage> refused_;
};

TEST_F(Progress, EachStageIsReportedBeforeItBegins) {
  {
    const Service first = service();
    static_cast<void>(fill(first).get<void(int, int*)>());
    EXPECT_THAT(stages_, ElementsAre(Stage::kLooking, Stage::kCompiling, Stage::kLoading, Stage::kReady));
    EXPECT_EQ(last_.kernel, "fill.cu fill<int>");
    EXPECT_GT(last_.seconds, 0);
    stages_.clear();
    static_cast<void>(fill(first).get<void(int, int*)>());
    EXPECT_THAT(stages_, ElementsAre()) << "it was in memory";
  }
  const Service second = service();
  static_cast<void>(fill(second).get<void(int, int*)>());
  EXPECT_THAT(stages_, ElementsAre(Stage::kLooking, Stage::kLoading, Stage::kReady));
}

TEST_F(Progress, WhatFailsIsReported) {
  const Service broken = service();
  EXPECT_EQ(error_of([&] {
              static_cast<void>(
                  fill(broken, "int", "template <class T> __global__ void fill(T v, T* x) { x[0] = w; }")
                      .get<void(int, int*)>());
            }).kind(),
            ErrorKind::kCompile);
  EXPECT_THAT(stages_, ElementsAre(Stage::kLooking, Stage::kCompiling, Stage::kFailed));
}

TEST_F(Progress, FalseEndsTheRequestBeforeTheStage) {
  const Service one = service();
  for (const Stage stage : {Stage::kLooking, Stage::kCompiling, Stage::kLoading}) {
    refused_ = stage;
    EXPECT_THAT(
        message_of(ErrorKind::kCancelled, [&] { static_cast<void>(fill(one).get<void(int, int*)>()); }),
        HasSubstr("'fill.cu fill<int>': the program ended the request"));
    EXPECT_EQ(stages_.back(), Stage::kFailed);
  }
  EXPECT_EQ(one.statistics().compiled, 1U) << "that of the request that ended before its code was loaded";
  refused_.reset();
  EXPECT_TRUE((fill(one).get<void(int, int*)>()));
  EXPECT_EQ(one.statistics().compiled, 1U) << "the code that was not loaded is not compiled again";
  refused_ = Stage::kCompiling;
  std::future<Function<void(float, float*)>> future = fill(one, "float").get_async<void(float, float*)>();
  EXPECT_EQ(error_of([&] { static_cast<void>(future.get()); }).kind(), ErrorKind::kCancelled);
}

TEST_F(Progress, OneWhoEndsItsRequestDoesNotEndThoseOfOthers) {
  bool first = true;  // to want to compile: that one ends; the calls come one at a time
  const Service service(settings_, {}, [&](const GetProgress& progress) {
    return progress.stage != Stage::kCompiling || !std::exchange(first, false);
  });
  std::vector<std::future<Function<void(int, int*)>>> futures;
  for (int i = 0; i < 8; ++i) futures.push_back(fill(service).get_async<void(int, int*)>());
  int cancelled = 0;
  for (auto& future : futures) {
    try {
      EXPECT_TRUE(future.get());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kCancelled);
      ++cancelled;
    }
  }
  EXPECT_EQ(cancelled, 1);
  EXPECT_EQ(service.statistics().compiled, 1U);
}

TEST_F(Progress, WhatTheFunctionThrowsCountsAsTrue) {
  const Service service(settings_, {}, [](const GetProgress&) -> bool { throw std::runtime_error("mine"); });
  EXPECT_TRUE((fill(service).get<void(int, int*)>()));
}

TEST_F(Progress, WithoutCompilesCodeComesFromTheCacheAlone) {
  {
    const Service first = service();
    static_cast<void>(fill(first).get<void(int, int*)>());
  }
  settings_.compile = false;
  settings_.cpu_compiler = "/nonexistent/compiler";
  stages_.clear();
  const Service second = service();
  EXPECT_EQ((fill(second).get<void(int, int*)>().info().origin), "disk");
  EXPECT_THAT(stages_, ElementsAre(Stage::kLooking, Stage::kLoading, Stage::kReady));
  EXPECT_THAT(
      message_of(ErrorKind::kEnvironment,
                 [&] { static_cast<void>(fill(second, "float").get<void(float, float*)>()); }),
      AllOf(HasSubstr("compiling is switched off (setting 'compile')"), HasSubstr("fill.cu fill<int>")));
  settings_.cache = false;
  const Service third(settings_);
  EXPECT_THAT(
      message_of(ErrorKind::kEnvironment, [&] { static_cast<void>(fill(third).get<void(int, int*)>()); }),
      HasSubstr("Without a compiler, the cache and the bundles have no code at all"));
}

}  // namespace
}  // namespace kiln
