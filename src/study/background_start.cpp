#include "study/background_start.h"

#include <atomic>
#include <exception>
#include <thread>

#include "base/scratch_folder.h"
#include "cache/disk_cache.h"
#include "job/variant_description.h"

namespace kiln {
namespace {

using Units = std::vector<Unit>;
using Loaded = std::vector<LoadedUnit>;

/// What a thread of its own gets for a caller that does not wait.
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
  std::optional<std::int64_t> join(Loaded& loaded) {
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
    if (loaded_.size() < units_.size()) return std::nullopt;
    loaded = std::move(loaded_);
    return ready_ns_;
  }

 private:
  void work(const std::stop_token& stop) noexcept {
    try {
      for (const Unit& unit : units_) {
        auto result = service_.get_in_background(unit.specialization, compiler_, device_, stop);
        auto* made = result ? std::get_if<ServiceResult>(&*result) : nullptr;
        if (made == nullptr) break;
        loaded_.push_back({unit, std::move(made->code)});
      }
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
  Loaded loaded_;
  std::exception_ptr failure_;
  std::int64_t ready_ns_ = 0;
  std::atomic<bool> done_{false};
  std::jthread thread_;  // last: ends before what it works on
};

class BackgroundMeter {
 public:
  BackgroundMeter(const Variant& own, const Variant& generic, const CodeMeasurement& how,
                  VariantRunner& runner)
      : own_(own),
        generic_(generic),
        how_(how),
        runner_(runner),
        device_(how.context.devices.open(own.device)),
        compiler_(compiler_for(how.context, device_->info().target.backend)),
        own_units_(step_units(own, how.context)),
        generic_units_(step_units(generic, how.context)),
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
  [[nodiscard]] bool is_same_code() const {
    if (own_units_.size() != generic_units_.size()) return false;
    for (std::size_t i = 0; i < own_units_.size(); ++i) {
      if (make_cache_key(own_units_[i].specialization, compiler_).digest !=
          make_cache_key(generic_units_[i].specialization, compiler_).digest)
        return false;
    }
    return true;
  }

  std::optional<Loaded> get(KernelService& service, const Units& units) {
    Loaded loaded;
    for (const Unit& unit : units) {
      auto result = service.get(unit.specialization, compiler_, device_);
      auto* made = std::get_if<ServiceResult>(&result);
      if (made == nullptr) return std::nullopt;
      loaded.push_back({unit, std::move(made->code)});
    }
    return loaded;
  }

  bool take(FirstWay way, FirstTimes& times) {
    const JobContext& context = how_.context;
    const ScratchFolder folder = make_shared_scratch(context.files, how_.scratch, "study");
    DiskCache disk(context.files, context.clock, context.log, folder.get().path);
    const bool from_disk = way == FirstWay::kBackgroundDisk;
    if (from_disk) {
      KernelService earlier(&disk, context.clock, 1);
      if (!get(earlier, generic_units_)) return false;
    }
    KernelService service(&disk, context.clock);
    runner_.renew_inputs();
    const std::int64_t begin = context.clock.steady_ns();
    const auto generic = get(service, from_disk ? generic_units_ : quick_units_);
    if (!generic) return false;
    std::vector<PreparedKernel> step = runner_.step_of(generic_.configuration, *generic);
    Background background(service, own_units_, compiler_, device_, context.clock);
    runner_.run_step(step);
    const double first = seconds_between(begin, context.clock.steady_ns());
    while (!background.done()) runner_.run_step(step);
    Loaded own;
    const auto ready = background.join(own);
    if (!ready) return false;
    step = runner_.step_of(own_.configuration, own);
    runner_.run_step(step);
    times.seconds.push_back(first);
    times.swap_seconds.push_back(seconds_between(begin, *ready));
    return true;
  }

  const Variant& own_;
  const Variant& generic_;
  const CodeMeasurement& how_;
  VariantRunner& runner_;
  std::shared_ptr<Device> device_;
  Compiler& compiler_;
  Units own_units_, generic_units_, quick_units_;
};

}  // namespace

std::map<FirstWay, FirstTimes> measure_background(const Variant& own, const Variant& generic,
                                                  const CodeMeasurement& how, VariantRunner& runner) {
  return BackgroundMeter(own, generic, how, runner).run();
}

}  // namespace kiln
