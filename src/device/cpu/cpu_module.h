#pragma once

#include <memory>
#include <string>

#include "device/cpu/launcher.h"
#include "device/device.h"

namespace kiln {

/// Loads a shared object that the CPU compiler made. Its functions launch through `launcher`, which the
/// module keeps. Throws Error if the object cannot be loaded or was made for another version of Kiln's CPU
/// run time.
[[nodiscard]] std::unique_ptr<Module> load_cpu_module(const std::string& binary, const std::string& scratch,
                                                      std::shared_ptr<Launcher> launcher);

}  // namespace kiln
