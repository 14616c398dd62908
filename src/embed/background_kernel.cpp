#include <array>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

#include "base/text.h"
#include "device/stream_capture.h"
#include "embed/made_kernel.h"
#include "embed/shadow_check.h"
#include "kiln/background.h"

namespace kiln {
namespace {

using MadeKernel = std::shared_ptr<const Kernel::Impl>;

/// The same request with everything at run time that may be.
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

/// One of them is written by each launch; side by side, they would share a cache line.
struct alignas(64) LaunchCount {
  std::atomic<std::uint64_t> count{0};
};

}  // namespace

struct [[gnu::visibility("hidden")]] BackgroundKernel::Impl {
  Impl(const KernelRequest::Impl& wanted, const BackgroundOptions& how)
      : request(wanted),
        options(how),
        service(request.service->engine.service()),
        begin_ns(request.service->clock->steady_ns()),
        specialised_request(prepare(request)) {}

  /// In the caller's thread: a kernel that can be launched, and the start of what comes next.
  void start() {
    if (!options.verify) {
      if (auto found = find(specialised_request)) {
        use_specialised(make_kernel(request, specialised_request, *std::move(found)));
        return;
      }
    }
    if (!get_generic()) {
      auto result = service.get(specialised_request.unit.specialization, *specialised_request.compiler,
                                request.device->device, request.caller_stream);
      if (const auto* diagnostic = std::get_if<Diagnostic>(&result)) throw error_of(*diagnostic);
      use_specialised(make_kernel(request, specialised_request, std::get<ServiceResult>(std::move(result))));
      return;
    }
    current.store(generic.get(), std::memory_order_release);
    ready_seconds = seconds();
    worker = std::jthread([this](const std::stop_token& stop) { specialise(stop); });
  }

  /// From the cache, else quickly compiled, else compiled; false where the text does not compile so.
  bool get_generic() {
    const KernelRequest::Impl wanted = generic_request(request);
    generic_prepared = prepare(wanted);
    std::vector<PreparedRequest> candidates = {*generic_prepared};
    const std::vector<std::string> quick = generic_prepared->compiler->quick_options();
    if (options.quick && !quick.empty()) {
      candidates.push_back(*generic_prepared);
      std::vector<std::string>& told = candidates.back().unit.specialization.options;
      told.insert(told.end(), quick.begin(), quick.end());
    }
    for (PreparedRequest& candidate : candidates) {
      if (auto found = find(candidate)) return use_generic(candidate, *std::move(found));
    }
    for (auto candidate = candidates.rbegin(); candidate != candidates.rend(); ++candidate) {
      auto result = service.get(candidate->unit.specialization, *candidate->compiler, request.device->device,
                                request.caller_stream);
      if (auto* made = std::get_if<ServiceResult>(&result)) return use_generic(*candidate, std::move(*made));
      if (std::get<Diagnostic>(result).environment) throw error_of(std::get<Diagnostic>(result));
    }
    return false;
  }

  bool use_generic(PreparedRequest & candidate, ServiceResult found) {
    auto made = make_kernel(request, candidate, std::move(found));
    // What is a constant of the specialised kernel cannot be given to the generic one either.
    made->launch.restrict_scalars(run_time_scalars(specialised_request.configuration, *request.kernel,
                                                   specialised_request.unit.params));
    generic = std::move(made);
    generic_prepared = std::move(candidate);
    return true;
  }

  std::optional<ServiceResult> find(const PreparedRequest& wanted) {
    return service.find(wanted.unit.specialization, *wanted.compiler, request.device->device,
                        request.caller_stream);
  }

  /// In a thread of its own, until done or told to stop.
  void specialise(const std::stop_token& stop) noexcept {
    try {
      if (!wait_for_capture(stop)) return;
      auto result = service.get_in_background(specialised_request.unit.specialization,
                                              *specialised_request.compiler, request.device->device, stop);
      if (!result) return;
      if (const auto* diagnostic = std::get_if<Diagnostic>(&*result)) {
        keep_generic(error_of(*diagnostic).what());
        return;
      }
      MadeKernel made =
          make_kernel(request, specialised_request, std::get<ServiceResult>(*std::move(result)));
      if (options.verify) {
        const auto mismatch =
            find_mismatch(request, {*generic_prepared, *generic}, {specialised_request, *made}, options);
        if (mismatch) {
          keep_generic(*mismatch);
          return;
        }
      }
      use_specialised(std::move(made));
    } catch (const std::exception& error) {
      keep_generic(error.what());
    }
  }

