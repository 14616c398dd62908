#pragma once

#include <cstddef>
#include <functional>

namespace kiln {

/// The ranks of a parallel program, as far as Kiln needs them: no type of MPI is in this interface. With MPI,
/// of a communicator `comm`:
///
///     kiln::Communicator all{rank, size, [comm](void* data, std::size_t bytes, int root) {
///       return MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, root, comm) == MPI_SUCCESS;
///     }};
///     service.share(all);
struct Communicator {
  int rank = 0;  ///< of this process
  int size = 1;  ///< ranks
  /// Gives all ranks the `bytes` that rank `root` has at `data`, at most 1 MiB. Called by all of them, in the
  /// same order, by the thread that calls Kiln. False, or an exception: it failed.
  std::function<bool(void* data, std::size_t bytes, int root)> broadcast;
};

}  // namespace kiln
