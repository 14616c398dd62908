// Background mode on the cpu, with a real compiler behind a gate: whatever is not compiled quickly waits for
// it.
#include "kiln/background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <thread>

#include "kiln/kiln.h"
#include "support/error_matchers.h"
#include "support/small_workload.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::HasSubstr;

/// True where the compiler knows the value: &Params::n is then no pointer to a member.
const char* const kIsConstant = R"(#include "kiln/params.h"
template <class Pointer> struct Constant { static constexpr bool value = true; };
template <class Class, class Member> struct Constant<Member Class::*> { static constexpr bool value = false; };
)";

class Background : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "kiln_background.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::filesystem::create_directories(folder_ / "scale");
    std::ofstream(folder_ / "scale/scale.yaml") << test::kScaleYaml;
    std::ofstream(folder_ / "scale/scale_data.cu") << test::kScaleDataSource;
    write_kernel(test::kScaleSource);
    const std::filesystem::path gated = folder_ / "gated-c++";
    std::ofstream(gated) << "#!/bin/sh\ncase \"$*\" in *-O1*|*--version*|*-dumpversion*) ;; *)\n"
                            "  tries=0\n  while [ ! -e '"
                         << (folder_ / "open").string()
                         << "' ] && [ $tries -lt 3000 ]; do sleep 0.01; tries=$((tries + 1)); done ;;\nesac\n"
                            "exec c++ \"$@\"\n";
    std::filesystem::permissions(gated, std::filesystem::perms::owner_all);
    settings_.cpu_compiler = gated.string();
    settings_.cache_dir = (folder_ / "cache").string();
    settings_.workload_path = {folder_.string()};
    settings_.log_level = "off";
    if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write_kernel(const std::string& text) { std::ofstream(folder_ / "scale/scale.cu") << text; }
  void open_gate() { std::ofstream(folder_ / "open") << "open"; }

  /// A kernel whose text differs where n is a constant.
  static std::string kernel_with(const std::string& statement) {
    return kIsConstant +
           std::string("extern \"C\" __global__ void scale(T* y, const T* x, const Params p) {\n") +
           "  constexpr bool constant = Constant<decltype(&Params::n)>::value;\n" + statement +
           "\n  const int i = blockIdx.x * Params::block + threadIdx.x;\n"
           "  if (i < p.n) y[i] = p.factor * x[i] + shift;\n}\n";
  }

  KernelRequest request(const Service& service) {
    return service.workload("scale")
        .kernel("scale")
        .on(service.device("cpu"))
        .set("n", kCount)
        .set("factor", 2.5);
  }

  /// Launches once; whether y is 2.5 x.
  bool launch_is_right(const BackgroundKernel& kernel) {
    std::vector<double> x(kCount);
    std::vector<double> y(kCount, -1.0);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
    kernel.run(args(y.data(), x.data()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (y[i] != 2.5 * x[i]) return false;
    }
    return true;
  }

  static constexpr int kCount = 100;
  std::filesystem::path folder_;
  Settings settings_;
};

TEST_F(Background, StartsGenericAndSwaps) {
  const Service service(settings_);
  const BackgroundKernel kernel = request(service).background();
  EXPECT_TRUE(launch_is_right(kernel));
  EXPECT_TRUE(launch_is_right(kernel));
  const BackgroundStatus before = kernel.status();
  EXPECT_EQ(before.state, BackgroundState::kGeneric);
  EXPECT_EQ(before.generic_launches, 2U);
  EXPECT_EQ(before.specialised_launches, 0U);
  EXPECT_EQ(before.swap_seconds, 0);
  EXPECT_EQ(before.specialised_key, "");
  open_gate();
  kernel.wait();
  EXPECT_TRUE(launch_is_right(kernel));
  const BackgroundStatus after = kernel.status();
  EXPECT_EQ(after.state, BackgroundState::kSpecialised) << after.reason;
  EXPECT_EQ(after.generic_launches, 2U);
  EXPECT_EQ(after.specialised_launches, 1U);
  EXPECT_GT(after.ready_seconds, 0);
  EXPECT_GT(after.swap_seconds, after.ready_seconds);
  EXPECT_NE(after.generic_key, after.specialised_key);
  EXPECT_EQ(after.specialised_key, request(service).get().key());
  EXPECT_EQ(service.statistics().compiled, 2U);
}

