// Programs on machines without a compiler: code of the cache, or of a bundle that the program brings along.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <span>

#include "base/file.h"
#include "cache/bundle.h"
#include "kiln/kiln.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

using test::bad_input_of;
using test::error_of;
using testing::HasSubstr;

constexpr const char* kText = R"cuda(
template <class T> __global__ void axpy(int n, T a, const T* x, T* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
})cuda";
using Axpy = void(int, double, const double*, double*);

class Deployment : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "kiln_deployment.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
    // The developer's machine.
    EXPECT_EQ(launch(settings("cache", "")), "compiled");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] Settings settings(const std::string& cache, const std::string& compiler) const {
    Settings settings;
    settings.cache_dir = (folder_ / cache).string();
    settings.cpu_compiler = compiler;
    settings.log_level = "off";
    return settings;
  }
  /// Where the code came from; the result is checked.
  static std::string launch(const Settings& settings, const std::string& bundle = "",
                            const std::string& type = "double", const char* text = kText) {
    const Service service(settings);
    if (!bundle.empty()) service.add_bundle(std::as_bytes(std::span(bundle)));
    const DeviceHandle device = service.device("cpu");
    const auto axpy = service.program("axpy.cu", text)
                          .function("axpy", device)
                          .template_args({type})
                          .block(64)
                          .cover(0)
                          .get<Axpy>();
    std::array<double, 3> x{1, 2, 3}, y{1, 1, 1};
    axpy.run(3, 2.0, x.data(), y.data());
    EXPECT_EQ(y, (std::array<double, 3>{3, 5, 7}));
    return axpy.info().origin;
  }
  [[nodiscard]] std::string bundle() const {
    const auto files = make_real_file_system();
    const EntryStore store(*files, folder_ / "cache", EntryStore::Owners::kSelfAndRoot);
    pack_bundle(
        *files, store, [](const CacheEntryInfo&) { return true; }, folder_ / "kernels.tar");
    return files->read_file(folder_ / "kernels.tar").value_or("");
  }

  std::filesystem::path folder_;
  static constexpr const char* kNoCompiler = "/nonexistent/c++";
};

TEST_F(Deployment, WithoutACompilerTheCacheIsEnough) {
  EXPECT_EQ(launch(settings("cache", kNoCompiler)), "disk");
}

TEST_F(Deployment, ABundleNeedsNeitherACompilerNorACache) {
  const std::string packed = bundle();
  EXPECT_EQ(launch(settings("empty", kNoCompiler), packed), "bundle");
  Settings without_cache = settings("", kNoCompiler);
  without_cache.cache = false;
  EXPECT_EQ(launch(without_cache, packed), "bundle");
  EXPECT_EQ(launch(settings("empty", ""), packed), "bundle") << "a compiler changes nothing";
}

TEST_F(Deployment, AProgramCompilesForMachinesThatAreNotThisOne) {
  {
    const Service service(settings("ship", ""));
    FunctionRequest axpy = service.program("axpy.cu", kText).function("axpy");
    axpy.template_args({"double"}).block(64).cover(0).compile_for<Axpy>("native");
    EXPECT_EQ(service.statistics().compiled, 1);
    EXPECT_THAT(
        bad_input_of([&] { axpy.compile_for<Axpy>("sm90"); }),
        HasSubstr(
            "kernel 'axpy<double>': compile_for(): unknown architecture 'sm90'; did you mean 'sm_90'?"));
    EXPECT_THAT(bad_input_of([&] { static_cast<void>(axpy.get<Axpy>()); }), HasSubstr("no device"));
    EXPECT_EQ(error_of([&] { axpy.compile_for<void(int)>("native"); }).kind(), ErrorKind::kCompile);
  }
  EXPECT_EQ(launch(settings("ship", kNoCompiler)), "disk");
  Settings without_cache = settings("ship", "");
  without_cache.cache = false;
  const Service service(without_cache);
  EXPECT_THAT(bad_input_of([&] {
                service.program("axpy.cu", kText)
                    .function("axpy")
                    .template_args({"double"})
                    .compile_for<Axpy>("native");
              }),
              HasSubstr("'cache' is off"));
}

TEST_F(Deployment, WhatIsNotThereIsToldWithWhatIs) {
  const std::string packed = bundle();
  const Error other = error_of(
      [&] { launch(settings("empty", kNoCompiler), packed, "double", "__global__ void axpy() {}"); });
  EXPECT_EQ(other.kind(), ErrorKind::kEnvironment);
  EXPECT_THAT(other.what(), HasSubstr("/nonexistent/c++"));
  EXPECT_THAT(other.what(), HasSubstr("have no code of 'axpy.cu' for cpu:"));
  EXPECT_THAT(other.what(), HasSubstr("with these values; there is\n  axpy.cu axpy<double>: cpu:"));
  EXPECT_THAT(error_of([&] { launch(settings("empty", kNoCompiler)); }).what(),
              HasSubstr("have no code at all"));
}

TEST_F(Deployment, AWholeBundleOrNone) {
  const Service service(settings("empty", ""));
  const std::string cut = bundle().substr(0, 1000);
  EXPECT_THAT(error_of([&] { service.add_bundle(std::as_bytes(std::span(cut))); }).what(),
              HasSubstr("is cut off"));
}

}  // namespace
}  // namespace kiln
