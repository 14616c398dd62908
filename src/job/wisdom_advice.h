#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/record.h"
#include "trial/variant.h"
#include "wisdom/wisdom_choice.h"

namespace kiln {

/// The wisdom of a workload that launches name (`wisdom: NAME` of a launch).
struct LaunchWisdom {
  std::string name;  ///< as launches write it
  std::shared_ptr<const Workload> workload;
  WisdomBook book;
  std::string source;  ///< digest of its texts (wisdom_source_digest)
};

/// The wisdom for a job that uses it (`wisdom:`).
struct WisdomAdvice {
  WisdomBook book;
  std::vector<LaunchWisdom> launches;
  WisdomOrigin now;  ///< without compiler and driver, which are the device's
  std::function<std::string(const std::string& backend)> compiler;  ///< its name and version
  std::string today;
  bool strict = false;  ///< none, or a stale one, is an error
};

/// Gives a variant of the workload's defaults the values of the nearest record that has a launch shape for
/// the device. Launches with `wisdom` get the values of the nearest record of that workload whose sizes
/// differ by less than a factor of 2. What the variant was is kept in `otherwise`. A sentence about what was
/// found. `set`: what the job gives. Throws bad_input where `strict` refuses.
std::string take_advice(const WisdomAdvice& advice, const std::vector<std::pair<std::string, RawValue>>& set,
                        const DeviceInfo& device, FileSystem& files, Variant& variant);

/// The problem with the shape of a launch of this configuration or with its tensor maps.
[[nodiscard]] std::optional<Error> find_launch_problem(const Configuration& configuration,
                                                       const DeviceInfo& device);

}  // namespace kiln
