#include "specialize/local_values.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

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

using KnownValues = std::map<std::string, const LocalValue*>;

/// The last definition of each name that is known at a token.
KnownValues known_at(std::size_t token, const std::vector<LocalValue>& values) {
  KnownValues known;
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

/// Names of known values that may have changed before a token, of variables to which only other functions
/// give a number, one of `constants`, and those whose texts name such ones, without `arguments`: what a
/// kernel gets is a parameter of the workload, whatever its value.
std::set<std::string> unsure_names(std::size_t token, const KnownValues& known, const LocalValues& function,
                                   const Constants& constants, const std::vector<std::string>& arguments) {
  std::set<std::string> unsure;
  const auto is_argument = [&](const std::string& name) {
    return std::find(arguments.begin(), arguments.end(), name) != arguments.end();
  };
  for (const std::string& name : function.declared) {
    const auto other = constants.find(name);
    if (known.contains(name) || is_argument(name) || other == constants.end()) continue;
    const bool real = other->second.find_first_of("0123456789.-") == 0;
    if (real || constant_value(name, constants)) unsure.insert(name);
  }
  for (const LocalChange& change : function.changes) {
    const auto value = known.find(change.name);
    if (value != known.end() && value->second->begin < change.token && change.token < token &&
        !is_argument(change.name))
      unsure.insert(change.name);
  }
  for (bool more = !unsure.empty(); more;) {
    more = false;
    for (const auto& [name, value] : known) {
      if (is_argument(name) || unsure.contains(name)) continue;
      const bool follows = std::any_of(value->texts.begin(), value->texts.end(),
                                       [&](const std::string& text) { return names_any(text, unsure); });
      if (follows) more = unsure.insert(name).second;
    }
  }
  return unsure;
}

/// The arguments with local values, in their order, in place of their names.
std::vector<std::string> resolved_arguments(const std::vector<std::string>& arguments,
                                            const std::vector<const LocalValue*>& values,
                                            const Constants& here) {
  Constants texts;
  for (const LocalValue* value : values) {
    const auto number = constant_value(value->name, here);
    const std::string text =
        number ? std::to_string(*number) : in_brackets(substituted(value->texts.front(), texts));
    if (text.size() <= kLongestValue) texts[value->name] = text;
  }
  std::vector<std::string> resolved;
  resolved.reserve(arguments.size());
  for (const std::string& argument : arguments)
    resolved.push_back(without_brackets(substituted(argument, texts)));
  return resolved;
}

/// Writes the local extent in place of "block.x", where the first shape of that name is another one.
std::string with_local_extents(std::string text, const KnownValues& known,
                               const std::map<std::string, std::vector<std::string>>& shapes) {
  const auto of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (const auto& [name, value] : known) {
    const auto first = shapes.find(name);
    if (!value->shape || first == shapes.end() || first->second == value->texts) continue;
    for (std::size_t at = text.find(name + "."); at != std::string::npos; at = text.find(name + ".", at)) {
      const std::size_t axis = at + name.size() + 1;
      const bool whole = at == 0 || (!of_name(text[at - 1]) && text[at - 1] != '.');
      const bool ends = axis + 1 >= text.size() || !of_name(text[axis + 1]);
      const std::size_t place =
          axis < text.size() ? std::string_view("xyz").find(text[axis]) : std::string::npos;
      if (!whole || !ends || place == std::string::npos) {
        at = axis;
        continue;
      }
      const std::string extent = place < value->texts.size() ? in_brackets(value->texts[place]) : "1";
      if (text.size() + extent.size() > kLongestValue) return text;
      text.replace(at, name.size() + 2, extent);
      at += extent.size();
    }
  }
  return text;
}

}  // namespace

void resolve_local_values(TextLaunch& launch, const LocalValues& function,
                          const std::map<std::string, std::string>& constants,
                          const std::map<std::string, std::vector<std::string>>& shapes) {
  const KnownValues known = known_at(launch.token, function.values);
  const std::set<std::string> unsure =
      unsure_names(launch.token, known, function, constants, launch.arguments);
  launch.unsure_grid = names_any(launch.grid, unsure);
  launch.unsure_block = names_any(launch.block, unsure);
  launch.unsure_shared = names_any(launch.shared, unsure);
  const std::set<std::string> changed = unsure_names(launch.token, known, function, constants, {});
  for (const std::string& argument : launch.arguments)
    launch.unsure_values.push_back(names_any(argument, changed));
  Constants here = constants;
  std::vector<const LocalValue*> in_order;  // a value names only earlier ones
  // Names whose values follow from what the kernel gets; a function's own parameter may be among them.
  std::set<std::string> of_arguments;
  for (const std::string& argument : launch.arguments) {
    if (is_identifier(argument) && constants.contains(argument)) of_arguments.insert(argument);
  }
  for (const auto& [name, value] : known) {
    if (value->shape) continue;
    here[name] = value->texts.front();
    in_order.push_back(value);
    if (std::find(launch.arguments.begin(), launch.arguments.end(), name) != launch.arguments.end())
      of_arguments.insert(name);
  }
  std::sort(in_order.begin(), in_order.end(),
            [](const LocalValue* a, const LocalValue* b) { return a->begin < b->begin; });
  launch.values = resolved_arguments(launch.arguments, in_order, here);
  Constants numbers, texts;  // of names that mean something else elsewhere
  for (const LocalValue* value : in_order) {
    if (of_arguments.contains(value->name)) continue;
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
      // A number, where another function has a shape of this name.
      if (local != known.end() && shapes.contains(text) && !texts.contains(text)) {
        const auto number = constant_value(text, here);
        const std::string value = substituted(local->second->texts.front(), texts);
        if (number)
          text = std::to_string(*number);
        else if (value.size() <= kLongestValue)
          text = in_brackets(value);
        return;
      }
      text = substituted(text, texts);
      return;
    }
    std::vector<std::string> extents;
    for (const std::string& extent : local->second->texts)
      extents.push_back(substituted(with_local_extents(extent, known, shapes), texts));
    const auto first = shapes.find(text);
    if (first == shapes.end() || first->second != extents) text = "dim3(" + join(extents, ", ") + ")";
  };
  for (std::string& argument : launch.template_arguments) argument = substituted(argument, numbers);
  resolve_shape(launch.grid);
  resolve_shape(launch.block);
  launch.shared = substituted(launch.shared, texts);
  for (std::string& extent : launch.cluster) extent = substituted(extent, texts);
}

}  // namespace kiln