TEST_F(Background, BothKernelsTakeTheScalarsThatTheSpecialisedOneTakesAtRunTime) {
  const Service service(settings_);
  const BackgroundKernel kernel = request(service).set("bind.factor", "run").background();
  std::vector<double> x(kCount, 2.0), y(kCount);
  const auto run_both_ways = [&] {
    kernel.run(args(y.data(), x.data()), {{"factor", 4}});
    EXPECT_EQ(y[kCount - 1], 8.0);
    EXPECT_TRUE(launch_is_right(kernel));
    EXPECT_THAT(
        bad_input_of([&] {
          kernel.run(args(y.data(), x.data()), {{"n", 1}});
        }),
        HasSubstr("kernel 'scale', scalar 'n': it cannot be given at a launch: it is bound at compile"));
  };
  run_both_ways();
  EXPECT_EQ(kernel.status().state, BackgroundState::kGeneric);
  open_gate();
  kernel.wait();
  EXPECT_EQ(kernel.status().state, BackgroundState::kSpecialised) << kernel.status().reason;
  run_both_ways();
}

TEST_F(Background, WhatTheCacheHasIsUsedAtOnce) {
  open_gate();
  {
    const Service service(settings_);
    EXPECT_EQ(request(service).get().origin(), "compiled");
  }
  const Service service(settings_);
  const BackgroundKernel kernel = request(service).background();
  const BackgroundStatus status = kernel.status();
  EXPECT_EQ(status.state, BackgroundState::kSpecialised);
  EXPECT_EQ(status.generic_key, "");
  kernel.wait();
  EXPECT_TRUE(launch_is_right(kernel));
  EXPECT_EQ(kernel.status().specialised_launches, 1U);
  EXPECT_EQ(service.statistics().compiled, 0U);
  EXPECT_EQ(service.statistics().disk_hits, 1U);
}

TEST_F(Background, AGenericKernelOfTheCacheNeedsNoCompile) {
  open_gate();
  const Service service(settings_);
  const Kernel full = request(service).set("bind.all", "run").get();
  const BackgroundKernel kernel = request(service).set("n", kCount).background();
  kernel.wait();
  EXPECT_EQ(kernel.status().generic_key, full.key());
  EXPECT_EQ(service.statistics().compiled, 2U);
}

TEST_F(Background, ExplicitBindingsAreOverriddenForTheGenericKernelOnly) {
  open_gate();
  const Service service(settings_);
  const BackgroundKernel kernel =
      request(service).set("bind.n", "compile").set("bind.factor", "run").background();
  kernel.wait();
  EXPECT_EQ(kernel.status().specialised_key, request(service).set("bind.factor", "run").get().key());
  EXPECT_TRUE(launch_is_right(kernel));
}

TEST_F(Background, AKernelThatDisagreesIsNotUsed) {
  write_kernel(kernel_with(
      "  const T shift = constant && blockIdx.x * Params::block + threadIdx.x == 7 ? T(1) : T(0);"));
  open_gate();
  const Service service(settings_);
  BackgroundOptions options;
  options.verify = true;
  const BackgroundKernel kernel = request(service).background(options);
  kernel.wait();
  const BackgroundStatus status = kernel.status();
  EXPECT_EQ(status.state, BackgroundState::kKeptGeneric);
  EXPECT_EQ(
      status.reason,
      "1 of 100 elements of 'y' differ; worst: y[7] is 21, and 20 with generic code (rtol 1e-12, atol 0)");
  EXPECT_EQ(status.specialised_key, "");
  EXPECT_TRUE(launch_is_right(kernel));
  EXPECT_EQ(kernel.status().specialised_launches, 0U);

  options.atol = 1.5;
  const BackgroundKernel lenient = request(service).background(options);
  lenient.wait();
  EXPECT_EQ(lenient.status().state, BackgroundState::kSpecialised) << lenient.status().reason;
}

