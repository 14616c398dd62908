#pragma once

#include <string>
#include <vector>

#include "base/word_table.h"
#include "config/yaml_node.h"
#include "workload/workload.h"

namespace kiln {

/// The node's text with its place, to be evaluated later.
[[nodiscard]] ExpressionText read_expression(const YamlNode& node);
/// The expressions of a list, or of one expression that is a list of one.
[[nodiscard]] std::vector<ExpressionText> read_expressions(const YamlNode& node);
/// A pair such as `uniform: [low, high]`.
[[nodiscard]] std::vector<ExpressionText> read_two_expressions(const YamlNode& node);
/// One to `most` of them.
[[nodiscard]] std::vector<ExpressionText> read_extents(const YamlNode& node, std::size_t most);
[[nodiscard]] std::string read_text(const YamlNode& node);
/// Texts of a list, or one text that stands for a list of one.
[[nodiscard]] std::vector<std::string> read_texts(const YamlNode& node);
/// An identifier.
[[nodiscard]] std::string read_name(const YamlNode& node);
/// One of `words`; the error names the nearest.
[[nodiscard]] std::string read_one_of(const YamlNode& node, const std::vector<std::string>& words);
/// The value of an enumeration with words.
template <HasWords Value>
[[nodiscard]] Value read_word(const YamlNode& node) {
  return from_word<Value>(read_one_of(node, words_of<Value>())).value();
}

/// Throws bad_input at the key `name` of `parent` if it is no identifier.
void require_identifier(const YamlNode& parent, const std::string& name);

/// Assigns `read(node[key])` to `value` where there is such a key.
template <class Value, class Read>
void read_optional(const YamlNode& node, const char* key, Value& value, Read read) {
  if (const auto found = node.find(key)) value = read(*found);
}

}  // namespace kiln
