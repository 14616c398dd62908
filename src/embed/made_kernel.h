#pragma once

#include <memory>

#include "device/fault.h"
#include "embed/handles.h"
#include "service/kernel_service.h"
#include "specialize/unit.h"
#include "workload/configuration.h"

// From a request to a kernel that can be launched, in the steps that get() and background() share.
namespace kiln {

/// Everything about a request that needs no compiler.
struct PreparedRequest {
  Configuration configuration;
  Unit unit;
  Compiler* compiler = nullptr;
};

/// Throws bad_input: no device, unknown parameters, values that are not allowed.
[[nodiscard]] PreparedRequest prepare(const KernelRequest::Impl& request);

/// Throws bad_input for a shape or arguments that do not fit the device or the code.
[[nodiscard]] std::shared_ptr<Kernel::Impl> make_kernel(const KernelRequest::Impl& request,
                                                        const PreparedRequest& prepared, ServiceResult found);

/// The compiler's summary and log as what get() throws.
[[nodiscard]] Error error_of(const Diagnostic& diagnostic);
/// A kernel's failure as what the public interface throws.
[[nodiscard]] Error error_of(const DeviceFault& fault);

/// Kernel::launch.
void launch_kernel(const Kernel::Impl& kernel, void* stream, LaunchArguments arguments,
                   LaunchScalars scalars);

}  // namespace kiln
