#include "study/background_start.h"

#include <atomic>
#include <exception>
#include <thread>

#include "base/scratch_folder.h"
#include "cache/disk_cache.h"

namespace kiln {
namespace {

using Units = std::vector<Unit>;

/// Gets code in a thread of its own for a caller that does not wait.
class Background {
 public:
  Background(KernelService& service, const Units& units, Compiler& compiler, std::shared_ptr<Device> device,
             const Clock& clock)
      : service_(service),
        units_(units),
        compiler_(compiler),
        device_(std::move(device)),
        clock_(clock),
        thread_([this](const std::stop_token& stop) { work(stop); }) {}

  [[nodiscard]] bool done() const { return done_.load(std::memory_order_acquire); }
  /// Waits. The steady time at which all was there; `nullopt` if some of it does not compile.
  std::optional<std::int64_t> join(LoadedUnits& loaded) {
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
    loaded = std::move(loaded_);
    return loaded.complete ? std::optional(ready_ns_) : std::nullopt;
  }

 private:
  void work(const std::stop_token& stop) noexcept {
    try {
      loaded_ = load_units_at_once(
          units_,
          [&](const Unit& unit) {
            return service_.get_in_background(unit.specialization, compiler_, device_, stop);
          },
          nullptr);
    } catch (...) {
      failure_ = std::current_exception();
    }
    ready_ns_ = clock_.steady_ns();
    done_.store(true, std::memory_order_release);
  }

  KernelService& service_;
  const Units& units_;
  Compiler& compiler_;
  std::shared_ptr<Device> device_;
  const Clock& clock_;
  LoadedUnits loaded_;
  std::exception_ptr failure_;
  std::int64_t ready_ns_ = 0;
  std::atomic<bool> done_{false};
  std::jthread thread_;  // last: ends before what it works on
};

class BackgroundMeter {
 public:
  BackgroundMeter(const Variant& own, const Variant& generic, const CodeMeasurement& how, Trial& trial)
      : own_(own),
        generic_(generic),
        how_(how),
        trial_(trial),
        device_(how.context.devices.open(own.device)),
        compiler_(how.context.compiler_for(device_->info().target.backend)),
        own_units_(units_of(own)),
        generic_units_(units_of(generic)),
        quick_units_(generic_units_) {
    const std::vector<std::string> quick = compiler_.quick_options();
    for (Unit& unit : quick_units_) {
      std::vector<std::string>& options = unit.specialization.options;
      options.insert(options.end(), quick.begin(), quick.end());
    }
  }

  std::map<FirstWay, FirstTimes> run() {
    std::map<FirstWay, FirstTimes> all;
    if (is_same_code()) return all;
    for (const FirstWay way : {FirstWay::kBackground, FirstWay::kBackgroundDisk}) {
      for (std::size_t i = 0; i < how_.repeats; ++i) {
        if (!take(way, all[way])) return {};
      }
    }
    return all;
  }

 private:
  [[nodiscard]] Units units_of(const Variant& variant) const {
    return TrialNeeds(variant.configuration).step_units(device_->info().target, how_.context.files);
  }

  [[nodiscard]] bool is_same_code() const {
    if (own_units_.size() != generic_units_.size()) return false;
    for (std::size_t i = 0; i < own_units_.size(); ++i) {
      if (make_cache_key(own_units_[i].specialization, compiler_).digest !=
          make_cache_key(generic_units_[i].specialization, compiler_).digest)
        return false;
    }
    return true;
  }

  LoadedUnits get(KernelService& service, const Units& units) {
    return load_units_at_once(
        units, [&](const Unit& unit) { return service.get(unit.specialization, compiler_, device_); },
        nullptr);
  }

  bool take(FirstWay way, FirstTimes& times) {
    const JobContext& context = how_.context;
    const ScratchFolder folder = make_shared_scratch(context.files, how_.scratch, "study");
    DiskCache disk(context.files, context.clock, context.log, folder.get().path);
    const bool from_disk = way == FirstWay::kBackgroundDisk;
    if (from_disk) {
      KernelService earlier(&disk, context.clock);
      if (!get(earlier, generic_units_).complete) return false;
    }
    KernelService service(&disk, context.clock);
    trial_.renew_inputs();
    const std::int64_t begin = context.clock.steady_ns();
    const LoadedUnits generic = get(service, from_disk ? generic_units_ : quick_units_);
    if (!generic.complete) return false;
    auto step = trial_.bind_step(generic_.configuration, generic.units);
    Background background(service, own_units_, compiler_, device_, context.clock);
    trial_.run_step(*step);
    const double first = seconds_between(begin, context.clock.steady_ns());
    while (!background.done()) trial_.run_step(*step);
    LoadedUnits own;
    const auto ready = background.join(own);
    if (!ready) return false;
    step = trial_.bind_step(own_.configuration, own.units);
    trial_.run_step(*step);
    times.seconds.push_back(first);
    times.swap_seconds.push_back(seconds_between(begin, *ready));
    return true;
  }

  const Variant& own_;
  const Variant& generic_;
  const CodeMeasurement& how_;
  Trial& trial_;
  std::shared_ptr<Device> device_;
  Compiler& compiler_;
  Units own_units_, generic_units_, quick_units_;
};

}  // namespace

std::map<FirstWay, FirstTimes> measure_background(const Variant& own, const Variant& generic,
                                                  const CodeMeasurement& how, Trial& trial) {
  return BackgroundMeter(own, generic, how, trial).run();
}

}  // namespace kiln
