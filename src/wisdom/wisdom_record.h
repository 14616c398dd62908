#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/device_info.h"
#include "kiln/error.h"

namespace kiln {

/// How many points of a key are kept.
inline constexpr std::size_t kRanks = 5;

using NamedTexts = std::vector<std::pair<std::string, std::string>>;
using NamedSizes = std::vector<std::pair<std::string, std::int64_t>>;

/// The properties of the device that a record is about.
struct WisdomDevice {
  std::string name, backend, arch;
  int units = 0;
  double bandwidth = 0;  ///< GB/s
};
[[nodiscard]] WisdomDevice wisdom_device(const DeviceInfo& device);

/// The problem for which a point was found to be good.
struct WisdomKey {
  std::string workload;
  std::string objective = "time";
  WisdomDevice device;
  NamedTexts types;  ///< by type parameter
  NamedSizes size;   ///< values by size parameter (workload/tune_spec.h)
};

struct WisdomResult {
  std::vector<double> time;            ///< seconds of a step: median, or median and both ends of its interval
  std::optional<double> value;         ///< value of another objective than time; less is better
  std::optional<double> default_time;  ///< time of the workload's defaults, in the same run
  std::size_t rank = 1;                ///< among the records of the key
  std::string points;                  ///< for people: "412 of 1180"
  std::optional<double> checked;       ///< largest relative error that a check found

  /// What ranks it.
  [[nodiscard]] double cost() const { return value.value_or(time.front()); }
};

/// Origin of a record. A later difference makes it stale; empty members are unknown.
struct WisdomOrigin {
  std::string kiln, source, compiler, driver;
  std::string date;     ///< "2026-11-22"
  std::string journal;  ///< for people: the file of the search
};

/// A good point of a workload: a block of lines of a `WORKLOAD.wisdom.yaml`.
struct WisdomRecord {
  WisdomKey key;
  NamedTexts values;  ///< values of the tuned names only, in the form of a job's `set`
  WisdomResult result;
  WisdomOrigin made;
  SourceLocation where;
};

}  // namespace kiln
