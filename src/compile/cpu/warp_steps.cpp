#include "compile/cpu/warp_steps.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "compile/cpu/one_warp_code.h"
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
                                     const Names& names, const Names& pointers) {
  static constexpr std::array<std::string_view, 9> kOperations = {
      "=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "%="};
  const bool element = tokens[at].is("*");  // of a pointer
  const std::size_t name = element ? at + 1 : at;
  if (name + 1 >= end || !names.contains(tokens[name].text)) return std::nullopt;
  if (element ? !pointers.contains(tokens[name].text) : !tokens[name + 1].is("[")) return std::nullopt;
  std::size_t i = name + 1;
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

/// The names that `__shared__` at `at` declares as arrays.
void collect_shared(const std::vector<Token>& tokens, std::size_t at, std::size_t end, Names& names) {
  for (std::size_t i = at + 1; i + 1 < end && !tokens[i].is(";"); ++i) {
    if (tokens[i].is("(") || tokens[i].is("{") || tokens[i].is("["))
      i = std::max(i, std::min(tokens[i].close, end));
    else if (tokens[i].identifier() && tokens[i + 1].is("["))
      names.insert(tokens[i].text);
  }
}

/// Arrays that several work-items may use: shared ones, what a function that is no kernel gets by pointer,
/// and pointers to these.
Names common_arrays(const std::vector<Token>& tokens, const DefinitionOutline& definition,
                    const Names& everywhere) {
  Names names = everywhere;
  if (!definition.kernel && !definition.is_class) {
    const fission::Head head = fission::parse_head(tokens, definition);
    for (const auto& parameter : head.parameters) {
      if (parameter->pointer || parameter->array) names.insert(parameter->name);
    }
  }
  for (std::size_t i = definition.body.begin; i + 1 < definition.body.end; ++i) {
    if (tokens[i].is("__shared__")) collect_shared(tokens, i, definition.body.end, names);
    // "float* part = s + 16;"
    if (!tokens[i].is("=") || !tokens[i - 1].identifier() || !tokens[i - 2].is("*")) continue;
    const bool address = tokens[i + 1].is("&") || tokens[i + 1].is("(");
    if (names.contains(tokens[i + 1].text) || (address && names.contains(tokens[i + 2].text)))
      names.insert(tokens[i - 1].text);
  }
  return names;
}

/// The arrays in shared memory that the text declares outside of functions.
Names namespace_arrays(const Outline& text) {
  const std::vector<Token>& tokens = text.source.tokens;
  std::vector<bool> inside(tokens.size());
  for (const DefinitionOutline& definition : text.definitions) {
    if (definition.is_class) continue;
    const std::size_t end = std::min(definition.body.end, tokens.size());
    for (std::size_t i = definition.body.begin; i < end; ++i) inside[i] = true;
  }
  Names names;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!inside[i] && tokens[i].is("__shared__")) collect_shared(tokens, i, tokens.size(), names);
  }
  return names;
}

/// The functions that have a barrier or an operation of a warp, or call one that has.
Names synchronizing_functions(const Outline& text) {
  const std::vector<Token>& tokens = text.source.tokens;
  Names found;
  for (std::size_t known = 1; known != found.size() + 1;) {
    known = found.size() + 1;
    for (const DefinitionOutline& definition : text.definitions) {
      if (definition.is_class || found.contains(definition.name)) continue;
      for (std::size_t i = definition.body.begin; i < definition.body.end; ++i) {
        if (!tokens[i].identifier() || !(synchronizes(tokens[i].text) || found.contains(tokens[i].text)))
          continue;
        found.insert(definition.name);
        break;
      }
    }
  }
  return found;
}

/// The edits for one conflict; `assigned`: the assignment that the statement is, if it is one.
void resolve(const std::vector<Token>& tokens, const WarpConflict& conflict,
             const std::optional<Assignment>& assigned, std::vector<TextEdit>& edits) {
  const TokenRange statement = conflict.statement;
  const std::size_t begin = tokens[statement.begin].offset;
  const std::string wait = conflict.before ? "kiln_warp_step(); " : "";
  if (conflict.within && assigned && !tokens[assigned->value.begin].is("{")) {
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

}  // namespace

std::set<std::string> shared_arrays(std::string_view text) {
  if (text.find("__shared__") == std::string_view::npos) return {};
  const Outline parsed = outline(text);
  const Names names = namespace_arrays(parsed);
  return {names.begin(), names.end()};
}

std::vector<TextEdit> mark_warp_steps(const Outline& text, const UnitNumbers& numbers,
                                      const std::set<std::string>& shared_names) {
  const std::vector<Token>& tokens = text.source.tokens;
  Names everywhere, shared(shared_names.begin(), shared_names.end());
  for (const DynamicSharedArray& array : text.dynamic_shared) {
    if (!array.at_namespace_scope) continue;
    collect(tokens, array.statement, everywhere);
    shared.insert(array.name);
  }
  std::vector<TextEdit> edits;
  std::set<std::size_t> marked;
  std::map<const DefinitionOutline*, Names> volatile_names;
  for (const DefinitionOutline& definition : text.definitions) {
    if (definition.body.end >= tokens.size()) continue;
    Names& names = volatile_names[&definition];
    names = everywhere;
    if (!definition.kernel && !definition.is_class) collect(tokens, definition.head, names);
    collect(tokens, definition.body, names);
    if (names.empty()) continue;
    const Names pointers = common_arrays(tokens, definition, shared);
    const auto found = assignments(tokens, definition.body, names, pointers);
    Names stepped;
    for (const auto& [at, one] : found) {
      if (reads(tokens, one.value, {one.array}, pointers)) stepped.insert(one.array);
    }
    for (const auto& [at, one] : found) {
      if (!stepped.contains(one.array) || !marked.insert(at).second) continue;
      resolve(tokens, {{at, one.end + 1}, true, false, true}, one, edits);
    }
  }
  const OneWarpCode code(text, numbers);
  const Names synchronizing = synchronizing_functions(text);
  for (const FunctionStatements& function : code.functions()) {
    Names arrays = common_arrays(tokens, *function.definition, shared);
    for (const std::string_view name : volatile_names[function.definition]) arrays.erase(name);
    if (arrays.empty()) continue;
    for (const WarpConflict& conflict : find_warp_conflicts(tokens, function, code, arrays, synchronizing)) {
      if (!marked.insert(conflict.statement.begin).second) continue;
      const TokenRange statement = conflict.statement;
      resolve(tokens, conflict, assignment(tokens, statement.begin, statement.end, arrays, {}), edits);
    }
  }
  return edits;
}

}  // namespace kiln
