#include "specialize/local_values.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/whole_word.h"
#include "specialize/class_members.h"
#include "specialize/constant_value.h"
#include "specialize/host_expression.h"

namespace kiln {
namespace {

using Constants = std::map<std::string, std::string>;

/// Characters of a value that is written in place of its name.
constexpr std::size_t kLongestValue = 500;

/// The last definition of each name that is known at a token.
std::map<std::string, const LocalValue*> known_at(std::size_t token, const std::vector<LocalValue>& values) {
  std::map<std::string, const LocalValue*> known;
  for (const LocalValue& value : values) {
    if (value.begin < token && token < value.end) known[value.name] = &value;
  }
  return known;
}

/// Whether a text names one of them.
bool names_any(const std::string& text, const std::set<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return has_word(text, name); });
}

/// What is known of the launch's arguments, and what a loop changes beside them: `values` are the local ones
/// in their order, `arguments` those that are arguments themselves.
void resolve_arguments(TextLaunch& launch, const std::vector<const LocalValue*>& values,
                       const std::set<std::string>& arguments, const Constants& here) {
  Constants texts;
  std::set<std::string> unknown;
  for (const LocalValue* value : values) {
    const std::string& written = value->texts.front();
    if (!arguments.contains(value->name) && (written.empty() || names_any(written, launch.changed)))
      launch.changed.insert(value->name);
    if (written.empty() || names_any(written, unknown)) {
      unknown.insert(value->name);
      continue;
    }
    const auto number = constant_value(value->name, here);
    const std::string text = number ? std::to_string(*number) : in_brackets(substituted(written, texts));
    if (text.size() <= kLongestValue) texts[value->name] = text;
  }
  for (const std::string& argument : launch.arguments)
    launch.values.push_back(names_any(argument, unknown) ? ""
                                                         : without_brackets(substituted(argument, texts)));
}

}  // namespace

void resolve_local_values(TextLaunch& launch, const std::vector<LocalValue>& values,
                          const std::map<std::string, std::string>& constants,
                          const std::map<std::string, std::vector<std::string>>& shapes) {
  const auto known = known_at(launch.token, values);
  Constants here = constants;
  std::vector<const LocalValue*> in_order;  // a value names only earlier ones
  std::set<std::string> of_arguments;       // names whose values follow from what the kernel gets
  for (const auto& [name, value] : known) {
    if (value->shape) continue;
    here[name] = value->texts.front();
    in_order.push_back(value);
    if (std::find(launch.arguments.begin(), launch.arguments.end(), name) != launch.arguments.end())
      of_arguments.insert(name);
  }
  std::sort(in_order.begin(), in_order.end(),
            [](const LocalValue* a, const LocalValue* b) { return a->begin < b->begin; });
  resolve_arguments(launch, in_order, of_arguments, here);
  Constants numbers, texts;  // of names that mean something else elsewhere
  for (const LocalValue* value : in_order) {
    if (of_arguments.contains(value->name) || launch.changed.contains(value->name)) continue;
    const std::string text = substituted(value->texts.front(), texts);
    const bool of_argument = std::any_of(of_arguments.begin(), of_arguments.end(),
                                         [&](const std::string& name) { return has_word(text, name); });
    const auto number = constant_value(value->name, here);
    if (number && of_argument) {  // another value of the argument changes it
      numbers[value->name] = std::to_string(*number);
      if (text.size() <= kLongestValue) texts[value->name] = in_brackets(text);
      continue;
    }
    if (number) {
      if (number != constant_value(value->name, constants))
        numbers[value->name] = texts[value->name] = std::to_string(*number);
      continue;
    }
    const auto first = constants.find(value->name);
    const bool computed = text.find("()") != std::string::npos;  // by what no workload can say
    if (!computed && first != constants.end() && first->second != text && text.size() <= kLongestValue)
      texts[value->name] = in_brackets(text);
  }
  const auto resolve_shape = [&](std::string& text) {
    const auto local = known.find(text);
    if (local == known.end() || !local->second->shape) {
      text = substituted(text, texts);
      return;
    }
    std::vector<std::string> extents;
    for (const std::string& extent : local->second->texts) extents.push_back(substituted(extent, texts));
    const auto first = shapes.find(text);
    if (first == shapes.end() || first->second != extents) text = "dim3(" + join(extents, ", ") + ")";
  };
  for (std::string& argument : launch.template_arguments) argument = substituted(argument, numbers);
  resolve_shape(launch.grid);
  resolve_shape(launch.block);
  launch.shared = substituted(launch.shared, texts);
}

}  // namespace kiln
