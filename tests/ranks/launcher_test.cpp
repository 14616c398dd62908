#include "ranks/launcher.h"

#include <gmock/gmock.h>

namespace kiln {
namespace {

std::optional<LaunchedRanks> find(const std::map<std::string, std::string>& variables) {
  return find_launched_ranks([&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(Launcher, KnowsOpenMpiPmiPmixAndSlurm) {
  EXPECT_EQ(
      find({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "2"}, {"PMIX_RANK", "2"}})->to_string(),
      "rank 2 of 4 (OMPI_COMM_WORLD_SIZE)");
  EXPECT_EQ(find({{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}})->ranks, 2);
  EXPECT_EQ(find({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "7"}})->rank, 7);
  EXPECT_EQ(find({{"PMIX_RANK", "3"}})->to_string(), "rank 3 (PMIX_RANK)");
}

TEST(Launcher, OneRankIsAlone) {
  EXPECT_FALSE(find({}));
  EXPECT_FALSE(find({{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}, {"PMIX_RANK", "0"}}));
  EXPECT_FALSE(find({{"PMI_SIZE", "1"}, {"PMI_RANK", "0"}}));
}

TEST(Launcher, ABatchScriptOfSlurmIsOneProcess) {
  EXPECT_FALSE(find({{"SLURM_NTASKS", "16"}, {"SLURM_PROCID", "0"}, {"SLURM_JOB_ID", "7"}}));
}

TEST(Launcher, WhatIsNoNumberIsPassedOver) {
  EXPECT_FALSE(find({{"PMI_SIZE", "many"}, {"PMI_RANK", "0"}}));
}

}  // namespace
}  // namespace kiln
