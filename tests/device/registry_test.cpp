#include "device/registry.h"

#include <gtest/gtest.h>

#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/fake_device.h"

namespace kiln {
namespace {

using test::FakeBackend;
using test::FakeClock;
using test::FakeDevice;
using testing::HasSubstr;

class Registry : public testing::Test {
 protected:
  void add(const std::string& name, int count, const std::string& problem = "") {
    std::vector<std::shared_ptr<Device>> devices;
    for (int i = 0; i < count; ++i) {
      devices.push_back(
          std::make_shared<FakeDevice>(clock_, name == "cpu" ? name : name + ":" + std::to_string(i)));
    }
    backends_.push_back(std::make_unique<FakeBackend>(name, devices, problem));
  }
  DeviceRegistry make() { return DeviceRegistry(std::move(backends_)); }

  FakeClock clock_;
  std::vector<std::unique_ptr<Backend>> backends_;
};

TEST_F(Registry, AutoIsTheFirstGpu) {
  add("cpu", 1);
  add("cuda", 2);
  DeviceRegistry registry = make();
  EXPECT_EQ(registry.open("auto")->info().id, "cuda:0");
  EXPECT_EQ(registry.open("cuda:1")->info().id, "cuda:1");
  EXPECT_EQ(registry.open("cuda")->info().id, "cuda:0");
}

TEST_F(Registry, AutoIsTheCpuWhereNoGpuWorks) {
  add("cpu", 1);
  add("cuda", 1, "libcuda.so.1 was not found");
  add("hip", 0);
  EXPECT_EQ(make().open("auto")->info().id, "cpu");
}

TEST_F(Registry, TheSameDeviceIsOpenedOnce) {
  add("cpu", 1);
  DeviceRegistry registry = make();
  const auto first = registry.open("cpu");
  EXPECT_EQ(first.get(), registry.open("cpu").get());
}

TEST_F(Registry, AllOfABackEndAreOpenedInTheirOrder) {
  add("cpu", 1);
  add("cuda", 3);
  DeviceRegistry registry = make();
  std::vector<std::string> ids;
  for (const auto& device : registry.open_all("cuda:all")) ids.push_back(device->info().id);
  EXPECT_THAT(ids, testing::ElementsAre("cuda:0", "cuda:1", "cuda:2"));
  EXPECT_EQ(registry.open_all("cuda:1").size(), 1U);
  EXPECT_THAT(test::bad_input_of([&] { static_cast<void>(registry.open("cuda:all")); }),
              HasSubstr("names several; expected one, as in cuda:0"));
  EXPECT_THROW(static_cast<void>(registry.open_all("cqu:all")), Error);
  EXPECT_THAT(test::bad_input_of([&] { static_cast<void>(registry.open_all("auto:all")); }),
              HasSubstr("expected a number after ':', as in cuda:0, or all"));
}

TEST_F(Registry, ABackEndThatDoesNotWorkSaysWhy) {
  add("cpu", 1);
  add("cuda", 1, "libcuda.so.1 was not found");
  DeviceRegistry registry = make();
  const Error error = test::error_of([&] { static_cast<void>(registry.open("cuda:0")); });
  EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
  EXPECT_THAT(error.what(), HasSubstr("libcuda.so.1 was not found"));
}

TEST_F(Registry, ABackEndThatIsNotInTheBuildIsAMatterOfTheEnvironment) {
  add("cpu", 1);
  DeviceRegistry registry = make();
  EXPECT_EQ(test::error_of([&] { static_cast<void>(registry.open("hip:0")); }).kind(),
            ErrorKind::kEnvironment);
}

TEST_F(Registry, UnknownNamesAreRefused) {
  add("cpu", 1);
  add("cuda", 2);
  DeviceRegistry registry = make();
  const auto message = [&](const char* name) {
    return test::bad_input_of([&] { static_cast<void>(registry.open(name)); });
  };
  EXPECT_THAT(message("cqu"), HasSubstr("unknown device 'cqu'; did you mean 'cpu'?"));
  EXPECT_THAT(message("cuda:2"), HasSubstr("there are auto, cpu, cuda:0, cuda:1"));
  EXPECT_THAT(message("cuda:x"), HasSubstr("expected a number after ':'"));
}

}  // namespace
}  // namespace kiln
