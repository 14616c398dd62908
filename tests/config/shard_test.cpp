#include "config/shard.h"

#include <gmock/gmock.h>

#include <map>

#include "kiln/error.h"

namespace kiln {
namespace {

using Variables = std::map<std::string, std::string>;

std::optional<Shard> of_slurm(const Variables& variables) {
  return shard_of_slurm([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

/// As Slurm sets them for a task of `--array=LEAST-MOST:STEP`.
Variables array(const std::string& id, const std::string& count, const std::string& least,
                const std::string& most, const std::string& step) {
  return {{"SLURM_ARRAY_TASK_ID", id},
          {"SLURM_ARRAY_TASK_COUNT", count},
          {"SLURM_ARRAY_TASK_MIN", least},
          {"SLURM_ARRAY_TASK_MAX", most},
          {"SLURM_ARRAY_TASK_STEP", step}};
}

TEST(Shard, TakesEveryPointOnce) {
  for (std::size_t count : {1U, 3U, 8U}) {
    std::size_t sum = 0;
    for (std::size_t index = 0; index < count; ++index) {
      const Shard shard = parse_shard(std::to_string(index + 1) + "/" + std::to_string(count));
      std::size_t taken = 0;
      for (std::size_t place = 0; place < 20; ++place) taken += shard.takes(place) ? 1 : 0;
      EXPECT_EQ(taken, shard.size_of(20));
      sum += taken;
    }
    EXPECT_EQ(sum, 20U);
  }
  EXPECT_EQ(parse_shard("5/8").size_of(3), 0U);
  EXPECT_EQ(parse_shard("5/8").ending(), "-shard-5-of-8");
  EXPECT_EQ(parse_shard("1/1").ending(), "");
}

TEST(Shard, RefusesWhatIsNone) {
  for (const char* text : {"", "1", "0/8", "9/8", "1/0", "-1/8", "a/b", "1/8/2", "1/9999999"})
    EXPECT_THROW(static_cast<void>(parse_shard(text)), Error) << text;
}

TEST(Shard, IsThatOfASlurmArray) {
  EXPECT_FALSE(of_slurm({}));
  EXPECT_EQ(of_slurm(array("5", "8", "0", "7", "1")), (Shard{5, 8}));
  EXPECT_EQ(of_slurm(array("1", "4", "1", "4", "1")), (Shard{0, 4}));
  EXPECT_EQ(of_slurm(array("7", "3", "3", "11", "4")), (Shard{1, 3}));
  EXPECT_EQ(of_slurm(array("3", "1", "3", "3", "1")), (Shard{0, 1}));
}

TEST(Shard, EachTaskOfAnUnevenArrayIsRefused) {
  // --array=0,1,5
  for (const char* id : {"0", "1", "5"})
    EXPECT_THROW(static_cast<void>(of_slurm(array(id, "3", "0", "5", "1"))), Error);
  EXPECT_THROW(static_cast<void>(of_slurm(array("x", "3", "0", "5", "1"))), Error);
}

}  // namespace
}  // namespace kiln
