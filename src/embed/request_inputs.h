#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "embed/made_kernel.h"
#include "trial/inputs.h"
#include "trial/workspace.h"

// The buffer contents that a workload defines, for requests of embedding programs.
namespace kiln {

/// The buffers that a kernel of a request takes, in memory and on a stream of their own, with the contents
/// that a job gives them. Throws Error, also what PreparedKernel throws.
class RequestBuffers {
 public:
  RequestBuffers(const KernelRequest::Impl& request, const PreparedRequest& prepared,
                 const KernelSpec& kernel);

  /// Makes the contents anew, and waits.
  void fill();
  [[nodiscard]] Workspace& workspace() { return workspace_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::unique_ptr<Stream> stream_;
  BufferPool pool_;
  Workspace workspace_;
  BufferContents contents_;
  std::vector<std::string> names_;
  std::vector<LoadedUnit> units_;
  std::optional<Inputs> inputs_;
};

/// The request's kernel has `symbols:`: its code loaded once more, with variables of its own that hold what
/// the configuration says, so that kernels of one code and different values do not share them. Throws
/// bad_input where the content is not the workload's to say.
[[nodiscard]] std::shared_ptr<LoadedCode> load_with_symbols(const KernelRequest::Impl& request,
                                                            const PreparedRequest& prepared,
                                                            const LoadedCode& shared);

}  // namespace kiln
