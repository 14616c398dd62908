#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/job_spec.h"
#include "config/shard.h"
#include "device/device.h"
#include "job/wisdom_advice.h"
#include "trial/variant.h"
#include "workload/configuration.h"
#include "workload/library.h"
#include "workload/workload.h"

namespace kiln {

/// A job with everything resolved and checked that needs no compiler: what `--dry-run` prints.
struct JobPlan {
  JobSpec job;
  std::shared_ptr<const Workload> workload;
  std::vector<Variant> variants;
  /// With `spread`: each variant runs on any one of these, which are alike; its own device is the first.
  std::vector<std::string> spread;
  /// Points of the sweep that a constraint excludes, "block_x=1024 block_y=2: violates 'block_x * block_y <=
  /// 1024'".
  std::vector<std::string> excluded;
  std::vector<std::string> notes;  ///< what wisdom had to say, each once
  Shard shard;                     ///< that `variants` are, of all
};

/// Leaves the variants of `shard`, which may be none.
void keep_shard(JobPlan& plan, const Shard& shard);

/// The workload that a job names or contains.
[[nodiscard]] std::shared_ptr<const Workload> workload_of(const JobSpec& job, const WorkloadLibrary& library);

/// The difference between two devices whose times are to be compared: "'NAME' and 'OTHER'"; empty if they are
/// alike.
[[nodiscard]] std::string find_difference(const DeviceInfo& first, const DeviceInfo& other);

/// Throws bad_input, at the job, unless all devices are alike. `what` needs that: "spread".
void require_alike(const std::vector<DeviceInfo>& devices, const JobSpec& job, const std::string& what);

/// Expands the sweep for each device, with `spread` once for all of them, which must be alike. Throws
/// bad_input for unknown names, values that are not allowed, and a constraint that no point of the sweep
/// satisfies. `advice`: wisdom for parameters that the job leaves free; null: none.
[[nodiscard]] JobPlan make_plan(const JobSpec& job, std::shared_ptr<const Workload> workload,
                                FileSystem& files, const std::vector<DeviceInfo>& devices,
                                const WisdomAdvice* advice = nullptr);
/// With workload_of(job, library).
[[nodiscard]] JobPlan make_plan(const JobSpec& job, const WorkloadLibrary& library, FileSystem& files,
                                const std::vector<DeviceInfo>& devices);

}  // namespace kiln
