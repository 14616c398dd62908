#include "specialize/draft_types.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "base/text.h"
#include "base/whole_word.h"
#include "config/scalar_type.h"
#include "specialize/class_members.h"
#include "specialize/constant_value.h"
#include "specialize/template_arguments.h"
#include "specialize/type_words.h"

namespace kiln {
namespace {

constexpr int kDeepestConstant = 8;
constexpr std::int64_t kMostNumbers = 65536;   // of a record in `types`
constexpr std::int64_t kMostOwnPointers = 16;  // of an array, each with a buffer of its own
constexpr std::size_t kMostMembers = 8192;     // of the structs of a launch (BoundLaunch::kMaxArguments)

constexpr std::array<const char*, 3> kTextureTypes = {"cudaTextureObject_t", "CUtexObject",
                                                      "hipTextureObject_t"};
constexpr std::array<const char*, 3> kSurfaceTypes = {"cudaSurfaceObject_t", "CUsurfObject",
                                                      "hipSurfaceObject_t"};

constexpr std::array<const char*, 5> kIndexWords = {"idx", "index", "offset", "size", "key"};

/// "IdxT", "index_t", "SizeType": a type of whole numbers.
bool is_index_name(const std::string& name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c);
  });
  return lower.starts_with("int") ||
         std::any_of(kIndexWords.begin(), kIndexWords.end(),
                     [&](const char* word) { return lower.find(word) != std::string::npos; });
}

}  // namespace

std::string guessed_type(const std::string& parameter, const TextKernel& kernel) {
  const auto has = [](const std::string& name, const char* upper, const char* lower) {
    return name.find(upper) != std::string::npos || name.find(lower) != std::string::npos;
  };
  const auto& parameters = kernel.template_parameters;
  const bool beside_key = has(parameter, "Val", "val") &&
                          std::any_of(parameters.begin(), parameters.end(),
                                      [&](const auto& one) { return has(one.name, "Key", "key"); });
  if (beside_key || is_index_name(parameter)) return "int";
  const std::string vector = guessed_vector(parameter, kernel);
  return vector.empty() ? "float" : vector;
}

std::string guessed_vector(const std::string& parameter, const TextKernel& kernel) {
  const auto component = kernel.components.find(parameter);
  if (component == kernel.components.end()) return "";
  return component->second == 'w' ? "float4" : component->second == 'z' ? "float3" : "float2";
}

std::string base_name(const std::string& name) {
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

DraftTypes::DraftTypes(const ProgramText& program, bool has_library_objects)
    : program_(program), has_library_objects_(has_library_objects), search_(program) {
  for (const TextKernel& kernel : program.kernels) {
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      const bool written = kernel.assigned.contains(kernel.parameters[i].name);
      if (written && pointers_in(kernel.parameters[i].type) > 1)
        written_tables_.insert(launched_with(kernel, i));
    }
  }
  written_tables_.erase("");
}

bool DraftTypes::is_written_table(const TextParameter& parameter, const TextKernel& kernel) const {
  if (kernel.assigned.contains(parameter.name)) return true;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    if (kernel.parameters[i].name == parameter.name && written_tables_.contains(launched_with(kernel, i)))
      return true;
  }
  return false;
}

const TextLaunch* DraftTypes::launch_of(const TextKernel& kernel) const {
  const TextLaunch* first = nullptr;
  for (const TextLaunch& launch : program_.launches) {
    if (launch.kernel != base_name(kernel.name)) continue;
    if (launch.arguments.size() == kernel.parameters.size()) return &launch;
    if (first == nullptr) first = &launch;
  }
  return first;
}

std::string DraftTypes::launched_with(const TextKernel& kernel, std::size_t index) const {
  const TextLaunch* launch = launch_of(kernel);
  return launch != nullptr && index < launch->arguments.size() ? launch->arguments[index] : "";
}

std::string DraftTypes::launched_value(const TextKernel& kernel, std::size_t index) const {
  const TextLaunch* launch = launch_of(kernel);
  return launch != nullptr && index < launch->values.size() ? launch->values[index] : "";
}

bool DraftTypes::may_have_changed(const TextKernel& kernel, std::size_t index) const {
  const TextLaunch* launch = launch_of(kernel);
  return launch != nullptr && index < launch->unsure_values.size() && launch->unsure_values[index];
}

std::optional<std::int64_t> DraftTypes::value_of(const std::string& text) const {
  const auto value = constant_value(text, program_.constants);
  return value ? value : constant_value(with_calls_evaluated(text, 0), program_.constants);
}

