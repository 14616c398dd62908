#include "specialize/local_values.h"

#include <algorithm>

#include "base/text.h"
#include "specialize/class_members.h"
#include "specialize/constant_value.h"

namespace kiln {
namespace {

using Constants = std::map<std::string, std::string>;

/// The last definition of each name that is known at a token.
std::map<std::string, const LocalValue*> known_at(std::size_t token, const std::vector<LocalValue>& values) {
  std::map<std::string, const LocalValue*> known;
  for (const LocalValue& value : values) {
    if (value.begin < token && token < value.end) known[value.name] = &value;
  }
  return known;
}

}  // namespace

void resolve_local_values(TextLaunch& launch, const std::vector<LocalValue>& values,
                          const std::map<std::string, std::string>& constants,
                          const std::map<std::string, std::vector<std::string>>& shapes) {
  const auto known = known_at(launch.token, values);
  Constants here = constants, numbers;
  for (const auto& [name, value] : known) {
    if (!value->shape) here[name] = value->texts.front();
  }
  for (const auto& [name, value] : known) {
    const bool passed =
        std::find(launch.arguments.begin(), launch.arguments.end(), name) != launch.arguments.end();
    if (value->shape || passed) continue;
    const auto number = constant_value(name, here);
    if (number && number != constant_value(name, constants)) numbers[name] = std::to_string(*number);
  }
  const auto resolve_shape = [&](std::string& text) {
    const auto local = known.find(text);
    if (local == known.end() || !local->second->shape) {
      text = substituted(text, numbers);
      return;
    }
    std::vector<std::string> extents;
    for (const std::string& extent : local->second->texts) extents.push_back(substituted(extent, numbers));
    const auto first = shapes.find(text);
    if (first == shapes.end() || first->second != extents) text = "dim3(" + join(extents, ", ") + ")";
  };
  for (std::string& argument : launch.template_arguments) argument = substituted(argument, numbers);
  resolve_shape(launch.grid);
  resolve_shape(launch.block);
  launch.shared = substituted(launch.shared, numbers);
}

}  // namespace kiln
