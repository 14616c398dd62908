// The public interface on the cpu, with a real compiler and a cache folder of its own.
#include "base/file.h"
#include "kiln/async.h"
#include "kiln/kiln.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "support/error_matchers.h"
#include "support/small_workload.h"
#include "support/trace_reading.h"

namespace kiln {
namespace {

using test::bad_input_of;
using test::error_of;
using testing::HasSubstr;

class Embedding : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "kiln_embed.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    test::write_small_workload(*make_real_file_system(), folder_);
    settings_.cache_dir = (folder_ / "cache").string();
    settings_.workload_path = {folder_.string()};
    settings_.log_level = "off";
    if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  KernelRequest request(const Service& service) {
    return service.workload("scale").kernel("scale").on(service.device("cpu"));
  }

  std::filesystem::path folder_;
  Settings settings_;
};

TEST_F(Embedding, AKernelRunsOnTheCallersMemory) {
  const Service service(settings_);
  const Kernel kernel = request(service).set("n", 100).set("factor", 2.5).get();
  std::vector<double> x(100), y(100, -1.0);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  kernel.run(args(y.data(), x.data()));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(y[i], 2.5 * static_cast<double>(i));
  EXPECT_EQ(kernel.name(), "scale");
  EXPECT_EQ(kernel.origin(), "compiled");
  EXPECT_GT(kernel.compile_seconds(), 0);
  EXPECT_EQ(kernel.key().size(), 64U);
}

/// A record of the machine that the test runs on, as a file in the settings' folder.
void write_wisdom(const std::filesystem::path& folder, const DeviceHandle& device,
                  const std::string& values) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "scale.wisdom.yaml")
      << test::small_workload_wisdom(device.name(), device.arch(), values);
}

TEST_F(Embedding, ARequestTakesTheValuesOfTheNearestWisdom) {
  settings_.wisdom_dir = (folder_ / "wisdom").string();
  const Service service(settings_);
  write_wisdom(folder_ / "wisdom", service.device("cpu"), "{block: 32}");
  const WorkloadHandle scale = service.workload("scale");
  const auto laplacian = [&] { return scale.kernel("scale").on(service.device("cpu")).set("n", 100); };
  const Kernel plain = laplacian().get();
  EXPECT_EQ(plain.wisdom(), "");
  const Kernel kernel = laplacian().wisdom().get();
  EXPECT_THAT(kernel.wisdom(), HasSubstr("n 200 -> 100 (d 0.69), measured "));
  EXPECT_NE(kernel.key(), plain.key());
  EXPECT_EQ(laplacian().set("block", 32).get().key(), kernel.key());
  const Kernel again = laplacian().wisdom().get();
  EXPECT_EQ(again.origin(), "memory");
  EXPECT_EQ(again.wisdom(), kernel.wisdom());
  EXPECT_EQ(laplacian().set("block", 128).wisdom().get().key(), laplacian().set("block", 128).get().key());
  std::vector<double> x(100, 1.0), y(100, -1.0);
  kernel.run(args(y.data(), x.data()));
  EXPECT_EQ(y[99], 3.0);
}

TEST_F(Embedding, WisdomThatDoesNotCompileLeavesTheDefaults) {
  std::ofstream(folder_ / "scale/scale.cu") << "#include \"kiln/params.h\"\n"
                                            << "static_assert(Params::block != 32, \"too small\");\n"
                                            << test::kScaleSource;
  const Service service(settings_);
  write_wisdom(folder_ / "own", service.device("cpu"), "{block: 32}");
  EXPECT_THROW(static_cast<void>(request(service).set("block", 32).get()), Error);
  const Kernel kernel = request(service).wisdom((folder_ / "own").string()).get();
  EXPECT_EQ(kernel.wisdom(), "");
  EXPECT_EQ(kernel.key(), request(service).get().key());
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(request(service).wisdom("/nowhere").get()); }),
              HasSubstr("no such file or folder: '/nowhere'"));
}

