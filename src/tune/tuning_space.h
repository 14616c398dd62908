#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/job_spec.h"
#include "device/device_info.h"
#include "job/sweep_space.h"
#include "search/search_space.h"
#include "trial/variant.h"
#include "workload/tune_spec.h"
#include "workload/workload.h"

namespace kiln {

/// The space of a job's search: the names that its `tune: space` or else its workload tunes, the names that
/// it sweeps, and for each of its sizes the constraints of workload and job. A point is valid if it is valid
/// for every size. A workload's constraint of searches that the job itself violates is left out.
class TuningSpace {
 public:
  /// Throws bad_input for names and values that the workload does not have, and where nothing is tuned or no
  /// point is valid.
  TuningSpace(const JobSpec& job, const std::shared_ptr<const Workload>& workload, const DeviceInfo& device,
              FileSystem& files);

  [[nodiscard]] const SearchSpace& points() const {
    return joint_ ? *joint_ : sizes_.front()->space->points();
  }
  /// The tuned names with their values, in the order of points.
  [[nodiscard]] const ValueLists& names() const { return names_; }
  /// "n=1024 m=2" for each size; one empty text where the job has no sizes.
  [[nodiscard]] const std::vector<std::string>& sizes() const { return size_labels_; }
  /// "wg=64 bind.n=run".
  [[nodiscard]] std::string label(const Point& point) const { return sizes_.front()->space->label(point); }
  /// The names that differ from the job's own values; "default" if none does. All names if the job's own
  /// values are not a point.
  [[nodiscard]] std::string short_label(const Point& point) const;
  /// The values of a point as the job writes them, in the order of `names`.
  [[nodiscard]] std::vector<std::string> values(const Point& point) const;
  /// The point with these values; absent where the space has none.
  [[nodiscard]] std::optional<std::uint64_t> rank(const std::vector<std::string>& values) const;
  [[nodiscard]] ConfigurationResult configuration(const Point& point, std::size_t size) const;
  /// The job's values beside the point.
  [[nodiscard]] const std::vector<std::pair<std::string, RawValue>>& set(std::size_t size) const {
    return sizes_[size]->job.set;
  }
  /// With the constraints of searches and of the job.
  [[nodiscard]] const std::shared_ptr<const Workload>& workload() const { return workload_; }
  /// The job's values without tuning, with `extra` set.
  [[nodiscard]] ConfigurationResult untuned(
      std::size_t size, const std::vector<std::pair<std::string, RawValue>>& extra = {}) const;
  /// Values of `names` without tuning; absent if they are not defined, as for bind.all over both kinds of
  /// binding.
  [[nodiscard]] std::optional<std::vector<std::string>> untuned_values() const;
  /// The point whose tuned values this configuration (of the first size) has; absent where there is none.
  [[nodiscard]] std::optional<std::uint64_t> rank_of(const Configuration& configuration) const;
  /// "480 points, 300 valid", and what each constraint alone excludes: a line each.
  [[nodiscard]] std::vector<std::string> summary() const;
  /// Digest of names, values, constraints and sizes.
  [[nodiscard]] std::string hash() const;

 private:
  struct Size {
    JobSpec job;
    std::unique_ptr<SweepSpace> space;
  };
  void add_size(JobSpec job, const TuneSize& size);

  std::shared_ptr<const Workload> workload_;
  DeviceInfo device_;
  FileSystem& files_;
  ValueLists names_;
  std::vector<std::unique_ptr<Size>> sizes_;
  std::vector<std::string> size_labels_;
  std::optional<SearchSpace> joint_;  // of several sizes
  std::optional<Point> usual_;        // the job's own values
};

}  // namespace kiln
