#include "config/job_fields.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.h"
#include "config/setting_rows.h"
#include "device/backend_kind.h"
#include "kiln/error.h"

namespace kiln {
namespace {

bool is_index(std::string_view text) {
  constexpr std::size_t kDigits = 6;
  return !text.empty() && text.size() <= kDigits &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string read_device(const YamlNode& node) {
  std::string name = node.text();
  const std::size_t colon = name.find(':');
  const bool numbered = colon != std::string::npos && !backend_of_all(name);
  if (name.empty() || colon == 0 || (numbered && !is_index(std::string_view(name).substr(colon + 1))))
    throw node.error("expected a device, such as auto, cpu, cuda:0 or cuda:all; found " + in_quotes(name));
  std::vector<std::string> known = backend_names();
  known.emplace_back("auto");
  const std::string backend = name.substr(0, colon);
  if (std::find(known.begin(), known.end(), backend) == known.end())
    throw node.error("unknown device " + in_quotes(name) + suggestion(backend, known));
  return name;
}

/// "1", "1.0" and "01" are one value.
std::string normal_form(const std::string& text) {
  if (const auto whole = parse_integer(text)) return std::to_string(*whole);
  const auto real = parse_real(text);
  return real ? format_number(*real) : text;
}

}  // namespace

RawValue raw_value(const YamlNode& node) {
  return {node.text(), node.quoted(), node.where()};
}

std::vector<RawValue> raw_values(const YamlNode& node) {
  std::vector<RawValue> values;
  for (const YamlNode& item : node.items()) values.push_back(raw_value(item));
  if (values.empty()) throw node.error("expected at least one value");
  return values;
}

std::vector<std::string> read_devices(const YamlNode& node) {
  std::vector<std::string> devices;
  for (const YamlNode& item : node.items_or_self()) devices.push_back(read_device(item));
  if (devices.empty())
    throw node.error("expected a device, such as auto, cpu or cuda:0; found an empty list");
  return devices;
}

std::string read_isolation(const YamlNode& node) {
  std::string word = node.text();
  const std::vector<std::string>& words = isolation_words();
  if (std::find(words.begin(), words.end(), word) == words.end())
    throw node.error("'" + word + "' is not known" + suggestion(word, words));
  return word;
}

bool read_cold(const YamlNode& node) {
  const std::string mode = node.text();
  if (mode != "warm" && mode != "cold") throw node.error("expected warm or cold; found '" + mode + "'");
  return mode == "cold";
}

std::pair<std::string, std::string> split_assignment(const std::string& option,
                                                     const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    throw bad_input("expected " + option + " name=value; found '" + assignment + "'", {"command line", 0, 0});
  return {assignment.substr(0, equals), assignment.substr(equals + 1)};
}

void require_distinct(const std::string& key, const std::vector<RawValue>& values) {
  std::set<std::string> seen;
  for (const RawValue& value : values) {
    if (!seen.insert(normal_form(value.text)).second)
      throw bad_input(key + in_quotes(value.text) + " is given twice", value.where);
  }
}

std::vector<RawValue> listed_values(const std::string& option, const std::string& assignment) {
  const auto [name, list] = split_assignment(option, assignment);
  std::vector<RawValue> values;
  for (const std::string& value : split(list, ',')) {
    if (trim(value).empty()) {
      throw bad_input("expected " + option + " name=value,value; found '" + assignment + "'",
                      {"command line", 0, 0});
    }
    values.push_back({std::string(trim(value)), false, {option + " " + name, 0, 0}});
  }
  require_distinct("", values);
  return values;
}

}  // namespace kiln
