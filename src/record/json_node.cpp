#include "record/json_node.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace kiln {
namespace {

/// The value at the node, truncated, for a message.
std::string found_text(const nlohmann::ordered_json& json) {
  constexpr std::size_t kShown = 40;
  if (json.is_object()) return "an object";
  if (json.is_array()) return "a list";
  const std::string text = json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  return text.size() > kShown ? text.substr(0, kShown) + "..." : text;
}

/// 1 and up, of the byte at `offset`.
SourceLocation place_of(const std::string& text, std::size_t offset, const std::string& file,
                        int first_line) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  const auto lines = std::count(text.begin(), end, '\n');
  const auto line_start = std::find(std::make_reverse_iterator(end), text.rend(), '\n').base();
  return {file, first_line + static_cast<int>(lines), static_cast<int>(end - line_start) + 1};
}

}  // namespace

JsonNode::JsonNode(const Json& json, SourceLocation location, std::string path)
    : json_(&json), location_(std::move(location)), path_(std::move(path)) {}

std::optional<JsonNode> JsonNode::find(const std::string& key) const {
  if (!json_->is_object()) throw expected("an object with '" + key + "'");
  const auto found = json_->find(key);
  if (found == json_->end()) return std::nullopt;
  return JsonNode(*found, location_, path_.empty() ? key : path_ + "." + key);
}

JsonNode JsonNode::at(const std::string& key) const {
  if (auto member = find(key)) return *std::move(member);
  throw bad_input((path_.empty() ? "" : path_ + ": ") + "expected a member '" + key + "', found none",
                  location_);
}

std::vector<JsonNode> JsonNode::items() const {
  if (!json_->is_array()) throw expected("a list");
  std::vector<JsonNode> nodes;
  for (std::size_t i = 0; i < json_->size(); ++i)
    nodes.emplace_back((*json_)[i], location_, path_ + "[" + std::to_string(i) + "]");
  return nodes;
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  if (!json_->is_object()) throw expected("an object");
  std::vector<std::pair<std::string, JsonNode>> nodes;
  for (const auto& [key, value] : json_->items()) {
    nodes.emplace_back(key, JsonNode(value, location_, path_.empty() ? key : path_ + "." + key));
  }
  return nodes;
}

bool JsonNode::is_null() const {
  return json_->is_null();
}

bool JsonNode::is_text() const {
  return json_->is_string();
}

bool JsonNode::is_scalar() const {
  return json_->is_primitive() && !json_->is_null();
}

std::string JsonNode::text() const {
  if (!json_->is_string()) throw expected("text");
  return json_->get<std::string>();
}

std::string JsonNode::text_or_empty() const {
  return json_->is_null() ? std::string() : text();
}

bool JsonNode::truth() const {
  if (!json_->is_boolean()) throw expected("true or false");
  return json_->get<bool>();
}

double JsonNode::number() const {
  if (json_->is_number()) return json_->get<double>();
  if (*json_ == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (*json_ == "inf") return std::numeric_limits<double>::infinity();
  if (*json_ == "-inf") return -std::numeric_limits<double>::infinity();
  throw expected("a number");
}

std::int64_t JsonNode::integer() const {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!json_->is_number_integer() || (json_->is_number_unsigned() && json_->get<std::uint64_t>() > kMost))
    throw expected("a whole number");
  return json_->get<std::int64_t>();
}

std::uint64_t JsonNode::count() const {
  if (!json_->is_number_unsigned()) throw expected("a whole number of at least 0");
  return json_->get<std::uint64_t>();
}

std::vector<std::string> JsonNode::texts() const {
  std::vector<std::string> words;
  for (const JsonNode& item : items()) words.push_back(item.text());
  return words;
}

std::string JsonNode::scalar_text() const {
  if (json_->is_boolean()) return json_->get<bool>() ? "true" : "false";
  if (json_->is_number_integer()) return json_->dump();
  return format_number(number());
}

Error JsonNode::expected(const std::string& what) const {
  return bad_input((path_.empty() ? "" : path_ + ": ") + "expected " + what + ", found " + found_text(*json_),
                   location_);
}

void read_json(const std::string& text, const std::string& file, int first_line,
               const std::function<void(const JsonNode&)>& read) {
  JsonNode::Json json;
  try {
    json = JsonNode::Json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t offset = error.byte == 0 ? 0 : error.byte - 1;
    throw bad_input("expected JSON: " + (offset >= text.size() ? std::string("the text ends too early")
                                                               : "it cannot be read from here on"),
                    place_of(text, offset, file, first_line));
  } catch (const nlohmann::json::out_of_range&) {  // the exception has no place
    throw bad_input("expected JSON: a number has no 64-bit form", {file, first_line, 0});
  }
  read(JsonNode(json, {file, first_line, 0}));
}

}  // namespace kiln