TEST_F(Background, AToleranceThatNothingCouldExceedIsRefused) {
  const Service service(settings_);
  const auto refusal = [&](std::optional<double> rtol, std::optional<double> atol) {
    BackgroundOptions options;
    options.verify = true;
    options.rtol = rtol;
    options.atol = atol;
    return bad_input_of([&] { static_cast<void>(request(service).background(options)); });
  };
  EXPECT_EQ(refusal(1, {}),
            "BackgroundOptions::rtol: expected a finite number of at least 0 and below 1; found 1");
  EXPECT_THAT(refusal({}, std::numeric_limits<double>::infinity()), HasSubstr("atol: expected a finite"));
  EXPECT_THAT(refusal({}, -1), HasSubstr("found -1"));
  EXPECT_THAT(refusal(std::numeric_limits<double>::quiet_NaN(), {}), HasSubstr("found nan"));
}

TEST_F(Background, AKernelThatAgreesIsUsed) {
  open_gate();
  const Service service(settings_);
  BackgroundOptions options;
  options.verify = true;
  const BackgroundKernel kernel = request(service).background(options);
  kernel.wait();
  EXPECT_EQ(kernel.status().state, BackgroundState::kSpecialised) << kernel.status().reason;
  EXPECT_TRUE(launch_is_right(kernel));
}

TEST_F(Background, AKernelThatDoesNotCompileIsNotUsed) {
  write_kernel(kernel_with("  static_assert(!constant, \"refused as a constant\");\n  const T shift = 0;"));
  open_gate();
  const Service service(settings_);
  const BackgroundKernel kernel = request(service).background();
  kernel.wait();
  const BackgroundStatus status = kernel.status();
  EXPECT_EQ(status.state, BackgroundState::kKeptGeneric);
  EXPECT_THAT(status.reason, HasSubstr("scale.cu:6:"));
  EXPECT_THAT(status.reason, HasSubstr("refused as a constant"));
  EXPECT_TRUE(launch_is_right(kernel));
  EXPECT_EQ(kernel.status().generic_launches, 1U);
}

TEST_F(Background, ATextThatNeedsItsConstantsIsCompiledSpecialised) {
  write_kernel(kernel_with("  static_assert(constant, \"needs it\");\n  const T shift = 0;"));
  open_gate();
  const Service service(settings_);
  const BackgroundKernel kernel = request(service).background();
  EXPECT_EQ(kernel.status().state, BackgroundState::kSpecialised);
  EXPECT_EQ(kernel.status().generic_key, "");
  EXPECT_TRUE(launch_is_right(kernel));
}

TEST_F(Background, ATextThatDoesNotCompileAtAllIsAnError) {
  write_kernel(
      "#include \"kiln/params.h\"\nextern \"C\" __global__ void scale(T* y, const T* x, const Params p) { "
      "oops; }\n");
  open_gate();
  const Service service(settings_);
  const Error failed = test::error_of([&] { static_cast<void>(request(service).background()); });
  EXPECT_EQ(failed.kind(), ErrorKind::kCompile);
  EXPECT_THAT(failed.what(), HasSubstr("scale.cu:2:"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(request(service).set("m", 1).background()); }),
              HasSubstr("no parameter 'm'"));
}

