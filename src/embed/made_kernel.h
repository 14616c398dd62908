#pragma once

#include <memory>
#include <string>

#include "embed/handles.h"
#include "service/kernel_service.h"
#include "specialize/unit.h"
#include "workload/configuration.h"

// The steps from a request to a kernel that can be launched, which get() and background() share.
namespace kiln {

/// Everything about a request that needs no compiler.
struct PreparedRequest {
  Configuration configuration;
  Unit unit;
  Compiler* compiler = nullptr;
};

/// Throws bad_input: no device, unknown parameters, values that are not allowed.
[[nodiscard]] PreparedRequest prepare(const KernelRequest::Impl& request);

/// A request for the values that its wisdom says, and the sentence about it.
struct [[gnu::visibility("hidden")]] AdvisedRequest {
  KernelRequest::Impl request;
  std::string sentence;  ///< empty: there is no wisdom, and the defaults are meant
};
[[nodiscard]] AdvisedRequest take_wisdom(const KernelRequest::Impl& request);

/// Throws bad_input for arguments that the code does not take, and kUnfit for a shape that does not fit.
[[nodiscard]] std::shared_ptr<Kernel::Impl> make_kernel(const KernelRequest::Impl& request,
                                                        const PreparedRequest& prepared, ServiceResult found);

/// Announces to the compiler that it may be needed. get() reports mistakes.
[[nodiscard]] ExpectedCompiles announce_compile(Engine& engine, const std::string& backend);

/// The compiler's summary and log as what get() throws.
[[nodiscard]] Error error_of(const Diagnostic& diagnostic);

/// Kernel::launch.
void launch_kernel(const Kernel::Impl& kernel, void* stream, LaunchArguments arguments,
                   LaunchScalars scalars);

}  // namespace kiln
