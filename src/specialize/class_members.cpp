#include "specialize/class_members.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "base/text.h"
#include "base/whole_word.h"
#include "config/scalar_type.h"
#include "specialize/constant_value.h"
#include "specialize/template_arguments.h"
#include "specialize/type_words.h"

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

bool is_parameter(const TextClass& one, const Token& token) {
  return std::any_of(one.template_parameters.begin(), one.template_parameters.end(),
                     [&](const TextParameter& other) { return token.is(other.name); });
}

/// The number of words in what a specialisation is for, without its parameters: 2 of "const T *".
std::size_t fixed_words(const TextClass& one) {
  std::size_t count = 0;
  for (const std::string& pattern : one.specialises) {
    for (const Token& token : tokenize(pattern).tokens) count += is_parameter(one, token) ? 0 : 1;
  }
  return count;
}

/// "const float" of "float const".
std::string with_const_in_front(const std::string& type) {
  constexpr std::string_view kConst = "const";
  const std::string text(trim(type));
  const bool behind = text.ends_with(kConst) && text.find_first_of("*&") == std::string::npos &&
                      text.size() > kConst.size() &&
                      !continues_identifier(text[text.size() - kConst.size() - 1]);
  return behind ? "const " + text.substr(0, text.size() - kConst.size()) : text;
}

bool all_stand_for(const TextClass& one, const std::vector<std::string>& patterns,
                   const std::vector<std::string>& arguments, Values& values);

/// Whether what a specialisation is for, "const T" or "Vec<T, 3> *", is an argument; `values`: what its
/// parameters stand for.
bool stands_for(const TextClass& one, const std::string& written, const std::string& type_of_argument,
                Values& values) {
  const std::string pattern = with_const_in_front(written), argument = with_const_in_front(type_of_argument);
  const TokenizedText left = tokenize(pattern), right = tokenize(argument);
  const std::vector<Token>&wanted = left.tokens, &given = right.tokens;
  const auto parameter = std::find_if(wanted.begin(), wanted.end(),
                                      [&](const Token& token) { return is_parameter(one, token); });
  const auto same = [](const Token& a, const Token& b) { return a.text == b.text; };
  if (parameter == wanted.end())
    return std::equal(wanted.begin(), wanted.end(), given.begin(), given.end(), same);
  const auto first = static_cast<std::size_t>(parameter - wanted.begin());
  const std::size_t behind = wanted.size() - first - 1;
  const bool in_brackets =
      std::any_of(wanted.begin(), wanted.end(), [](const Token& token) { return token.is("<"); });
  if (!in_brackets) {  // T, const T, T*
    if (given.size() < wanted.size()) return false;
    const std::size_t end = given.size() - behind;
    if (!std::equal(wanted.begin(), parameter, given.begin(), same) ||
        !std::equal(parameter + 1, wanted.end(), given.begin() + static_cast<std::ptrdiff_t>(end), same))
      return false;
    const std::string value = text_of(given, {first, end});
    return values.try_emplace(std::string(parameter->text), value).first->second == value;  // Same<T, T>
  }
  const auto form = parse_type(pattern), type = parse_type(argument);
  return form && type && form->before == type->before && form->after == type->after &&
         form->id.name == type->id.name && all_stand_for(one, form->id.arguments, type->id.arguments, values);
}

bool all_stand_for(const TextClass& one, const std::vector<std::string>& patterns,
                   const std::vector<std::string>& arguments, Values& values) {
  const bool pack = !patterns.empty() && patterns.back().ends_with("...");
  const std::size_t single = patterns.size() - (pack ? 1 : 0);
  if (pack ? arguments.size() < single : arguments.size() != single) return false;
  for (std::size_t i = 0; i < single; ++i) {
    if (!stands_for(one, patterns[i], arguments[i], values)) return false;
  }
  if (!pack) return true;
  const std::string name(trim(patterns.back().substr(0, patterns.back().size() - 3)));
  const auto rest = arguments.begin() + static_cast<std::ptrdiff_t>(single);
  const std::string value = join(std::vector<std::string>(rest, arguments.end()), ", ");
  return values.try_emplace(name, value).first->second == value;
}

