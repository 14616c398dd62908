#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/text.h"
#include "base/word_table.h"
#include "kiln/error.h"

namespace kiln {

/// A value of a JSON text that knows its place: file, line and the path of keys. Every reader throws
/// bad_input with the place, what was expected there and what was found. Borrows the parsed text.
class JsonNode {
 public:
  using Json = nlohmann::ordered_json;
  JsonNode(const Json& json, SourceLocation location, std::string path = "");

  /// The member `key` of an object; refused if it is not there.
  [[nodiscard]] JsonNode at(const std::string& key) const;
  /// The member `key` of an object, if it is there.
  [[nodiscard]] std::optional<JsonNode> find(const std::string& key) const;
  /// Elements of an array, in order.
  [[nodiscard]] std::vector<JsonNode> items() const;
  /// Members of an object, in the order of the text.
  [[nodiscard]] std::vector<std::pair<std::string, JsonNode>> members() const;

  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_text() const;
  [[nodiscard]] bool is_scalar() const;  ///< text, number or truth
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string text_or_empty() const;  ///< empty for null
  [[nodiscard]] bool truth() const;
  [[nodiscard]] double number() const;  ///< also "nan", "inf", "-inf"
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] std::vector<std::string> texts() const;
  /// The value of an enumeration whose word stands here.
  template <HasWords Value>
  [[nodiscard]] Value word() const {
    if (const auto value = from_word<Value>(text())) return *value;
    throw expected("one of " + join(words_of<Value>(), ", "));
  }
  /// A number or a truth as the text of a value that reads back.
  [[nodiscard]] std::string scalar_text() const;

  /// The error "<file>:<line>: <path>: expected <what>, found <value>".
  [[nodiscard]] Error expected(const std::string& what) const;
  [[nodiscard]] const SourceLocation& location() const { return location_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  const Json* json_;
  SourceLocation location_;
  std::string path_;
};

/// Parses one JSON text and lets `read` take it apart; a text that does not parse is refused with its place.
/// `first_line` is where it begins in the file; within it, lines are counted.
void read_json(const std::string& text, const std::string& file, int first_line,
               const std::function<void(const JsonNode&)>& read);

}  // namespace kiln
