#include "compile/cpu/warp_steps.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "compile/cpu/one_warp_code.h"
#include "compile/cpu/split/class_scope.h"
#include "compile/cpu/split/head.h"
#include "compile/cpu/warp_conflicts.h"

namespace kiln {
namespace {

using Names = std::set<std::string_view>;

/// `s[i] += value;`, `*p = value;`
struct Assignment {
  std::string_view array;
  TokenSpan value;
  std::size_t operation = 0;  ///< "=" or "+="
  std::size_t end = 0;        ///< the ";"
};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& words, const Token& token) {
  return std::find(words.begin(), words.end(), token.text) != words.end();
}

/// The name that `volatile` at `at` declares as an array or a pointer; `volatile float* s`, `volatile T
/// s[32]`.
std::optional<std::string_view> declared(const std::vector<Token>& tokens, std::size_t at, std::size_t end) {
  bool pointer = false;
  for (std::size_t i = at + 1; i + 1 < end; ++i) {
    if (tokens[i].is("*")) {
      pointer = true;
    } else if (tokens[i].is("<")) {
      const std::size_t behind = behind_angles(tokens, i, end);
      if (behind <= i + 1 || behind >= end) return std::nullopt;
      i = behind - 1;
    } else if (!tokens[i].identifier() && !tokens[i].is("::")) {
      return std::nullopt;
    } else if (tokens[i].identifier()) {
      static constexpr std::array<std::string_view, 4> kAfterPointer = {"=", ",", ")", ";"};
      if (tokens[i + 1].is("[") && !tokens[i].is("volatile")) return tokens[i].text;
      if (pointer && among(kAfterPointer, tokens[i + 1])) return tokens[i].text;
    }
  }
  return std::nullopt;
}

void collect(const std::vector<Token>& tokens, TokenRange range, Names& names) {
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (!tokens[i].is("volatile")) continue;
    if (const auto name = declared(tokens, i, std::min(range.end + 1, tokens.size()))) names.insert(*name);
  }
}

/// `*p` counts for `pointers`.
bool reads(const std::vector<Token>& tokens, TokenSpan span, const Names& names, const Names& pointers) {
  for (std::size_t i = span.begin; i + 1 < span.end; ++i) {
    if (tokens[i + 1].is("[") && names.contains(tokens[i].text)) return true;
    if (tokens[i].is("*") && names.contains(tokens[i + 1].text) && pointers.contains(tokens[i + 1].text))
      return true;
  }
  return false;
}

