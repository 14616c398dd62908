// libkiln_vendor.so's convolution, with libraries that the tests bring in place of the driver and cuDNN: what
// the graphs say is computed by the tests' own loops and compared, and the plans are chosen by time and
// notes.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/scratch_folder.h"
#include "trial/vendor_plugin.h"

namespace kiln::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Shape {
  int batch = 2, h = 6, w = 5, c = 4, filters = 6, filter_h = 3, filter_w = 2;
  int stride = 1, padding = 1, dilation = 1, groups = 1;
  [[nodiscard]] int out(int size, int filter) const {
    return (size + 2 * padding - dilation * (filter - 1) - 1) / stride + 1;
  }
};

class VendorCudnn : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(KILN_VENDOR_PLUGIN))
      GTEST_SKIP() << "the plug-in was not built (KILN_VENDOR)";
    void* library = ::dlopen(KILN_VENDOR_PLUGIN, RTLD_NOW);
    ASSERT_NE(library, nullptr) << ::dlerror();
    plugin_ =
        reinterpret_cast<const kiln_vendor_plugin* (*)()>(::dlsym(library, KILN_VENDOR_PLUGIN_SYMBOL))();
    calls_ = scratch_.get().path / "calls";
    ::setenv("FAKE_CUDNN_CALLS", calls_.c_str(), 1);
    ::unsetenv("FAKE_CUDNN_FAILS");
  }
  void TearDown() override {
    if (call_ != nullptr) plugin_->release(call_);
  }

  void make(const Shape& of, bool biased, std::map<std::string, double> more = {},
            const std::string& folder = KILN_FAKE_CUDNN, const char* type = "float") {
    const auto fill = [](std::vector<float>& values, int count, int seed) {
      values.resize(static_cast<std::size_t>(count));
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(static_cast<int>(i * 7919 + static_cast<std::size_t>(seed)) % 17 - 8);
    };
    fill(x_, of.batch * of.h * of.w * of.c, 1);
    fill(weights_, of.filters * of.filter_h * of.filter_w * of.c / of.groups, 5);
    fill(bias_, of.filters, 3);
    y_.assign(static_cast<std::size_t>(of.batch * of.out(of.h, of.filter_h) * of.out(of.w, of.filter_w) *
                                       of.filters),
              1e9F);
    std::map<std::string, double> numbers = {{"batch", of.batch},
                                             {"h", of.h},
                                             {"w", of.w},
                                             {"c", of.c},
                                             {"filters", of.filters},
                                             {"filter_h", of.filter_h},
                                             {"filter_w", of.filter_w},
                                             {"out_h", of.out(of.h, of.filter_h)},
                                             {"stride", of.stride},
                                             {"out_w", of.out(of.w, of.filter_w)},
                                             {"padding", of.padding},
                                             {"dilation", of.dilation},
                                             {"groups", of.groups}};
    more.merge(numbers);
    std::vector<kiln_vendor_argument> arguments = {
        {"x", x_.data(), type, 0}, {"weights", weights_.data(), type, 0}, {"y", y_.data(), type, 0}};
    if (biased) arguments.push_back({"bias", bias_.data(), "float", 0});
    for (const auto& [name, value] : more) arguments.push_back({name.c_str(), nullptr, "", value});
    const std::array<const char*, 1> folders = {folder.c_str()};
    const kiln_vendor_request request{"conv2d",         "cuda",         nullptr,       arguments.data(),
                                      arguments.size(), folders.data(), folders.size()};
    std::array<char, 512> text = {};
    call_ = plugin_->prepare(&request, text.data(), text.size());
    text_ = text.data();
  }
  [[nodiscard]] std::vector<float> expected(const Shape& of, bool biased, bool relu) const {
    std::vector<float> all;
    const int each = of.c / of.groups;
    for (int n = 0; n < of.batch; ++n)
      for (int p = 0; p < of.out(of.h, of.filter_h); ++p)
        for (int q = 0; q < of.out(of.w, of.filter_w); ++q)
          for (int f = 0; f < of.filters; ++f) {
            float sum = biased ? bias_[static_cast<std::size_t>(f)] : 0;
            for (int r = 0; r < of.filter_h; ++r)
              for (int s = 0; s < of.filter_w; ++s) {
                const int i = p * of.stride + r * of.dilation - of.padding;
                const int j = q * of.stride + s * of.dilation - of.padding;
                if (i < 0 || j < 0 || i >= of.h || j >= of.w) continue;
                for (int c = 0; c < each; ++c) {
                  const int channel = f / (of.filters / of.groups) * each + c;
                  sum += x_[static_cast<std::size_t>(((n * of.h + i) * of.w + j) * of.c + channel)] *
                         weights_[static_cast<std::size_t>(((f * of.filter_h + r) * of.filter_w + s) * each +
                                                           c)];
                }
              }
            all.push_back(relu ? std::max(0.0F, sum) : sum);
          }
    return all;
  }
  [[nodiscard]] std::vector<std::string> calls() const {
    std::ifstream file(calls_);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  const kiln_vendor_plugin* plugin_ = nullptr;
  void* call_ = nullptr;
  std::unique_ptr<FileSystem> files_ = make_real_file_system();
  ScratchFolder scratch_ = make_scratch_folder(*files_, temporary_folder(), "kiln-cudnn-");
  std::string text_, calls_;
  std::vector<float> x_, weights_, bias_, y_;
};

