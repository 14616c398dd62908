#pragma once

#include <memory>
#include <vector>

#include "job/checks.h"
#include "job/job_runner.h"
#include "job/prepared_kernel.h"
#include "job/workspace.h"

namespace kiln {

/// What a record says of a variant before anything is compiled.
[[nodiscard]] Record start_record(const Variant& variant, const JobPlan& plan, const JobContext& context);

/// One variant on one device, from specialization to metrics. What goes wrong with the variant ends up in its
/// record; an Error (bad input, environment) leaves by exception.
class VariantRunner {
 public:
  /// `start_ns`: the steady time from which `first_launch_seconds` counts.
  VariantRunner(const Variant& variant, const JobPlan& plan, const JobContext& context, BufferPool& pool,
                std::int64_t start_ns);

  [[nodiscard]] Record run();
  /// A fault has ended the device: nothing more runs on it in this process.
  [[nodiscard]] bool device_lost() const { return device_lost_; }

 private:
  void run_stages();
  void describe();
  [[nodiscard]] bool get_code();
  void prepare();
  void fill_inputs();
  void verify();
  void measure();
  void evaluate_metrics(const std::map<std::string, double>& times);

  [[nodiscard]] bool load_units(std::vector<Unit> units, const std::shared_ptr<Device>& device);
  void add_unit_use(const Unit& unit, const ServiceResult& result);
  /// Throws UnfitKernel where the device has no room.
  void allocate();
  void note_first_launch();
  [[nodiscard]] ReferenceContent run_reference(const CheckSpec& check);
  [[nodiscard]] ReferenceContent run_reference_on(Workspace& workspace, const CheckSpec& check);
  [[nodiscard]] bool apart(const CheckSpec& check) const;
  [[nodiscard]] std::vector<PreparedKernel> prepare_all(const std::vector<std::string>& names);
  [[nodiscard]] double take_sample(std::vector<std::vector<double>>& per_launch);
  [[nodiscard]] std::size_t batch_for(double step_seconds) const;

  const Variant& variant_;
  const JobPlan& plan_;
  const JobContext& context_;
  const Configuration& configuration_;
  BufferPool& pool_;
  std::int64_t start_ns_;
  bool launched_ = false;
  bool device_lost_ = false;
  Record record_;

  std::shared_ptr<Device> device_;
  std::unique_ptr<Stream> stream_;
  VariantNeeds needs_;
  std::vector<LoadedUnit> units_;      // on device_
  std::vector<LoadedUnit> cpu_units_;  // references that run on the host beside another device
  std::unique_ptr<Workspace> workspace_;
  std::vector<PreparedKernel> step_, verify_step_, init_;
  std::vector<std::unique_ptr<Event>> events_;
  std::size_t steps_since_fill_ = 0;
  std::size_t refill_after_ = 0;  // steps; 0: never
  std::size_t batch_ = 1;         // steps of a sample
};

}  // namespace kiln
