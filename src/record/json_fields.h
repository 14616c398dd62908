#pragma once

#include <concepts>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/word_table.h"
#include "device/target.h"
#include "record/json_node.h"
#include "record/json_value.h"

// A type that results hold has one row for each member: a function `fields(io, object)` that names the member
// once. JsonWriter, JsonReader and the CSV of records (report/csv.cpp) are such an `io`:
//   io("seed", record.seed)            a member; one that is absent from a file keeps the default of its type
//   io.need("status", record.status)   a member that a file must have
//   io.known("driver", device.driver)  a text that is null where it is empty
//   io.group("kiln", [&](auto& io) {}) an object in the file whose members stand in this one
namespace kiln {

/// The use of a field beside its name and member.
struct FieldUse {
  const char* column = nullptr;  ///< name of the CSV column; null: none
  bool decides = false;          ///< part of the variant's identity (record/known_records.h)
};

/// For rows that serve readers and writers: the type, const or not.
template <class Type, class Known>
concept Is = std::same_as<std::remove_const_t<Type>, Known>;

/// Writes rows as the members of a JSON object; `only_deciding` leaves the others out.
class JsonWriter {
 public:
  using Json = nlohmann::ordered_json;
  explicit JsonWriter(bool only_deciding = false) : only_deciding_(only_deciding) {}

  template <class Value>
  void operator()(const char* key, const Value& value, FieldUse use = {}) {
    if constexpr (requires(JsonWriter & io) { fields(io, value); }) {
      group(key, [&](JsonWriter& io) { fields(io, value); });
    } else if (takes(use)) {
      object_[key] = json_of(value);
    }
  }
  template <class Value>
  void need(const char* key, const Value& value, FieldUse use = {}) {
    (*this)(key, value, use);
  }
  void known(const char* key, const std::string& text, FieldUse use = {}) {
    if (takes(use)) object_[key] = text.empty() ? Json() : Json(text);
  }
  /// Two numbers as a list.
  template <class Value>
  void pair(const char* key, const Value& low, const Value& high) {
    if (takes({})) object_[key] = Json::array({json_of(low), json_of(high)});
  }
  /// A text that `word` stands for where it is empty.
  void unless(const char* key, const std::string& text, const char* word) {
    if (takes({})) object_[key] = text.empty() ? word : text;
  }
  /// One of two words.
  void either(const char* key, bool first, const char* yes, const char* no) {
    if (takes({})) object_[key] = first ? yes : no;
  }
  /// A value as a number or truth where it is one.
  void scalar(const char* key, const std::string& text, bool quoted) {
    const auto whole = parse_integer(text);
    const auto real = parse_real(text);
    Json& json = object_[key] = text;
    if (quoted) return;
    if (text == "true" || text == "false") json = text == "true";
    if (real) json = json_number(*real);
    if (whole) json = *whole;
  }
  template <class Write>
  void group(const char* key, Write write) {
    JsonWriter inner(only_deciding_);
    write(inner);
    if (!inner.object_.empty() || !only_deciding_) object_[key] = std::move(inner.object_);
  }
  /// Null where it is not `present`.
  template <class Write>
  void group_if(bool present, const char* key, Write write) {
    if (present) {
      group(key, write);
    } else if (takes({})) {
      object_[key] = Json();
    }
  }
  /// Objects as the members of one, by their `name`.
  template <class Item>
  void named(const char* key, const std::vector<Item>& items, FieldUse use = {}) {
    if (!takes(use)) return;
    Json& object = object_[key] = Json::object();
    for (const Item& item : items) object[item.name] = json_of(item);
  }

  [[nodiscard]] Json take() && { return std::move(object_); }

 private:
  [[nodiscard]] bool takes(const FieldUse& use) const { return use.decides || !only_deciding_; }

  static Json json_of(double value) { return json_number(value); }
  static Json json_of(const std::string& value) { return value; }
  static Json json_of(const char* value) { return value; }
  static Json json_of(const Dim3& value) { return Json::array({value.x, value.y, value.z}); }
  template <std::integral Value>
  static Json json_of(Value value) {
    return value;
  }
  template <HasWords Value>
  static Json json_of(Value value) {
    return to_string(value);
  }
  template <class Value>
  static Json json_of(const std::optional<Value>& value) {
    return value ? json_of(*value) : Json();
  }
  template <class Value>
  static Json json_of(const std::vector<Value>& values) {
    Json list = Json::array();
    for (const Value& value : values) list.push_back(json_of(value));
    return list;
  }
  template <HasWords Key, class Value>
  static Json json_of(const std::map<Key, Value>& values) {
    Json object = Json::object();
    for (const auto& [key, value] : values) object[to_string(key)] = json_of(value);
    return object;
  }
  template <class Value>
  requires requires(JsonWriter& io, const Value& value) { fields(io, value); }
  static Json json_of(const Value& value) {
    JsonWriter writer;
    fields(writer, value);
    return std::move(writer.object_);
  }