TEST_F(Embedding, ATraceIsAFileOfTheSettings) {
  const std::string file = (folder_ / "trace.json").string();
  settings_.trace = file;
  const auto text = [&] {
    std::stringstream read;
    read << std::ifstream(file).rdbuf();
    return read.str();
  };
  {
    const Service service(settings_);
    const Kernel kernel = request(service).set("n", 100).get();
    std::vector<double> x(100), y(100);
    kernel.run(args(y.data(), x.data()));
    service.write_trace();
    const test::TraceReading read(text());
    read.expect_sound();
    EXPECT_EQ(read.names("launch"), std::vector<std::string>{"launch scale"});
    EXPECT_EQ(read.names("kernel"), std::vector<std::string>{"scale"});
    EXPECT_EQ(read.names("compile"), std::vector<std::string>{"compile scale.cu"});
    EXPECT_EQ(read.names("specialise"), std::vector<std::string>{"specialise scale"});
    kernel.run(args(y.data(), x.data()));
  }
  const test::TraceReading last(text());
  last.expect_sound();
  EXPECT_EQ(last.spans("launch").size(), 2U);
}

TEST_F(Embedding, RunTimeValuesShareOneCompile) {
  const Service service(settings_);
  std::vector<double> x(300, 1.0), y(300);
  for (const int n : {100, 200, 300}) {
    std::fill(y.begin(), y.end(), 0.0);
    request(service).set("bind.all", "run").set("n", n).set("factor", 3).get().run(args(y.data(), x.data()));
    EXPECT_EQ(std::count(y.begin(), y.end(), 3.0), n);
  }
  EXPECT_EQ(service.statistics().compiled, 1U);
  EXPECT_EQ(service.statistics().memory_hits, 2U);
}

TEST_F(Embedding, AScalarGivenAtTheLaunchNeedsNoOtherKernel) {
  const Service service(settings_);
  const Kernel kernel = request(service).set("bind.factor", "run").set("n", 100).set("factor", 3).get();
  std::vector<double> x(100, 2.0), y(100);
  kernel.run(args(y.data(), x.data()), {{"factor", 2.5}});
  EXPECT_EQ(y[99], 5.0);
  kernel.run(args(y.data(), x.data()));
  EXPECT_EQ(y[99], 6.0);
  EXPECT_EQ(service.statistics().compiled, 1U);
  EXPECT_THAT(bad_input_of([&] {
                kernel.run(args(y.data(), x.data()), {{"n", 50}});
              }),
              HasSubstr("kernel 'scale', scalar 'n': it cannot be given at a launch: it is bound at compile "
                        "time; KernelRequest::set(\"bind.n\", \"run\") changes that"));
  const Kernel other = request(service).set("bind.all", "run").get();
  EXPECT_THAT(bad_input_of([&] {
                other.run(args(y.data(), x.data()), {{"n", 50}});
              }),
              HasSubstr("the launch's grid depends on it"));
}

TEST_F(Embedding, ThreadsLaunchOneKernelWithScalarsOfTheirOwn) {
  const Service service(settings_);
  const Kernel kernel = request(service).set("bind.factor", "run").set("n", 100).get();
  std::vector<std::jthread> threads;
  for (int factor = 1; factor <= 4; ++factor) {
    threads.emplace_back([&kernel, factor] {
      std::vector<double> x(100, 2.0), y(100);
      for (int i = 0; i < 200; ++i) {
        kernel.run(args(y.data(), x.data()), {{"factor", factor + i}});
        ASSERT_EQ(y[99], 2.0 * (factor + i));
      }
    });
  }
}

