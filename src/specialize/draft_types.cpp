#include "specialize/draft_types.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "config/scalar_type.h"
#include "specialize/class_members.h"
#include "specialize/constant_value.h"
#include "specialize/template_arguments.h"

namespace kiln {
namespace {

constexpr int kDeepestConstant = 8;
constexpr std::int64_t kMostNumbers = 65536;  // of a record in `types`
constexpr std::size_t kMostMembers = 8192;    // of the structs of a launch (BoundLaunch::kMaxArguments)

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

/// "uint32_t" of "__uint32_t" and "u_int32_t", which the C library has, too; else the name.
std::string plain_integer(const std::string& name) {
  if (name.starts_with("__") && name.ends_with("_t")) return name.substr(2);
  if (name.starts_with("u_"))
    return name.ends_with("_t") ? "u" + name.substr(2) : "unsigned " + name.substr(2);
  return name;
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

std::optional<std::int64_t> DraftTypes::value_of(const std::string& text) const {
  return constant_value(text, program_.constants);
}

bool DraftTypes::names_variable(const std::string& expression) const {
  const TokenizedText text = tokenize(expression);
  return std::any_of(text.tokens.begin(), text.tokens.end(), [&](const Token& token) {
    return token.identifier() &&
           std::any_of(program_.scopes.begin(), program_.scopes.end(), [&](const TextScope& scope) {
             return scope.variables.contains(std::string(token.text));
           });
  });
}

std::string DraftTypes::type_name(const std::string& type, const TextKernel& kernel, int depth) const {
  static const std::map<std::string, std::string> names = {{"bool", "bool"},
                                                           {"char", "char"},
                                                           {"signed char", "char"},
                                                           {"int8_t", "char"},
                                                           {"unsigned char", "uchar"},
                                                           {"uint8_t", "uchar"},
                                                           {"uchar", "uchar"},
                                                           {"short", "short"},
                                                           {"short int", "short"},
                                                           {"int16_t", "short"},
                                                           {"unsigned short", "ushort"},
                                                           {"unsigned short int", "ushort"},
                                                           {"signed short", "short"},
                                                           {"signed short int", "short"},
                                                           {"signed long", "long"},
                                                           {"signed long long", "long"},
                                                           {"uint16_t", "ushort"},
                                                           {"ushort", "ushort"},
                                                           {"int", "int"},
                                                           {"int32_t", "int"},
                                                           {"signed", "int"},
                                                           {"signed int", "int"},
                                                           {"unsigned", "unsigned"},
                                                           {"unsigned int", "unsigned"},
                                                           {"uint", "unsigned"},
                                                           {"uint32_t", "unsigned"},
                                                           {"long", "long"},
                                                           {"long int", "long"},
                                                           {"long long", "long"},
                                                           {"long long int", "long"},
                                                           {"int64_t", "long"},
                                                           {"ptrdiff_t", "long"},
                                                           {"intptr_t", "long"},
                                                           {"unsigned long", "ulong"},
                                                           {"unsigned long long", "ulong"},
                                                           {"unsigned long int", "ulong"},
                                                           {"unsigned long long int", "ulong"},
                                                           {"__int8", "char"},
                                                           {"unsigned __int8", "uchar"},
                                                           {"__int16", "short"},
                                                           {"unsigned __int16", "ushort"},
                                                           {"__int32", "int"},
                                                           {"unsigned __int32", "unsigned"},
                                                           {"__int64", "long"},
                                                           {"unsigned __int64", "ulong"},
                                                           {"clock_t", "long"},
                                                           {"uint64_t", "ulong"},
                                                           {"ulong", "ulong"},
                                                           {"uintptr_t", "ulong"},
                                                           {"size_t", "size_t"},
                                                           {"float", "float"},
                                                           {"double", "double"},
                                                           {"dim3", "uint3"},
                                                           {"half", "half"},
                                                           {"__half", "half"},
                                                           {"__nv_bfloat16", "bfloat16"},
                                                           {"nv_bfloat16", "bfloat16"},
                                                           {"cuComplex", "float2"},
                                                           {"cuFloatComplex", "float2"},
                                                           {"cuDoubleComplex", "double2"},
                                                           {"at BFloat16", "bfloat16"},
                                                           {"c10 BFloat16", "bfloat16"},
                                                           {"at Half", "half"},
                                                           {"c10 Half", "half"},
                                                           {"__half2", "half2"},
                                                           {"__nv_bfloat162", "bfloat162"}};
  std::string name = bare_type(type);
  if (const auto found = names.find(plain_integer(name)); found != names.end()) return found->second;
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
  if (const auto record = program_.records.find(name); record != program_.records.end())
    return has_form(record->second, kernel, depth) ? name : "";
  return "";
}

std::optional<std::int64_t> DraftTypes::extent_of(const std::string& type) const {
  std::int64_t extent = 1;
  for (std::size_t at = type.find('['); at != std::string::npos; at = type.find('[', at + 1)) {
    const std::size_t close = type.find(']', at);
    if (close == std::string::npos) return std::nullopt;
    const auto value = value_of(type.substr(at + 1, close - at - 1));
    constexpr std::int64_t kMost = 1 << 20;
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
  result.type = type_name(type, kernel);
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
  const auto scalar = parse_scalar_type(argument);
  if (argument.empty() || scalar) return name;
  if (kernel.template_parameters.empty()) return "";
  TextKernel plain;
  plain.name = kernel.name;
  std::string known = type_name(argument, plain);
  // C++ has two types of 64 bits, a `type` parameter one: what chooses specialisations stays as written.
  return parse_scalar_type(known) && known != "long" && known != "ulong" ? name : known;
}

std::string DraftTypes::template_argument(const TextKernel& kernel, const std::string& name) const {
  std::vector<std::string> arguments = template_arguments(kernel, name, 1);
  if (arguments.empty()) return guessed_vector(name, kernel);
  // No buffer has elements of the type char1.
  constexpr std::size_t kSome = 4;
  const auto of_one = [](const std::string& type) {
    return type.ends_with('1') && parse_element_type(type.substr(0, type.size() - 1) + "2").has_value();
  };
  if (of_one(arguments.front())) arguments = template_arguments(kernel, name, kSome);
  const auto other = std::find_if_not(arguments.begin(), arguments.end(), of_one);
  return other == arguments.end() ? arguments.front() : *other;
}

std::vector<std::string> DraftTypes::template_arguments(const TextKernel& kernel, const std::string& name,
                                                        std::size_t most) const {
  if (kernel.template_parameters.empty()) return {};
  const std::tuple key(kernel.name, kernel.types, name, most);
  if (const auto known = template_arguments_.find(key); known != template_arguments_.end())
    return known->second;
  return template_arguments_[key] = find_template_arguments(kernel, name, most);
}

std::vector<std::string> DraftTypes::find_template_arguments(const TextKernel& kernel,
                                                             const std::string& name,
                                                             std::size_t most) const {
  std::vector<std::string> arguments;
  bool is_type = false;
  const auto add = [&](std::vector<std::string> found) {
    for (std::string& argument : found) {
      const bool there = std::find(arguments.begin(), arguments.end(), argument) != arguments.end();
      const bool unknown = is_unknown_value(kernel, name, argument) || (is_type && !is_known_type(argument));
      if (arguments.size() < most && !there && !unknown) arguments.push_back(std::move(argument));
    }
  };
  for (const TextParameter& parameter : kernel.template_parameters) {
    if (parameter.name != name || name.empty()) continue;
    is_type = parameter.type == "typename" || parameter.type == "class";
    for (const TextLaunch& launch : program_.launches) {
      if (launch.kernel == base_name(kernel.name) && arguments.size() < most)
        add(template_arguments_of(program_, kernel, launch, name, most));
    }
    if (arguments.size() < most) add(named_arguments_of(program_, kernel, name, most));
    if (!arguments.empty()) return arguments;
    std::string other = passed_object(kernel, name);
    if (other.empty()) other = parameter.default_value;
    if (other.empty()) other = borrowed_argument(kernel, parameter);
    if (!other.empty()) arguments.push_back(std::move(other));
    return arguments;
  }
  return arguments;
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
      for (std::string& argument : template_arguments_of(program_, other, launch, parameter.name, 1)) {
        if (program_.classes.contains(template_id(argument).name)) return std::move(argument);
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
      for (const std::string& argument : template_arguments_of(program_, other, launch, parameter.name, 1)) {
        if (const auto number = value_of(argument)) return std::to_string(*number);
      }
    }
  }
  return "";
}

bool DraftTypes::has_form(const std::vector<TextParameter>& members, const TextKernel& kernel,
                          int depth) const {
  return !members.empty() && numbers_of(members, depth) <= kMostNumbers &&
         std::all_of(members.begin(), members.end(), [&](const TextParameter& member) {
           const bool plain =
               member.type.find_first_of("*&:<") == std::string::npos && is_identifier(member.name);
           return plain && extent_of(member.type) && !type_name(member.type, kernel, depth + 1).empty();
         });
}

std::int64_t DraftTypes::numbers_of(const std::vector<TextParameter>& members, int depth) const {
  std::int64_t numbers = 0;
  for (const TextParameter& member : members) {
    if (numbers > kMostNumbers) break;
    std::int64_t count = extent_of(member.type).value_or(1);
    const bool plain = member.type.find_first_of("*&:<") == std::string::npos;
    const auto record = plain ? program_.records.find(bare_type(member.type)) : program_.records.end();
    if (record != program_.records.end() && depth < kDeepestConstant)
      count *= std::clamp<std::int64_t>(numbers_of(record->second, depth + 1), 1, kMostNumbers + 1);
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
  if (!record || record->empty() || depth == kDeepestConstant) return std::nullopt;
  std::size_t most = 1;
  for (TextParameter one : *record) {
    one.type = one.type.substr(0, one.type.find('['));
    const auto alignment = alignment_of(one, kernel, depth + 1);
    if (!alignment) return std::nullopt;
    most = std::max(most, *alignment);
  }
  return most;
}

bool DraftTypes::add_members(const std::string& name, const TextKernel& kernel, int depth,
                             std::vector<TextParameter>& members, std::size_t& offset) const {
  const auto pad = [&](std::size_t alignment) {
    for (; offset % alignment != 0 && members.size() <= kMostMembers; ++offset)
      members.push_back({"unsigned char", "", "", 0});
  };
  const auto record = members_of_type(program_, name);
  std::size_t most = 1;
  bool has_aggregates = false;
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
        continue;
      }
      has_aggregates = true;
      pad(*alignment);
      if (element) {
        TextParameter lane = one;
        lane.type = to_string(element->scalar);
        members.insert(members.end(), element->lanes, lane);
        offset += element->bytes();
      } else if (!add_members(one.type, kernel, depth + 1, members, offset)) {
        return false;
      }
      pad(*alignment);
    }
  }
  if (depth > 0 || has_aggregates) pad(most);
  return true;
}

}  // namespace kiln
