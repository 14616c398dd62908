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

TEST(Launcher, FindsTheRankOnTheNode) {
  EXPECT_EQ(
      find(
          {{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}})
          ->node_rank,
      1);
  EXPECT_EQ(find({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}, {"MPI_LOCALRANKID", "0"}})->node_rank, 0);
  EXPECT_EQ(find({{"PMIX_RANK", "9"}, {"SLURM_LOCALID", "3"}})->node_rank, 3);
  EXPECT_FALSE(find({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}})->node_rank);
}

TEST(Launcher, ARankSeesOneOfTheDevicesThatItIsShown) {
  EXPECT_EQ(visible_device(std::nullopt, 3), "3");
  EXPECT_EQ(visible_device("2,3", 1), "3");
  EXPECT_EQ(visible_device("GPU-5fd4fb76", 2), "GPU-5fd4fb76") << "the launcher has bound it already";
  EXPECT_EQ(visible_device("2,3", 2), "2") << "rank 0 finds that two ranks share a device";
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
