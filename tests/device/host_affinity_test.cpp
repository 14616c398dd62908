#include "device/host_affinity.h"

#include <gmock/gmock.h>
#include <sched.h>

#include <thread>

#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class HostAffinity : public testing::Test {
 protected:
  void list(const std::string& name, const std::string& processors) {
    files_.make_directories("/sys/bus/pci/devices/" + name, false);
    files_.write_file("/sys/bus/pci/devices/" + name + "/local_cpulist", processors + "\n", false);
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
};

TEST_F(HostAffinity, ReadsWhatLinuxLists) {
  list("0000:1b:00.0", "0-2,8,10-11");
  EXPECT_THAT(processors_near(files_, "0000:1b:00.0"), ElementsAre(0, 1, 2, 8, 10, 11));
  EXPECT_THAT(processors_near(files_, "00000000:1B:00.0"), ElementsAre(0, 1, 2, 8, 10, 11));
}

TEST_F(HostAffinity, NothingIsNearWhereNothingIsSaid) {
  EXPECT_THAT(processors_near(files_, ""), IsEmpty());
  EXPECT_THAT(processors_near(files_, "0000:1b:00.0"), IsEmpty());
  list("0000:1b:00.0", "");
  EXPECT_THAT(processors_near(files_, "0000:1b:00.0"), IsEmpty());
  list("0000:1b:00.0", "3-1");
  EXPECT_THAT(processors_near(files_, "0000:1b:00.0"), IsEmpty());
  list("0000:1b:00.0", "0-999999999999");
  EXPECT_THAT(processors_near(files_, "0000:1b:00.0"), IsEmpty());
}

TEST_F(HostAffinity, BindsTheThreadAndTheOnesThatItStarts) {
  cpu_set_t own;
  ASSERT_EQ(sched_getaffinity(0, sizeof own, &own), 0);
  int first = 0;
  while (!CPU_ISSET(first, &own)) ++first;
  list("0000:1b:00.0", std::to_string(first));
  list("0000:1c:00.0", std::to_string(CPU_SETSIZE - 1));
  cpu_set_t bound, inherited;
  std::thread([&] {
    bind_thread_near(files_, "0000:1b:00.0");
    bind_thread_near(files_, "0000:1c:00.0");  // none of this thread's processors: nothing changes
    sched_getaffinity(0, sizeof bound, &bound);
    std::thread([&] { sched_getaffinity(0, sizeof inherited, &inherited); }).join();
  }).join();
  EXPECT_EQ(CPU_COUNT(&bound), 1);
  EXPECT_TRUE(CPU_ISSET(first, &bound));
  EXPECT_TRUE(CPU_EQUAL(&bound, &inherited));
}

}  // namespace
}  // namespace kiln
