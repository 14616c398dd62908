#include "workload/device_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_matchers.h"
#include "support/small_workload.h"
#include "workload/configuration.h"
#include "workload/device_words.h"

namespace kiln {
namespace {

using test::bad_input_of;
using test::SmallDisk;
using testing::HasSubstr;

const char* const kTable = R"yaml(devices:
  - name: fast ones
    backend: cuda
    when: "memory_bandwidth > 4500"
    defaults: {block: "n > 500 ? 128 : 64", mode: fancy}
  - name: all
    backend: cuda
    when: "sm >= 90"
    defaults: {block: 32}
)yaml";

class DeviceTableTest : public testing::Test {
 protected:
  std::shared_ptr<const Workload> load(const std::string& table) {
    disk_.files.write_file("/kernels/scale/scale.devices.yaml", table, false);
    return disk_.workload();
  }
  std::string value(const std::string& name, const DeviceInfo& device) {
    return configure(load(kTable), {}, device, disk_.files).configuration.value(name).to_string();
  }

  SmallDisk disk_;
};

TEST_F(DeviceTableTest, TheFirstEntryThatHoldsGivesTheDefault) {
  DeviceInfo device = unknown_device({"cuda", "sm_90"});
  EXPECT_EQ(value("block", device), "32");
  EXPECT_EQ(value("mode", device), "plain");
  device.memory_bandwidth = 4814;
  EXPECT_EQ(value("block", device), "128");
  EXPECT_EQ(value("mode", device), "fancy");
}

TEST_F(DeviceTableTest, OtherDevicesAndValuesThatAreSetAreLeftAlone) {
  EXPECT_EQ(value("block", unknown_device({"cuda", "sm_80"})), "256");
  DeviceInfo hip = unknown_device({"hip", "gfx90a"});
  hip.memory_bandwidth = 5000;
  EXPECT_EQ(value("block", hip), "256");
  const RawValue set{"64", false, {"job", 1, 1}};
  EXPECT_EQ(configure(load(kTable), {{"block", set}}, unknown_device({"cuda", "sm_90"}), disk_.files)
                .configuration.value("block")
                .to_string(),
            "64");
}

TEST_F(DeviceTableTest, CodeThatADeviceMayAskForOtherwiseIsNamed) {
  EXPECT_THAT(defaults_by_device(*load(kTable), "cuda"), testing::ElementsAre("block", "mode"));
  EXPECT_THAT(defaults_by_device(*load(kTable), "cpu"), testing::IsEmpty());
}

TEST_F(DeviceTableTest, IsPartOfTheWorkloadsText) {
  EXPECT_THAT(load(kTable)->text, HasSubstr("fast ones"));
}

TEST_F(DeviceTableTest, MistakesAreNamedWithTheirPlace) {
  const auto refusal = [&](const std::string& entry) {
    return bad_input_of([&] { static_cast<void>(load("devices:\n  - " + entry + "\n")); });
  };
  EXPECT_THAT(
      refusal("{name: a, backend: cuda, when: sm, defaults: {blok: 1}}"),
      HasSubstr("/kernels/scale/scale.devices.yaml:2:51: workload 'scale' has no parameter 'blok'; did you "
                "mean 'block'?"));
  EXPECT_THAT(refusal("{name: a, backend: cuda, when: n > 3, defaults: {block: 32}}"),
              HasSubstr("devices[0].when: 'n' does not stand for the device"));
  EXPECT_THAT(refusal("{name: a, backend: cuba, when: sm, defaults: {block: 32}}"),
              HasSubstr("did you mean 'cuda'?"));
  EXPECT_THAT(refusal("{name: a, backend: cuda, when: sm, defaults: {T: float}}"),
              HasSubstr("'T' is a type or a path"));
  EXPECT_THAT(refusal("{name: a, backend: cuda, when: sm, defaults: {block: factor}}"),
              HasSubstr("devices[0].defaults.block: 'factor' is declared below"));
  EXPECT_THAT(refusal("{nam: a}"), HasSubstr("did you mean 'name'?"));
}

TEST(DeviceTable, LiesBesideItsWorkload) {
  EXPECT_EQ(device_table_of("/k/scale.yaml"), "/k/scale.devices.yaml");
  EXPECT_EQ(workload_of_device_table("/k/scale.devices.yaml"), "/k/scale.yaml");
  EXPECT_EQ(workload_of_device_table("/k/scale.yaml"), "");
}

}  // namespace
}  // namespace kiln