  /// Nothing is loaded while the caller's stream is captured into a graph. False when told to stop.
  bool wait_for_capture(const std::stop_token& stop) {
    constexpr std::chrono::milliseconds kAskAgain{5};
    while (!stop.stop_requested()) {
      if (!is_captured(*request.device->device, request.caller_stream)) return true;
      std::this_thread::sleep_for(kAskAgain);
    }
    return false;
  }

  /// The swap: one store. What was loaded before it finishes with the kernel that it found.
  void use_specialised(MadeKernel made) {
    const std::lock_guard lock(mutex);
    specialised = std::move(made);
    current.store(specialised.get(), std::memory_order_release);
    swap_seconds = seconds();
    if (!generic) ready_seconds = swap_seconds;
    state = BackgroundState::kSpecialised;
    decided.notify_all();
  }

  void keep_generic(const std::string& why) noexcept {
    {
      const std::lock_guard lock(mutex);
      reason = why;
      state = BackgroundState::kKeptGeneric;
      decided.notify_all();
    }
    request.service->log->warn("kernel '" + request.kernel->name + "' stays generic: " + why);
  }

  [[nodiscard]] double seconds() const {
    return seconds_between(begin_ns, request.service->clock->steady_ns());
  }

  KernelRequest::Impl request;
  BackgroundOptions options;
  KernelService& service;
  std::int64_t begin_ns;
  PreparedRequest specialised_request;
  std::optional<PreparedRequest> generic_prepared;
  MadeKernel generic;  ///< not changed once there are launches
  std::atomic<const Kernel::Impl*> current{nullptr};
  std::array<LaunchCount, 2> launches;  ///< generic, specialised
  std::mutex mutex;                     // of what follows; no launch takes it
  std::condition_variable decided;
  MadeKernel specialised;
  BackgroundState state = BackgroundState::kGeneric;
  std::string reason;
  double ready_seconds = 0, swap_seconds = 0;
  std::jthread worker;  // last: ends before what it works on
};

void BackgroundKernel::launch(void* stream, LaunchArguments arguments, LaunchScalars scalars) const {
  const Kernel::Impl* kernel = impl_->current.load(std::memory_order_acquire);
  launch_kernel(*kernel, stream, arguments, scalars);
  const std::size_t kind = kernel == impl_->generic.get() ? 0 : 1;
  impl_->launches[kind].count.fetch_add(1, std::memory_order_relaxed);
}

void BackgroundKernel::run(LaunchArguments arguments, LaunchScalars scalars) const {
  launch(nullptr, arguments, scalars);
  DeviceHandle device;
  device.impl_ = impl_->request.device;
  device.synchronize();
}

BackgroundStatus BackgroundKernel::status() const {
  BackgroundStatus status;
  const std::lock_guard lock(impl_->mutex);
  status.state = impl_->state;
  status.reason = impl_->reason;
  status.generic_launches = impl_->launches[0].count.load(std::memory_order_relaxed);
  status.specialised_launches = impl_->launches[1].count.load(std::memory_order_relaxed);
  status.ready_seconds = impl_->ready_seconds;
  status.swap_seconds = impl_->swap_seconds;
  if (impl_->generic) status.generic_key = impl_->generic->key;
  if (impl_->specialised) status.specialised_key = impl_->specialised->key;
  return status;
}

void BackgroundKernel::wait() const {
  std::unique_lock lock(impl_->mutex);
  impl_->decided.wait(lock, [&] { return impl_->state != BackgroundState::kGeneric; });
}

BackgroundKernel KernelRequest::background() const {
  return background(BackgroundOptions());
}

BackgroundKernel KernelRequest::background(const BackgroundOptions& options) const {
  require_tolerances(options);
  BackgroundKernel kernel;
  kernel.impl_ = std::make_shared<BackgroundKernel::Impl>(take_wisdom(*impl_).request, options);
  kernel.impl_->start();
  return kernel;
}

}  // namespace kiln