/// The assignment that is the statement at `at`; `*p = value;` counts for `pointers`.
std::optional<Assignment> assignment(const std::vector<Token>& tokens, std::size_t at, std::size_t end,
                                     const Names& names, const Names& pointers, const Names& views = {}) {
  static constexpr std::array<std::string_view, 9> kOperations = {
      "=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "%="};
  const std::size_t brackets = tokens[at].is("(") && tokens[at + 1].is("*") ? 1 : 0;  // "(*p)"
  const bool element = tokens[at + brackets].is("*");                                 // of a pointer
  const std::size_t name = at + brackets + (element ? 1 : 0);
  if (name + 1 >= end) return std::nullopt;
  const bool view =
      views.contains(tokens[name].text) && (tokens[name + 1].is("(") || tokens[name + 1].is("["));
  if (!view && !names.contains(tokens[name].text)) return std::nullopt;
  if (element ? !pointers.contains(tokens[name].text) : !view && !tokens[name + 1].is("["))
    return std::nullopt;
  if (brackets != 0 && !tokens[name + 1].is(")")) return std::nullopt;
  std::size_t i = name + 1 + brackets;
  if (view && !element && tokens[i].close < end) i = tokens[i].close + 1;
  while (i < end && tokens[i].is("[") && tokens[i].close < end) i = tokens[i].close + 1;
  while (i + 1 < end && tokens[i].is(".") && tokens[i + 1].identifier()) i += 2;
  if (i >= end || !among(kOperations, tokens[i])) return std::nullopt;
  Assignment found{tokens[name].text, {i + 1, i + 1}, i, 0};
  while (found.value.end < end && !tokens[found.value.end].is(";")) {
    const Token& token = tokens[found.value.end];
    const bool opens = token.is("(") || token.is("[") || token.is("{");
    if (token.is(",") || token.is("}")) return std::nullopt;
    if (opens && token.close >= end) return std::nullopt;
    found.value.end = opens ? token.close + 1 : found.value.end + 1;
  }
  found.end = found.value.end;
  return found.end < end && !found.value.empty() ? std::optional(found) : std::nullopt;
}

/// The assignments to `names` that are statements of the body.
std::vector<std::pair<std::size_t, Assignment>> assignments(const std::vector<Token>& tokens, TokenRange body,
                                                            const Names& names, const Names& pointers) {
  static constexpr std::array<std::string_view, 6> kBefore = {";", "{", "}", ")", "else", ":"};
  std::vector<std::pair<std::size_t, Assignment>> found;
  for (std::size_t i = body.begin; i < body.end; ++i) {
    if (tokens[i].is("(") && tokens[i].close < body.end) {  // heads of loops and arguments
      i = tokens[i].close;
      continue;
    }
    if (i == 0 || !among(kBefore, tokens[i - 1])) continue;
    if (const auto one = assignment(tokens, i, body.end, names, pointers)) {
      found.emplace_back(i, *one);
      i = one->end;
    }
  }
  return found;
}

/// `atomicAdd(&s[i], value);`: the value, if it is the last of two arguments.
std::optional<TokenSpan> atomic_value(const std::vector<Token>& tokens, TokenRange statement) {
  if (statement.begin + 3 >= statement.end || !tokens[statement.begin].text.starts_with("atomic"))
    return std::nullopt;
  const std::size_t open = statement.begin + 1;
  if (!tokens[open].is("(") || tokens[open].close + 2 != statement.end) return std::nullopt;
  const std::vector<TokenSpan> parts = parts_of_call(tokens, {open + 1, tokens[open].close});
  return parts.size() == 2 ? std::optional(parts[1]) : std::nullopt;
}

/// All parameters of a function.
const std::set<std::size_t>& all_parameters() {
  static const std::set<std::size_t> all = [] {
    constexpr std::size_t kMost = 128;
    std::set<std::size_t> numbers;
    for (std::size_t p = 0; p < kMost; ++p) numbers.insert(p);
    return numbers;
  }();
  return all;
}

/// Whether a kernel numbers its warps: `tid / 32`, `tid >> 5`, `tid / WARP_SIZE`, `tid >> warp_shift`.
bool numbers_warps(const std::vector<Token>& tokens, TokenRange body) {
  const auto is_of_warp = [](const Token& token, std::string_view number) {
    if (!token.identifier()) return token.text == number;
    std::string name(token.text);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name.find("warp") != std::string::npos;
  };
  for (std::size_t i = body.begin + 1; i + 2 < body.end; ++i) {
    if (tokens[i].is("/") && is_of_warp(tokens[i + 1], "32")) return true;
    if (tokens[i].is(">") && tokens[i + 1].is(">") && is_of_warp(tokens[i + 2], "5")) return true;
  }
  return false;
}

/// What lanes may share in a function, without `stepped`, whose assignments all are steps.
CommonMemory common_memory(const std::vector<Token>& tokens, const DefinitionOutline& definition,
                           const UnitLanes& unit, const Names& stepped) {
  CommonMemory memory;
  const fission::Head head = fission::parse_head(tokens, definition);
  const auto has_view = [&](TokenRange range) {
    return std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(range.begin),
                       tokens.begin() + static_cast<std::ptrdiff_t>(range.end),
                       [&](const Token& token) { return unit.views.contains(token.text); });
  };
  const auto known = unit.shared_parameters.find(definition.name);
  const std::set<std::size_t> shared =
      known == unit.shared_parameters.end() ? std::set<std::size_t>() : known->second;
  const bool all = !unit.without_waits.contains(definition.name);
  if (definition.kernel) {
    memory.arrays = common_arrays(tokens, definition, unit.shared, {});
    const bool together = unit.synchronizing.contains(definition.name) ||
                          unit.one_warp_kernels.contains(std::string(definition.name)) ||
                          numbers_warps(tokens, definition.body);
    if (together) {
      for (const std::string_view name : common_arrays(tokens, definition, {}, all_parameters())) {
        if (!memory.arrays.contains(name)) memory.global.insert(name);
      }
    }
  } else {
    memory.arrays = common_arrays(tokens, definition, unit.shared, all ? all_parameters() : shared);
    for (std::size_t p = 0; p < head.parameters.size(); ++p) {
      if (memory.arrays.contains(head.parameters[p]->name) && !shared.contains(p))
        memory.private_too.insert(head.parameters[p]->name);
    }
  }
  for (std::size_t p = 0; p < head.parameters.size(); ++p) {
    if (has_view(head.specifiers[p])) memory.views.insert(head.parameters[p]->name);
  }
  // "StateSlice slice{...};"
  for (std::size_t i = definition.body.begin; i + 2 < definition.body.end && !unit.views.empty(); ++i) {
    if (unit.views.contains(tokens[i].text) && tokens[i + 1].identifier())
      memory.views.insert(tokens[i + 1].text);
  }
  for (const std::string_view name : stepped) {
    memory.arrays.erase(name);
    memory.global.erase(name);
  }
  return memory;
}

