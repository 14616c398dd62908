#include "study/code_costs.h"

#include "base/scratch_folder.h"
#include "cache/disk_cache.h"
#include "compile/machine_code.h"

namespace kiln {
namespace {

/// One case's code, got again and again.
class CodeMeter {
 public:
  CodeMeter(const Variant& variant, const CodeMeasurement& how, Trial* trial, bool ahead)
      : variant_(variant),
        how_(how),
        trial_(trial),
        ahead_(ahead),
        device_(how.context.devices.open(variant.device)),
        compiler_(how.context.compiler_for(device_->info().target.backend)),
        units_(TrialNeeds(variant.configuration).step_units(device_->info().target, how.context.files)) {}

  std::optional<CaseCosts> run() {
    std::optional<ScratchFolder> folder;
    std::optional<DiskCache> disk;
    for (std::size_t i = 0; i < how_.repeats; ++i) {
      if (i < how_.compiles) {
        disk.reset();
        folder.emplace(make_shared_scratch(how_.context.files, how_.scratch, "study"));
        disk.emplace(how_.context.files, how_.context.clock, how_.context.log, folder->get().path);
        if (!take_cold(*disk)) return std::nullopt;
      }
      take_from_disk(*disk);
      if (ahead_) take_from_memory();
    }
    for (const auto& code : codes_) {
      for (MachineCode& kernel :
           machine_code(code, device_->info().target, {how_.processes, how_.context.files, how_.scratch}))
        costs_.machine_code.push_back(std::move(kernel));
    }
    return std::move(costs_);
  }

 private:
  [[nodiscard]] std::int64_t now() const { return how_.context.clock.steady_ns(); }

  bool take_cold(DiskCache& disk) {
    KernelService service(&disk, how_.context.clock);
    begin();
    const LoadedUnits loaded = load_units_at_once(
        units_, [&](const Unit& unit) { return service.get(unit.specialization, compiler_, device_); },
        nullptr);
    if (!loaded.complete) return false;
    end(FirstWay::kCold, loaded.units);
    double compile = 0;
    double load = 0;
    costs_.keys.clear();
    costs_.binary_bytes = 0;
    codes_.clear();
    for (const LoadedUnit& unit : loaded.units) {
      compile += unit.compile_seconds;
      load += unit.load_seconds;
      costs_.keys.push_back(unit.digest);
      codes_.push_back(unit.code->code());
      costs_.binary_bytes += codes_.back().binary.size();
    }
    costs_.compile_seconds.push_back(compile);
    costs_.load_seconds.push_back(load);
    return true;
  }

  void take_from_disk(DiskCache& disk) {
    KernelService service(&disk, how_.context.clock, 1);
    double seconds = 0;
    begin();
    const LoadedUnits loaded = load_units(units_, [&](const Unit& unit) {
      const std::int64_t start = now();
      auto result = service.get(unit.specialization, compiler_, device_);
      seconds += seconds_between(start, now());
      const auto* found = std::get_if<ServiceResult>(&result);
      // Launches of one program may share a unit: the second finds it in memory.
      if (found != nullptr && (found->origin == Origin::kDisk || found->origin == Origin::kMemory))
        return result;
      throw environment_error("a study needs a disk cache, and there is none in " + how_.scratch.string() +
                              (disk.disabled_reason().empty() ? "" : ": " + disk.disabled_reason()));
    });
    end(FirstWay::kDisk, loaded.units);
    costs_.disk_seconds.push_back(seconds);
  }

  void take_from_memory() {
    std::vector<CodeObject> copies = codes_;
    std::vector<LoadedUnit> loaded;
    begin();
    for (std::size_t i = 0; i < units_.size(); ++i)
      loaded.push_back({units_[i], std::make_shared<LoadedCode>(std::move(copies[i]), device_)});
    end(FirstWay::kAhead, loaded);
  }

  void begin() {
    if (trial_ != nullptr) trial_->renew_inputs();
    begin_ = now();
  }

  /// Runs the first step, of ways that the case has.
  void end(FirstWay way, const std::vector<LoadedUnit>& loaded) {
    if (trial_ == nullptr || ahead_ != (way == FirstWay::kAhead)) return;
    auto step = trial_->bind_step(variant_.configuration, loaded);
    trial_->run_step(*step);
    costs_.first[way].seconds.push_back(seconds_between(begin_, now()));
  }

  const Variant& variant_;
  const CodeMeasurement& how_;
  Trial* trial_;
  bool ahead_;
  std::shared_ptr<Device> device_;
  Compiler& compiler_;
  std::vector<Unit> units_;
  CaseCosts costs_;
  std::vector<CodeObject> codes_;  // code of the last cold compile
  std::int64_t begin_ = 0;
};

}  // namespace

std::optional<CaseCosts> measure_code(const Variant& variant, const CodeMeasurement& how, Trial* trial,
                                      bool ahead) {
  return CodeMeter(variant, how, trial, ahead).run();
}

}  // namespace kiln