/// Whether a specialisation is for these arguments; `values`: what its parameters stand for.
bool fits(const TextClass& one, const std::vector<std::string>& arguments, Values& values) {
  return !one.specialises.empty() && all_stand_for(one, one.specialises, arguments, values);
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
  const auto general = std::find_if(classes->second.begin(), classes->second.end(),
                                    [](const TextClass& one) { return one.specialises.empty(); });
  std::vector<std::string> given = id.arguments;  // with the defaults of the general template
  if (general != classes->second.end()) {
    const Values all = values_of(general->template_parameters, given);
    for (std::size_t i = given.size(); i < general->template_parameters.size(); ++i) {
      const auto value = all.find(general->template_parameters[i].name);
      if (value == all.end()) break;
      given.push_back(value->second);
    }
  }
  FoundClass best;
  std::size_t most = 0;  // the specialisation that says most: "const T *" rather than "T *"
  for (const TextClass& one : classes->second) {
    Values values;
    if (!fits(one, given, values)) continue;
    const std::size_t words = fixed_words(one);
    if (best.found != nullptr && words <= most) continue;
    most = words;
    best = {&one, std::move(values)};
  }
  if (best.found != nullptr || general == classes->second.end()) return best;
  return {&*general, values_of(general->template_parameters, id.arguments)};
}

