#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kiln {

/// What a launcher of parallel programs has left in this process's environment.
struct LaunchedRanks {
  std::string variable;          ///< the variable that says so: "OMPI_COMM_WORLD_SIZE"
  std::optional<int> ranks;      ///< number of ranks; absent where only MPI itself knows it
  std::optional<int> rank;       ///< rank of this process
  std::optional<int> node_rank;  ///< rank of this process among the ranks of its node

  /// "rank 2 of 4 (OMPI_COMM_WORLD_SIZE)".
  [[nodiscard]] std::string to_string() const;
};

/// Value of an environment variable; absent where it is not set or empty.
using ReadVariable = std::function<std::optional<std::string>(const std::string& name)>;

/// Absent where this process is the only one: no launcher of MPI programs (Open MPI, MPICH and others by PMI
/// or PMIx, srun) has started it, or one that was asked for a single rank.
[[nodiscard]] std::optional<LaunchedRanks> find_launched_ranks(const ReadVariable& read);

/// The value of CUDA_VISIBLE_DEVICES (or HIP_VISIBLE_DEVICES) with which a process sees one device alone, the
/// device of its rank on its node. `visible` is the variable's present value: the device is chosen from its
/// list; if it is not set, the result is the device of number `node_rank`.
[[nodiscard]] std::string visible_device(const std::optional<std::string>& visible, int node_rank);

}  // namespace kiln
