#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
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
  /// Those that build programs ahead of time, with their names (compile/ahead_compiler.h).
  std::map<std::string, std::pair<std::string, std::unique_ptr<Compiler>>> ahead;
};

/// `processes`, `files` and `log` outlive what is made.
[[nodiscard]] Backends make_backends(const Settings& settings, ProcessRunner& processes, FileSystem& files,
                                     Log& log);

/// Begins what opening a device ("cuda:0") takes longest for: starting its driver and making a context. A
/// hint: nothing is reported, and the context stays.
void start_device(const std::string& name);

}  // namespace kiln