TEST_F(Embedding, EqualValuesAreAnsweredFromMemoryAlone) {
  const Service service(settings_);
  const KernelRequest wanted = request(service).set("n", 100).header("more.h", "// nothing");
  const Kernel first = KernelRequest(wanted).set("factor", 2.5).get();
  EXPECT_EQ(first.origin(), "compiled");
  EXPECT_EQ(service.statistics().memory_hits, 0U);  // and nothing is being written any more
  std::filesystem::remove_all(folder_ / "scale");
  std::filesystem::remove_all(folder_ / "cache");
  std::vector<double> x(100, 2.0), y(100);
  for (int i = 1; i <= 3; ++i) {
    const Kernel again = KernelRequest(wanted).set("factor", 2.5).get();
    EXPECT_EQ(again.origin(), "memory");
    EXPECT_EQ(again.compile_seconds(), 0);
    EXPECT_EQ(again.key(), first.key());
    EXPECT_EQ(service.statistics().memory_hits, static_cast<std::uint64_t>(i));
    again.run(args(y.data(), x.data()));
    EXPECT_EQ(y[99], 5.0);
  }
  EXPECT_EQ(KernelRequest(wanted).set("factor", 2.5).get_async().get().origin(), "memory");
  EXPECT_EQ(service.statistics().compiled, 1U);
}

TEST_F(Embedding, TheOrderInWhichValuesAreSetMeansNothing) {
  const Service service(settings_);
  const KernelRequest base = request(service);
  static_cast<void>(KernelRequest(base).set("n", 100).set("factor", 2.5).get());
  EXPECT_EQ(KernelRequest(base).set("factor", 2.5).set("n", 100).get().origin(), "memory");
  EXPECT_EQ(service.statistics().memory_hits, 1U);
}

TEST_F(Embedding, OtherValuesHeadersKernelsAndDevicesAreOtherRequests) {
  const Service service(settings_);
  const KernelRequest base = request(service).set("n", 100);
  static_cast<void>(base.get());
  EXPECT_EQ(KernelRequest(base).set("mode", "fancy").get().origin(),
            "memory");  // the text does not mention it
  EXPECT_EQ(KernelRequest(base).set("factor", 2).get().origin(), "compiled");
  EXPECT_EQ(KernelRequest(base).set("fast_math", true).get().origin(), "compiled");
  EXPECT_EQ(KernelRequest(base).set("T", "float").get().origin(), "compiled");
  EXPECT_EQ(service.workload("scale").kernel("scale_reference").on(service.device("cpu")).get().origin(),
            "compiled");
  const DeviceHandle other = service.device("cpu");
  static_cast<void>(KernelRequest(base).on(other).get());
  EXPECT_EQ(service.statistics().memory_hits, 2U);
}

TEST_F(Embedding, SetReplacesWhatWasSet) {
  const Service service(settings_);
  std::vector<double> x(100, 1.0), y(100);
  request(service).set("n", 100).set("factor", 2).set("factor", 4).get().run(args(y.data(), x.data()));
  EXPECT_EQ(y[99], 4.0);
  // A value that was replaced is not looked at.
  request(service).set("n", "nonsense").set("n", 50).get().run(args(y.data(), x.data()));
}

TEST_F(Embedding, AWorkloadIsWhatItsTextsWereWhenItWasFirstUsed) {
  const Service service(settings_);
  const WorkloadHandle workload = service.workload("scale");
  const DeviceHandle cpu = service.device("cpu");
  const auto result = [&](const WorkloadHandle& handle, double factor) {
    double x = 1, y = 0;
    handle.kernel("scale").on(cpu).set("n", 1).set("factor", factor).get().run(args(&y, &x));
    return y;
  };
  EXPECT_EQ(result(workload, 2), 2.0);
  std::ofstream(folder_ / "scale/scale.cu")
      << "#include \"kiln/params.h\"\nextern \"C\" __global__ void scale(T* y, const T* x, const Params p) "
         "{ y[0] = -p.factor * x[0]; }\n";
  EXPECT_EQ(result(workload, 2), 2.0);
  EXPECT_EQ(result(workload, 3), 3.0);  // other values, and the same text
  EXPECT_EQ(result(service.workload("scale"), 3), -3.0);
}

