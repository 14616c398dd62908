#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"

// How results are written as JSON: numbers that JSON cannot hold as words, what is not known as null.
namespace kiln {

/// "inf", "nan" where the value is not finite.
[[nodiscard]] inline nlohmann::ordered_json json_number(double value) {
  if (std::isfinite(value)) return value;
  return format_number(value);
}

template <class Value>
[[nodiscard]] nlohmann::ordered_json json_or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

}  // namespace kiln
