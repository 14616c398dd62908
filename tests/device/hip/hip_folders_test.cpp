#include "device/hip/hip_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln::test {
namespace {

using ::testing::ElementsAre;

TEST(HipFolders, AreTheNamedOnesThenTheInstalledNewestFirst) {
  FakeClock clock;
  MemoryFileSystem files(clock);
  for (const char* folder : {"/mine/lib", "/site/rocm/lib", "/loader", "/opt/rocm/lib", "/opt/rocm-5.7.1/lib",
                             "/opt/rocm-6.2.4/lib", "/usr/lib/x86_64-linux-gnu"}) {
    files.make_directories(folder, false);
    files.write_file(std::string(folder) + "/libamdhip64.so", "x", false);
  }
  HipPlaces places;
  places.hip = "/mine/lib/libamdhip64.so.6";
  places.toolkits = {"/site/rocm", "/nowhere"};
  places.library_path = {"", "/loader", "/absent"};
  EXPECT_THAT(hip_library_folders(places, files),
              ElementsAre("/mine/lib", "/site/rocm/lib", "/loader", "/opt/rocm/lib", "/opt/rocm-6.2.4/lib",
                          "/opt/rocm-5.7.1/lib", "/usr/lib/x86_64-linux-gnu"));
}

}  // namespace
}  // namespace kiln::test