std::string DraftTypes::with_calls_evaluated(const std::string& text, int depth) const {
  const TokenizedText source = tokenize(text);
  const std::vector<Token>& tokens = source.tokens;
  std::vector<TextEdit> edits;
  for (std::size_t i = 0; i + 1 < tokens.size() && depth < kDeepestConstant; ++i) {
    const std::size_t close = tokens[i + 1].close;
    if (!tokens[i].identifier() || !tokens[i + 1].is("(") || close >= tokens.size()) continue;
    const std::string name(tokens[i].text);
    const TokenSpan inside = {i + 2, close};
    std::optional<std::int64_t> value;
    if (name == "sizeof") {
      const std::string type = type_name(text_of(tokens, inside), TextKernel());
      const auto element = parse_element_type(type);
      if (element) value = static_cast<std::int64_t>(element->bytes());
    } else {
      std::vector<std::int64_t> arguments;
      for (const TokenSpan& part : parts_of(tokens, inside, true)) {
        const std::string argument = with_calls_evaluated(text_of(tokens, part), depth + 1);
        if (const auto number = constant_value(argument, program_.constants)) arguments.push_back(*number);
      }
      const auto function = program_.expressions.find(name);
      if (arguments.size() == 2 && (name == "max" || name == "min")) {
        value = name == "max" ? std::max(arguments[0], arguments[1]) : std::min(arguments[0], arguments[1]);
      } else if (function != program_.expressions.end() && !arguments.empty() &&
                 arguments.size() == function->second.parameters.size()) {
        std::map<std::string, std::string> values;
        for (std::size_t k = 0; k < arguments.size(); ++k)
          values[function->second.parameters[k]] = std::to_string(arguments[k]);
        const std::string result = substituted(function->second.result, values);
        value = constant_value(with_calls_evaluated(result, depth + 1), program_.constants);
      }
    }
    if (!value) continue;
    std::size_t first = i;  // of std::max
    if (i > 1 && tokens[i - 1].is("::") && tokens[i - 2].identifier()) first = i - 2;
    const std::size_t begin = tokens[first].offset;
    edits.push_back({begin, tokens[close].end() - begin, std::to_string(*value)});
    i = close;
  }
  return apply_edits(text, std::move(edits));
}

bool DraftTypes::names_variable(const std::string& expression) const {
  const TokenizedText text = tokenize(expression);
  for (std::size_t i = 0; i < text.tokens.size(); ++i) {
    const Token& token = text.tokens[i];
    if (!token.identifier() || (i > 0 && text.tokens[i - 1].is("::"))) continue;
    const std::string name(token.text);
    if (std::any_of(program_.scopes.begin(), program_.scopes.end(),
                    [&](const TextScope& scope) { return scope.variables.contains(name); }))
      return true;
  }
  return false;
}

std::string DraftTypes::type_name(const std::string& type, const TextKernel& kernel, int depth) const {
  std::string name = bare_type(type);
  if (std::string plain = workload_type(name); !plain.empty()) return plain;
  for (const TextParameter& parameter : kernel.template_parameters) {
    if (parameter.name == name) return template_type(kernel, name);
  }
  if (parse_element_type(name)) return name;
  if (const TemplateId id = template_id(name); id.name.ends_with("complex") && id.arguments.size() == 1) {
    const std::string part = type_name(id.arguments[0], kernel, depth + 1);
    return part == "float" || part == "double" ? part + "2" : "";
  }
  if (depth == kDeepestConstant) return "";
  if (const auto alias = program_.types.find(name); alias != program_.types.end())
    return alias->second.find('*') == std::string::npos ? type_name(alias->second, kernel, depth + 1) : "";
  if (const auto macro = program_.constants.find(name); macro != program_.constants.end())
    return type_name(macro->second, kernel, depth + 1);
  if (const auto* members = record(name))
    return has_form(*members, kernel, depth) && lies_in_order(name, *members) ? name : "";
  // An argument that is a pointer would be lost with the stars of `type`.
  const std::size_t open = type.find('<'), close = type.rfind('>');
  if (open == std::string::npos || close == std::string::npos || close < open ||
      type.substr(open, close - open).find_first_of("*&") != std::string::npos)
    return "";
  return name_of_instance(name, depth);
}

const std::vector<TextParameter>* DraftTypes::record(const std::string& name) const {
  if (const auto instance = instances_.find(name); instance != instances_.end()) return &instance->second;
  const auto found = program_.records.find(name);
  if (found == program_.records.end()) return nullptr;
  std::vector<TextParameter> members = found->second;
  bool any = false;
  for (TextParameter& member : members) {              // containers of the host are numbers to a device
    const std::size_t angle = member.type.rfind('>');  // of std::unique_ptr<int[]>
    const std::size_t open = member.type.find('[', angle == std::string::npos ? 0 : angle);
    const std::string extents = open == std::string::npos ? "" : member.type.substr(open);
    const std::size_t words = container_words(member.type.substr(0, open));
    if (words == 0) continue;
    member.type = "unsigned long long [" + std::to_string(words) + "]" + extents;
    any = true;
  }
  if (const std::size_t bytes = padding_of(name, members); bytes > 0) {
    members.push_back({"unsigned char [" + std::to_string(bytes) + "]", "padding", "", 0});
    any = true;
  }
  return any ? &instances_.try_emplace(name, std::move(members)).first->second : &found->second;
}

std::size_t DraftTypes::padding_of(const std::string& name, const std::vector<TextParameter>& members) const {
  const auto classes = program_.classes.find(name);
  if (classes == program_.classes.end() || classes->second.size() != 1) return 0;
  const TextClass& one = classes->second.front();
  const bool named = std::any_of(members.begin(), members.end(),
                                 [](const TextParameter& member) { return member.name == "padding"; });
  if (one.alignment <= 0 || one.packed || !one.template_parameters.empty() || named) return 0;
  std::size_t natural = 1;
  bool gaps = false;
  const std::size_t bytes = size_in_order(members, 0, natural, gaps);
  const std::size_t beyond = bytes % static_cast<std::size_t>(one.alignment);
  return bytes == 0 || beyond == 0 ? 0 : static_cast<std::size_t>(one.alignment) - beyond;
}

