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

/// What a device must be like for a record to be about it.
struct WisdomDevice {
  std::string name, backend, arch;
  int units = 0;
  double bandwidth = 0;  ///< GB/s
};
[[nodiscard]] WisdomDevice wisdom_device(const DeviceInfo& device);

/// What was asked for when a point turned out to be good.
struct WisdomKey {
  std::string workload;
  std::string objective = "time";
  WisdomDevice device;
  NamedTexts types;  ///< by type parameter
  NamedSizes size;   ///< by size parameter (workload/tune_spec.h)
};

struct WisdomResult {
  std::vector<double> time;            ///< seconds of a step: median, or median and both ends of its interval
  std::optional<double> value;         ///< of another objective than time; less is better
  std::optional<double> default_time;  ///< of the workload's defaults, in the same run
  std::size_t rank = 1;                ///< among the records of the key
  std::string points;                  ///< for people: "412 of 1180"
  std::optional<double> checked;       ///< largest relative error that a check found

  /// What ranks it.
  [[nodiscard]] double cost() const { return value.value_or(time.front()); }
};

/// Where a record comes from. What differs later makes it stale; empty where that is not known.
struct WisdomOrigin {
  std::string kiln, source, compiler, driver;
  std::string date;     ///< "2026-11-22"
  std::string journal;  ///< for people: the file of the search
};

/// A good point of a workload: a block of lines of a `WORKLOAD.wisdom.yaml`.
struct WisdomRecord {
  WisdomKey key;
  NamedTexts values;  ///< of the tuned names only, as a job's `set` has them
  WisdomResult result;
  WisdomOrigin made;
  SourceLocation where;
};

}  // namespace kiln