  Json object_ = Json::object();
  bool only_deciding_;
};

/// Reads what JsonWriter wrote. Members without a row are passed over: a later version wrote them.
class JsonReader {
 public:
  explicit JsonReader(JsonNode node) : node_(std::move(node)) {}

  template <class Value>
  void operator()(const char* key, Value& value, FieldUse = {}) {
    if (const auto member = node_.find(key)) read(*member, value);
  }
  template <class Value>
  void need(const char* key, Value& value, FieldUse = {}) {
    read(node_.at(key), value);
  }
  void known(const char* key, std::string& text, FieldUse = {}) {
    if (const auto member = node_.find(key)) text = member->text_or_empty();
  }
  template <class Value>
  void pair(const char* key, Value& low, Value& high) {
    const std::vector<JsonNode> ends = node_.at(key).items();
    if (ends.size() != 2) throw node_.at(key).expected("a list of two numbers");
    read(ends[0], low);
    read(ends[1], high);
  }
  void unless(const char* key, std::string& text, const std::string& word) {
    if (const auto member = node_.find(key)) text = member->text();
    if (text == word) text.clear();
  }
  void either(const char* key, bool& first, const char* yes, const char* no) {
    const auto member = node_.find(key);
    if (!member) return;
    const std::string word = member->text();
    if (word != yes && word != no) throw member->expected(std::string(yes) + " or " + no);
    first = word == yes;
  }
  void scalar(const char* key, std::string& text, bool& quoted) {
    const JsonNode member = node_.at(key);
    quoted = member.is_text();
    text = quoted ? member.text() : member.scalar_text();
  }
  template <class Read>
  void group(const char* key, Read read_group) {
    const auto member = node_.find(key);
    if (!member || member->is_null()) return;
    JsonReader inner(*member);
    read_group(inner);
  }
  template <class Read>
  void group_if(bool /*present*/, const char* key, Read read_group) {
    group(key, read_group);
  }
  template <class Item>
  void named(const char* key, std::vector<Item>& items, FieldUse = {}) {
    const auto member = node_.find(key);
    if (!member) return;
    for (const auto& [name, node] : member->members()) {
      Item item;
      item.name = name;
      read(node, item);
      items.push_back(std::move(item));
    }
  }

 private:
  static void read(const JsonNode& node, double& value) { value = node.number(); }
  static void read(const JsonNode& node, bool& value) { value = node.truth(); }
  static void read(const JsonNode& node, std::string& value) { value = node.text(); }
  static void read(const JsonNode& node, std::int64_t& value) { value = node.integer(); }
  static void read(const JsonNode& node, Dim3& value) {
    const std::vector<JsonNode> items = node.items();
    if (items.size() != 3) throw node.expected("a list of three counts");
    value = {items[0].count(), items[1].count(), items[2].count()};
  }
  template <std::integral Value>
  static void read(const JsonNode& node, Value& value) {
    const std::uint64_t count = node.count();
    if (!std::in_range<Value>(count))
      throw node.expected("a whole number of at most " + std::to_string(std::numeric_limits<Value>::max()));
    value = static_cast<Value>(count);
  }
  template <HasWords Value>
  static void read(const JsonNode& node, Value& value) {
    value = node.word<Value>();
  }
  template <class Value>
  static void read(const JsonNode& node, std::optional<Value>& value) {
    if (node.is_null()) return;
    Value found{};  // emplace() takes no nested class with default values, says clang 14
    read(node, found);
    value = std::move(found);
  }
  template <class Value>
  static void read(const JsonNode& node, std::vector<Value>& values) {
    for (const JsonNode& item : node.items()) read(item, values.emplace_back());
  }
  template <HasWords Key, class Value>
  static void read(const JsonNode& node, std::map<Key, Value>& values) {
    for (const auto& [name, item] : node.members()) {
      const auto key = from_word<Key>(name);
      if (!key) throw node.expected("members named by one of " + join(words_of<Key>(), ", "));
      read(item, values[*key]);
    }
  }
  template <class Value>
  requires requires(JsonReader& io, Value& value) { fields(io, value); }
  static void read(const JsonNode& node, Value& value) {
    JsonReader reader(node);
    fields(reader, value);
  }

  JsonNode node_;
};

/// An object's rows as one line of text; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] inline std::string json_line(JsonWriter writer) {
  return std::move(writer).take().dump(-1, ' ', false, JsonWriter::Json::error_handler_t::replace);
}

}  // namespace kiln
