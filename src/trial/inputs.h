#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "trial/buffer_contents.h"
#include "trial/load_units.h"
#include "trial/prepared_kernel.h"

namespace kiln {

/// Gives the buffers of a workspace their initial contents: by Kiln, by kernels and by copies of what kernels
/// have made. All that it refers to outlives it.
class Inputs {
 public:
  /// `buffers` are allocated, and with them those that their kernels take; `units` hold the kernels' code.
  Inputs(const Configuration& configuration, std::vector<std::string> buffers,
         const std::vector<LoadedUnit>& units, Workspace& workspace, BufferContents& contents);

  /// For the first time or anew; `launch` enqueues a kernel. Does not wait.
  void make(const std::function<void(PreparedKernel&)>& launch);

 private:
  const Configuration& configuration_;
  std::vector<std::string> buffers_;
  BufferContents& contents_;
  std::vector<PreparedKernel> kernels_;
  std::vector<std::pair<std::string, std::string>> copies_;
};

}  // namespace kiln
