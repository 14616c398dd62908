#include "specialize/class_reader.h"

#include <algorithm>
#include <set>
#include <utility>

namespace kiln {
namespace {

using Kind = Declaration::Kind;

class ClassReader {
 public:
  ClassReader(const std::vector<Token>& tokens, ProgramText& program) : tokens_(tokens), program_(program) {}

  void add(const Declaration& declaration) {
    if (declaration.names.empty()) return;
    TextClass one;
    const std::size_t brace = declaration.body.begin - 1;
    for (const TokenSpan& part : parts_of(tokens_, declaration.template_head, true))
      one.template_parameters.push_back(parameter_of(tokens_, part));
    std::size_t i = declaration.whole.begin;
    if (!declaration.template_head.empty()) i = declaration.template_head.end + 1;
    while (i < brace && !at(i, ":") && !at(i, "<")) ++i;
    if (at(i, "<") && i + 1 < brace) {
      if (at(i + 1, ">")) i += 2;  // template <>
      while (i < brace && !at(i, ":") && !at(i, "<")) ++i;
    }
    if (at(i, "<") && i < brace) {
      const std::size_t behind = behind_angles(tokens_, i, brace);
      for (const TokenSpan& part : parts_of(tokens_, {i + 1, behind - 1}, true))
        one.specialises.push_back(text_of(tokens_, part));
      i = behind;
    }
    if (at(i, ":") && i < brace) add_bases({i + 1, brace}, one);
    add_members(declaration, one);
    for (const std::string_view name : declaration.names) {
      std::vector<TextClass>& known = program_.classes[std::string(name)];
      const bool primary = one.specialises.empty();
      if (primary) program_.records[std::string(name)] = one.members;
      known.push_back(one);
    }
  }

 private:
  [[nodiscard]] bool at(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }

  /// "public A<T>, B".
  void add_bases(TokenSpan span, TextClass& one) const {
    for (TokenSpan part : parts_of(tokens_, span, true)) {
      while (!part.empty() && (at(part.begin, "public") || at(part.begin, "private") ||
                               at(part.begin, "protected") || at(part.begin, "virtual")))
        ++part.begin;
      one.bases.push_back(text_of(tokens_, part));
    }
  }

  /// The data and the types of a class. Of a union without a name the first alternative is taken.
  void add_members(const Declaration& declaration, TextClass& one) {
    const bool is_union = at(declaration.body.begin - 2, "union");
    const std::size_t before = one.members.size();
    for (const Declaration& member : declaration.members) {
      if (is_union && one.members.size() > before) return;
      if (member.kind == Kind::kAlias) add_alias(tokens_, member, one.types);
      if (member.kind == Kind::kClass) add_nested_class(member, one);
      if (member.kind == Kind::kEnum) add_enumerators(member, one);
      if (member.kind == Kind::kFunction || member.kind == Kind::kPrototype) {
        for (std::size_t i = member.whole.begin; i < member.parameters.begin; ++i)
          one.declares_virtual = one.declares_virtual || at(i, "virtual");
      }
      if ((member.kind == Kind::kPrototype || member.kind == Kind::kOther) && is_function_pointer(member) &&
          !is_static(member))
        one.members.push_back(function_pointer(member));
      if (member.kind != Kind::kVariable) continue;
      if (is_static(member)) {
        TextParameter constant = parameter_of(tokens_, {member.whole.begin, member.whole.end - 1});
        if (!constant.default_value.empty()) one.constants[constant.name] = constant.default_value;
        continue;
      }
      std::string type;
      for (const TokenSpan& part : parts_of(tokens_, {member.whole.begin, member.whole.end - 1}, true)) {
        TextParameter next = parameter_of(tokens_, part);
        if (next.name.empty()) std::swap(next.name, next.type);  // "float x, y": the second has no type
        const std::size_t open = next.type.find('[');
        const std::string extents = open == std::string::npos ? "" : next.type.substr(open);
        if (type.empty()) {
          const std::string whole = next.type.substr(0, open);
          type = whole.substr(0, whole.find('*'));  // "float *x, y": the second is no pointer
          next.type = whole + extents;
        } else {
          next.type.insert(0, type);
        }
        const bool twice =  // in another branch of a conditional
            std::any_of(one.members.begin(), one.members.end(),
                        [&](const auto& other) { return other.name == next.name; });
        if (!twice) one.members.push_back(std::move(next));
      }
    }
  }

