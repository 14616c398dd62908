#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// Why an operation failed; the command line maps it to its exit code.
enum class ErrorKind {
  kBadInput,     ///< the user's input is wrong (exit code 2)
  kEnvironment,  ///< the machine lacks something: a library, a compiler, a device, a permission (exit code 3)
  kInternal,     ///< a bug in Kiln (exit code 70)
  kCompile,      ///< a kernel does not compile; the message holds the compiler's log (exit code 2)
  kUnfit,        ///< a kernel's code, shape or arguments do not fit the device (exit code 2)
  kDeviceFault,  ///< a kernel failed while it ran: an illegal address, a barrier that not all reach (exit
                 ///< code 3)
  kDeviceLost,   ///< a fault that ended the device for this process (exit code 3)
  kCancelled,    ///< the program ended the request (kiln/progress.h; exit code 130)
};

/// A place in a file that the user wrote. Lines and columns count from 1; 0 means "not known".
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;

  /// "file:line:column" without unknown parts; empty if all are unknown.
  [[nodiscard]] std::string to_string() const;
};

/// The exception for everything that is neither absence (`std::optional`) nor a result that is data
/// (`Diagnostic`, `RunStatus`). `what()` is one complete message for a person: place, cause, what was
/// expected, the nearest valid name.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, SourceLocation location = {}, std::string log = {});

  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] const SourceLocation& location() const { return location_; }
  /// The message without the location prefix.
  [[nodiscard]] const std::string& message() const { return message_; }
  /// The compiler's whole log, which the message holds, too; empty if no compiler failed.
  [[nodiscard]] const std::string& log() const { return log_; }

 private:
  ErrorKind kind_;
  std::string message_;
  SourceLocation location_;
  std::string log_;
};

/// Shorthands: `throw bad_input(where, "...")`.
[[nodiscard]] Error bad_input(const std::string& message, const SourceLocation& location = {});
[[nodiscard]] Error environment_error(const std::string& message);
[[nodiscard]] Error internal_error(const std::string& message);

}  // namespace kiln
