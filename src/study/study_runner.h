#pragma once

#include <functional>
#include <string>
#include <vector>

#include "job/job_runner.h"
#include "study/study_file.h"

namespace kiln {

/// A study expanded for every device: what `--dry-run` prints.
struct StudyPlan {
  StudySpec spec;
  std::shared_ptr<const Workload> workload;
  std::vector<DeviceCases> devices;
};
[[nodiscard]] StudyPlan plan_study(const StudySpec& spec, std::shared_ptr<const Workload> workload,
                                   const std::vector<DeviceInfo>& devices, FileSystem& files);

/// Everything that decides what a study measures, as a digest: study file, cases with all their values,
/// what each compiler would see, devices and their drivers, compilers, Kiln.
[[nodiscard]] std::string digest_of(const StudyPlan& plan, const JobContext& context);

/// What a study is about to do: one case of a stage.
struct StudyStep {
  std::string device, stage, name;  ///< "cpu", "round 3 of 20", "only.n"
  std::size_t done = 0, count = 0;  ///< steps before this one, and all of them, of compiling or of measuring
};

/// What a study needs of its surroundings.
struct StudyContext {
  JobContext job;
  std::filesystem::path scratch;                   ///< for cold caches; each is removed at once
  std::function<bool()> stop;                      ///< asked before each step; true: end
  std::function<void(const StudyStep&)> progress;  ///< told of each step before it
};

struct DeviceResult {
  DeviceData data;
  Findings findings;
  bool is_new = true;  ///< false: all of it was in the file already
};

struct StudyOutcome {
  bool interrupted = false;           ///< what was measured is in the file; there are no results
  std::vector<DeviceResult> devices;  ///< in the plan's order
  [[nodiscard]] bool all_ok() const;
};

/// Measures every case of a study, device by device. First each case is compiled cold, loaded, found again on
/// disk and verified, in shuffled order; then rounds visit all that are right, each in an order of its own
/// (`visit_order`), so that a drift of the machine falls on all alike. `file` (may be null) gets each case
/// and each visit as it ends; `resumed` is what it held before: those visits are not taken again. A case that
/// does not compile, fit, run or agree is recorded, and the others go on.
[[nodiscard]] StudyOutcome run_study(const StudyPlan& plan, const StudyContext& context, StudyFile* file,
                                     const StudyContent& resumed);

/// The header of a new study.
[[nodiscard]] StudyHeader header_of(const StudyPlan& plan, const JobContext& context);

}  // namespace kiln
