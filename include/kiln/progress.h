#pragma once

#include <functional>
#include <string>

namespace kiln {

/// Where a request for a kernel's code is. A kernel that is in memory is not reported.
struct GetProgress {
  enum class Stage {
    kLooking,    ///< for the code, on the disk and in bundles
    kWaiting,    ///< for another thread that compiles it
    kCompiling,  ///< includes the wait for a turn, if as many compiles run as may
    kLoading,    ///< onto the device
    kReady,
    kFailed,  ///< the request throws the reason
  };
  Stage stage = Stage::kLooking;
  std::string kernel;  ///< file and kernels: "cg.cu axpy<double>"
  double seconds = 0;  ///< since the request began
};

/// Is told of each stage before it begins, by the thread that works on the request (of get_async() and
/// background() another one than the program's), one call at a time. False ends the request before that
/// stage: it throws Error of kind kCancelled, and others who wait for the same code go on. A compile that has
/// begun cannot be ended so. What the function throws counts as true; it must not call Kiln.
using ProgressFunction = std::function<bool(const GetProgress& progress)>;

}  // namespace kiln