TEST_F(Embedding, WhatWasCompiledIsOnTheDiskBeforeTheServiceGoes) {
  const Service service(settings_);
  EXPECT_EQ(request(service).get().origin(), "compiled");
  EXPECT_GT(service.statistics().bytes_written, 0U);  // waits for it
  const Service second(settings_);
  EXPECT_EQ(request(second).get().origin(), "disk");
}

TEST_F(Embedding, HeadersInMemoryAreFoundAndPartOfTheKey) {
  std::ofstream(folder_ / "scale/scale.cu")
      << "#include \"kiln/params.h\"\n#include \"more.h\"\n"
         "extern \"C\" __global__ void scale(T* y, const T* x, const Params p) { y[0] = x[0] + MORE; }\n";
  const Service service(settings_);
  double x = 1;
  double y = 0;
  for (const int more : {1, 2, 1}) {
    request(service).header("more.h", "#define MORE " + std::to_string(more) + "\n").get().run(args(&y, &x));
    EXPECT_EQ(y, 1.0 + more);
  }
  EXPECT_EQ(service.statistics().compiled, 2U);
  EXPECT_EQ(service.statistics().memory_hits, 1U);
  const Error failed = error_of([&] { static_cast<void>(request(service).get()); });
  EXPECT_EQ(failed.kind(), ErrorKind::kCompile);
  EXPECT_THAT(failed.what(), HasSubstr("more.h"));
}

TEST_F(Embedding, AnotherServiceFindsTheCodeOnDisk) {
  EXPECT_EQ(request(Service(settings_)).get().origin(), "compiled");
  const Service second(settings_);
  EXPECT_EQ(request(second).get().origin(), "disk");
  EXPECT_EQ(second.statistics().compiled, 0U);
}

TEST_F(Embedding, AKernelOutlivesItsService) {
  std::optional<Kernel> kernel;
  {
    const Service service(settings_);
    kernel = request(service).set("n", 10).get();
  }
  std::vector<double> x(10, 2.0), y(10);
  kernel->run(args(y.data(), x.data()));
  EXPECT_EQ(y[9], 6.0);
}

TEST_F(Embedding, ManyThreadsCauseOneCompile) {
  const Service service(settings_);
  std::vector<std::future<Kernel>> kernels;
  for (int i = 0; i < 8; ++i) kernels.push_back(request(service).set("n", 50).get_async());
  for (auto& kernel : kernels) {
    std::vector<double> x(50, 1.0), y(50);
    kernel.get().run(args(y.data(), x.data()));
    EXPECT_EQ(y[49], 3.0);
  }
  EXPECT_EQ(service.statistics().compiled, 1U);
}

TEST_F(Embedding, AFamilyFindsItsKernelsByValues) {
  const Service service(settings_);
  const KernelFamily family = request(service).family({"n", "fast_math"});
  std::vector<double> x(60, 1.0), y(60);
  family.at({50, 0}).run(args(y.data(), x.data()));
  EXPECT_EQ(std::count(y.begin(), y.end(), 3.0), 50);
  const Kernel& sixty = family.at({60, 0});
  sixty.run(args(y.data(), x.data()));
  EXPECT_EQ(std::count(y.begin(), y.end(), 3.0), 60);
  EXPECT_EQ(&family.at({60, 0}), &sixty);
  EXPECT_NE(family.at({60, 1}).key(), sixty.key());
  EXPECT_EQ(service.statistics().compiled, 3U);
  EXPECT_EQ(service.statistics().memory_hits, 0U);
}

TEST_F(Embedding, ManyThreadsAskAFamily) {
  const Service service(settings_);
  const KernelFamily family = request(service).family({"n"});
  std::vector<const Kernel*> kernels(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kernels.size(); ++i)
      threads.emplace_back([&, i] { kernels[i] = &family.at({static_cast<std::int64_t>(10 + i % 2)}); });
  }
  for (std::size_t i = 2; i < kernels.size(); ++i) EXPECT_EQ(kernels[i], kernels[i % 2]);
  EXPECT_EQ(service.statistics().compiled, 2U);
}

