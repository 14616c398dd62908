#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kiln {

/// What a launcher of parallel programs has left in this process's environment.
struct LaunchedRanks {
  std::string variable;          ///< that says so: "OMPI_COMM_WORLD_SIZE"
  std::optional<int> ranks;      ///< how many; absent where only MPI itself can tell
  std::optional<int> rank;       ///< of this process
  std::optional<int> node_rank;  ///< of this process among those of its node

  /// "rank 2 of 4 (OMPI_COMM_WORLD_SIZE)".
  [[nodiscard]] std::string to_string() const;
};

/// Value of an environment variable; absent where it is not set or empty.
using ReadVariable = std::function<std::optional<std::string>(const std::string& name)>;

/// Absent where this process is the only one: no launcher of MPI programs (Open MPI, MPICH and others by PMI
/// or PMIx, srun) has started it, or one that was asked for a single rank.
[[nodiscard]] std::optional<LaunchedRanks> find_launched_ranks(const ReadVariable& read);

/// The value of CUDA_VISIBLE_DEVICES (or HIP_VISIBLE_DEVICES) with which a process sees one device alone,
/// that of its rank on its node: one of those that `visible`, the variable's present value, lists; where it
/// is not set, the device of this number.
[[nodiscard]] std::string visible_device(const std::optional<std::string>& visible, int node_rank);

}  // namespace kiln
