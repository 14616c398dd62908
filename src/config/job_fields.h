#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/yaml_node.h"

// Values that jobs and studies write alike. All throw bad_input at the node, or at the option of the command
// line, with what was expected.
namespace kiln {

/// A scalar as the user wrote it; its meaning is found when the parameter it is for is known.
struct RawValue {
  std::string text;
  bool quoted = false;
  SourceLocation where;
};

[[nodiscard]] RawValue raw_value(const YamlNode& node);
/// A list of at least one value.
[[nodiscard]] std::vector<RawValue> raw_values(const YamlNode& node);
/// A device's name or a list of them: "auto", "cpu" or "cuda:0"; at least one.
[[nodiscard]] std::vector<std::string> read_devices(const YamlNode& node);
/// "auto", "none" or "process".
[[nodiscard]] std::string read_isolation(const YamlNode& node);
/// "warm" or "cold": whether caches are flushed before each sample.
[[nodiscard]] bool read_cold(const YamlNode& node);

/// Name and value of "name=value", the argument of `option`.
[[nodiscard]] std::pair<std::string, std::string> split_assignment(const std::string& option,
                                                                   const std::string& assignment);
/// The values of "name=value,value", each once.
[[nodiscard]] std::vector<RawValue> listed_values(const std::string& option, const std::string& assignment);

/// Throws bad_input, with `key` before the message, where a value stands twice: what runs twice would be
/// measured twice under one name. "1", "1.0" and "01" are one value.
void require_distinct(const std::string& key, const std::vector<RawValue>& values);

}  // namespace kiln