/// The edits for one conflict; `assigned`: the assignment that the statement is, if it is one; `value`: of an
/// atomic operation.
void resolve(const std::vector<Token>& tokens, const WarpConflict& conflict,
             const std::optional<Assignment>& assigned, const std::optional<TokenSpan>& value,
             std::vector<TextEdit>& edits) {
  const TokenRange statement = conflict.statement;
  const std::size_t begin = tokens[statement.begin].offset;
  const std::string wait = conflict.before ? "kiln_warp_step(); " : "";
  if (conflict.condition) {
    edits.push_back({begin, 0, "(kiln_warp_step(), "});
    edits.push_back({tokens[statement.end - 1].end(), 0, ")"});
  } else if (conflict.within && value) {
    edits.push_back(
        {begin, 0,
         "{ " + wait + "const auto kiln_step = " + text_of(tokens, *value) + "; kiln_warp_step(); "});
    edits.push_back({tokens[value->begin].offset, tokens[value->end - 1].end() - tokens[value->begin].offset,
                     "kiln_step"});
    edits.push_back({tokens[statement.end - 1].end(), 0, " kiln_warp_step(); }"});
  } else if (conflict.within && assigned && !tokens[assigned->value.begin].is("{")) {
    edits.push_back(
        {begin, tokens[assigned->operation].end() - begin, "{ " + wait + "const auto kiln_step ="});
    edits.push_back({tokens[assigned->end].offset, 1,
                     "; kiln_warp_step(); " + text_of(tokens, {statement.begin, assigned->operation + 1}) +
                         " kiln_step; kiln_warp_step(); }"});
  } else if (conflict.before) {
    edits.push_back({begin, 0, (conflict.nested ? "{ " : "") + wait});
    if (conflict.nested) edits.push_back({tokens[statement.end - 1].end(), 0, " }"});
  }
}

/// `void Scan::run()`.
bool is_defined_outside_of_class(const std::vector<Token>& tokens, const DefinitionOutline& definition) {
  for (std::size_t i = definition.head.begin + 1; i + 1 < definition.head.end; ++i) {
    if (tokens[i].is(definition.name) && tokens[i + 1].is("(")) return tokens[i - 1].is("::");
  }
  return false;
}

}  // namespace

std::vector<TextEdit> mark_warp_steps(const Outline& text, const UnitLanes& unit) {
  const std::vector<Token>& tokens = text.source.tokens;
  Names everywhere;
  for (const DynamicSharedArray& array : text.dynamic_shared) {
    if (array.at_namespace_scope) collect(tokens, array.statement, everywhere);
  }
  std::vector<TextEdit> edits;
  std::set<std::size_t> marked;
  std::map<const DefinitionOutline*, Names> stepped_names;
  for (const DefinitionOutline& definition : text.definitions) {
    if (definition.body.end >= tokens.size()) continue;
    Names names = everywhere;
    if (!definition.kernel && !definition.is_class) collect(tokens, definition.head, names);
    collect(tokens, definition.body, names);
    if (names.empty()) continue;
    const Names pointers = common_arrays(tokens, definition, unit.shared,
                                         definition.kernel ? std::set<std::size_t>() : all_parameters());
    const auto found = assignments(tokens, definition.body, names, pointers);
    Names& stepped = stepped_names[&definition];
    for (const auto& [at, one] : found) {
      if (reads(tokens, one.value, {one.array}, pointers)) stepped.insert(one.array);
    }
    for (const auto& [at, one] : found) {
      if (!stepped.contains(one.array) || !marked.insert(at).second) continue;
      resolve(tokens, {{at, one.end + 1}, true, false, true, false}, one, std::nullopt, edits);
    }
  }
  const OneWarpCode code(text, unit);
  const fission::ClassesAround classes(text);
  for (const FunctionStatements& function : code.functions()) {
    CommonMemory memory =
        common_memory(tokens, *function.definition, unit, stepped_names[function.definition]);
    memory.of_object = classes.of(*function.definition) != nullptr ||
                       is_defined_outside_of_class(tokens, *function.definition);
    if (memory.arrays.empty() && memory.global.empty() && memory.views.empty()) continue;
    Names names = memory.arrays;
    names.insert(memory.global.begin(), memory.global.end());
    const auto assigned = [&](TokenRange statement) {
      return assignment(tokens, statement.begin, statement.end, names, names, memory.views);
    };
    const auto divisible = [&](TokenRange statement) {
      return atomic_value(tokens, statement).has_value() || assigned(statement).has_value();
    };
    for (const WarpConflict& conflict :
         find_warp_conflicts(tokens, function, code, unit, memory, divisible)) {
      if (!marked.insert(conflict.statement.begin).second) continue;
      resolve(tokens, conflict, assigned(conflict.statement), atomic_value(tokens, conflict.statement),
              edits);
    }
  }
  return edits;
}

}  // namespace kiln
