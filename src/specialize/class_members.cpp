#include "specialize/class_members.h"

#include <algorithm>
#include <set>
#include <utility>

#include "specialize/template_arguments.h"

namespace kiln {
namespace {

using Values = std::map<std::string, std::string>;

constexpr std::size_t kLongestExtent = 4096;  // characters, with constants in place of their names

bool is_qualifier(const Token& token) {
  static const std::set<std::string_view> words = {
      "const",  "volatile", "typename",           "struct",           "class",
      "union",  "enum",     "__restrict__",       "__restrict",       "mutable",
      "static", "restrict", "__device_builtin__", "__grid_constant__"};
  return words.contains(token.text);
}

/// "const gdt::Vec<float, 3> *" as its parts.
struct WrittenType {
  std::string before, after;       ///< "const", "*"
  std::vector<TemplateId> scopes;  ///< {"gdt"}
  TemplateId id;                   ///< {"Vec", {"float", "3"}}
};

std::optional<WrittenType> parse_type(const std::string& text) {
  const TokenizedText source = tokenize(text);
  const std::vector<Token>& tokens = source.tokens;
  WrittenType type;
  std::size_t i = 0;
  for (; i < tokens.size() && is_qualifier(tokens[i]); ++i) {
    if (tokens[i].is("const") || tokens[i].is("volatile")) append_token(type.before, tokens[i].text);
  }
  if (i < tokens.size() && tokens[i].is("::")) ++i;
  for (bool more = true; more;) {
    if (i >= tokens.size() || !tokens[i].identifier()) return std::nullopt;
    type.id = {std::string(tokens[i++].text), {}};
    if (i < tokens.size() && tokens[i].is("<")) {
      const std::size_t behind = behind_angles(tokens, i, tokens.size());
      if (behind < i + 2) return std::nullopt;
      for (const TokenSpan& part : parts_of(tokens, {i + 1, behind - 1}, true))
        type.id.arguments.push_back(text_of(tokens, part));
      i = behind;
    }
    more = i < tokens.size() && tokens[i].is("::");
    if (more) type.scopes.push_back(type.id);
    if (more && ++i < tokens.size() && tokens[i].is("template")) ++i;
  }
  type.after = text_of(tokens, {i, tokens.size()});
  return type;
}

std::string joined(const WrittenType& type, const std::string& name) {
  std::string text = type.before;
  append_token(text, name);
  if (!type.after.empty()) append_token(text, type.after);
  return text;
}

std::string text_of_id(const TemplateId& id) {
  if (id.arguments.empty()) return id.name;
  std::string text = id.name + "<";
  for (const std::string& argument : id.arguments)
    text.append(&argument == &id.arguments.front() ? "" : ",").append(argument);
  return text + ">";
}

Values values_of(const std::vector<TextParameter>& parameters, const std::vector<std::string>& arguments) {
  Values values;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string& given = i < arguments.size() ? arguments[i] : parameters[i].default_value;
    if (!given.empty()) values.emplace(parameters[i].name, substituted(given, values));
  }
  return values;
}

/// A class, and what the names of its template stand for.
struct FoundClass {
  const TextClass* found = nullptr;
  Values values;
};

/// Whether a specialisation is for these arguments; `values`: what its parameters stand for.
bool fits(const TextClass& one, const std::vector<std::string>& arguments, Values& values) {
  if (one.specialises.empty() || one.specialises.size() != arguments.size()) return false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool parameter =
        std::any_of(one.template_parameters.begin(), one.template_parameters.end(),
                    [&](const TextParameter& other) { return other.name == one.specialises[i]; });
    if (parameter && values.try_emplace(one.specialises[i], arguments[i]).first->second != arguments[i])
      return false;  // Same<T, T>
    if (!parameter && one.specialises[i] != arguments[i]) return false;
  }
  return true;
}

FoundClass find_class(const ProgramText& program, TemplateId id, int depth = 0);

/// The value of "(Lanes<float>::value)", a static member; all else as it is.
std::string constant_of(const ProgramText& program, const std::string& text, int depth) {
  std::string_view inside = text;
  while (inside.size() > 2 && inside.front() == '(' && inside.back() == ')')
    inside = inside.substr(1, inside.size() - 2);
  const auto name = parse_type(std::string(inside));
  if (!name || name->scopes.empty() || depth == kDeepestClass) return text;
  const FoundClass around = find_class(program, name->scopes.back(), depth + 1);
  if (around.found == nullptr) return text;
  const auto constant = around.found->constants.find(name->id.name);
  return constant == around.found->constants.end() ? text : substituted(constant->second, around.values);
}

