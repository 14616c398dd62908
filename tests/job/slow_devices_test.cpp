#include "job/slow_devices.h"

#include <gmock/gmock.h>

namespace kiln {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

DeviceTrial trial(const std::string& place, double median, double half_width = 0.01) {
  DeviceTrial made{place, {}};
  made.record.label = "block=64";
  made.record.step = Summary{.count = 9,
                             .median = median,
                             .ci_low = median * (1 - half_width),
                             .ci_high = median * (1 + half_width)};
  return made;
}

TEST(SlowDevices, IsNamedWithWhatLimitsItsClocks) {
  DeviceTrial slow = trial("rank 2 (node7, cuda:1)", 1.3e-3);
  slow.record.clocks_after = DeviceClocks{};
  slow.record.clocks_after->limited_by = {"heat"};
  EXPECT_THAT(find_slow_devices({trial("rank 0", 1.0e-3), trial("rank 1", 1.02e-3), slow}),
              ElementsAre(AllOf(HasSubstr("rank 2 (node7, cuda:1) takes 1.30 ms for a step of 'block=64'"),
                                HasSubstr("27 % more"), HasSubstr("limited by heat"))));
}

TEST(SlowDevices, OfTwoTheSlowerIsNamed) {
  EXPECT_THAT(find_slow_devices({trial("cuda:0", 2e-3), trial("cuda:1", 1e-3)}),
              ElementsAre(HasSubstr("cuda:0 takes")));
}

TEST(SlowDevices, NoiseIsNotSlowness) {
  EXPECT_THAT(find_slow_devices({trial("cuda:0", 1e-3), trial("cuda:1", 1.09e-3)}), IsEmpty());
  EXPECT_THAT(find_slow_devices({trial("cuda:0", 1e-3), trial("cuda:1", 1.2e-3, 0.15)}), IsEmpty());
}

TEST(SlowDevices, NothingIsSaidOfWhatWasNotMeasured) {
  EXPECT_THAT(find_slow_devices({trial("cuda:0", 1e-3), DeviceTrial{"cuda:1", {}}}), IsEmpty());
  EXPECT_THAT(find_slow_devices({}), IsEmpty());
}

}  // namespace
}  // namespace kiln
