// Which tiles convolutions have by default.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "workload/configuration.h"
#include "workload/device_words.h"
#include "workload/workload.h"

namespace kiln::test {
namespace {

TEST(ConvolutionTiles, AreThoseThatWereFastestOnAnH100) {
  const auto files = make_real_file_system();
  const auto workload =
      load_workload_file(*files, std::string(KILN_SOURCE_DIR) + "/kernels_src/conv2d/conv2d.yaml");
  DeviceInfo device = unknown_device({"cuda", "sm_90"});
  device.compute_units = 132;
  // Tile, teams and parts of layers with `images` of n^2 pixels and 3x3 filters.
  const auto shape = [&](const std::string& type, int images, int n, int c, int filters, int stride) {
    std::vector<std::pair<std::string, RawValue>> values = {{"T", {type, false, {}}}};
    const std::pair<const char*, int> numbers[] = {
        {"batch", images}, {"h", n}, {"c", c}, {"filters", filters}, {"stride", stride}};
    for (const auto& [name, value] : numbers) values.push_back({name, {std::to_string(value), false, {}}});
    const auto result = configure(workload, values, device, *files);
    EXPECT_FALSE(result.violated) << n << " " << images;
    std::string text;
    for (const char* name : {"tile_m", "tile_n", "teams", "splits"})
      text += (text.empty() ? "" : " ") + result.configuration.value(name).to_string();
    return text;
  };
  EXPECT_EQ(shape("half", 8, 28, 128, 256, 2), "64 64 1 1");
  EXPECT_EQ(shape("half", 8, 14, 256, 512, 2), "128 64 1 3");
  EXPECT_EQ(shape("half", 64, 56, 64, 64, 1), "256 64 1 1");
  EXPECT_EQ(shape("half", 64, 28, 128, 128, 1), "128 128 2 1");
  EXPECT_EQ(shape("half", 64, 7, 512, 512, 1), "128 128 1 1");
  EXPECT_EQ(shape("float", 8, 28, 128, 256, 2), "128 64 1 2");
  EXPECT_EQ(shape("float", 8, 14, 256, 256, 1), "128 128 1 4");
  EXPECT_EQ(shape("float", 8, 7, 512, 512, 1), "128 128 1 6");
}

}  // namespace
}  // namespace kiln::test
