#include "specialize/class_reader.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "base/text.h"
#include "specialize/attributes.h"

namespace kiln {
namespace {

using Kind = Declaration::Kind;

class ClassReader {
 public:
  ClassReader(const TokenizedText& source, ProgramText& program)
      : source_(source), tokens_(source.tokens), program_(program) {}

  void add(const Declaration& declaration) {
    if (declaration.names.empty()) return;
    const std::string outer = std::exchange(owner_, std::string(declaration.names.front()));
    add(declaration, declaration.names);
    owner_ = outer;
  }

 private:
  template <class Names>
  void add(const Declaration& declaration, const Names& names) {
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
    add_layout(declaration, one);
    add_members(declaration, one);
    for (const auto& name : names) {
      std::vector<TextClass>& known = program_.classes[std::string(name)];
      const bool primary = one.specialises.empty();
      if (primary) program_.records[std::string(name)] = one.members;
      known.push_back(one);
    }
  }

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

  /// What changes where the members lie: unions, alignment, packing, bit fields and virtual bases.
  void add_layout(const Declaration& declaration, TextClass& one) const {
    const std::size_t brace = declaration.body.begin - 1;
    std::size_t head = declaration.whole.begin;
    if (!declaration.template_head.empty()) head = declaration.template_head.end + 1;
    one.pack = pack_at(tokens_[brace].offset);
    one.packed = one.pack == 1;
    bool bases = false;
    for (std::size_t i = head; i < brace; ++i) {
      bases = bases || at(i, ":");
      one.is_union = one.is_union || (!bases && at(i, "union"));
      one.overlaps = one.overlaps || (bases && at(i, "virtual"));
      if (!is_alignment(tokens_[i]) && !is_alignment_macro(tokens_, i)) continue;
      const std::size_t close = std::min(tokens_[i + 1].close, brace);
      bool aligns = !at(i, "__attribute__");
      for (std::size_t k = i + 2; k < close; ++k) {
        one.packed = one.packed || at(k, "packed") || at(k, "__packed__");
        aligns = aligns || at(k, "aligned") || at(k, "__aligned__");
      }
      if (aligns) one.alignment = -1;
      for (std::size_t k = i + 2; aligns && k < close; ++k) {
        if (const auto number = parse_integer(tokens_[k].text); number && *number > 0)
          one.alignment = *number;
      }
      i = close;
    }
    for (const Declaration& member : declaration.members) {
      if (member.kind == Kind::kFunction || member.kind == Kind::kPrototype) continue;
      for (std::size_t i = member.whole.begin; i + 1 < member.whole.end; ++i) {
        const bool bits = member.kind == Kind::kVariable && at(i, ":") && tokens_[i - 1].identifier();
        one.overlaps = one.overlaps || bits;
        if (is_alignment(tokens_[i]) || is_alignment_macro(tokens_, i)) one.alignment = -1;
        if (at(i, "(") || at(i, "{")) i = std::min(tokens_[i].close, member.whole.end);
      }
    }
  }

  /// What `#pragma pack(push, 1)` and its like say for an offset of the text; 0: nothing.
  [[nodiscard]] std::int64_t pack_at(std::size_t offset) const {
    std::vector<std::int64_t> outer;
    std::int64_t pack = 0;
    for (const Directive& directive : source_.directives) {
      const std::vector<Token>& words = directive.tokens;
      if (directive.offset > offset) break;
      if (words.size() < 4 || !words[0].is("pragma") || !words[1].is("pack")) continue;
      if (words.size() == 4) pack = 0;  // "pack()"
      for (std::size_t i = 3; i < words.size(); ++i) {
        if (words[i].is("push")) outer.push_back(pack);
        if (words[i].is("pop")) {
          pack = outer.empty() ? 0 : outer.back();
          if (!outer.empty()) outer.pop_back();
        }
        if (const auto number = parse_integer(words[i].text); number && *number > 0) pack = *number;
      }
    }
    return pack;
  }

