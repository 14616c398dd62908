#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kiln {

/// A value of an enumeration and the word that files and tables use for it.
template <class Value>
struct Word {
  Value value;
  std::string_view word;
};

/// The words of an enumeration, one row for each value, for writers and readers alike: a specialisation of
/// `kWords` is a `std::array` of `Word<Value>`. The words of one enumeration differ.
template <class Value>
inline constexpr std::nullptr_t kWords = nullptr;

template <class Value>
concept HasWords = std::is_enum_v<Value> && !std::same_as<decltype(kWords<Value>), const std::nullptr_t>;

/// Empty for a value without a row.
template <HasWords Value>
[[nodiscard]] constexpr const char* to_string(Value value) {
  for (const Word<Value>& row : kWords<Value>) {
    if (row.value == value) return row.word.data();
  }
  return "";
}

template <HasWords Value>
[[nodiscard]] constexpr std::optional<Value> from_word(std::string_view word) {
  for (const Word<Value>& row : kWords<Value>) {
    if (row.word == word) return row.value;
  }
  return std::nullopt;
}

/// In the order of the rows.
template <HasWords Value>
[[nodiscard]] std::vector<std::string> words_of() {
  std::vector<std::string> words;
  words.reserve(std::size(kWords<Value>));
  for (const Word<Value>& row : kWords<Value>) words.emplace_back(row.word);
  return words;
}

}  // namespace kiln
