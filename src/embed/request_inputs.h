#pragma once

#include <memory>
#include <set>
#include <string>

#include "embed/made_kernel.h"
#include "trial/workspace.h"

// What a workload says of the content of buffers, for requests of embedding programs.
namespace kiln {

/// Allocates `buffers` in the workspace and gives them their initial content as a job does: from `init:`, by
/// the host or by kernels. Throws Error, also what PreparedKernel throws.
void make_inputs(const KernelRequest::Impl& request, const PreparedRequest& prepared,
                 const std::set<std::string>& buffers, Workspace& workspace);

/// The request's kernel has `symbols:`: its code loaded once more, with variables of its own that hold what
/// the configuration says, so that kernels of one code and different values do not share them. Throws
/// bad_input where the content is not the workload's to say.
[[nodiscard]] std::shared_ptr<LoadedCode> load_with_symbols(const KernelRequest::Impl& request,
                                                            const PreparedRequest& prepared,
                                                            const LoadedCode& shared);

}  // namespace kiln