std::size_t DraftTypes::container_words(const std::string& type) const {
  if (type.find_first_of("*&") != std::string::npos && type.find('<') == std::string::npos) return 0;
  if (type.ends_with('*') || type.ends_with('&')) return 0;
  const std::string name = template_id(resolved_type(program_, type)).name;  // without "std::"
  return program_.classes.contains(name) ? 0 : words_of_container(name);
}

std::string DraftTypes::name_of_instance(const std::string& type, int depth) const {
  const TemplateId id = template_id(type);
  if (id.arguments.empty() || !program_.classes.contains(id.name)) return "";
  auto members = members_of_type(program_, type);
  if (!members || numbers_of_library(program_, type) || !has_form(*members, TextKernel(), depth) ||
      !lies_in_order(id.name, *members))
    return "";
  std::string name;
  for (const char c : type) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (name.ends_with('_')) name.pop_back();
  const auto taken = [&] {
    const auto other = instance_types_.find(name);
    return program_.records.contains(name) || program_.types.contains(name) ||
           (other != instance_types_.end() && other->second != type);
  };
  while (taken()) name += '_';
  instance_types_[name] = type;
  return instances_.try_emplace(name, std::move(*members)).first->first;
}

bool DraftTypes::lies_in_order(const std::string& name, const std::vector<TextParameter>& members) const {
  std::set<std::string> names;
  for (const TextParameter& member : members) {
    if (!names.insert(member.name).second || member.name == kVirtualFunctions) return false;
  }
  const auto classes = program_.classes.find(name);
  if (classes == program_.classes.end()) return true;
  std::size_t primaries = 0;
  for (const TextClass& one : classes->second) {
    primaries += one.specialises.empty() ? 1 : 0;
    const bool overlaps = one.overlaps && !one.template_parameters.empty();
    if (overlaps || one.alignment < 0) return false;
    std::size_t natural = 1;
    bool gaps = false;
    const bool packs = one.packed || one.pack > 0;
    const std::size_t bytes = one.alignment > 0 || packs ? size_in_order(members, 0, natural, gaps) : 0;
    const bool closer = one.packed || (packs && natural > static_cast<std::size_t>(one.pack));
    if (closer && (bytes == 0 || gaps)) return false;
    if (one.alignment > 0 && (bytes == 0 || bytes % static_cast<std::size_t>(one.alignment) != 0))
      return false;
  }
  const bool is_template = !classes->second.front().template_parameters.empty();
  return primaries <= 1 || !is_template;  // of one namespace
}

std::size_t DraftTypes::size_in_order(const std::vector<TextParameter>& members, int depth,
                                      std::size_t& alignment, bool& gaps) const {
  std::size_t end = 0;
  for (const TextParameter& member : members) {
    const std::int64_t count = extent_of(member.type).value_or(0);
    std::size_t one = 0, own = 1;
    if (holds_address(member.type)) {
      one = own = sizeof(void*);
    } else if (const auto element = parse_element_type(type_name(member.type, TextKernel()))) {
      one = element->bytes();
      own = element->alignment();
    } else if (const auto inside = members_of_type(program_, bare_type(member.type));
               inside && depth < kDeepestConstant) {
      one = size_in_order(*inside, depth + 1, own, gaps);
    }
    if (one == 0 || count == 0) return 0;
    gaps = gaps || end % own != 0;
    end = (end + own - 1) / own * own + one * static_cast<std::size_t>(count);
    alignment = std::max(alignment, own);
  }
  gaps = gaps || end % alignment != 0;
  return (end + alignment - 1) / alignment * alignment;
}

std::optional<std::int64_t> DraftTypes::extent_of(const std::string& type) const {
  std::int64_t extent = 1;
  for (std::size_t at = type.find('['); at != std::string::npos; at = type.find('[', at + 1)) {
    const std::size_t close = type.find(']', at);
    if (close == std::string::npos) return std::nullopt;
    const auto value = value_of(type.substr(at + 1, close - at - 1));
    constexpr std::int64_t kMost = 1 << 28;
    if (!value || *value < 1 || *value > kMost || extent > kMost) return std::nullopt;
    extent *= *value;
  }
  return extent;
}

std::string DraftTypes::written_type(const std::string& type, const TextKernel& kernel) const {
  std::map<std::string, std::string> arguments;
  for (const TextParameter& parameter : kernel.template_parameters) {
    if (parameter.name.empty() || type.find(parameter.name) == std::string::npos) continue;
    const bool stays = template_type(kernel, parameter.name) == parameter.name;
    std::string argument = stays ? "" : template_argument(kernel, parameter.name);
    if (!argument.empty()) arguments.emplace(parameter.name, std::move(argument));
  }
  const std::size_t open = type.find('[');
  const std::string extents = open == std::string::npos ? "" : type.substr(open);
  return resolved_type(program_, substituted(type.substr(0, open), arguments)) + extents;
}

