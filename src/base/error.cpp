#include "kiln/error.h"

#include <utility>

#include "base/text.h"

namespace kiln {
namespace {

std::string with_location(const std::string& message, const SourceLocation& location) {
  const std::string place = printable_line(location.to_string());
  return place.empty() ? message : place + ": " + message;
}

}  // namespace

std::string SourceLocation::to_string() const {
  std::string text = file;
  if (line > 0) text += (text.empty() ? "line " : ":") + std::to_string(line);
  if (line > 0 && column > 0) text += ":" + std::to_string(column);
  return text;
}

Error::Error(ErrorKind kind, const std::string& message, SourceLocation location, std::string log)
    : std::runtime_error(with_location(message, location)),
      kind_(kind),
      message_(message),
      location_(std::move(location)),
      log_(std::move(log)) {}

Error bad_input(const std::string& message, const SourceLocation& location) {
  return Error(ErrorKind::kBadInput, message, location);
}

Error environment_error(const std::string& message) {
  return Error(ErrorKind::kEnvironment, message);
}

Error internal_error(const std::string& message) {
  return Error(ErrorKind::kInternal, message);
}

}  // namespace kiln
