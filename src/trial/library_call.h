#pragma once

#include <string>
#include <vector>

#include "trial/vendor_plugin.h"
#include "trial/workspace.h"
#include "workload/configuration.h"
#include "workload/program.h"

namespace kiln {

/// A statement `library:` bound to a workspace's buffers: a routine of a library that this machine has,
/// called by the plug-in libkiln_vendor.so. The workspace outlives it.
class LibraryCall {
 public:
  /// Throws kUnfit, with the reason, where there is no plug-in, no such library, or the library does not take
  /// the arguments.
  LibraryCall(const Configuration& configuration, const LibrarySpec& spec, Workspace& workspace);
  ~LibraryCall();
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;

  /// Throws a device fault with the library's reason.
  void enqueue(Stream& stream);
  /// "cublasSgeam of cuBLAS 13.0.2"
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void prepare(void* stream);

  const Configuration& configuration_;
  const LibrarySpec& spec_;
  Workspace& workspace_;
  const kiln_vendor_plugin* plugin_;
  void* call_ = nullptr;
  void* stream_ = nullptr;              // that the call was made for
  std::vector<const void*> addresses_;  // that the call was made with
  std::string name_;
};

}  // namespace kiln
