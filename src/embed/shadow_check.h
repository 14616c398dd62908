#pragma once

#include <optional>
#include <string>

#include "embed/made_kernel.h"
#include "kiln/background.h"

namespace kiln {

/// One way in which a request's kernel was made.
struct [[gnu::visibility("hidden")]] ShadowSide {
  const PreparedRequest& prepared;
  const Kernel::Impl& kernel;
};

/// Runs both on the same inputs, made as the workload says, in buffers and on a stream of their own, and
/// compares every buffer that the kernel takes. `nullopt` if they agree, else the worst element, both values
/// and the tolerance. Throws Error where the inputs cannot be made or a kernel fails.
[[nodiscard]] std::optional<std::string> find_mismatch(const KernelRequest::Impl& request,
                                                       const ShadowSide& generic,
                                                       const ShadowSide& specialised,
                                                       const BackgroundOptions& options);

}  // namespace kiln