ArgumentType DraftTypes::argument_type(const TextParameter& parameter, const TextKernel& kernel) const {
  ArgumentType result;
  const std::string type = written_type(parameter.type, kernel);
  const std::size_t open = type.find('[');                     // "float [2][3]" is one pointer
  const bool reference = type.substr(0, open).ends_with('&');  // passed as a pointer
  const auto stars =
      pointers_in(type.substr(0, open)) + (open == std::string::npos ? 0 : 1) + (reference ? 1 : 0);
  result.pointer = stars > 0;
  result.read_only = type.substr(0, type.find('*')).find("const") != std::string::npos;
  const bool one_extent = open != std::string::npos && type.find('[', open + 1) == std::string::npos;
  result.rows = stars == 2 && !reference && (open == std::string::npos || one_extent);
  if (stars > 1 && !result.rows) return result;
  if (result.rows && is_written_table(parameter, kernel)) {
    result.rows = result.read_only = false;
    result.type = "ulong";  // addresses
    return result;
  }
  result.type = type_name(type, kernel);
  const auto row = result.type.empty()
                       ? numbers_of_library(program_, type.substr(0, type.find_first_of("*&[")))
                       : std::nullopt;
  if (row) {
    const std::string name = type_name(row->type, kernel) + std::to_string(row->count);
    if (parse_element_type(name)) result.type = name;
  }
  if (result.pointer && result.type.empty()) {
    result.type = "uchar";
    result.bytes = bare_type(type) == "void" ? "" : bare_type(type);
  }
  return result;
}

std::optional<ScalarType> DraftTypes::scalar_of(const std::string& type, const TextKernel& kernel) const {
  if (const auto scalar = parse_scalar_type(type)) return scalar;
  for (const TextParameter& parameter : kernel.template_parameters) {
    if (parameter.name != type || template_type(kernel, type) != type) continue;
    const std::string argument = template_argument(kernel, type);
    const auto known = argument.empty() ? std::nullopt : parse_scalar_type(type_name(argument, TextKernel()));
    return known ? known : parse_scalar_type(guessed_type(type, kernel));
  }
  return std::nullopt;
}

std::vector<TextParameter> DraftTypes::members_of(const TextParameter& parameter,
                                                  const TextKernel& kernel) const {
  const std::string type = written_type(parameter.type, kernel);
  if (argument_type(parameter, kernel).pointer || type.find('&') != std::string::npos) return {};
  std::vector<TextParameter> members;
  if (const auto element = parse_element_type(type_name(type, kernel)); element && element->lanes > 1) {
    TextParameter lane = parameter;
    lane.type = to_string(element->scalar);
    members.assign(element->lanes, lane);
    return members;
  }
  std::size_t offset = 0;
  if (const std::size_t bytes = packed_bytes(program_, type); bytes > 0 && bytes <= kMostMembers) {
    members.assign(bytes, {"unsigned char", "bytes of the packed " + bare_type(type), "", 0});
    return members;
  }
  if (!members_of_type(program_, type) || !add_members(type, kernel, 0, members, offset)) return {};
  return members.size() > kMostMembers ? std::vector<TextParameter>() : members;
}

std::vector<std::string> DraftTypes::extents_of_launch(const std::string& text) const {
  if (const auto shape = program_.shapes.find(text); shape != program_.shapes.end()) return shape->second;
  if (text.starts_with("dim3(") && text.ends_with(")"))
    return split_at_commas(std::string_view(text).substr(5, text.size() - 6), false);
  return text.empty() ? std::vector<std::string>{} : std::vector<std::string>{text};
}

bool DraftTypes::is_empty_object(const TextParameter& parameter, const TextKernel& kernel) const {
  const std::string type = written_type(parameter.type, kernel);
  return type.find_first_of("*&[") == std::string::npos && is_empty_record(type);
}

bool DraftTypes::is_tensor_map(const TextParameter& parameter) {
  return pointers_in(parameter.type) == 0 && bare_type(parameter.type) == "CUtensorMap";
}

bool DraftTypes::is_texture_object(const TextParameter& parameter) {
  const std::string type = bare_type(parameter.type);
  return std::find(kTextureTypes.begin(), kTextureTypes.end(), type) != kTextureTypes.end() ||
         std::find(kSurfaceTypes.begin(), kSurfaceTypes.end(), type) != kSurfaceTypes.end();
}

const TextureFetch* DraftTypes::texture_fetch(const TextParameter& parameter, const TextKernel& kernel) {
  const auto fetch = kernel.fetches.find(parameter.name);
  if (fetch == kernel.fetches.end()) return nullptr;
  const auto& types = fetch->second.kind.surface ? kSurfaceTypes : kTextureTypes;
  const std::string type = bare_type(parameter.type);
  return std::find(types.begin(), types.end(), type) != types.end() ? &fetch->second : nullptr;
}

std::string DraftTypes::template_type(const TextKernel& kernel, const std::string& name) const {
  const std::string argument = template_argument(kernel, name);
  const bool own = own_types_.contains({kernel.name, kernel.types, name});
  if (argument.empty() || (parse_scalar_type(argument) && !own)) return name;
  if (kernel.template_parameters.empty()) return "";
  TextKernel plain;
  plain.name = kernel.name;
  std::string known = type_name(argument, plain);
  if (own && !known.empty()) return known;
  // C++ has two types of 64 bits, a `type` parameter one: what chooses specialisations stays as written.
  return parse_scalar_type(known) && known != "long" && known != "ulong" ? name : known;
}

