#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "record/record.h"

namespace kiln {

/// A rate that a device was measured to reach.
struct Ceiling {
  std::string name;  ///< "copy", "triad", "fma float", "fma double"
  std::string unit;  ///< "GB/s" or "GFLOP/s"
  double value = 0;
  double low = 0, high = 0;  ///< from the 95 % interval of the median time
  std::string label;         ///< the variant that reached it
};

/// The ceilings of a device, as in schemas/ceilings.schema.json.
struct DeviceCeilings {
  std::string time, kiln_version, kiln_revision;
  std::string device_id, device_name, backend;
  std::vector<Ceiling> ceilings;
};

/// The highest rate of each metric in ok records of one device, in the order in which the metrics appear. The
/// name of a rate that depends on the precision includes the precision. Throws an internal error for no
/// records.
[[nodiscard]] DeviceCeilings ceilings_of(const std::vector<Record>& records);

[[nodiscard]] std::string ceilings_to_json(const DeviceCeilings& ceilings);
/// Throws bad_input with file, key, what was expected and what was found.
[[nodiscard]] DeviceCeilings read_ceilings(FileSystem& files, const std::filesystem::path& path);

}  // namespace kiln
