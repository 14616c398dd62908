#pragma once

#include <functional>
#include <string>

namespace kiln {

/// The stage of a request for a kernel's code. A kernel that is in memory is not reported.
struct GetProgress {
  enum class Stage {
    kLooking,    ///< looking for the code, on the disk and in bundles
    kWaiting,    ///< waiting for another thread that compiles it
    kCompiling,  ///< includes the wait for a compile slot
    kLoading,    ///< onto the device
    kReady,
    kFailed,  ///< the request throws the reason
  };
  Stage stage = Stage::kLooking;
  std::string kernel;  ///< file and kernels: "cg.cu axpy<double>"
  double seconds = 0;  ///< since the request began
};

/// Called before each stage, one call at a time, by the thread that works on the request (for get_async() and
/// background() not the program's). False ends the request before that stage: it throws Error of kind
/// kCancelled, and other requests for the same code continue. A compile that has begun cannot be ended so. An
/// exception of the function counts as true; it must not call Kiln.
using ProgressFunction = std::function<bool(const GetProgress& progress)>;

}  // namespace kiln