std::string DraftTypes::template_argument(const TextKernel& kernel, const std::string& name) const {
  const std::vector<std::string> arguments = template_arguments(kernel, name, 1);
  if (!arguments.empty()) return arguments.front();
  for (const TextParameter& parameter : kernel.template_parameters) {
    if (parameter.name == name && is_template(parameter)) return guessed_template(kernel, parameter);
  }
  std::string guess = guessed_vector(name, kernel);
  return guess.empty() ? guessed_class(kernel, name) : guess;
}

bool DraftTypes::cannot_be_called(const TextKernel& kernel, const std::string& name,
                                  const std::string& argument) const {
  const std::string type = template_id(argument).name;
  const bool called =
      std::any_of(kernel.parameters.begin(), kernel.parameters.end(), [&](const TextParameter& parameter) {
        return bare_type(parameter.type) == name && kernel.called_with.contains(parameter.name);
      });
  const auto classes = program_.classes.find(type.substr(type.rfind(' ') + 1));
  if (!called || classes == program_.classes.end()) return false;
  return classes->second.front().bases.empty() && !has_members(classes->first, {kCallOperator});
}

std::string DraftTypes::guessed_class(const TextKernel& kernel, const std::string& name) const {
  const auto fits_one = [&](const auto& fits) {
    for (const auto& [other, classes] : program_.classes) {
      if (!fits(other)) continue;
      std::string used = used_class(other);
      if (!used.empty()) return used;
    }
    return std::string();
  };
  for (const TextParameter& parameter : kernel.parameters) {
    const auto called = kernel.called_with.find(parameter.name);
    if (bare_type(parameter.type) != name || called == kernel.called_with.end()) continue;
    // Operators that return a number come first: a sum of their results is one.
    std::string object;
    for (const bool numbers : {true, false}) {
      if (!object.empty()) break;
      object = fits_one([&](const std::string& other) {
        return std::any_of(program_.scopes.begin(), program_.scopes.end(), [&](const TextScope& scope) {
          return scope.name == kCallOperator && scope.outer != TextScope::kNone &&
                 program_.scopes[scope.outer].name == other && scope.parameters.size() == called->second &&
                 !(numbers && program_.classes.contains(template_id(scope.result).name));
        });
      });
    }
    if (!object.empty()) return object;
    if (!has_library_objects_) return "";
    return called->second == 1 ? "cuda::std::identity" : called->second == 2 ? "cuda::std::plus<>" : "";
  }
  const auto needed = kernel.needed_members.find(name);
  if (needed == kernel.needed_members.end()) return "";
  return fits_one([&](const std::string& other) { return has_members(other, needed->second); });
}

std::string DraftTypes::guessed_template(const TextKernel& kernel, const TextParameter& parameter) const {
  const auto needed = kernel.needed_members.find(parameter.name);
  if (needed == kernel.needed_members.end()) return "";
  const auto count = 1 + std::count(parameter.type.begin(), parameter.type.end(), ',');
  const auto has = [&](const std::string& name, const std::string& member) {
    const auto called = kernel.called_with.find(member);
    return std::any_of(program_.scopes.begin(), program_.scopes.end(), [&](const TextScope& scope) {
      return scope.name == member && scope.outer != TextScope::kNone &&
             program_.scopes[scope.outer].name == name &&
             (called == kernel.called_with.end() || called->second == scope.parameters.size());
    });
  };
  for (const auto& [name, classes] : program_.classes) {
    if (std::ssize(classes.front().template_parameters) != count) continue;
    if (std::all_of(needed->second.begin(), needed->second.end(), [&, &of = name](const std::string& member) {
          return has(of, member) || (!kernel.called_with.contains(member) && has_members(of, {member}));
        }))
      return name;
  }
  return "";
}

bool DraftTypes::has_members(const std::string& name, const std::set<std::string>& members, int depth) const {
  const auto classes = program_.classes.find(name);
  if (classes == program_.classes.end() || depth == kDeepestClass) return false;
  const TextClass& one = classes->second.front();
  return std::all_of(members.begin(), members.end(), [&](const std::string& member) {
    if (one.types.contains(member) || one.constants.contains(member)) return true;
    if (std::any_of(one.members.begin(), one.members.end(), [&](const TextParameter& data) {
          if (!data.name.empty()) return data.name == member;
          return has_members(data.type, {member}, depth + 1);  // of a part without a name
        }))
      return true;
    const bool function =
        std::any_of(program_.scopes.begin(), program_.scopes.end(), [&](const TextScope& scope) {
          return scope.name == member && scope.outer != TextScope::kNone &&
                 program_.scopes[scope.outer].name == name;
        });
    return function || std::any_of(one.bases.begin(), one.bases.end(), [&](const std::string& base) {
             return base != name && has_members(template_id(base).name, {member}, depth + 1);
           });
  });
}

std::string DraftTypes::used_class(const std::string& name) const {
  const TextClass& one = program_.classes.at(name).front();
  if (one.template_parameters.empty()) return name;
  const std::vector<std::string> used = search_.of_class(name);
  if (!used.empty()) return used.front();
  // A function object that nothing shows: of float, as other types are guessed.
  const bool of_types = std::all_of(
      one.template_parameters.begin(), one.template_parameters.end(), [](const TextParameter& parameter) {
        return (parameter.type == "typename" || parameter.type == "class") && parameter.default_value.empty();
      });
  if (!of_types || !has_members(name, {kCallOperator})) return "";
  std::vector<std::string> floats(one.template_parameters.size(), "float");
  return name + "<" + join(floats, ", ") + ">";
}