std::string resolved(const ProgramText& program, const std::string& text, int depth) {
  const auto type = parse_type(text);
  if (!type || depth == kDeepestClass) return text;
  const bool short_form = type->id.name.ends_with("_t") && !type->id.arguments.empty();  // std::decay_t<T>
  const bool long_form = type->id.name == "type" && !type->scopes.empty();
  std::string of_trait;
  if (short_form || long_form) {
    TemplateId trait = long_form ? type->scopes.back() : type->id;
    if (short_form) trait.name.resize(trait.name.size() - 2);
    for (std::string& argument : trait.arguments) argument = resolved(program, argument, depth + 1);
    of_trait = type_of_trait(trait.name, trait.arguments);
  }
  if (!of_trait.empty()) return resolved(program, joined(*type, of_trait), depth + 1);
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

/// What a type stands for, its arguments with their qualifiers and pointers.
TemplateId id_of(const ProgramText& program, const std::string& type) {
  const std::string text = resolved(program, type, 0);
  TemplateId id = template_id(text);
  const auto written = parse_type(text);
  if (written && written->id.arguments.size() == id.arguments.size()) id.arguments = written->id.arguments;
  return id;
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

/// An extents type of <cuda/std/mdspan>: the type of its numbers, its rank, and how many are dynamic.
struct SpanExtents {
  std::string number;
  std::size_t rank = 0, dynamic = 0;
};

std::optional<SpanExtents> extents_of_span(const ProgramText& program, const std::string& type) {
  constexpr std::int64_t kMostDimensions = 16;
  const TemplateId id = id_of(program, type);
  const bool dims = id.name.ends_with("dims");
  if (id.arguments.empty() || !(dims || id.name.ends_with("extents"))) return std::nullopt;
  if (dims || id.name.ends_with("dextents")) {
    if (!dims && id.arguments.size() < 2) return std::nullopt;
    const auto rank = constant_value(id.arguments[dims ? 0 : 1], program.constants);
    if (!rank || *rank < 0 || *rank > kMostDimensions) return std::nullopt;
    const auto count = static_cast<std::size_t>(*rank);
    const std::string number = !dims                      ? id.arguments[0]
                               : id.arguments.size() == 1 ? "size_t"
                                                          : id.arguments[1];
    return SpanExtents{number, count, count};
  }
  SpanExtents extents{id.arguments[0], id.arguments.size() - 1, 0};
  for (std::size_t i = 1; i < id.arguments.size(); ++i) {
    const auto named = program.constants.find(id.arguments[i]);
    const std::string& value = named == program.constants.end() ? id.arguments[i] : named->second;
    if (value.ends_with("dynamic_extent"))
      ++extents.dynamic;
    else if (!constant_value(value, program.constants))
      return std::nullopt;
  }
  return extents;
}

/// The members of cuda::std::mdspan as they lie in memory: the address, the extents that are dynamic, and the
/// strides of a layout that has its own.
std::optional<std::vector<TextParameter>> members_of_mdspan(const ProgramText& program,
                                                            const std::vector<std::string>& arguments) {
  const auto extents = arguments.size() < 2 ? std::nullopt : extents_of_span(program, arguments[1]);
  const std::string layout = arguments.size() > 2 ? arguments[2] : "layout_right";
  const bool strided = layout.ends_with("layout_stride");
  const bool known = strided || layout.ends_with("layout_right") || layout.ends_with("layout_left");
  if (!extents || !known || arguments.size() > 3) return std::nullopt;
  std::vector<std::pair<std::string, std::string>> members = {{arguments[0] + " *", "data"}};
  for (std::size_t i = 0; i < extents->dynamic; ++i)
    members.emplace_back(extents->number, "extent_" + std::to_string(i));
  for (std::size_t i = 0; strided && i < extents->rank; ++i)
    members.emplace_back(extents->number, "stride_" + std::to_string(i));
  return members_named(members);
}

std::optional<std::vector<TextParameter>> members_of(const ProgramText& program, const std::string& type,
                                                     int depth);

/// Where members end, and the alignment of the largest.
struct Layout {
  std::size_t end = 0, alignment = 1;

  /// With the bytes behind the last member.
  [[nodiscard]] std::size_t size() const { return (end + alignment - 1) / alignment * alignment; }
};

constexpr std::size_t kAnyAlignment = 4096;

/// `most`: no member has a larger alignment.
std::optional<Layout> layout_of(const ProgramText& program, const std::vector<TextParameter>& members,
                                int depth, std::size_t most = kAnyAlignment);

/// What `#pragma pack` or an attribute limits the alignment of a class's members to.
std::size_t alignment_limit(const ProgramText& program, const std::string& type) {
  const FoundClass one = find_class(program, id_of(program, type));
  if (one.found == nullptr) return kAnyAlignment;
  if (one.found->packed) return 1;
  return one.found->pack > 0 ? static_cast<std::size_t>(one.found->pack) : kAnyAlignment;
}

std::optional<Layout> layout_of_class(const ProgramText& program, const std::string& name, int depth);

std::optional<Layout> layout_of_type(const ProgramText& program, const std::string& type, int depth) {
  constexpr std::int64_t kMost = 1 << 20;
  const std::size_t open = type.find('[');
  std::int64_t count = 1;
  for (std::size_t at = open; at != std::string::npos; at = type.find('[', at + 1)) {
    const std::size_t close = type.find(']', at);
    const auto extent = close == std::string::npos
                            ? std::nullopt
                            : constant_value(type.substr(at + 1, close - at - 1), program.constants);
    if (!extent || *extent < 1 || *extent > kMost || count > kMost) return std::nullopt;
    count *= *extent;
  }
  const auto times = static_cast<std::size_t>(count);
  const std::string element = type.substr(0, open);
  if (element.find_first_of("*&") != std::string::npos) return Layout{times * sizeof(void*), sizeof(void*)};
  const std::string bare = bare_type(resolved(program, element, 0));
  const std::string plain = workload_type(bare);
  if (const auto known = parse_element_type(plain.empty() ? bare : plain))
    return Layout{times * known->bytes(), known->alignment()};
  const auto inside = layout_of_class(program, bare, depth);
  if (!inside || inside->end == 0) return std::nullopt;
  return Layout{times * inside->size(), inside->alignment};
}

std::optional<Layout> layout_of_class(const ProgramText& program, const std::string& name, int depth) {
  if (depth == kDeepestClass) return std::nullopt;
  const auto [known, first] = program.layouts.layouts.try_emplace(name);
  if (!first) {
    if (known->second.open) return std::nullopt;
    return Layout{known->second.end, known->second.alignment};
  }
  const auto members = members_of(program, name, depth + 1);
  auto layout =
      members ? layout_of(program, *members, depth + 1, alignment_limit(program, name)) : std::nullopt;
  const std::optional<std::size_t> own = own_alignment(program, name);
  if (!layout || !own) {
    program.layouts.layouts.erase(name);
    return std::nullopt;
  }
  layout->alignment = std::max(layout->alignment, *own);
  program.layouts.layouts[name] = {false, layout->end, layout->alignment};
  return layout;
}

std::optional<Layout> layout_of(const ProgramText& program, const std::vector<TextParameter>& members,
                                int depth, std::size_t most) {
  Layout all;
  for (const TextParameter& member : members) {
    const auto one = layout_of_type(program, member.type, depth);
    if (!one) return std::nullopt;
    const std::size_t alignment = std::min(one->alignment, most);
    const std::size_t begin = (all.end + alignment - 1) / alignment * alignment;
    all.end = begin + one->end;
    all.alignment = std::max(all.alignment, alignment);
  }
  return all;
}

/// Whether members of a class, or of a class among its members, lie elsewhere than C++ places them by itself.
bool is_packed_inside(const ProgramText& program, const std::string& type, int depth) {
  const auto [known, first] = program.layouts.packed.try_emplace(type, false);
  if (!first) return known->second;
  const auto members = depth == kDeepestClass ? std::nullopt : members_of(program, type, depth + 1);
  if (!members) {
    program.layouts.packed.erase(type);
    return false;
  }
  const std::size_t limit = alignment_limit(program, type);
  const auto packed = layout_of(program, *members, depth, limit), own = layout_of(program, *members, depth);
  const bool differs = packed && own && packed->size() != own->size();
  const bool result =
      differs || std::any_of(members->begin(), members->end(), [&](const TextParameter& member) {
        const std::string element = member.type.substr(0, member.type.find('['));
        return element.find_first_of("*&") == std::string::npos &&
               is_packed_inside(program, element, depth + 1);
      });
  program.layouts.packed[type] = result;
  return result;
}

using Members = std::vector<TextParameter>;

/// Bytes that no member has, named behind the last member.
void add_padding(Members& members, std::size_t bytes) {
  if (bytes == 0) return;
  members.push_back(
      {"unsigned char [" + std::to_string(bytes) + "]", members.back().name + "_padding", "", 0});
}

/// Numbers of the size of the alignment, in place of members that would lie elsewhere one by one.
Members as_numbers(const Layout& layout, const std::string& name) {
  constexpr std::array<const char*, 5> kTypes = {"unsigned char", "unsigned short", "unsigned",
                                                 "unsigned long long", "uint4"};
  std::size_t log = 0;
  while ((std::size_t{1} << log) < layout.alignment && log + 1 < kTypes.size()) ++log;
  const std::size_t count = layout.size() >> log;
  return members_named({{kTypes.at(log) + (" [" + std::to_string(count) + "]"), name}});
}

bool begins_aligned(const ProgramText& program, const Members& members, std::size_t alignment, int depth) {
  const auto first = layout_of_type(program, members.front().type, depth);
  return first && first->alignment == alignment;
}

/// The members of a struct without a name, so that they lie in the class around it as they do in the struct.
Members members_of_part(const ProgramText& program, Members members, int depth) {
  const auto layout = layout_of(program, members, depth);
  if (members.empty() || !layout) return members;
  if (!begins_aligned(program, members, layout->alignment, depth))
    return as_numbers(*layout, members.front().name);
  add_padding(members, layout->size() - layout->end);
  return members;
}

/// One form of a union: the first alternative that takes all its bytes and is aligned like it, else the
/// largest that is aligned like it, with padding; else numbers. Where a size is not known, the first one.
Members form_of_union(const ProgramText& program, const std::vector<Members>& alternatives, int depth) {
  std::vector<Layout> layouts;
  Layout all;
  std::string names;
  for (const Members& one : alternatives) {
    const auto layout = layout_of(program, one, depth);
    if (!layout) return alternatives.front();
    layouts.push_back(*layout);
    all.end = std::max(all.end, layout->end);
    all.alignment = std::max(all.alignment, layout->alignment);
    names += (names.empty() ? "" : "_or_") + one.front().name;
  }
  const Members* best = nullptr;
  std::size_t end = 0;
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    if (layouts[i].end <= end || !begins_aligned(program, alternatives[i], all.alignment, depth)) continue;
    best = &alternatives[i];
    end = layouts[i].end;
  }
  if (best == nullptr) return as_numbers(all, names);
  Members form = *best;
  add_padding(form, all.size() - end);
  return form;
}

/// "Node<float>*" of "Node*" in the class template Node.
std::string with_own_arguments(const std::string& type, const TemplateId& id) {
  const std::string name = id.name.substr(id.name.rfind(':') + 1);
  if (id.arguments.empty() || !has_word(type, name)) return type;
  const TokenizedText source = tokenize(type);
  std::string result;
  for (std::size_t i = 0; i < source.tokens.size(); ++i) {
    const bool written = i + 1 < source.tokens.size() && source.tokens[i + 1].is("<");
    append_token(result, source.tokens[i].is(name) && !written ? text_of_id({name, id.arguments})
                                                               : std::string(source.tokens[i].text));
  }
  return result;
}

/// The data members of a class, without inherited members. `types` and `constants`: of the class.
Members own_members(const ProgramText& program, const FoundClass& one, const Values& types,
                    const Values& constants, int depth) {
  std::vector<Members> pieces;
  for (TextParameter member : one.found->members) {
    const auto part = member.name.empty() ? program.classes.find(member.type) : program.classes.end();
    if (part != program.classes.end() && depth < kDeepestClass) {
      const FoundClass inside{&part->second.front(), one.values};
      Members of_part = own_members(program, inside, types, constants, depth + 1);
      if (!inside.found->is_union && !one.found->is_union)
        of_part = members_of_part(program, std::move(of_part), depth);
      if (!of_part.empty()) pieces.push_back(std::move(of_part));
      continue;
    }
    member.type = substituted(substituted(member.type, types), one.values);
    const std::size_t open = member.type.find('[');
    const std::string extents = open == std::string::npos ? "" : member.type.substr(open);
    member.type = resolved(program, member.type.substr(0, open), 0) +
                  extents_with_constants(program, one, constants, extents);
    pieces.push_back({std::move(member)});
  }
  if (one.found->is_union && pieces.size() > 1) return form_of_union(program, pieces, depth);
  Members members;
  for (Members& piece : pieces) std::move(piece.begin(), piece.end(), std::back_inserter(members));
  return members;
}

std::optional<std::vector<TextParameter>> members_of(const ProgramText& program, const std::string& type,
                                                     int depth) {
  if (const auto row = numbers_of_library(program, type))
    return members_named({{row->type + " [" + std::to_string(row->count) + "]", "elements"}});
  const TemplateId id = id_of(program, type);
  const FoundClass one = find_class(program, id);
  if (one.found == nullptr) {
    if (id.name.ends_with("unary_function") || id.name.ends_with("binary_function"))  // of std, of Thrust
      return std::vector<TextParameter>();
    if (id.name == "pair" && id.arguments.size() == 2)
      return members_named({{id.arguments[0], "first"}, {id.arguments[1], "second"}});
    if (id.name.ends_with("mdspan")) return members_of_mdspan(program, id.arguments);
    if (id.name.ends_with("span") && !id.arguments.empty()) {
      const bool dynamic = id.arguments.size() == 1 || id.arguments[1].ends_with("dynamic_extent");
      auto members = members_named({{id.arguments[0] + " *", "data"}, {"size_t", "size"}});
      members.resize(dynamic ? 2 : 1);
      return members;
    }
    if (const std::size_t words = words_of_container(id.name); words > 0)
      return members_named({{"unsigned long long [" + std::to_string(words) + "]", "container"}});
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
  Members own = own_members(program, one, types, constants, depth);
  for (TextParameter& member : own) member.type = with_own_arguments(member.type, id);
  std::move(own.begin(), own.end(), std::back_inserter(members));
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

namespace {

/// What a small vector or matrix of Eigen holds: "float" and 9 of `Eigen::Matrix3f`. Objects of a multiple
/// of 16 bytes, which are aligned to more than their numbers, have no form.
std::optional<NumberRow> numbers_of_eigen(const ProgramText& program, const TemplateId& id) {
  const std::string own = id.name.substr(id.name.find_last_of(": ") + 1);
  const auto scopes = program.class_scopes.find(own);
  const bool of_program = program.classes.contains(own) &&
                          (scopes == program.class_scopes.end() || !scopes->second.contains("Eigen::"));
  if (of_program && !id.name.starts_with("Eigen")) return std::nullopt;
  const auto small = [](const std::string& text) {
    return text.size() == 1 && text[0] >= '1' && text[0] <= '9' ? static_cast<std::size_t>(text[0] - '0') : 0;
  };
  NumberRow row;
  if ((own == "Matrix" || own == "Array") && id.arguments.size() >= 3) {
    row = {id.arguments[0], small(id.arguments[1]) * small(id.arguments[2])};
  } else if (id.arguments.empty()) {
    for (const std::string_view name : {"Matrix", "Vector", "RowVector", "Array"}) {
      if (own.size() != name.size() + 2 || !own.starts_with(name)) continue;
      const std::size_t n = small(own.substr(name.size(), 1));
      const char number = own.back();
      row.type = number == 'f' ? "float" : number == 'd' ? "double" : number == 'i' ? "int" : "";
      row.count = row.type.empty() ? 0 : name == "Matrix" ? n * n : n;
    }
  }
  const std::size_t bytes = row.count * (row.type == "double" ? sizeof(double) : sizeof(float));
  const bool known = row.type == "float" || row.type == "double" || row.type == "int";
  return known && bytes > 0 && bytes % 16 != 0 ? std::optional(row) : std::nullopt;
}

}  // namespace

std::optional<NumberRow> numbers_of_library(const ProgramText& program, const std::string& type) {
  const auto extent = [](const std::string& text) {
    return text.size() == 1 && text[0] >= '1' && text[0] <= '4' ? static_cast<std::size_t>(text[0] - '0') : 0;
  };
  const TemplateId id = id_of(program, type);
  const std::string own = id.name.substr(id.name.rfind(':') + 1);
  if (own == "vec" && id.arguments.size() >= 2 && extent(id.arguments[0]) > 0)
    return NumberRow{id.arguments[1], extent(id.arguments[0])};
  // Of glm before 0.9.9: tvec3<float, highp>, tmat3x4<float, highp>.
  if (own.size() == 5 && own.starts_with("tvec") && !id.arguments.empty() && extent(own.substr(4)) > 0)
    return NumberRow{id.arguments[0], extent(own.substr(4))};
  if (own.size() == 7 && own.starts_with("tmat") && own[5] == 'x' && !id.arguments.empty() &&
      extent(own.substr(4, 1)) * extent(own.substr(6)) > 0)
    return NumberRow{id.arguments[0], extent(own.substr(4, 1)) * extent(own.substr(6))};
  if (own == "mat" && id.arguments.size() >= 3 && extent(id.arguments[0]) * extent(id.arguments[1]) > 0)
    return NumberRow{id.arguments[2], extent(id.arguments[0]) * extent(id.arguments[1])};
  return numbers_of_eigen(program, id);
}

std::optional<std::size_t> own_alignment(const ProgramText& program, const std::string& type) {
  const FoundClass one = find_class(program, id_of(program, type));
  if (one.found == nullptr) return 1;
  if (one.found->alignment < 0) return std::nullopt;
  return std::max<std::size_t>(1, static_cast<std::size_t>(one.found->alignment));
}

std::size_t packed_bytes(const ProgramText& program, const std::string& type) {
  if (!is_packed_inside(program, type, 0)) return 0;
  const auto layout = layout_of_type(program, type, 0);
  return layout ? layout->size() : 0;
}

std::optional<std::vector<TextParameter>> members_of_type(const ProgramText& program,
                                                          const std::string& type) {
  return members_of(program, type, 0);
}

}  // namespace kiln
