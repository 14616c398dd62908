#include "config/shard.h"

#include <cstdint>

#include "base/text.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr std::int64_t kMostShards = 1'000'000;

Error no_shard(const std::string& text) {
  return bad_input(
      "--shard: expected the number of a shard and how many there are, from 1/8 to 8/8, or off; found " +
      in_quotes(text));
}

using ReadEnvironment = std::function<std::optional<std::string>(const std::string&)>;

/// A variable of Slurm's that is a number; `otherwise` where it is not there.
std::int64_t number_of(const ReadEnvironment& environment, const std::string& name, std::int64_t otherwise) {
  const auto text = environment(name);
  if (!text) return otherwise;
  const auto number = parse_integer(*text);
  constexpr std::int64_t kMost = 1'000'000'000;  // far above Slurm's MaxArraySize
  if (!number || *number < 0 || *number > kMost)
    throw bad_input(name + ": expected a whole number from 0 to " + std::to_string(kMost) + "; found " +
                    in_quotes(*text));
  return *number;
}

}  // namespace

std::string Shard::text() const {
  return std::to_string(index + 1) + "/" + std::to_string(count);
}

std::string Shard::ending() const {
  return is_whole() ? "" : "-shard-" + std::to_string(index + 1) + "-of-" + std::to_string(count);
}

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) throw no_shard(text);
  const auto number = parse_integer(text.substr(0, slash));
  const auto count = parse_integer(text.substr(slash + 1));
  if (!number || !count || *number < 1 || *count > kMostShards || *number > *count) throw no_shard(text);
  return {static_cast<std::size_t>(*number - 1), static_cast<std::size_t>(*count)};
}

std::optional<Shard> shard_of_slurm(
    const std::function<std::optional<std::string>(const std::string&)>& environment) {
  if (!environment("SLURM_ARRAY_TASK_ID") || !environment("SLURM_ARRAY_TASK_COUNT")) return std::nullopt;
  const std::int64_t id = number_of(environment, "SLURM_ARRAY_TASK_ID", 0);
  const std::int64_t count = number_of(environment, "SLURM_ARRAY_TASK_COUNT", 1);
  const std::int64_t least = number_of(environment, "SLURM_ARRAY_TASK_MIN", 0);
  const std::int64_t step = number_of(environment, "SLURM_ARRAY_TASK_STEP", 1);
  const std::int64_t most = number_of(environment, "SLURM_ARRAY_TASK_MAX", least + (count - 1) * step);
  const bool even = count >= 1 && count <= kMostShards && step >= 1 && id >= least && id <= most &&
                    (id - least) % step == 0 && (most - least) / step + 1 == count;
  if (!even)
    throw bad_input("SLURM_ARRAY_TASK_ID: the ids of this array are not evenly spaced (task " +
                    std::to_string(id) + " of " + std::to_string(count) + " from " + std::to_string(least) +
                    " to " + std::to_string(most) +
                    "), so that a task does not know its place; give --shard i/n, or --shard off");
  return Shard{static_cast<std::size_t>((id - least) / step), static_cast<std::size_t>(count)};
}

}  // namespace kiln