std::string DraftTypes::guessed_number(const TextKernel& kernel, const std::string& name) {
  if (const auto compared = kernel.compared.find(name); compared != kernel.compared.end())
    return compared->second;
  std::string word;
  for (const char c : name) {
    if (c != '_') word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  const auto has = [&](const std::string_view part) { return word.find(part) != std::string::npos; };
  const bool plane =
      std::find(kernel.names_in_body.begin(), kernel.names_in_body.end(), "y") != kernel.names_in_body.end();
  if (has("warpsize") || has("lanes") || has("wavesize")) return "32";
  if (has("vec") || has("unroll") || has("ilp") || has("perthread")) return "4";
  if (has("threads") || has("blocksize") || has("blockdim") || has("tpb") || has("nthread"))
    return plane ? "16" : "256";
  if (has("tile")) return "16";
  return kernel.divided.contains(name) ? "64" : "1";
}

std::vector<std::string> DraftTypes::template_arguments(const TextKernel& kernel, const std::string& name,
                                                        std::size_t most) const {
  std::vector<std::string> arguments;
  for (const TemplateValues& one : instantiations(kernel)) {
    const auto value = one.find(name);
    if (value == one.end() || arguments.size() == most) continue;
    if (std::find(arguments.begin(), arguments.end(), value->second) == arguments.end())
      arguments.push_back(value->second);
  }
  if (!arguments.empty()) return arguments;
  for (const TextParameter& parameter : kernel.template_parameters) {
    if (parameter.name != name || name.empty()) continue;
    std::string other = passed_object(kernel, name);
    if (other.empty()) other = parameter.default_value;
    if (other.empty()) other = borrowed_argument(kernel, parameter);
    if (!other.empty()) arguments.push_back(std::move(other));
    break;
  }
  return arguments;
}

const std::vector<TemplateValues>& DraftTypes::instantiations(const TextKernel& kernel) const {
  static const std::vector<TemplateValues> none;
  if (kernel.template_parameters.empty()) return none;
  const std::pair key(kernel.name, kernel.types);
  if (const auto known = instantiations_.find(key); known != instantiations_.end()) return known->second;
  std::vector<TemplateValues> found = search_.of_kernel(kernel);
  for (TemplateValues& one : found) {
    for (const TextParameter& parameter : kernel.template_parameters) {
      const auto value = one.find(parameter.name);
      if (value == one.end()) continue;
      const bool type = parameter.type == "typename" || parameter.type == "class";
      if (is_unknown_value(kernel, parameter.name, value->second) ||
          (type && !is_known_type(value->second)) || cannot_be_called(kernel, parameter.name, value->second))
        one.erase(value);
    }
  }
  // No buffer has elements of the type char1.
  const auto of_one = [](const auto& value) {
    const std::string& type = value.second;
    return type.ends_with('1') && parse_element_type(type.substr(0, type.size() - 1) + "2").has_value();
  };
  std::stable_sort(found.begin(), found.end(), [&](const TemplateValues& a, const TemplateValues& b) {
    if (a.size() != b.size()) return a.size() > b.size();
    return std::none_of(a.begin(), a.end(), of_one) && std::any_of(b.begin(), b.end(), of_one);
  });
  return instantiations_[key] = std::move(found);
}

void DraftTypes::choose(const TextKernel& kernel) {
  if (instantiations(kernel).empty()) return;
  std::vector<TemplateValues>& found = instantiations_[{kernel.name, kernel.types}];
  const TextKernel plain;
  for (const TextParameter& parameter : kernel.template_parameters) {
    const auto shared = shared_types_.find(parameter.name);
    if (shared == shared_types_.end()) continue;
    const std::size_t all = found.front().size();
    std::stable_partition(found.begin(), found.end(), [&](const TemplateValues& one) {
      const auto value = one.find(parameter.name);
      return one.size() == all && value != one.end() && type_name(value->second, plain) == shared->second;
    });
  }
  for (const auto& [name, value] : found.front()) {
    const std::string type = type_name(value, plain);
    if (!parse_scalar_type(type)) continue;
    const std::string& word = name;
    // The members of a workload's `types` cannot have a type that is a parameter.
    const bool in_struct =
        std::any_of(kernel.parameters.begin(), kernel.parameters.end(), [&](const TextParameter& one) {
          const TemplateId id = template_id(one.type);
          if (!program_.classes.contains(id.name)) return false;
          const auto members = members_of_type(program_, one.type);
          // std::make_unsigned<T>::type
          const bool follows =
              members && std::any_of(members->begin(), members->end(), [&](const auto& member) {
                return member.type.find('<') != std::string::npos && has_word(member.type, word);
              });
          return follows ||
                 (pointers_in(one.type) > 0 &&
                  std::any_of(id.arguments.begin(), id.arguments.end(),
                              [&](const std::string& argument) { return has_word(argument, word); }));
        });
    if (in_struct || shared_types_.try_emplace(name, type).first->second != type)
      own_types_.insert({kernel.name, kernel.types, name});
  }
}

bool DraftTypes::is_known_type(const std::string& type, int depth) const {
  const TextKernel plain;
  const std::string bare = bare_type(type);
  if (bare == "void" || !type_name(type, plain).empty()) return true;
  const TokenizedText source = tokenize(type);
  std::string name;  // the last one in front of the arguments
  std::string first;
  for (const Token& token : source.tokens) {
    if (token.is("<")) break;
    if (!token.identifier()) continue;
    if (first.empty() && !token.is("const") && !token.is("typename")) first = std::string(token.text);
    if (!token.is("const") && !token.is("volatile")) name = std::string(token.text);
  }
  static const std::set<std::string> libraries = {
      "std", "cuda", "nvcuda", "cub", "thrust", "hipcub", "rocwmma", "cooperative_groups", "cg", "wmma"};
  if (libraries.contains(first) || name.starts_with("curand") || name.starts_with("hiprand")) return true;
  const bool member = type.find(">::") != std::string::npos;  // of a class whose arguments are not known
  if (!member && (program_.classes.contains(name) || program_.enumerations.contains(name))) return true;
  const std::string target = depth < kDeepestConstant ? resolved_type(program_, type) : type;
  return target != type && is_known_type(target, depth + 1);
}

bool DraftTypes::is_unknown_value(const TextKernel& kernel, const std::string& name,
                                  const std::string& argument) const {
  const auto& called = kernel.called_in_body;
  const bool by_value =
      std::any_of(kernel.parameters.begin(), kernel.parameters.end(), [&](const TextParameter& parameter) {
        return (parameter.type == name || parameter.type == "const " + name) &&
               std::find(called.begin(), called.end(), parameter.name) == called.end();
      });
  if (!by_value) return false;
  const TextKernel plain;
  return type_name(argument, plain).empty() && !members_of_type(program_, argument) &&
         !is_empty_record(argument);
}

std::string DraftTypes::borrowed_argument(const TextKernel& kernel, const TextParameter& parameter) const {
  const bool type = parameter.type == "typename" || parameter.type == "class";
  if (!type || launch_of(kernel) != nullptr) return "";
  for (const TextLaunch& launch : program_.launches) {
    for (const TextKernel& other : program_.kernels) {
      if (launch.kernel != base_name(other.name)) continue;
      for (const TemplateValues& one : instantiations(other)) {
        const auto argument = one.find(parameter.name);
        if (argument != one.end() && program_.classes.contains(template_id(argument->second).name))
          return argument->second;
      }
    }
  }
  return "";
}

std::string DraftTypes::borrowed_number(const TextParameter& parameter) const {
  for (const TextLaunch& launch : program_.launches) {
    for (const TextKernel& other : program_.kernels) {
      const bool alike = std::any_of(
          other.template_parameters.begin(), other.template_parameters.end(), [&](const TextParameter& one) {
            return !one.name.empty() && one.name == parameter.name && one.type == parameter.type;
          });
      if (!alike || launch.kernel != base_name(other.name)) continue;
      for (const TemplateValues& one : instantiations(other)) {
        const auto argument = one.find(parameter.name);
        const auto number = argument == one.end() ? std::nullopt : value_of(argument->second);
        if (number) return std::to_string(*number);
      }
    }
  }
  return "";
}

bool DraftTypes::is_function_pointer(const TextParameter& parameter, const TextKernel& kernel) const {
  return points_to_function(written_type(parameter.type, kernel));
}

std::string DraftTypes::pointed_function(const TextParameter& parameter, const TextKernel& kernel) const {
  const std::string type = written_type(parameter.type, kernel);
  for (const auto& [variable, declared] : program_.variables) {
    const auto value = program_.constants.find(variable);
    const std::size_t mark = declared.find("__device__");
    const std::string plain(trim(mark == std::string::npos ? declared : declared.substr(mark + 10)));
    if (value == program_.constants.end() || written_type(plain, TextKernel()) != type) continue;
    const std::string name = value->second.substr(value->second.starts_with('&') ? 1 : 0);
    for (const std::string& function : program_.functions) {
      if (function == name || function.ends_with("::" + name)) return function;
    }
  }
  return program_.functions.empty() ? "" : *program_.functions.begin();
}

bool DraftTypes::holds_address(const std::string& type) {
  const std::string element = type.substr(0, type.find('['));
  return element.find('*') != std::string::npos && element.find_first_of("&(") == std::string::npos;
}

bool DraftTypes::has_form(const std::vector<TextParameter>& members, const TextKernel& kernel,
                          int depth) const {
  return !members.empty() && numbers_of(members, depth) <= kMostNumbers &&
         std::all_of(members.begin(), members.end(), [&](const TextParameter& member) {
           if (!is_identifier(member.name) || !extent_of(member.type)) return false;
           if (holds_address(member.type)) return true;
           const std::string element = member.type.substr(0, member.type.find('['));
           const bool of_std = !workload_type(bare_type(element)).empty();  // std::uint16_t
           const bool plain = element.find_first_of(of_std ? "*&" : "*&:") == std::string::npos;
           return plain && !type_name(member.type, kernel, depth + 1).empty();
         });
}

std::int64_t DraftTypes::numbers_of(const std::vector<TextParameter>& members, int depth) const {
  std::int64_t numbers = 0;
  for (const TextParameter& member : members) {
    if (numbers > kMostNumbers) break;
    std::int64_t count = extent_of(member.type).value_or(1);
    std::optional<std::vector<TextParameter>> inside;
    if (member.type.substr(0, member.type.find('[')).find_first_of("*&:") == std::string::npos)
      inside = members_of_type(program_, bare_type(member.type));
    if (inside && depth < kDeepestConstant)
      count *= std::clamp<std::int64_t>(numbers_of(*inside, depth + 1), 1, kMostNumbers + 1);
    numbers = std::min(numbers + count, kMostNumbers + 1);
  }
  return numbers;
}

std::string DraftTypes::passed_object(const TextKernel& kernel, const std::string& name) const {
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    if (bare_type(kernel.parameters[i].type) != name) continue;
    const std::string given = launched_with(kernel, i);
    std::string type = given.substr(0, given.find_first_of("({"));
    if (type != given && is_empty_record(type)) return type;
  }
  return "";
}

