#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "job/checks.h"
#include "job/job_runner.h"
#include "trial/buffer_contents.h"
#include "trial/device_compare.h"
#include "trial/prepared_kernel.h"
#include "trial/workspace.h"

namespace kiln {

/// Thrown out of VariantRunner::run where JobContext::stop says so.
struct JobStopped {};

/// One variant on one device, from specialization to metrics. What goes wrong with the variant ends up in its
/// record; an Error (bad input, environment) leaves by exception.
class VariantRunner {
 public:
  /// `start_ns`: the steady time from which `first_launch_seconds` counts.
  VariantRunner(const Variant& variant, const JobPlan& plan, const JobContext& context, BufferPool& pool,
                std::int64_t start_ns);

  /// Throws JobStopped.
  [[nodiscard]] Record run();

  /// For a caller that takes samples of several variants in an order of its own: everything up to the checks.
  /// True if none disagreed; else `record()` says what is wrong, and no sample may be taken.
  [[nodiscard]] bool prepare_samples();
  /// Warms up and takes `count` samples: seconds of a step in the first list, of each launch in the others.
  /// Empty if a kernel failed: `record()` says so, and that was the last sample.
  [[nodiscard]] std::vector<std::vector<double>> take_samples(std::size_t count);
  /// For a caller that brings code of its own to the buffers of a variant that was prepared: the step's
  /// kernels in `units`, which outlive the result. `configuration` has the variant's values, bound as it
  /// likes.
  [[nodiscard]] std::vector<PreparedKernel> step_of(const Configuration& configuration,
                                                    const std::vector<LoadedUnit>& units);
  /// Runs such a step and waits; makes the inputs anew when they have drifted.
  void run_step(std::vector<PreparedKernel>& step);
  /// Makes the inputs anew and waits.
  void renew_inputs() { fill_inputs(); }
  /// Runs `stages`; what ends the variant, such as a fault, goes into the record. True if nothing did.
  bool guarded(const std::function<void()>& stages);

  /// Gives the buffers back until the next `take_samples`, which makes the inputs anew.
  void park();
  /// Lists as from `take_samples`, of any number of samples, become times and metrics of the record.
  void set_times(const std::vector<std::vector<double>>& lists, const std::string& stop_reason);
  [[nodiscard]] const Record& record() const { return record_; }

  /// A fault has ended the device: nothing more runs on it in this process.
  [[nodiscard]] bool device_lost() const { return device_lost_; }

 private:
  void run_stages();
  void describe();
  [[nodiscard]] bool get_code();
  void prepare();
  void describe_launches();
  void fill_inputs();
  void verify();
  void note_unchecked();
  void warm_up();
  [[nodiscard]] double take();
  void measure();
  void evaluate_metrics(const std::map<std::string, double>& times);

  [[nodiscard]] bool load_units(std::vector<Unit> units, const std::shared_ptr<Device>& device);
  void add_unit_use(const Unit& unit, const ServiceResult& result);
  /// Throws UnfitKernel where the device has no room.
  void allocate();
  void note_first_launch();
  /// Enqueues, and notes the time of the first launch.
  void launch(PreparedKernel& kernel);
  void enqueue(PreparedKernel& kernel);
  void synchronize();
  [[nodiscard]] std::vector<PreparedKernel> prepare_all(const std::vector<std::string>& names);
  [[nodiscard]] double take_sample();
  [[nodiscard]] const SharedLabel& sample_label();
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
  std::unique_ptr<BufferContents> contents_;  // of workspace_
  std::unique_ptr<DeviceCompare> compare_;    // null where the host sees the device's memory
  std::vector<PreparedKernel> step_, verify_step_, init_;
  std::vector<std::unique_ptr<Event>> events_;
  std::vector<std::vector<double>> per_launch_;  // seconds of each launch of the samples taken
  std::size_t steps_since_fill_ = 0;
  std::size_t refill_after_ = 0;  // steps; 0: never
  std::size_t batch_ = 1;         // steps of a sample
  SharedLabel sample_label_;
  std::size_t labelled_batch_ = 0;  // that sample_label_ tells of
};

}  // namespace kiln
