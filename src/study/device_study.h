#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "job/variant_record.h"
#include "service/kernel_service.h"
#include "study/code_costs.h"
#include "study/study_file.h"
#include "study/study_runner.h"
#include "trial/trial.h"

namespace kiln {

/// Thrown where StudyContext::stop says so, caught in `run_study`.
struct Interrupted {};

/// The context of a case: its own compiler replaces the run-time compiler.
[[nodiscard]] JobContext context_of(const StudyContext& context, const DeviceCases& cases,
                                    const StudyCase& which);

/// The study of one workload on one device.
class DeviceStudy {
 public:
  DeviceStudy(const DeviceCases& cases, const StudySpec& spec, const StudyContext& context, StudyFile* file,
              DeviceData data);

  /// Compiles every case cold, loads and verifies it, in shuffled order.
  void prepare();
  /// False if every visit was known already.
  bool measure();
  DeviceResult result() &&;

 private:
  void tell(const std::string& stage, std::size_t done, std::size_t count, const std::string& name) const;
  /// The fastest case by the rounds that are done.
  void find_best();
  /// The first compile of a process loads the compiler; that is no case's cost.
  void warm_up_compilers() const;
  /// Code that is made ahead of time has no waiting caller at run time, but the study would wait, so it
  /// compiles it once.
  [[nodiscard]] CodeMeasurement measurement(std::size_t index, std::size_t repeats) const;
  /// Compiles the code with which the next cases run and are checked, on all cores; the cost of compiles is
  /// measured separately. Each case is reported when all before it are done. The result keeps the code.
  [[nodiscard]] std::vector<std::unique_ptr<CompileAhead>> compile_from(
      std::size_t begin, const std::vector<std::size_t>& order) const;
  void prepare_case(std::size_t index);
  [[nodiscard]] const Record* ended_record(const StudyCase& which) const;
  void prepare_trial_of(std::size_t index, CaseData& data);
  TrialEnd measure_costs(std::size_t index, Trial* trial, CaseData& data);
  /// All at run time that may be, with the same switches.
  [[nodiscard]] const Variant& generic_of(const StudyCase& which) const;
  void note_loss(TrialEnd end, const StudyCase& which);
  bool visit(std::size_t index, std::size_t round);
  [[nodiscard]] Visit take_visit(std::size_t index);
  void finish(std::size_t index);

  const DeviceCases& cases_;
  const StudySpec& spec_;
  const StudyContext& context_;
  StudyFile* file_;
  std::shared_ptr<Device> device_;
  DeviceData data_;
  BufferPool pool_;
  RecordSource source_;
  std::vector<JobContext> contexts_;            // of each case
  std::vector<std::unique_ptr<Trial>> trials_;  // trials of correct cases; after pool_
  std::vector<std::size_t> steps_per_sample_;   // for each case, in its last visit
  std::vector<std::optional<Error>> problems_;
  bool keeps_buffers_ = true;
  std::string best_;  // case, and its median
  double best_seconds_ = 0;
  std::string lost_;  // why nothing runs on the device any more; empty while something does
};

}  // namespace kiln