bool DraftTypes::is_empty_record(const std::string& type) const {
  std::string_view name = type;
  for (const std::string_view library : {"cuda::", "std::"}) {
    if (name.starts_with(library)) name.remove_prefix(library.size());
  }
  name = name.substr(0, name.find('<'));
  if (name == "bool_constant" || name == "integral_constant" || name == "true_type" || name == "false_type")
    return true;
  if (is_library_function_object(type)) return true;
  const auto members = members_of_type(program_, type);
  return members && members->empty();
}

std::optional<std::size_t> DraftTypes::alignment_of(const TextParameter& member, const TextKernel& kernel,
                                                    int depth) const {
  const ArgumentType type = argument_type(member, kernel);
  if (type.pointer) return type.type.empty() ? std::nullopt : std::optional(sizeof(void*));
  if (const auto scalar = scalar_of(type.type, kernel)) return size_of(*scalar);
  if (const auto element = parse_element_type(type.type)) return element->alignment();
  const auto record = members_of_type(program_, member.type);
  const auto own = own_alignment(program_, member.type);
  if (!record || record->empty() || !own || depth == kDeepestConstant) return std::nullopt;
  std::size_t most = *own;
  for (TextParameter one : *record) {
    one.type = one.type.substr(0, one.type.find('['));
    const auto alignment = alignment_of(one, kernel, depth + 1);
    if (!alignment) return std::nullopt;
    most = std::max(most, *alignment);
  }
  return most;
}

