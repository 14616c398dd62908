#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/job_spec.h"
#include "device/device.h"
#include "search/search_space.h"
#include "workload/configuration.h"
#include "workload/workload.h"

namespace kiln {

/// The points of a job's sweep on one device: a parameter for each swept name, in the job's order, and the
/// workload's constraints. Made lazily: nothing is configured but what a constraint asks for.
class SweepSpace {
 public:
  /// Throws bad_input for names and values that the workload does not have. All outlive it but `device`.
  SweepSpace(const JobSpec& job, std::shared_ptr<const Workload> workload, DeviceInfo device,
             FileSystem& files, SpaceOrder order = SpaceOrder::kGiven);
  SweepSpace(const SweepSpace&) = delete;  // its constraints know their place
  SweepSpace& operator=(const SweepSpace&) = delete;
  ~SweepSpace() = default;

  [[nodiscard]] const SearchSpace& points() const { return space_; }
  /// "block=256 bind.n=run".
  [[nodiscard]] std::string label(const Point& point) const;
  /// Values of `set` and `sweep`.
  [[nodiscard]] std::vector<std::pair<std::string, RawValue>> assignments(const Point& point) const;
  /// The same, configured.
  [[nodiscard]] ConfigurationResult configuration(const Point& point) const;

 private:
  using Holds = std::function<bool(std::span<const std::uint32_t>)>;

  [[nodiscard]] SearchSpace make_space(SpaceOrder order) const;
  [[nodiscard]] Holds by_configuration(const ExpressionText& constraint,
                                       const std::vector<std::size_t>& scope) const;
  [[nodiscard]] std::optional<std::vector<std::vector<double>>> numbers_of(
      const std::vector<std::size_t>& scope) const;

  const JobSpec& job_;
  std::shared_ptr<const Workload> workload_;
  DeviceInfo device_;
  FileSystem& files_;
  SearchSpace space_;
};

}  // namespace kiln
