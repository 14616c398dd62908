#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "embed/background_swap.h"
#include "embed/made_kernel.h"
#include "embed/shadow_check.h"
#include "kiln/background.h"

namespace kiln {
namespace {

/// The request with all parameters at run time that may be.
KernelRequest::Impl generic_request(const KernelRequest::Impl& request) {
  KernelRequest::Impl generic = request;
  for (const ParameterSpec& parameter : request.workload->parameters) {
    if (parameter.kind == ParameterKind::kPath || parameter.kind == ParameterKind::kType ||
        parameter.fixed_binding)
      continue;
    generic.set("bind." + parameter.name, std::string("run"));
  }
  return generic;
}

/// A comparison that these allow can fail.
void require_tolerances(const BackgroundOptions& options) {
  const auto require = [](const char* name, const std::optional<double>& value, double below) {
    if (!value || (std::isfinite(*value) && *value >= 0 && *value < below)) return;
    throw bad_input(std::string("BackgroundOptions::") + name + ": expected a finite number of at least 0" +
                    (std::isfinite(below) ? " and below " + format_number(below) : "") + "; found " +
                    format_number(*value));
  };
  require("rtol", options.rtol, 1);
  require("atol", options.atol, std::numeric_limits<double>::infinity());
}

}  // namespace

struct [[gnu::visibility("hidden")]] BackgroundKernel::Impl {
  Impl(const KernelRequest::Impl& wanted, const BackgroundOptions& how)
      : request(wanted), options(how), specialised_request(prepare(request)), swap(task()) {}

  BackgroundSwap::Task task() {
    BackgroundSwap::Task task;
    task.service = &request.service->engine.service();
    task.clock = request.service->clock.get();
    task.log = request.service->log.get();
    task.compiler = specialised_request.compiler;
    task.device = request.device->device;
    task.caller_stream = request.caller_stream;
    task.name = "kernel '" + request.kernel->name + "'";
    task.specialised = {specialised_request.unit.specialization, [this](ServiceResult found) {
                          return make_kernel(request, specialised_request, std::move(found));
                        }};
    task.generic = [this] { return generic_candidates(); };
    if (options.verify) {
      task.find_mismatch = [this](const BackgroundSwap::Made& generic, const BackgroundSwap::Made& made) {
        return find_mismatch(request, {*generic_prepared, kernel_of(generic.get())},
                             {specialised_request, kernel_of(made.get())}, options);
      };
    }
    task.error_of = error_of;
    return task;
  }

  std::vector<BackgroundSwap::Candidate> generic_candidates() {
    generic_prepared = prepare(generic_request(request));
    const auto make = [this](ServiceResult found) { return make_generic(std::move(found)); };
    std::vector<BackgroundSwap::Candidate> candidates = {{generic_prepared->unit.specialization, make}};
    const std::vector<std::string> quick = generic_prepared->compiler->quick_options();
    if (options.quick && !quick.empty()) {
      candidates.push_back(candidates.front());
      std::vector<std::string>& all = candidates.back().specialization.options;
      all.insert(all.end(), quick.begin(), quick.end());
    }
    return candidates;
  }

  BackgroundSwap::Made make_generic(ServiceResult found) {
    auto made = make_kernel(request, *generic_prepared, std::move(found));
    // A constant of the specialised kernel cannot be a launch scalar of the generic one either.
    made->launch.restrict_scalars(run_time_scalars(specialised_request.configuration, *request.kernel,
                                                   specialised_request.unit.params));
    return made;
  }

  static const Kernel::Impl& kernel_of(const void* made) {
    return *static_cast<const Kernel::Impl*>(made);
  }

  KernelRequest::Impl request;
  BackgroundOptions options;
  PreparedRequest specialised_request;
  std::optional<PreparedRequest> generic_prepared;
  BackgroundSwap swap;  // last: its thread ends before what it works on
};

void BackgroundKernel::launch(void* stream, LaunchArguments arguments, LaunchScalars scalars) const {
  const void* kernel = impl_->swap.current();
  launch_kernel(Impl::kernel_of(kernel), stream, arguments, scalars);
  impl_->swap.count(kernel);
}

void BackgroundKernel::run(LaunchArguments arguments, LaunchScalars scalars) const {
  launch(nullptr, arguments, scalars);
  DeviceHandle device;
  device.impl_ = impl_->request.device;
  device.synchronize();
}

BackgroundStatus BackgroundKernel::status() const {
  return impl_->swap.status();
}

void BackgroundKernel::wait() const {
  impl_->swap.wait();
}

BackgroundKernel KernelRequest::background() const {
  return background(BackgroundOptions());
}

BackgroundKernel KernelRequest::background(const BackgroundOptions& options) const {
  require_tolerances(options);
  BackgroundKernel kernel;
  kernel.impl_ = std::make_shared<BackgroundKernel::Impl>(take_wisdom(*impl_).request, options);
  return kernel;
}

}  // namespace kiln
