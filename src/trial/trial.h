#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure/timer.h"
#include "record/record.h"
#include "trial/buffer_contents.h"
#include "trial/context.h"
#include "trial/device_compare.h"
#include "trial/inputs.h"
#include "trial/needs.h"
#include "trial/prepared_kernel.h"
#include "trial/program_run.h"
#include "trial/variant.h"
#include "trial/workspace.h"

namespace kiln {

/// One configuration on one device: its code, its buffers, its checks and its step. The stages follow each
/// other: `specialise`, `load`, `prepare`, `verify`; then steps, of its own code by a Timer, or of other code
/// by `bind_step` and `run_step`. It takes no samples and writes no record; it answers with facts.
/// Errors with a row in record/failure.h (unfit kernels, device faults) end a trial; any other (bad input,
/// environment) is the caller's. The references given to it outlive it.
class Trial final : public TimedStep {
 public:
  /// `keep_contents`: inputs and references stay in the pool's KeptBuffers for trials that come later.
  Trial(const Variant& variant, const JobContext& context, BufferPool& pool, bool keep_contents);

  /// The units on the device, valid until `load`.
  const std::vector<Unit>& specialise();
  /// Gets the code of all units. The compiler's words on the first that does not compile, if one does not.
  [[nodiscard]] std::optional<Diagnostic> load();
  /// Buffers with their inputs, and the kernels bound to them; nothing to do if they are there.
  void prepare();
  /// Runs the steps that are checked, then every check, and keeps the variant's outputs. Checks that were
  /// done are in `checks` also when one of them throws.
  void verify();
  /// Gives the buffers back until the next `prepare`, which makes the inputs anew.
  void park();

  [[nodiscard]] const TrialNeeds& needs() const { return needs_; }
  [[nodiscard]] const Configuration& configuration() const { return variant_.configuration; }
  [[nodiscard]] Device& device() const { return *device_; }
  [[nodiscard]] Stream& stream() const { return *stream_; }
  /// Those on the device, then those on the host beside it.
  [[nodiscard]] std::vector<const LoadedUnit*> loaded_units() const;
  /// The launches of the step, without times; empty before `prepare`.
  [[nodiscard]] std::vector<LaunchUse> launches() const;
  [[nodiscard]] const std::vector<CheckResult>& checks() const { return checks_; }
  /// The buffers that `verify` has written to files.
  [[nodiscard]] const std::vector<KeptFile>& kept_files() const { return kept_files_; }
  /// Program variables at the end of the last step, and those that only `verify.run` gives values.
  [[nodiscard]] Variables variables() const;
  /// How often the last step has waited for the device to read from it; 0 while it is parked.
  [[nodiscard]] std::uint64_t waits_per_step() const { return step_ ? step_->waits() : 0; }
  /// How many graphs the last step has enqueued; 0 while it is parked.
  [[nodiscard]] std::uint64_t graphs_per_step() const { return step_ ? step_->graphs() : 0; }
  /// Steady time of the first launch of any kernel.
  [[nodiscard]] std::optional<std::int64_t> first_launch_ns() const { return first_launch_ns_; }

  /// The step's kernels in `units`, on this trial's buffers. `configuration` has this trial's values, bound
  /// as it likes. Both outlive the result.
  [[nodiscard]] std::unique_ptr<ProgramRun> bind_step(const Configuration& configuration,
                                                      const std::vector<LoadedUnit>& units);
  /// Runs such a step and waits.
  void run_step(ProgramRun& step);
  /// Makes the inputs anew and waits.
  void renew_inputs();

  [[nodiscard]] std::size_t launch_count() const override { return needs_.step().size(); }
  [[nodiscard]] std::size_t most_steps() const override { return refresh_after_; }
  void make_ready(std::size_t steps) override;
  void enqueue(const AfterLaunch& after_launch) override { enqueue_step(*step_, after_launch, {}); }
  void wait() override;

 private:
  [[nodiscard]] LoadedUnits load_on(std::vector<Unit> units, const std::shared_ptr<Device>& device);
  void make_contents();
  void allocate();
  [[nodiscard]] std::unique_ptr<ProgramRun> bind(const Configuration& configuration,
                                                 const ProgramSpec& program,
                                                 const std::vector<LoadedUnit>& units);
  /// The one place that runs a step. `first`: values that its program variables begin with.
  void enqueue_step(ProgramRun& step, const AfterLaunch& after_launch, const Variables& first);
  void launch(PreparedKernel& kernel, Stream& stream);
  /// `enqueue` launches `kernel`, or several of these names.
  template <class Enqueue>
  void watched(const std::string& kernel, const Enqueue& enqueue);
  void note_first_launch();

  const Variant& variant_;
  const JobContext& context_;
  BufferPool& pool_;
  bool keep_contents_;
  std::shared_ptr<Device> device_, host_;  // host_: null unless references run there beside device_
  bool launches_wait_;  // a launch returns when the kernel has run (CPU), not once it has been handed over
  TrialNeeds needs_;
  std::size_t refresh_after_ = 0;         // steps; 0: never
  std::vector<Unit> units_, host_units_;  // until they are loaded
  std::vector<LoadedUnit> loaded_, host_loaded_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<DeviceCompare> compare_;    // null where the host sees the device's memory
  std::unique_ptr<BufferContents> contents_;  // of workspace_
  std::unique_ptr<ProgramRun> step_, verify_step_;
  Variables parked_variables_;  // what `variables` gives while it is parked
  std::unique_ptr<Inputs> inputs_;
  std::vector<CheckResult> checks_;
  std::vector<KeptFile> kept_files_;
  std::optional<std::int64_t> first_launch_ns_;
  std::size_t steps_since_fill_ = 0;
};

}  // namespace kiln