TEST_F(Embedding, ABufferMayBeAbsent) {
  const auto pointers = args(nullptr, static_cast<const double*>(nullptr));
  EXPECT_EQ(pointers.size(), 2U);
  EXPECT_EQ(pointers[0], nullptr);
}

TEST_F(Embedding, AFamilyRefusesWhatItIsNotKeyedBy) {
  const Service service(settings_);
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(request(service).family({"m"})); }),
              HasSubstr("has no number parameter 'm'"));
  EXPECT_EQ(
      bad_input_of([&] { static_cast<void>(request(service).family({"factor"})); }),
      "workload 'scale': parameter 'factor' is of type T; a family is keyed by whole numbers and bools");
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(request(service).family({})); }), HasSubstr("1 to 8"));
  const KernelFamily family = request(service).family({"n"});
  EXPECT_THAT(bad_input_of([&] {
                static_cast<void>(family.at({1, 2}));
              }),
              HasSubstr("keyed by n; 2 values are given"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(family.at({100000})); }),
              HasSubstr("constraint violated"));
}

TEST_F(Embedding, ErrorsAreComplete) {
  const Service service(settings_);
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(service.workload("scal")); }),
              HasSubstr("did you mean 'scale'?"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(service.workload("scale").kernel("scall")); }),
              HasSubstr("did you mean 'scale'?"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(service.device("cqu")); }),
              HasSubstr("unknown device 'cqu'"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(service.workload("scale").kernel("scale").get()); }),
              HasSubstr("call on(device) first"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(request(service).set("m", 3).get()); }),
              HasSubstr("has no parameter 'm'"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(request(service).set("n", 1.5).get()); }),
              HasSubstr("expected a whole number"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(request(service).set("n", 100000).get()); }),
              HasSubstr("constraint violated"));
  const Kernel kernel = request(service).get();
  double value = 0;
  EXPECT_THAT(bad_input_of([&] { kernel.launch(nullptr, args(&value)); }),
              HasSubstr("takes 2 buffers, 1 are given"));
  EXPECT_THAT(bad_input_of([&] { kernel.launch(&value, args(&value, &value)); }),
              HasSubstr("the stream is not a stream of the cpu"));
}

TEST_F(Embedding, AKernelThatDoesNotCompileBringsTheLog) {
  std::ofstream(folder_ / "scale/scale.cu")
      << "#include \"kiln/params.h\"\nextern \"C\" __global__ void scale(T* y, const T* x, const Params p) "
         "{\n  y[0] = oops;\n}\n";
  const Service service(settings_);
  const Error failed = error_of([&] { static_cast<void>(request(service).get()); });
  EXPECT_EQ(failed.kind(), ErrorKind::kCompile);
  EXPECT_THAT(failed.what(), HasSubstr("scale.cu:3:10: error"));
}

TEST_F(Embedding, AKernelThatFailsWhileItRunsIsADeviceFault) {
  std::ofstream(folder_ / "scale/scale.cu")
      << "#include \"kiln/params.h\"\nextern \"C\" __global__ void scale(T* y, const T* x, const Params p) "
         "{\n  if (threadIdx.x < 8) __syncthreads();\n  else __syncthreads();\n  y[0] = x[0];\n}\n";
  const Service service(settings_);
  const Kernel kernel = request(service).get();
  std::vector<double> x(1000), y(1000);
  const Error failed = error_of([&] { kernel.run(args(y.data(), x.data())); });
  EXPECT_EQ(failed.kind(), ErrorKind::kDeviceFault);
  EXPECT_THAT(failed.what(), HasSubstr("8 of 64 work-items wait at __syncthreads in line 3"));
}

}  // namespace
}  // namespace kiln
