#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kiln/error.h"

namespace kiln {

/// Reads numbers separated by white space, one at a time, from a text that may hold anything after them.
class NumberReader {
 public:
  /// `file` stands in messages, `for_binary` in those about a file that is no text: what to write in the
  /// workload for a binary one. The text must outlive the reader.
  NumberReader(std::string_view text, std::string file, std::string for_binary = "")
      : text_(text), file_(std::move(file)), for_binary_(std::move(for_binary)) {}

  /// The next number; `nullopt` at the end of the text. Throws bad_input with line and column for a word that
  /// is no number, or that is not finite, and says what the file may be: binary, NumPy's, separated by
  /// commas.
  [[nodiscard]] std::optional<double> next();
  /// The next number as it is written.
  [[nodiscard]] std::optional<std::string_view> next_word();
  /// True if nothing but white space is left.
  [[nodiscard]] bool at_end();
  /// The line that is read.
  [[nodiscard]] SourceLocation where() const { return {file_, line_, 0}; }
  /// Line and column, in bytes, of the last word.
  [[nodiscard]] SourceLocation where_word() const;

 private:
  void skip_space();
  [[nodiscard]] Error no_number(std::string_view word) const;

  std::string_view text_;
  std::string file_;
  std::string for_binary_;
  std::size_t position_ = 0;
  std::size_t line_begin_ = 0;
  std::size_t word_begin_ = 0;
  int line_ = 1;
};

/// The place where the data of a NumPy file (.npy) begins, from the file's first bytes; `nullopt` for any
/// other file.
[[nodiscard]] std::optional<std::uint64_t> numpy_data_offset(std::string_view beginning);

/// Advice for such a file if the workload gives no `offset`.
[[nodiscard]] std::string numpy_advice(std::string_view beginning);

}  // namespace kiln
