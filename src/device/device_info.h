#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/target.h"

namespace kiln {

/// Limits that a launch is checked against before the driver sees it.
struct DeviceLimits {
  std::uint64_t max_threads_per_block = 0;
  Dim3 max_block;
  Dim3 max_grid;
  std::uint64_t max_shared_bytes_per_block = 0;  ///< static + dynamic, with opt-in if the device has one
  std::uint64_t max_threads_per_unit = 0;  ///< resident on a compute unit; 0 if the device has no such limit
  bool clusters = false;                   ///< supports launches in clusters of blocks
  bool cooperative = false;                ///< supports cooperative launches
};

/// The properties of a device that `kiln devices` and every record show.
struct DeviceInfo {
  std::string id;    ///< "cpu", "cuda:0"
  std::string name;  ///< the vendor's product name
  Target target;
  int compute_units = 0;  ///< cores or multiprocessors
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;   ///< last-level cache
  double memory_bandwidth = 0;  ///< theoretical, GB/s; 0 if the driver does not report it
  std::string driver;           ///< driver and run-time version, "" for the cpu
  std::string pci_address;      ///< "0000:1b:00.0"; empty for the cpu, and if the driver does not report it
  DeviceLimits limits;
};

/// A device known by its target, from which its shared memory follows; for code compiled ahead of time.
[[nodiscard]] DeviceInfo unknown_device(const Target& target);

/// GB/s of a memory that transfers `bus_bits` twice in each cycle of a clock of `clock_khz`; 0 if one is
/// unknown.
[[nodiscard]] double theoretical_bandwidth(int clock_khz, int bus_bits);

/// The resources that loaded machine code uses; `nullopt` if the back end does not report them.
struct FunctionAttributes {
  std::optional<int> registers;
  std::optional<std::uint64_t> static_shared_bytes;
  std::optional<std::uint64_t> local_bytes;  ///< per work-item: spills and stack
  std::optional<std::uint64_t> max_threads_per_block;
  std::optional<std::uint64_t> binary_bytes;
  /// Size in bytes of each kernel parameter, in order.
  std::optional<std::vector<std::size_t>> parameter_bytes;
  /// On the cpu: the reason why work-items run as fibers instead of in loops.
  std::optional<std::string> fibers_because;
};

/// A device's clocks at one moment; `nullopt` if its management library does not report them.
struct DeviceClocks {
  std::optional<unsigned> compute_mhz, memory_mhz;          ///< now
  std::optional<unsigned> compute_max_mhz, memory_max_mhz;  ///< the highest clocks of the device
  std::vector<std::string> limited_by;                      ///< "power cap", "heat", ...
};

}  // namespace kiln
