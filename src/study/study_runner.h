#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/process.h"
#include "compile/ahead_compiler.h"
#include "config/shard.h"
#include "study/study_file.h"
#include "study/study_spec.h"
#include "trial/context.h"

namespace kiln {

/// By back end.
using AheadCompilers = std::map<std::string, AheadCompiler>;

/// A study expanded for every workload on every device: what `--dry-run` prints.
struct StudyPlan {
  StudySpec spec;                    ///< the first workload's, for the keys that all share
  std::vector<DeviceCases> devices;  ///< the first workload's, then the next one's
  Shard shard = {};                  ///< the part of `devices` that is measured
};
/// `workloads[i]` is that of `sections[i]`.
[[nodiscard]] StudyPlan plan_study(const std::vector<StudySpec>& sections,
                                   const std::vector<std::shared_ptr<const Workload>>& workloads,
                                   const std::vector<DeviceInfo>& devices, FileSystem& files,
                                   const AheadCompilers& ahead = {});

/// The next action of a study: one case of a stage.
struct StudyProgress {
  std::string section, device, stage, name;  ///< "minibude", "cpu", "round 3 of 20", "only.n"
  std::size_t done = 0, count = 0;           ///< cases before this one, and all, of this stage
  std::string best;         ///< the fastest case so far on the device; empty: none was measured
  double best_seconds = 0;  ///< its median
};

/// The records of cases that ended the process of an earlier part of a study, or never ended; by name.
using EndedCases = std::map<StudyBlock, std::map<std::string, Record>>;

/// The environment of a study.
struct StudyContext {
  JobContext job;
  AheadCompilers ahead;                                ///< as they were given to `plan_study`
  ProcessRunner& processes;                            ///< for disassemblers
  std::filesystem::path scratch;                       ///< for cold caches; each is removed at once
  std::function<bool()> stop;                          ///< asked before each case; true: end
  std::function<void(const StudyProgress&)> progress;  ///< called before each case
  EndedCases ended = {};                               ///< they are not run, and keep their records
};

/// Everything that decides what a study measures, as a digest: study file, cases with all their values,
/// what each compiler would see, devices and their drivers, compilers, Kiln.
[[nodiscard]] std::string digest_of(const StudyPlan& plan, const StudyContext& context);

struct DeviceResult {
  DeviceData data;
  StudyResult result;
  bool is_new = true;  ///< false: all of it was in the file already
  bool is_own = true;  ///< false: of another shard, and empty
};

struct StudyOutcome {
  bool interrupted = false;           ///< what was measured is in the file; there are no results
  std::vector<DeviceResult> devices;  ///< in the order of the plan's
  /// Records of all cases; they live as long as this.
  [[nodiscard]] std::vector<const Record*> records() const;
};

/// Measures every case of a study, device by device. First each case is compiled cold, loaded, found again on
/// disk and verified, in shuffled order; then rounds visit all that are right, each in an order of its own
/// (`visit_order`), so that a drift of the machine falls on all alike. `file` (may be null) gets each case
/// and each visit as it ends; `resumed` is what it held before: those visits are not taken again. A case that
/// does not compile, fit, run or agree is recorded, and the others go on.
[[nodiscard]] StudyOutcome run_study(const StudyPlan& plan, const StudyContext& context, StudyFile* file,
                                     const StudyContent& resumed);

/// The header of a new study.
[[nodiscard]] StudyHeader header_of(const StudyPlan& plan, const StudyContext& context);

}  // namespace kiln
