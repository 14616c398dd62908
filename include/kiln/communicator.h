#pragma once

#include <cstddef>
#include <functional>

namespace kiln {

/// The ranks of a parallel program, as far as Kiln needs them: this interface contains no type of MPI. With
/// MPI, for a communicator `comm`:
///
///     kiln::Communicator all{rank, size, [comm](void* data, std::size_t bytes, int root) {
///       return MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, root, comm) == MPI_SUCCESS;
///     }};
///     service.share(all);
struct Communicator {
  int rank = 0;  ///< of this process
  int size = 1;  ///< ranks
  /// Sends the `bytes` that rank `root` has at `data`, at most 1 MiB, to all ranks. All ranks call it in the
  /// same order, in the thread that calls Kiln. False, or an exception: it failed.
  std::function<bool(void* data, std::size_t bytes, int root)> broadcast;
};

}  // namespace kiln
