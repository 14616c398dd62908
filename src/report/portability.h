#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "record/record.h"

namespace kiln {

/// Harmonic mean of the efficiencies over a set of devices: 0 if one efficiency is 0, which stands for a
/// device that is not supported (Pennycook, Sewall and Lee, 2016). 0 for an empty set.
[[nodiscard]] double harmonic_mean(std::span<const double> efficiencies);
/// Arithmetic mean over the same set; a device that is not supported counts as 0 (Marowka, 2021; Eq. 4 of
/// Godoy et al., 2025). 0 for an empty set.
[[nodiscard]] double arithmetic_mean(std::span<const double> efficiencies);

/// The compared quantity: a metric of the workload, or the time of a step for a workload without metrics.
struct Figure {
  std::string name, unit;
  bool higher_is_better = true;
  friend bool operator==(const Figure&, const Figure&) = default;
};

/// The result of an application on one device.
struct DeviceEfficiency {
  /// The best ok record or, without an ok record, the best unchecked one; a pointer into the compared
  /// records, which outlive this object.
  const Record* best = nullptr;
  std::string status;  ///< of `best`, else the reason why it is null: "wrong", "does not fit", "no record"
  std::optional<double> value;     ///< value of the figure
  std::optional<double> baseline;  ///< the value of an efficiency of 1
  /// value / baseline (its inverse where lower is better); 0 for a device where every record failed; absent
  /// where there is no baseline, the records were not measured, or the value is of an unchecked record.
  std::optional<double> efficiency;
};

/// One application (a variant, or the best variant of each device) on one problem.
struct PortabilityRow {
  std::string workload;
  std::vector<std::pair<std::string, std::string>> problem;  ///< name and value
  std::string problem_text;  ///< the parameters that differ between the problems
  Figure figure;
  std::string application;                ///< kBestVariant, or "block_x=256 bind.nx=run"
  std::vector<DeviceEfficiency> devices;  ///< in the order of Portability::devices
  /// Absent if an efficiency is absent.
  std::optional<double> harmonic, arithmetic;
};

struct Portability {
  std::vector<std::string> devices;  ///< the set of devices; each by its name
  std::vector<PortabilityRow> rows;
  std::vector<std::string> notes;  ///< for the reader: choices and omissions of the comparison
  bool has_reference = false;
};

inline constexpr const char* kBestVariant = "best variant of each device";

struct PortabilityOptions {
  std::vector<std::string>
      devices;  ///< the set, by names, parts of names or ids; empty: all devices of the records
  /// Parameters that make the problem, in addition to types; empty: the parameters that no sweep varies.
  std::vector<std::string> problem;
  std::string metric;  ///< only this one; empty: all
};

/// Efficiency of each application against the best record of the device or, where `reference` has records,
/// against the best of the reference's records. Unchecked records have values, but no efficiency, and are
/// never a baseline. Throws bad_input for a device, a parameter or a metric that no record has.
[[nodiscard]] Portability compare_devices(const std::vector<Record>& records,
                                          const std::vector<Record>& reference,
                                          const PortabilityOptions& options);

/// A device by its vendor's name, which distinguishes devices in results of several machines: "NVIDIA H200".
[[nodiscard]] std::string device_name(const Record& record);

/// The value of a figure in a record that is ok or unchecked; absent if the record has no such metric.
[[nodiscard]] std::optional<double> figure_value(const Record& record, const Figure& figure);

}  // namespace kiln
