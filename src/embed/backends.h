#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "base/process.h"
#include "compile/compiler.h"
#include "device/device.h"
#include "kiln/settings.h"

namespace kiln {

/// The back ends that this build knows, and what compiles for each.
struct Backends {
  std::vector<std::unique_ptr<Backend>> devices;
  std::map<std::string, std::unique_ptr<Compiler>> compilers;
};

/// `processes`, `files` and `log` outlive what is made.
[[nodiscard]] Backends make_backends(const Settings& settings, ProcessRunner& processes, FileSystem& files,
                                     Log& log);

/// Starts the driver of a back end, which takes a GPU's a tenth of a second, so that a device opens sooner. A
/// hint: nothing is reported.
void start_driver(const std::string& backend);

}  // namespace kiln
