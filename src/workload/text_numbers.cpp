#include "workload/text_numbers.h"

#include <cctype>
#include <cmath>

#include "base/text.h"

namespace kiln {

void NumberReader::skip_space() {
  while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_]))) {
    if (text_[position_] == '\n') ++line_;
    ++position_;
  }
}

bool NumberReader::at_end() {
  skip_space();
  return position_ == text_.size();
}

std::optional<double> NumberReader::next() {
  if (at_end()) return std::nullopt;
  const std::size_t begin = position_;
  while (position_ < text_.size() && !std::isspace(static_cast<unsigned char>(text_[position_]))) ++position_;
  const std::string_view word = text_.substr(begin, position_ - begin);
  const auto value = parse_real(word);
  if (!value || !std::isfinite(*value)) {
    throw bad_input("expected a finite number; found '" + std::string(word.substr(0, 40)) + "'", where());
  }
  return value;
}

}  // namespace kiln
