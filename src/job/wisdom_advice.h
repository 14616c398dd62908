#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/record.h"
#include "trial/variant.h"
#include "wisdom/wisdom_choice.h"

namespace kiln {

/// The wisdom for a job that uses it (`wisdom:`).
struct WisdomAdvice {
  WisdomBook book;
  WisdomOrigin now;  ///< without compiler and driver, which are the device's
  std::function<std::string(const std::string& backend)> compiler;  ///< its name and version
  std::string today;
  bool strict = false;  ///< none, or a stale one, is an error
};

/// Gives a variant of the workload's defaults the values of the nearest record that has a launch shape for
/// the device; what it was is kept in `otherwise`. One sentence about what was found. `set`: what the job
/// gives. Throws bad_input where `strict` refuses.
std::string take_advice(const WisdomAdvice& advice, const std::vector<std::pair<std::string, RawValue>>& set,
                        const DeviceInfo& device, FileSystem& files, Variant& variant);

/// The problem with the shape of a launch of this configuration or with its tensor maps.
[[nodiscard]] std::optional<Error> find_launch_problem(const Configuration& configuration,
                                                       const DeviceInfo& device);

}  // namespace kiln
