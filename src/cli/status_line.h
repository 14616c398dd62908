#pragma once

#include <functional>
#include <mutex>
#include <ostream>
#include <string>

#include "base/log.h"
#include "cli/console.h"
#include "report/text_table.h"

namespace kiln {

/// Standard error as a person sees it: lines that stay, and on a terminal one line at the bottom that is
/// replaced. What is written is printable. Thread-safe.
class StatusLine {
 public:
  explicit StatusLine(const Console& console);

  /// Replaces the line at the bottom; without a terminal it does nothing.
  void show(const std::string& text);
  /// show() for several lines, which may have colours.
  void show_lines(const std::string& text);
  void clear();
  /// Writes a line that stays, above the one at the bottom.
  void write(const std::string& text);
  /// write() after a prefix that may have colours.
  void write_prefixed(const std::string& prefix, const std::string& text);
  [[nodiscard]] bool is_terminal() const { return console_.err_is_terminal && !forward_; }
  /// Lines go to `to` in place of standard error, and nothing is shown; empty: no longer.
  void forward(std::function<void(const std::string&)> to);

 private:
  [[nodiscard]] std::size_t width() const;
  void erase();
  void draw();

  Console console_;
  std::mutex mutex_;
  std::string shown_;
  std::function<void(const std::string&)> forward_;
};

/// Messages as "kiln: warning: text" on the status line's stream.
class ConsoleLog : public Log {
 public:
  ConsoleLog(StatusLine& line, LogLevel level, TextStyle style);
  void write(LogLevel level, const std::string& message) override;

 private:
  StatusLine& line_;
  LogLevel level_;
  TextStyle style_;
};

}  // namespace kiln