FoundClass find_class(const ProgramText& program, TemplateId id, int depth) {
  const auto classes = program.classes.find(id.name);
  if (classes == program.classes.end()) return {};
  for (std::string& argument : id.arguments) {
    if (argument.find("::") != std::string::npos) argument = constant_of(program, argument, depth);
  }
  for (const TextClass& one : classes->second) {
    Values values;
    if (fits(one, id.arguments, values)) return {&one, std::move(values)};
  }
  for (const TextClass& one : classes->second) {
    if (one.specialises.empty()) return {&one, values_of(one.template_parameters, id.arguments)};
  }
  return {};
}

std::string resolved(const ProgramText& program, const std::string& text, int depth) {
  const auto type = parse_type(text);
  if (!type || depth == kDeepestClass) return text;
  if (!type->scopes.empty()) {
    const auto owner = parse_type(resolved(program, text_of_id(type->scopes.back()), depth + 1));
    const FoundClass around = owner ? find_class(program, owner->id) : FoundClass();
    if (around.found != nullptr) {
      const auto alias = around.found->types.find(type->id.name);
      if (alias != around.found->types.end()) {
        std::string target = substituted(alias->second, around.values);
        return resolved(program, joined(*type, target), depth + 1);
      }
    }
  }
  const std::string plain = joined(*type, text_of_id(type->id));
  const auto alias = program.types.find(type->id.name);
  const bool is_class = program.classes.contains(type->id.name);
  if (alias == program.types.end() || is_class) return is_class ? plain : text;
  const auto parameters = program.alias_parameters.find(type->id.name);
  const Values values = parameters == program.alias_parameters.end()
                            ? Values()
                            : values_of(parameters->second, type->id.arguments);
  return resolved(program, joined(*type, substituted(alias->second, values)), depth + 1);
}

std::vector<TextParameter> members_named(const std::vector<std::pair<std::string, std::string>>& members) {
  std::vector<TextParameter> result;
  result.reserve(members.size());
  for (const auto& [type, name] : members) result.push_back({type, name, "", 0});
  return result;
}

/// The types that are defined in a class and in its bases, its own first.
Values types_of_class(const ProgramText& program, const FoundClass& one, int depth) {
  Values types = one.found->types;
  for (const std::string& base : one.found->bases) {
    const std::string written = resolved(program, substituted(base, one.values), 0);
    const FoundClass around = find_class(program, template_id(written));
    if (around.found == nullptr || around.found == one.found || depth == kDeepestClass) continue;
    for (const auto& [name, target] : types_of_class(program, around, depth + 1))
      types.emplace(name, substituted(target, around.values));
  }
  return types;
}

/// The values of static members of a class and of its bases, its own first.
Values constants_of_class(const ProgramText& program, const FoundClass& one, int depth) {
  Values constants;
  for (const auto& [name, value] : one.found->constants)
    constants.emplace(name, "(" + substituted(value, one.values) + ")");
  for (const std::string& base : one.found->bases) {
    const std::string written = resolved(program, substituted(base, one.values), 0);
    const FoundClass around = find_class(program, template_id(written));
    if (around.found == nullptr || around.found == one.found || depth == kDeepestClass) continue;
    constants.merge(constants_of_class(program, around, depth + 1));
  }
  return constants;
}

/// "[8]" of "[kMost]", of "[Info<T>::kMost]" and of "[kHalf*2]" in a class that has such a constant.
std::string extents_with_constants(const ProgramText& program, const FoundClass& one, const Values& constants,
                                   const std::string& extents) {
  const TokenizedText source = tokenize(extents);
  std::string result;
  for (std::size_t i = 0; i < source.tokens.size(); ++i) {
    const std::size_t close = source.tokens[i].close;
    if (!source.tokens[i].is("[") || close >= source.tokens.size()) return extents;
    std::string extent = substituted(text_of(source.tokens, {i + 1, close}), one.values);
    extent = constant_of(program, extent, 0);
    // A constant may name another one, and, in a damaged text, itself many times.
    for (int depth = 0; depth < kDeepestClass && extent.size() < kLongestExtent; ++depth) {
      std::string next = substituted(extent, constants);
      if (next == extent) break;
      extent = std::move(next);
    }
    result.append("[").append(extent).append("]");
    i = close;
  }
  return result;
}

/// The name of the pointer that an object of a class with virtual functions begins with. Code of a device
/// cannot call them by it where the host made the object, so its value does not matter.
constexpr const char* kVirtualFunctions = "kiln_virtual_functions";