void DraftTypes::name_pointers_apart(const std::string& outer, std::size_t before,
                                     std::vector<TextParameter>& members) {
  const auto inside = members.begin() + static_cast<std::ptrdiff_t>(before);
  for (auto member = inside; member != members.end(); ++member) {
    const bool pointer = member->type.find('*') != std::string::npos;
    const bool again = pointer && std::any_of(members.begin(), inside, [&](const TextParameter& earlier) {
                         return earlier.name == member->name;
                       });
    if (again) member->name = outer + "_" + member->name;
  }
}

bool DraftTypes::add_members(const std::string& name, const TextKernel& kernel, int depth,
                             std::vector<TextParameter>& members, std::size_t& offset) const {
  const auto pad = [&](std::size_t alignment) {
    for (; offset % alignment != 0 && members.size() <= kMostMembers; ++offset)
      members.push_back({"unsigned char", "", "", 0});
  };
  const auto record = members_of_type(program_, name);
  const auto own = own_alignment(program_, name);
  if (!own) return false;
  std::size_t most = *own;
  bool has_aggregates = *own > 1;  // bytes behind the last member count
  for (const TextParameter& member : *record) {
    const auto count = extent_of(member.type);
    TextParameter one = member;
    one.type = member.type.substr(0, member.type.find('['));
    const auto alignment = alignment_of(one, kernel, depth);
    if (!count || !alignment || !is_identifier(member.name)) return false;
    most = std::max(most, *alignment);
    const ArgumentType type = argument_type(one, kernel);
    const auto element = parse_element_type(type.type);
    const auto scalar = type.pointer ? std::nullopt : scalar_of(type.type, kernel);
    for (std::int64_t i = 0; i < *count; ++i) {
      if (members.size() > kMostMembers) return false;
      if (type.pointer || scalar) {
        offset = (offset + *alignment - 1) / *alignment * *alignment;
        offset += type.pointer ? sizeof(void*) : size_of(*scalar);
        members.push_back(one);
        if (type.pointer && *count > 1 && *count <= kMostOwnPointers)
          members.back().name += "_" + std::to_string(i);
        continue;
      }
      has_aggregates = true;
      pad(*alignment);
      if (element) {
        TextParameter lane = one;
        lane.type = to_string(element->scalar);
        members.insert(members.end(), element->lanes, lane);
        offset += element->bytes();
      } else {
        const std::size_t before = members.size();
        if (!add_members(one.type, kernel, depth + 1, members, offset)) return false;
        name_pointers_apart(*count > 1 ? one.name + std::to_string(i) : one.name, before, members);
      }
      pad(*alignment);
    }
  }
  if (depth > 0 || has_aggregates) pad(most);
  return true;
}

}  // namespace kiln
