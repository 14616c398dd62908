#include "device/backend_kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/device_info.h"
#include "device/target.h"

namespace kiln {
namespace {

using testing::ElementsAre;

TEST(BackendKind, TheHostIsTheLastChoiceAndTheOneWithItsMemory) {
  EXPECT_THAT(backend_names(), ElementsAre("cpu", "cuda", "hip"));
  EXPECT_STREQ(host_kind().name, "cpu");
  for (const BackendKind& kind : backend_kinds())
    EXPECT_EQ(kind.host_memory, &kind == &host_kind()) << kind.name;
}

TEST(BackendKind, EachArchitectureHasOneOwner) {
  const std::vector<std::pair<std::string, std::string>> owners = {
      {"sm_90a", "cuda"}, {"compute_90", "cuda"}, {"gfx90a:xnack-", "hip"}, {"native", "cpu"}};
  for (const auto& [name, owner] : owners) {
    for (const BackendKind& kind : backend_kinds())
      EXPECT_EQ(kind.owns_architecture(name), kind.name == owner) << name << " " << kind.name;
  }
}

TEST(BackendKind, ComputeCapabilityIsOfNvidiasTargets) {
  EXPECT_EQ((Target{"cuda", "sm_90a"}.compute_capability()), 90);
  EXPECT_EQ((Target{"cuda", "compute_120"}.compute_capability()), 120);
  EXPECT_EQ((Target{"hip", "gfx90a"}.compute_capability()), 0);
  EXPECT_EQ((Target{"cpu", "native"}.compute_capability()), 0);
  EXPECT_EQ((Target{"hip", "gfx90a:sramecc+:xnack-"}.cdna_generation()), 2);
  EXPECT_EQ((Target{"hip", "gfx942"}.cdna_generation()), 3);
  EXPECT_EQ((Target{"hip", "gfx90c"}.cdna_generation()), 0);
  EXPECT_EQ((Target{"hip", "gfx1030"}.cdna_generation()), 0);
  EXPECT_EQ((Target{"cuda", "sm_90"}.cdna_generation()), 0);
}

TEST(BackendKind, SharedMemoryOfABlockIsTheArchitectures) {
  const auto kilobytes = [](const std::string& backend, const std::string& arch) {
    return unknown_device({backend, arch}).limits.max_shared_bytes_per_block / 1024;
  };
  EXPECT_EQ(kilobytes("cuda", "sm_75"), 64U);
  EXPECT_EQ(kilobytes("cuda", "sm_80"), 163U);
  EXPECT_EQ(kilobytes("cuda", "sm_86"), 99U);
  EXPECT_EQ(kilobytes("cuda", "sm_89"), 99U);
  EXPECT_EQ(kilobytes("cuda", "sm_90a"), 227U);
  EXPECT_EQ(kilobytes("cuda", "compute_90"), 227U);
  EXPECT_EQ(kilobytes("cuda", "sm_100a"), 227U);
  EXPECT_EQ(kilobytes("cuda", "sm_120"), 99U);
  EXPECT_EQ(kilobytes("cuda", "sm_199"), 99U);  // one that this release does not know
  EXPECT_EQ(kilobytes("cuda", ""), 48U);
  EXPECT_EQ(kilobytes("hip", "gfx90a:sramecc+:xnack-"), 64U);
  EXPECT_EQ(kilobytes("hip", "gfx950"), 160U);
  EXPECT_EQ(kilobytes("cpu", "native"), 227U);
  EXPECT_EQ(kilobytes("fake", "sm_90"), 0U);
}

TEST(BackendKind, AnUnknownNameIsNoBackEnd) {
  EXPECT_FALSE(is_backend("fake"));
  EXPECT_FALSE(is_backend(""));
  EXPECT_FALSE(backend_kind("fake").host_memory);
  EXPECT_EQ((Target{"fake", "sm_90"}.compute_capability()), 0);
}

}  // namespace
}  // namespace kiln
