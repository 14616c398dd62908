#pragma once

#include <functional>
#include <string>

namespace kiln {

enum class LogLevel { kDebug, kInfo, kWarn, kError, kOff };

/// Receives a program's messages. Called by any thread, one at a time; exceptions are dropped, and it must
/// not call Kiln.
using LogFunction = std::function<void(LogLevel level, const std::string& message)>;

}  // namespace kiln
