#include "workload/text_numbers.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/text.h"

namespace kiln {

namespace {

/// Neither a text in any usual encoding nor white space.
bool is_binary(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < ' ' && std::isspace(byte) == 0) || byte == 0x7f || byte == 0xff;
  });
}

bool has_separator(std::string_view word) {
  const std::size_t at = word.find_first_of(",;");
  return at != std::string_view::npos && at > 0 && parse_real(word.substr(0, at));
}

}  // namespace

void NumberReader::skip_space() {
  while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_]))) {
    ++position_;
    if (text_[position_ - 1] != '\n') continue;
    ++line_;
    line_begin_ = position_;
  }
}

bool NumberReader::at_end() {
  skip_space();
  return position_ == text_.size();
}

SourceLocation NumberReader::where_word() const {
  return {file_, line_, static_cast<int>(word_begin_ - line_begin_) + 1};
}

std::optional<std::string_view> NumberReader::next_word() {
  if (at_end()) return std::nullopt;
  word_begin_ = position_;
  while (position_ < text_.size() && !std::isspace(static_cast<unsigned char>(text_[position_]))) ++position_;
  const std::string_view word = text_.substr(word_begin_, position_ - word_begin_);
  const auto value = parse_real(word.starts_with('+') ? word.substr(1) : word);
  if (!value || !std::isfinite(*value)) throw no_number(word);
  return word;
}

std::optional<double> NumberReader::next() {
  const auto word = next_word();
  return word ? parse_real(word->starts_with('+') ? word->substr(1) : *word) : std::nullopt;
}

/// A binary file is not shown: its bytes mean nothing to a reader.
Error NumberReader::no_number(std::string_view word) const {
  constexpr std::size_t kShown = 40;
  constexpr std::size_t kLookedAt = 4096;
  if (numpy_data_offset(text_)) return bad_input(numpy_advice(text_), {file_, 0, 0});
  const std::size_t around = position_ > kLookedAt ? position_ - kLookedAt : 0;
  if (is_binary(text_.substr(around, 2 * kLookedAt))) {
    return bad_input("looks like a binary file; expected numbers separated by white space" + for_binary_,
                     {file_, 0, 0});
  }
  const std::string found = "found '" + std::string(word.substr(0, kShown)) + "'";
  if (has_separator(word))
    return bad_input("expected numbers separated by white space; " + found, where_word());
  return bad_input("expected a finite number; " + found, where_word());
}

std::optional<std::uint64_t> numpy_data_offset(std::string_view beginning) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  constexpr std::size_t kVersionAt = 6;
  constexpr std::size_t kLengthAt = 8;
  if (!beginning.starts_with(kMagic) || beginning.size() < kLengthAt + 4) return std::nullopt;
  const std::size_t digits = beginning[kVersionAt] == 1 ? 2 : 4;
  std::uint64_t length = 0;
  for (std::size_t i = digits; i-- > 0;)
    length = length * 256 + static_cast<unsigned char>(beginning[kLengthAt + i]);
  return kLengthAt + digits + length;
}

std::string numpy_advice(std::string_view beginning) {
  const std::uint64_t offset = numpy_data_offset(beginning).value_or(0);
  const std::size_t open = beginning.find('{');
  const std::string_view header =
      open == std::string_view::npos || open > offset
          ? std::string_view()
          : trim(beginning.substr(open, std::min<std::uint64_t>(offset - open, 200)));
  return "is a file of NumPy: say `format: npy`" +
         (header.empty() ? "" : " (its header: " + std::string(header) + ")");
}

}  // namespace kiln