TEST_F(VendorCudnn, ConvolvesWithStridesDilationsAndGroups) {
  for (const Shape& shape : {Shape{}, Shape{.stride = 2}, Shape{.padding = 2, .dilation = 2},
                             Shape{.groups = 2}, Shape{.filter_h = 1, .filter_w = 1, .padding = 0}}) {
    for (const bool biased : {false, true}) {
      for (const bool relu : {false, true}) {
        make(shape, biased, {{"relu", relu}, {"tf32", 1}});
        ASSERT_NE(call_, nullptr) << text_;
        ASSERT_EQ(plugin_->run(call_), nullptr);
        EXPECT_EQ(y_, expected(shape, biased, relu)) << shape.stride << biased << relu;
        plugin_->release(call_);
        call_ = nullptr;
      }
    }
  }
}

TEST_F(VendorCudnn, RunsTheFastestPlanThatFitsItsWorkspace) {
  make({}, true, {{"relu", 1}, {"tf32", 1}});
  // Three graphs, of which an engine each needs too much: 2 plans of each.
  EXPECT_EQ(text_, "the fastest of 6 plans of cuDNN 9.19.0");
  ASSERT_EQ(plugin_->run(call_), nullptr);
  EXPECT_THAT(calls(), AllOf(Contains("allocated 128"), Contains("engine 2"), Not(Contains("engine 0"))));
  std::filesystem::remove(calls_);
  ASSERT_EQ(plugin_->run(call_), nullptr);
  EXPECT_THAT(calls(), ElementsAre("engine 1"));
  plugin_->release(call_);
  call_ = nullptr;
  EXPECT_THAT(calls(), Contains("freed"));
}

TEST_F(VendorCudnn, KeepsFloatsExactUnlessTf32IsAsked) {
  make({}, true);
  ASSERT_EQ(plugin_->run(call_), nullptr);
  std::filesystem::remove(calls_);
  ASSERT_EQ(plugin_->run(call_), nullptr);
  EXPECT_THAT(calls(), ElementsAre("engine 2"));
}

TEST_F(VendorCudnn, AddsTheBiasApartWhereNoEngineDoesAll) {
  ::setenv("FAKE_CUDNN_FAILS", "fused", 1);
  make({}, true, {{"tf32", 1}});
  ASSERT_NE(call_, nullptr) << text_;
  ASSERT_EQ(plugin_->run(call_), nullptr);
  EXPECT_EQ(y_, expected({}, true, false));
  std::filesystem::remove(calls_);
  ASSERT_EQ(plugin_->run(call_), nullptr);
  EXPECT_THAT(calls(), ElementsAre("engine 1", "engine 1"));
}

TEST_F(VendorCudnn, LeavesNothingBehindWhereItCannotBePrepared) {
  ::setenv("FAKE_CUDNN_FAILS", "pack", 1);
  make({}, true);
  EXPECT_EQ(call_, nullptr);
  EXPECT_EQ(text_, "buffers of cuDNN gives status 2000");
  EXPECT_THAT(calls(), ElementsAre("allocated 64", "ended", "freed"));
}

TEST_F(VendorCudnn, DestroysItsEventsWhereAPlanFails) {
  make({}, true);
  ASSERT_NE(call_, nullptr) << text_;
  ::setenv("FAKE_CUDNN_FAILS", "synchronize", 1);
  EXPECT_STREQ(plugin_->run(call_), "cudnnBackendExecute gives status 700");
  const std::vector<std::string> made = calls();
  EXPECT_EQ(std::count(made.begin(), made.end(), "event destroyed"), 2);
}

TEST_F(VendorCudnn, IsReleasedAfterItsContextIsGone) {
  make({}, true);
  ASSERT_NE(call_, nullptr) << text_;
  ::setenv("FAKE_CUDNN_FAILS", "context", 1);
  EXPECT_STREQ(plugin_->run(call_), "cuCtxPushCurrent gives status 709");
  plugin_->release(call_);
  call_ = nullptr;
}

TEST_F(VendorCudnn, RefusesSizesThatAreNone) {
  for (const double size : {-1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    make({}, false, {{"groups", size}});
    EXPECT_EQ(call_, nullptr);
    EXPECT_EQ(text_, "argument 'groups' does not fit a size of at most 2^53");
  }
}

TEST_F(VendorCudnn, SaysWhyThereIsNone) {
  ::setenv("FAKE_CUDNN_FAILS", "plans", 1);
  make({}, false);
  EXPECT_EQ(call_, nullptr);
  EXPECT_EQ(text_, "cuDNN has no engine for this convolution");
  ::unsetenv("FAKE_CUDNN_FAILS");
  make({}, false, {}, KILN_FAKE_CUDNN, "double");
  EXPECT_THAT(text_, HasSubstr("not asked for elements of the type double"));
  if (::dlopen("libcudnn.so.9", RTLD_NOW) != nullptr) return;  // the loader's places have the real one
  make({}, false, {}, std::string(KILN_FAKE_CUDNN) + "/driver_only");
  EXPECT_EQ(call_, nullptr);
  EXPECT_THAT(text_, HasSubstr("none of libcudnn.so.9, libcudnn.so.8, libcudnn.so, was found in 1 folders"));
}

}  // namespace
}  // namespace kiln::test