  /// The data and the types of a class.
  void add_members(const Declaration& declaration, TextClass& one) {
    for (const Declaration& member : declaration.members) {
      if (member.kind == Kind::kAlias) add_alias(tokens_, member, one.types);
      if (member.kind == Kind::kClass) add_nested_class(member, one);
      if (member.kind == Kind::kEnum) add_enumeration(member, one);
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
        if (next.name.empty()) {  // "float x, y[2]": the second has no type
          const std::size_t bracket = std::min(next.type.find('['), next.type.size());
          next.name = std::string(trim(next.type.substr(0, bracket)));
          next.type.erase(0, bracket);
        }
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

  /// `enum Mode { kFast = 4, kSlow };`: its enumerators are constants, its name is the type that they have.
  void add_enumeration(const Declaration& declaration, TextClass& one) const {
    if (declaration.body.begin == 0) return;
    std::set<std::string_view> enumerators;
    std::optional<std::int64_t> next = 0;
    for (const TokenSpan& part : parts_of(tokens_, declaration.body, true)) {
      if (part.empty()) continue;
      const std::string name(tokens_[part.begin].text);
      enumerators.insert(tokens_[part.begin].text);
      std::size_t value = part.begin + 1;  // behind attributes
      while (value < part.end && !at(value, "=")) ++value;
      if (value + 1 < part.end) {
        const std::string text = text_of(tokens_, {value + 1, part.end});
        one.constants[name] = text;
        const bool octal = text.size() > 1 && text[0] == '0' && text[1] != 'x' && text[1] != 'X';
        next = octal ? std::nullopt : parse_integer(text);
      } else if (next) {
        one.constants[name] = std::to_string(*next);
      }
      const bool last = next && *next == std::numeric_limits<std::int64_t>::max();
      next = last || !next ? std::nullopt : std::optional(*next + 1);
    }
    std::string type = "int";
    for (std::size_t i = declaration.whole.begin; i + 1 < declaration.body.begin; ++i) {
      if (at(i, ":")) type = text_of(tokens_, {i + 1, declaration.body.begin - 1});
    }
    for (const std::string_view name : declaration.names) {
      if (!enumerators.contains(name)) one.types.emplace(name, type);
    }
    // `enum Mode { A, B } mode;`, `typedef enum { A, B } Mode;`
    const bool defines_type = at(declaration.whole.begin, "typedef");
    if (is_static(declaration)) return;
    for (std::size_t i = declaration.body.end + 1; i + 1 < declaration.whole.end; ++i) {
      const std::string name(tokens_[i].text);
      if (tokens_[i].identifier() && defines_type) one.types.emplace(name, type);
      if (tokens_[i].identifier() && !defines_type) one.members.push_back({type, name, "", tokens_[i].line});
      if (at(i, "[") || at(i, "*") || at(i, ":")) one.overlaps = true;  // has no form
    }
  }

  void add_nested_class(const Declaration& declaration, TextClass& one) {
    const std::size_t brace = declaration.body.begin - 1;
    const bool named = tokens_[brace - 1].identifier() && !at(brace - 1, "struct") && !at(brace - 1, "union");
    const TokenSpan behind = {declaration.body.end + 1, declaration.whole.end - 1};
    if (!named && behind.empty()) {
      TextClass part;
      add_layout(declaration, part);
      add_members(declaration, part);
      const std::string name = unnamed_class(declaration);
      program_.classes[name] = {part};
      one.types.merge(part.types);
      one.constants.merge(part.constants);
      one.members.push_back({name, "", "", tokens_[brace].line});
      return;
    }
    std::string type(declaration.names.front());
    if (named || !program_.classes.contains(type)) {
      add(declaration);
    } else {  // `union {...} data;`, as another class has
      type = unnamed_class(declaration);
      add(declaration, std::vector<std::string>{type});
    }
    for (const TokenSpan& part : parts_of(tokens_, behind, false)) {
      TextParameter member = parameter_of(tokens_, part);
      if (member.name.empty()) std::swap(member.name, member.type);
      const std::size_t open = member.name.find('[');
      if (open != std::string::npos) member.name.resize(open);
      member.type.insert(0, type);
      one.members.push_back(std::move(member));
    }
  }

  /// "Args_12" of an unnamed class inside of Args, at line 12.
  [[nodiscard]] std::string unnamed_class(const Declaration& declaration) const {
    std::string name = owner_ + "_" + std::to_string(tokens_[declaration.whole.begin].line);
    while (program_.classes.contains(name)) name += "_";
    return name;
  }

  const TokenizedText& source_;
  const std::vector<Token>& tokens_;
  ProgramText& program_;
  std::string owner_;  // the class that is read
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
  bool array_inside = false;  // "std::unique_ptr<int[]> x"
  for (std::size_t i = span.begin; i < end; ++i) {
    if (i > span.begin && tokens[i].is("<") && tokens[i - 1].identifier()) {
      const std::size_t behind = behind_angles(tokens, i, end);
      for (; tokens[behind - 1].is(">") && i + 1 < behind; ++i)
        array_inside = array_inside || (tokens[i].is("[") && tokens[i + 1].is("]"));
    }
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
  const bool named = name > span.begin + 1 && tokens[name - 1].identifier();
  if (named) parameter.name = std::string(tokens[name - 1].text);
  const std::size_t type_end = named ? name - 1 : name;
  for (std::size_t i = span.begin; i < type_end; ++i) {  // "unsigned ALIGNED(16) x"
    if (!is_alignment_macro(tokens, i)) continue;
    parameter.type += text_of(tokens, {span.begin, i}) + " ";
    i += 3;
    span.begin = i + 1;
  }
  parameter.type += text_of(tokens, {std::min(span.begin, type_end), type_end});
  for (std::size_t at = 0; array_inside && (at = parameter.type.find("[]")) != std::string::npos;)
    parameter.type.erase(at, 2);  // as if it were of the elements
  parameter.type = std::string(trim(parameter.type)) + extents;
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

void add_class(const TokenizedText& source, const Declaration& declaration, ProgramText& program) {
  ClassReader(source, program).add(declaration);
}

}  // namespace kiln
