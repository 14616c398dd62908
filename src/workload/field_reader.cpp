#include "workload/field_reader.h"

#include <algorithm>

#include "base/text.h"
#include "kiln/error.h"

namespace kiln {

ExpressionText read_expression(const YamlNode& node) {
  ExpressionText result{node.text(), node.where(), node.path()};
  if (node.quoted() && result.where.column > 0) ++result.where.column;
  return result;
}

std::vector<ExpressionText> read_expressions(const YamlNode& node) {
  std::vector<ExpressionText> result;
  for (const YamlNode& item : node.items_or_self()) result.push_back(read_expression(item));
  return result;
}

std::vector<ExpressionText> read_two_expressions(const YamlNode& node) {
  auto pair = read_expressions(node);
  if (pair.size() != 2) throw node.error("expected two numbers; found " + std::to_string(pair.size()));
  return pair;
}

std::vector<ExpressionText> read_extents(const YamlNode& node, std::size_t most) {
  auto result = read_expressions(node);
  if (result.empty() || result.size() > most) {
    throw node.error("expected one to " + std::to_string(most) + " extents; found " +
                     std::to_string(result.size()));
  }
  return result;
}

std::string read_text(const YamlNode& node) {
  return node.text();
}

std::vector<std::string> read_texts(const YamlNode& node) {
  std::vector<std::string> result;
  for (const YamlNode& item : node.items_or_self()) result.push_back(item.text());
  return result;
}

std::string read_name(const YamlNode& node) {
  if (!is_identifier(node.text()))
    throw node.error("'" + node.text() + "' is not a name (letters, digits and _, no digit first)");
  return node.text();
}

void require_identifier(const YamlNode& parent, const std::string& name) {
  if (!is_identifier(name)) {
    throw bad_input(parent.path() + ": '" + name + "' is not a name (letters, digits and _, no digit first)",
                    parent.key_location(name));
  }
}

std::string read_one_of(const YamlNode& node, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), node.text()) != words.end()) return node.text();
  const auto nearest = nearest_name(node.text(), words);
  throw node.error("expected one of " + join(words, ", ") + "; found '" + node.text() + "'" +
                   (nearest ? "; did you mean '" + *nearest + "'?" : ""));
}

}  // namespace kiln
