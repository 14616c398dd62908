// What a block has in shared memory on each architecture: defaults fit, and larger tiles are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "workload/configuration.h"
#include "workload/workload.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Values = std::vector<std::pair<std::string, std::string>>;

/// Kilobytes of a block, by the vendors' tables.
const std::map<std::string, int> kKilobytes = {{"sm_80", 163}, {"sm_86", 99},   {"sm_89", 99},
                                               {"sm_90", 227}, {"sm_100", 227}, {"sm_120", 99},
                                               {"gfx90a", 64}, {"gfx942", 64}};

class SharedMemory : public ::testing::Test {
 protected:
  ConfigurationResult configured(const std::string& name, const std::string& arch, const Values& values) {
    std::shared_ptr<const Workload>& workload = workloads_[name];
    if (!workload)
      workload = load_workload_file(
          *files_, std::string(KILN_SOURCE_DIR) + "/kernels_src/" + name + "/" + name + ".yaml");
    std::vector<std::pair<std::string, RawValue>> raw;
    for (const auto& [parameter, value] : values) raw.push_back({parameter, {value, false, {}}});
    return configure(workload, raw, unknown_device({arch.starts_with("sm_") ? "cuda" : "hip", arch}),
                     *files_);
  }

 private:
  std::unique_ptr<FileSystem> files_ = make_real_file_system();
  std::map<std::string, std::shared_ptr<const Workload>> workloads_;
};

TEST_F(SharedMemory, DefaultsFitOnEachArchitecture) {
  const std::vector<std::pair<std::string, Values>> cases = {
      {"gemm", {}},
      {"gemm", {{"T", "double"}}},
      {"gemm", {{"T", "half"}}},
      {"gemm", {{"T", "half"}, {"trans_b", "true"}}},
      {"gemm", {{"T", "half"}, {"trans_a", "true"}, {"trans_b", "true"}}},
      {"gemm", {{"T", "bfloat16"}, {"m", "300"}}},
      {"gemm", {{"T", "fp8_e4m3"}, {"trans_b", "true"}}},
      {"gemm", {{"operation", "mma"}}},
      {"gemm_scaled", {}},
      {"gemm_scaled", {{"m", "300"}, {"operation", "mma"}}},
      {"batched_gemm", {{"method", "shared"}}},
      {"batched_gemm", {{"method", "shared"}, {"T", "double"}}},
      {"conv2d", {}},
      {"conv2d", {{"T", "half"}}},
      {"conv2d", {{"operation", "mma"}}},
      {"conv2d", {{"operation", "mma"}, {"batch", "64"}, {"c", "256"}, {"filters", "256"}}},
      {"conv2d", {{"T", "half"}, {"batch", "64"}, {"c", "256"}, {"filters", "256"}, {"operation", "mma"}}},
      {"layers", {}},
      {"layers", {{"T", "half"}}},
      {"resnet18", {}},
      {"resnet18", {{"T", "half"}}},
      {"mala", {}},
      {"mala", {{"T", "half"}}},
      {"mala", {{"rows", "1000000"}}},
      {"mala", {{"rows", "1000000"}, {"T", "half"}}},
      {"mala", {{"rows", "1000000"}, {"operation", "fma"}}},
      {"spmv", {}},
      {"spmv", {{"generator", "banded"}}},
      {"spmv", {{"generator", "rmat"}, {"T", "float"}}},
      {"transpose", {}},
      {"transpose", {{"bytes", "16"}}},
  };
  for (const auto& [name, values] : cases) {
    for (const auto& [arch, kilobytes] : kKilobytes) {
      std::string label = name + " on " + arch;
      for (const auto& [parameter, value] : values) label += " " + parameter + "=" + value;
      const ConfigurationResult result = configured(name, arch, values);
      // Another constraint may hold: not all architectures have all operations.
      if (result.violated) {
        EXPECT_THAT(result.violated->text, Not(HasSubstr("shared_limit"))) << label;
        continue;
      }
      if (name == "batched_gemm" || name == "resnet18" || name == "spmv" || name == "transpose")
        continue;  // without this name
      EXPECT_LE(result.configuration.evaluate({"shared", {}, ""}), 1024.0 * kilobytes) << label;
    }
  }
}

TEST_F(SharedMemory, StagesThatABlockHasNoRoomForAreRefused) {
  // A stage of 128 x 64 and 128 x 64 elements of half takes 36864 bytes with the padding.
  const std::map<std::string, int> most = {{"sm_80", 4}, {"sm_86", 2},  {"sm_89", 2},
                                           {"sm_90", 6}, {"sm_100", 6}, {"sm_120", 2}};
  for (const auto& [arch, stages] : most) {
    for (const int asked : {stages, stages + 1}) {
      const ConfigurationResult result = configured("gemm", arch,
                                                    {{"T", "half"},
                                                     {"trans_b", "true"},
                                                     {"operation", "mma"},
                                                     {"tile_m", "128"},
                                                     {"tile_n", "128"},
                                                     {"tile_k", "64"},
                                                     {"stages", std::to_string(asked)}});
      EXPECT_EQ(result.violated.has_value(), asked > stages) << arch << " " << asked;
      if (!result.violated) continue;
      EXPECT_EQ(result.violated->text, "shared <= shared_limit") << arch;
    }
  }
  // One of e4m3 takes 20480 bytes.
  for (const auto& [arch, stages] : std::map<std::string, int>{{"sm_89", 4}, {"sm_120", 4}}) {
    for (const int asked : {stages, stages + 1}) {
      const ConfigurationResult result = configured("gemm_scaled", arch,
                                                    {{"operation", "mma"},
                                                     {"tile_m", "128"},
                                                     {"tile_n", "128"},
                                                     {"tile_k", "64"},
                                                     {"stages", std::to_string(asked)}});
      EXPECT_EQ(result.violated.has_value(), asked > stages) << arch << " " << asked;
    }
  }
}

}  // namespace
}  // namespace kiln::test
