#include "cli/status_line.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace kiln {
namespace {

/// At most `width` columns, so that the line does not break and can be erased.
std::string cut(const std::string& text, std::size_t width) {
  std::string result = text;
  while (display_width(result) > width) result.pop_back();
  return result;
}

std::string prefix_of(LogLevel level, const TextStyle& style) {
  switch (level) {
    case LogLevel::kDebug:
      return paint("debug: ", Tone::kDim, style);
    case LogLevel::kInfo:
      return "";
    case LogLevel::kWarn:
      return paint("warning: ", Tone::kStrong, style);
    case LogLevel::kError:
      return paint("error: ", Tone::kBad, style);
    case LogLevel::kOff:
      break;
  }
  return "";
}

}  // namespace

StatusLine::StatusLine(const Console& console) : console_(console) {}

void StatusLine::show(const std::string& text) {
  if (!is_terminal()) return;
  const std::lock_guard lock(mutex_);
  erase();
  shown_ = cut(printable_line(text), width());
  draw();
}

void StatusLine::show_lines(const std::string& text) {
  if (!is_terminal()) return;
  const std::lock_guard lock(mutex_);
  erase();
  shown_.clear();
  for (const std::string& line : split(text, '\n')) {
    // A line with colours is as wide as its table, which fits already.
    const bool coloured = line.find('\033') != std::string::npos;
    shown_ += (shown_.empty() ? "" : "\n") + (coloured ? line : cut(line, width()));
  }
  draw();
}

/// One column is left free, so that the cursor stays in the line.
std::size_t StatusLine::width() const {
  constexpr std::size_t kUsualWidth = 80;
  return (console_.width > 1 ? static_cast<std::size_t>(console_.width) : kUsualWidth) - 1;
}

void StatusLine::forward(std::function<void(const std::string&)> to) {
  const std::lock_guard lock(mutex_);
  forward_ = std::move(to);
}

void StatusLine::clear() {
  const std::lock_guard lock(mutex_);
  erase();
  shown_.clear();
  console_.err.flush();
}

void StatusLine::write(const std::string& text) {
  write_prefixed("", text);
}

void StatusLine::write_prefixed(const std::string& prefix, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (forward_) return forward_(prefix + text);
  erase();
  console_.err << prefix << printable(text) << '\n';
  draw();
}

void StatusLine::erase() {
  if (shown_.empty()) return;
  const auto above = std::count(shown_.begin(), shown_.end(), '\n');
  if (above == 0)
    console_.err << "\r\033[K";
  else
    console_.err << "\r\033[" << above << "A\033[J";
}

void StatusLine::draw() {
  console_.err << shown_ << std::flush;
}

ConsoleLog::ConsoleLog(StatusLine& line, LogLevel level, TextStyle style)
    : line_(line), level_(level), style_(style) {}

void ConsoleLog::write(LogLevel level, const std::string& message) {
  if (level < level_ || level_ == LogLevel::kOff) return;
  line_.write_prefixed("kiln: " + prefix_of(level, style_), message);
}

}  // namespace kiln
