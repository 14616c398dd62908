#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "kiln/error.h"

namespace kiln {

/// Reads numbers separated by white space, one at a time, from a text that may hold anything after them.
class NumberReader {
 public:
  /// `file` stands in messages. The text must outlive the reader.
  NumberReader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  /// The next number; `nullopt` at the end of the text. Throws bad_input with the line for a word that is no
  /// number, or that is not finite.
  [[nodiscard]] std::optional<double> next();
  /// True if nothing but white space is left.
  [[nodiscard]] bool at_end();
  [[nodiscard]] SourceLocation where() const { return {file_, line_, 0}; }

 private:
  void skip_space();

  std::string_view text_;
  std::string file_;
  std::size_t position_ = 0;
  int line_ = 1;
};

}  // namespace kiln