  /// `void (*done)(int);`, `void (*done[2])(int);`
  [[nodiscard]] bool is_function_pointer(const Declaration& member) const {
    std::size_t i = member.whole.begin;
    while (i < member.whole.end && !at(i, "(")) ++i;
    const std::size_t close = i < member.whole.end ? tokens_[i].close : member.whole.end;
    return at(i + 1, "*") && close < member.whole.end && at(close + 1, "(") && i + 2 < close &&
           tokens_[i + 2].identifier() && tokens_[close + 1].close < member.whole.end;
  }

  /// Of several pointers the extents stand behind the type: "void(*)(int)[2]".
  [[nodiscard]] TextParameter function_pointer(const Declaration& member) const {
    std::size_t open = member.whole.begin;
    while (!at(open, "(")) ++open;
    const std::size_t close = tokens_[open].close, name = open + 2;
    TextParameter pointer;
    pointer.line = tokens_[name].line;
    pointer.name = std::string(tokens_[name].text);
    pointer.type = text_of(tokens_, {member.whole.begin, open + 2}) +
                   text_of(tokens_, {close, tokens_[close + 1].close + 1}) +
                   text_of(tokens_, {name + 1, close});
    return pointer;
  }

  /// `static int n;`, `const static int n = 4;`, `constexpr int n = 4;`
  [[nodiscard]] bool is_static(const Declaration& member) const {
    for (std::size_t i = member.whole.begin; i < member.whole.end && !at(i, "=") && !at(i, "{"); ++i) {
      if (at(i, "static") || at(i, "constexpr")) return true;
    }
    return false;
  }

  /// `enum { value = 4 };`, a constant of an older school.
  void add_enumerators(const Declaration& declaration, TextClass& one) const {
    for (const TokenSpan& part : parts_of(tokens_, declaration.body, true)) {
      if (part.end > part.begin + 2 && at(part.begin + 1, "="))
        one.constants[std::string(tokens_[part.begin].text)] = text_of(tokens_, {part.begin + 2, part.end});
    }
  }

  void add_nested_class(const Declaration& declaration, TextClass& one) {
    const std::size_t brace = declaration.body.begin - 1;
    const bool named = tokens_[brace - 1].identifier() && !at(brace - 1, "struct") && !at(brace - 1, "union");
    const TokenSpan behind = {declaration.body.end + 1, declaration.whole.end - 1};
    if (named || !behind.empty()) add(declaration);
    if (!named && behind.empty()) add_members(declaration, one);
    for (const TokenSpan& part : parts_of(tokens_, behind, false)) {
      TextParameter member = parameter_of(tokens_, part);
      if (member.name.empty()) std::swap(member.name, member.type);
      const std::size_t open = member.name.find('[');
      if (open != std::string::npos) member.name.resize(open);
      member.type.insert(0, std::string(declaration.names.front()));
      one.members.push_back(std::move(member));
    }
  }

