#pragma once

#include <functional>
#include <string>

namespace kiln {

enum class LogLevel { kDebug, kInfo, kWarn, kError, kOff };

/// Takes a program's share of Kiln's messages. Called by any thread, by one at a time; what it throws is
/// dropped, and it must not call Kiln.
using LogFunction = std::function<void(LogLevel level, const std::string& message)>;

}  // namespace kiln
