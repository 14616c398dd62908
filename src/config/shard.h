#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace kiln {

/// The part of a job's points that a process takes which shares the job with others and never talks to them:
/// every `count`-th point, from the one at `index` on.
struct Shard {
  std::size_t index = 0;  ///< from 0; people count from 1
  std::size_t count = 1;

  [[nodiscard]] bool is_whole() const { return count == 1; }
  [[nodiscard]] bool takes(std::size_t place) const { return place % count == index; }
  /// How many of `all` points it takes.
  [[nodiscard]] std::size_t size_of(std::size_t all) const { return (all + count - 1 - index) / count; }
  /// "2/8".
  [[nodiscard]] std::string text() const;
  /// Ending of the names of its own files: "-shard-2-of-8"; empty for the whole.
  [[nodiscard]] std::string ending() const;

  friend bool operator==(const Shard&, const Shard&) = default;
};

/// "2/8". Throws bad_input with what is expected.
[[nodiscard]] Shard parse_shard(const std::string& text);

/// The task of a Slurm array that this process is: SLURM_ARRAY_TASK_ID of SLURM_ARRAY_TASK_COUNT, with
/// SLURM_ARRAY_TASK_MIN, _MAX and _STEP. Absent outside an array. Throws bad_input for an array whose ids are
/// not evenly spaced, of which a task does not know its place.
[[nodiscard]] std::optional<Shard> shard_of_slurm(
    const std::function<std::optional<std::string>(const std::string&)>& environment);

}  // namespace kiln