  const std::vector<Token>& tokens_;
  ProgramText& program_;
};

}  // namespace

namespace {

/// The name in "float (*rows)", behind which the extents of an array stand: its elements lie one behind the
/// other, so a pointer to the first is the same.
std::optional<std::size_t> pointer_to_array(const std::vector<Token>& tokens, TokenSpan span) {
  if (span.end < span.begin + 4 || span.end >= tokens.size() || !tokens[span.end].is("["))
    return std::nullopt;
  const std::size_t name = span.end - 2;
  if (!tokens[span.end - 1].is(")") || !tokens[name].identifier()) return std::nullopt;
  std::size_t open = name;
  while (open > span.begin && !tokens[open].is("(")) --open;
  const bool pointer = tokens[open].is("(") && tokens[open].close == span.end - 1 &&
                       (tokens[open + 1].is("*") || tokens[open + 1].is("&"));
  return pointer && open > span.begin ? std::optional(name) : std::nullopt;
}

}  // namespace

TextParameter parameter_of(const std::vector<Token>& tokens, TokenSpan span) {
  TextParameter parameter;
  const auto is_attribute = [&](std::size_t i) {  // "[[maybe_unused]]"
    return i + 1 < span.end && tokens[i].is("[") && tokens[i + 1].is("[");
  };
  while (is_attribute(span.begin) && tokens[span.begin].close + 1 < span.end)
    span.begin = tokens[span.begin].close + 1;
  parameter.line = tokens[span.begin].line;
  std::size_t end = span.begin;
  while (end < span.end && !tokens[end].is("=") && !tokens[end].is("{")) ++end;  // "float x{1}", a member
  if (end < span.end && tokens[end].is("=")) parameter.default_value = text_of(tokens, {end + 1, span.end});
  std::size_t name = end;  // "float a[]" is a pointer
  std::string extents;
  for (std::size_t i = span.begin; i < end; ++i) {
    if (tokens[i].is("[")) {
      if (name == end) name = i;
      if (!is_attribute(i)) extents += text_of(tokens, {i, std::min(tokens[i].close + 1, end)});
      i = std::min(tokens[i].close, end);
    }
  }
  if (const auto row = pointer_to_array(tokens, {span.begin, name})) {
    parameter.name = std::string(tokens[*row].text);
    const std::string type = text_of(tokens, {span.begin, name});
    parameter.type = type.substr(0, type.find('(')) + "*";
    return parameter;
  }
  for (std::size_t i = span.begin; i + 4 < name; ++i) {  // "T (*function)(T)"
    const bool to_function = tokens[i].is("(") && (tokens[i + 1].is("*") || tokens[i + 1].is("&")) &&
                             tokens[i + 2].identifier() && tokens[i + 3].is(")") && tokens[i + 4].is("(");
    if (!to_function) continue;
    parameter.name = std::string(tokens[i + 2].text);
    parameter.type = text_of(tokens, {span.begin, i + 2}) + text_of(tokens, {i + 3, name});
    return parameter;
  }
  if (name > span.begin && tokens[name - 1].identifier() && name - 1 > span.begin) {
    parameter.name = std::string(tokens[name - 1].text);
    parameter.type = text_of(tokens, {span.begin, name - 1});
  } else {
    parameter.type = text_of(tokens, {span.begin, name});
  }
  parameter.type += extents;
  return parameter;
}

namespace {

/// A project's own header for compilers without <stdint.h> says what the name means there.
bool is_exact_width_type(std::string_view name) {
  static const std::set<std::string_view> names = {"int8_t",  "int16_t",  "int32_t",  "int64_t",
                                                   "uint8_t", "uint16_t", "uint32_t", "uint64_t"};
  return names.contains(name);
}

}  // namespace

std::string add_alias(const std::vector<Token>& tokens, const Declaration& declaration,
                      std::map<std::string, std::string>& types) {
  std::size_t begin = declaration.whole.begin;
  if (!declaration.template_head.empty()) begin = declaration.template_head.end + 1;
  const std::size_t end = declaration.whole.end - 1;
  std::string name;
  if (begin < end && tokens[begin].is("typedef") && tokens[end - 1].is(")")) {
    const TextParameter function = parameter_of(tokens, {begin + 1, end});  // "typedef float (*F)(float);"
    name = function.name;
    types[name] = function.type;
  } else if (begin < end && tokens[begin].is("typedef") && tokens[end - 1].is("]")) {
    std::size_t extents = begin + 2;  // "typedef float Row[4];" is "float [4]"
    while (extents < end && !tokens[extents].is("[")) ++extents;
    name = std::string(tokens[extents - 1].text);
    types[name] = text_of(tokens, {begin + 1, extents - 1}) + " " + text_of(tokens, {extents, end});
  } else if (begin < end && tokens[begin].is("typedef") && end > begin + 2) {
    name = std::string(tokens[end - 1].text);
    if (!is_exact_width_type(name)) types[name] = text_of(tokens, {begin + 1, end - 1});
  } else if (begin < end && tokens[begin].is("using") && begin + 2 < end && tokens[begin + 2].is("=")) {
    name = std::string(tokens[begin + 1].text);
    types[name] = text_of(tokens, {begin + 3, end});
  }
  return name;
}

void add_class(const std::vector<Token>& tokens, const Declaration& declaration, ProgramText& program) {
  ClassReader(tokens, program).add(declaration);
}

}  // namespace kiln