std::optional<std::vector<TextParameter>> members_of(const ProgramText& program, const std::string& type,
                                                     int depth) {
  if (const auto row = numbers_of_glm(program, type))
    return members_named({{row->type + " [" + std::to_string(row->count) + "]", "elements"}});
  const TemplateId id = template_id(resolved(program, type, 0));
  const FoundClass one = find_class(program, id);
  if (one.found == nullptr) {
    if (id.name.ends_with("unary_function") || id.name.ends_with("binary_function"))  // of std, of Thrust
      return std::vector<TextParameter>();
    if (id.name == "pair" && id.arguments.size() == 2)
      return members_named({{id.arguments[0], "first"}, {id.arguments[1], "second"}});
    if (id.name.ends_with("span") && !id.arguments.empty()) {
      const bool dynamic = id.arguments.size() == 1 || id.arguments[1].ends_with("dynamic_extent");
      auto members = members_named({{id.arguments[0] + " *", "data"}, {"size_t", "size"}});
      members.resize(dynamic ? 2 : 1);
      return members;
    }
    if (id.name == "std::vector" || id.name == "vector" || id.name == "std::list")  // of GNU C++
      return members_named({{"unsigned long long [3]", "container"}});
    if (id.name == "std::string" || id.name == "string")
      return members_named({{"unsigned long long [4]", "container"}});
    if (id.name.ends_with("device_ptr") && id.arguments.size() == 1)
      return members_named({{id.arguments[0] + " *", "data"}});
    if (id.name.ends_with("array") && id.arguments.size() == 2)
      return members_named({{id.arguments[0] + " [" + id.arguments[1] + "]", "elements"}});
    if (id.name == "cudaPitchedPtr" || id.name == "hipPitchedPtr")
      return members_named(
          {{"void *", "ptr"}, {"size_t", "pitch"}, {"size_t", "xsize"}, {"size_t", "ysize"}});
    if (id.name == "cudaExtent" || id.name == "hipExtent")
      return members_named({{"size_t", "width"}, {"size_t", "height"}, {"size_t", "depth"}});
    return std::nullopt;
  }
  if (depth == kDeepestClass) return std::nullopt;
  std::vector<TextParameter> members;
  for (const std::string& base : one.found->bases) {
    const auto inherited = members_of(program, substituted(base, one.values), depth + 1);
    if (!inherited) return std::nullopt;
    members.insert(members.end(), inherited->begin(), inherited->end());
  }
  const bool has_pointer = std::any_of(members.begin(), members.end(), [](const TextParameter& member) {
    return member.name == kVirtualFunctions;
  });
  if (one.found->declares_virtual && !has_pointer)
    members.insert(members.begin(), {"unsigned long long", kVirtualFunctions, "", 0});
  const Values types = types_of_class(program, one, 0);
  const Values constants = constants_of_class(program, one, 0);
  for (TextParameter member : one.found->members) {
    member.type = substituted(substituted(member.type, types), one.values);
    const std::size_t open = member.type.find('[');
    const std::string extents = open == std::string::npos ? "" : member.type.substr(open);
    member.type = resolved(program, member.type.substr(0, open), 0) +
                  extents_with_constants(program, one, constants, extents);
    members.push_back(std::move(member));
  }
  return members;
}

}  // namespace

std::string substituted(const std::string& text, const Values& values) {
  std::string result;
  const TokenizedText source = tokenize(text);
  for (std::size_t i = 0; i < source.tokens.size(); ++i) {
    const std::string word(source.tokens[i].text);
    const bool member = i > 0 && (source.tokens[i - 1].is("::") || source.tokens[i - 1].is(".") ||
                                  source.tokens[i - 1].is("->"));
    const auto value = member ? values.end() : values.find(word);
    append_token(result, value == values.end() ? word : value->second);
  }
  return result;
}

std::string resolved_type(const ProgramText& program, const std::string& type) {
  return resolved(program, type, 0);
}

std::optional<NumberRow> numbers_of_glm(const ProgramText& program, const std::string& type) {
  const auto extent = [](const std::string& text) {
    return text.size() == 1 && text[0] >= '1' && text[0] <= '4' ? static_cast<std::size_t>(text[0] - '0') : 0;
  };
  const TemplateId id = template_id(resolved(program, type, 0));
  const std::string own = id.name.substr(id.name.rfind(':') + 1);
  if (own == "vec" && id.arguments.size() >= 2 && extent(id.arguments[0]) > 0)
    return NumberRow{id.arguments[1], extent(id.arguments[0])};
  if (own == "mat" && id.arguments.size() >= 3 && extent(id.arguments[0]) * extent(id.arguments[1]) > 0)
    return NumberRow{id.arguments[2], extent(id.arguments[0]) * extent(id.arguments[1])};
  return std::nullopt;
}

std::optional<std::vector<TextParameter>> members_of_type(const ProgramText& program,
                                                          const std::string& type) {
  return members_of(program, type, 0);
}

}  // namespace kiln