TEST_F(Background, ManyThreadsLaunchWhileItSwaps) {
  constexpr int kThreads = 8;
  constexpr std::uint64_t kAfter = 20;
  const Service service(settings_);
  BackgroundOptions options;
  options.verify = true;
  const BackgroundKernel kernel = request(service).background(options);
  std::atomic<std::uint64_t> launches{0};
  std::atomic<std::uint64_t> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, copy = kernel] {
        std::uint64_t after = 0;
        while (after < kAfter) {
          if (copy.status().state != BackgroundState::kGeneric) ++after;
          if (!launch_is_right(copy)) ++wrong;
          ++launches;
        }
      });
    }
    while (launches < kThreads) std::this_thread::yield();
    open_gate();
  }
  const BackgroundStatus status = kernel.status();
  EXPECT_EQ(status.state, BackgroundState::kSpecialised) << status.reason;
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(status.generic_launches + status.specialised_launches, launches);
  EXPECT_GE(status.generic_launches, kThreads);
  EXPECT_GE(status.specialised_launches, kThreads * kAfter);
}

TEST_F(Background, OutlivesItsServiceAndMayGoBeforeItIsDone) {
  std::optional<BackgroundKernel> kernel;
  {
    const Service service(settings_);
    kernel = request(service).background();
  }
  EXPECT_TRUE(launch_is_right(*kernel));
  std::jthread opener([this] { open_gate(); });
  kernel.reset();
}

TEST_F(Background, AWrongNumberOfPointersIsAnErrorAndNoLaunch) {
  open_gate();
  const Service service(settings_);
  const BackgroundKernel kernel = request(service).background();
  double y = 0;
  EXPECT_THAT(bad_input_of([&] { kernel.launch(nullptr, args(&y)); }),
              HasSubstr("takes 2 buffers, 1 are given"));
  kernel.wait();
  EXPECT_EQ(kernel.status().generic_launches + kernel.status().specialised_launches, 0U);
}

using Sum = void(int, double, const double*, double*);

/// A program whose text differs where `count` is a constant.
FunctionRequest sum_of(const Service& service) {
  return service
      .program("sum.cu", R"(__global__ void sum(int count, double scale, const double* x, double* y) {
  double total = 0;
  for (int i = 0; i < count; ++i) total += x[i];
  y[0] = scale * total;
})")
      .function("sum", service.device("cpu"))
      .constant(0, 3)
      .block(1)
      .grid(1);
}

TEST_F(Background, AFunctionStartsWithoutItsConstantsAndSwaps) {
  const Service service(settings_);
  const auto sum = sum_of(service).background<Sum>();
  const std::vector<double> x = {1, 2, 3};
  double y = 0;
  sum.run(3, 2.0, x.data(), &y);
  EXPECT_EQ(y, 12);
  const auto refuses_another_constant = [&] {
    EXPECT_EQ(bad_input_of([&] { sum(nullptr, 2, 2.0, x.data(), &y); }),
              "kernel 'sum': argument 0 (int) is 3 in this function; the launch passes 2");
  };
  refuses_another_constant();
  const BackgroundStatus before = sum.status();
  EXPECT_EQ(before.state, BackgroundState::kGeneric);
  EXPECT_EQ(before.generic_launches, 2U) << "the refused one counts, too";
  open_gate();
  sum.wait();
  const BackgroundStatus after = sum.status();
  EXPECT_EQ(after.state, BackgroundState::kSpecialised) << after.reason;
  EXPECT_NE(after.generic_key, after.specialised_key);
  EXPECT_EQ(after.specialised_key, sum_of(service).get<Sum>().info().key);
  sum.run(3, 0.5, x.data(), &y);
  EXPECT_EQ(y, 3);
  refuses_another_constant();
  EXPECT_EQ(sum.status().generic_launches, 2U);
}

TEST_F(Background, AFunctionOfOtherArgumentsIsRefusedAtOnce) {
  const Service service(settings_);
  open_gate();
  EXPECT_THAT(
      test::message_of(
          ErrorKind::kCompile,
          [&] { static_cast<void>(sum_of(service).background<void(int, double, const float*, double*)>()); }),
      HasSubstr("argument 2 is const double*, the program passes const float*"));
  BackgroundOptions options;
  options.verify = true;
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(sum_of(service).background<Sum>(options)); }),
              HasSubstr("background() of a program's function compares nothing"));
}

}  // namespace
}  // namespace kiln
