#include "compile/cpu/one_warp_code.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "compile/cpu/split/head.h"
#include "specialize/template_arguments.h"

namespace kiln {
namespace {

using fission::Statement;
using Kind = Statement::Kind;

constexpr int kLanes = 32;

bool contains_word(std::string_view name, std::string_view lower) {
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  return std::search(name.begin(), name.end(), lower.begin(), lower.end(), same) != name.end();
}

std::optional<int> number(std::string_view text) {
  while (!text.empty() &&
         (text.back() == 'u' || text.back() == 'U' || text.back() == 'l' || text.back() == 'L'))
    text.remove_suffix(1);
  const bool hexadecimal = text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X";
  if (hexadecimal) text.remove_prefix(2);
  if (text.empty() || text.size() > 4) return std::nullopt;
  int value = 0;
  for (const char c : text) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : 99;
    if (digit >= (hexadecimal ? 16 : 10)) return std::nullopt;
    value = value * (hexadecimal ? 16 : 10) + digit;
  }
  return value;
}

/// `#define LANES 32`, `const int lanes = 32;`: names of numbers.
std::map<std::string_view, int> constants_of(const Outline& text,
                                             std::map<std::string_view, long long>& plain) {
  std::map<std::string_view, int> found;
  std::set<std::string_view> several;
  for (const Directive& directive : text.source.directives) {
    const std::vector<Token>& words = directive.tokens;
    if (words.size() != 3 || !words[0].is("define")) continue;
    if (const auto value = number(words[2].text)) found[words[1].text] = *value;
  }
  const std::vector<Token>& tokens = text.source.tokens;
  for (std::size_t i = 2; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].is("=") || !tokens[i - 1].identifier() || !tokens[i + 2].is(";")) continue;
    for (std::size_t back = i - 1; back > 0 && back + 5 > i && tokens[back].identifier(); --back) {
      if (!tokens[back].is("const") && !tokens[back].is("constexpr") && !tokens[back - 1].is("const"))
        continue;
      const auto value = number(tokens[i + 1].text);
      if (!value) break;
      found[tokens[i - 1].text] = *value;
      const auto [known, first] = plain.try_emplace(tokens[i - 1].text, *value);
      if (!first && known->second != *value) several.insert(known->first);
      break;
    }
  }
  for (const std::string_view name : several) plain.erase(name);
  return found;
}

/// Reads conditions of a function.
class Conditions {
 public:
  Conditions(const std::vector<Token>& tokens, const std::map<std::string_view, int>& constants,
             const LaneVariables& variables)
      : tokens_(tokens), constants_(constants), variables_(variables) {}

  /// Whether it holds for lanes of one warp, or compares the number of a lane.
  [[nodiscard]] bool few(TokenRange condition) const {
    return any_part(condition, "&&",
                    [this](TokenRange part) { return bounded(part, false) || by_lane(part); });
  }

  /// Whether the work-items for which it does not hold are such.
  [[nodiscard]] bool all_others(TokenRange condition) const {
    return any_part(condition, "||",
                    [this](TokenRange part) { return bounded(part, true) || by_lane(part); });
  }

  /// Whether it holds for one work-item of a warp at most: `lane == 0`, `!threadIdx.x`.
  [[nodiscard]] bool one(TokenRange condition) const {
    return any_part(condition, "&&", [this](TokenRange part) {
      if (tokens_[part.begin].is("!"))
        return thread(part.begin + 1, part.end) || lane({part.begin + 1, part.end});
      const std::size_t at = comparison(part);
      if (at == part.end || !tokens_[at].is("==")) return false;
      return thread(part.begin, at) || thread(at + 1, part.end) || lane({part.begin, at}) ||
             lane({at + 1, part.end});
    });
  }

  /// An expression with the number of a lane: `threadIdx.x & 31`, `tid % warpSize`, `lane`.
  [[nodiscard]] bool lane(TokenRange range) const {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (variables_.lanes.contains(tokens_[i].text) || contains_word(tokens_[i].text, "lane")) return true;
      if (i == range.begin || i + 1 >= range.end) continue;
      const std::size_t operand = i + 1 + (tokens_[i + 1].is("(") ? 1 : 0);
      if (operand >= range.end) continue;
      const auto value = constant(operand);
      if (tokens_[i].is("%") && value == kLanes) return true;
      if (tokens_[i].is("&") &&
          (value == kLanes - 1 || (operand > i + 1 && value == kLanes && tokens_[operand + 1].is("-"))))
        return true;
    }
    return false;
  }

  /// The number of a warp in its block: `threadIdx.x / 32`, `tid >> 5`.
  [[nodiscard]] bool warp(TokenRange range) const {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const std::string_view text = tokens_[i].text;
      if (variables_.warps.contains(text)) return true;
      if (i + 1 < range.end && tokens_[i].is("/") && constant(i + 1) == kLanes) return true;
      const bool shifts = i + 2 < range.end && tokens_[i].is(">") && tokens_[i + 1].is(">");
      if (shifts && tokens_[i + 2].is("5")) return true;
    }
    return false;
  }

  /// Whether the range is threadIdx.x or a variable with its value.
  [[nodiscard]] bool thread(std::size_t begin, std::size_t end) const {
    while (begin + 2 < end && tokens_[begin].is("(") && tokens_[begin].close == end - 1) ++begin, --end;
    if (end == begin + 1) return variables_.threads.contains(tokens_[begin].text);
    return end == begin + 3 && tokens_[begin].is("threadIdx") && tokens_[begin + 2].is("x");
  }

 private:
  template <class Test>
  bool any_part(TokenRange range, std::string_view separator, const Test& test) const {
    while (range.begin + 2 < range.end && tokens_[range.begin].is("(") &&
           tokens_[range.begin].close == range.end - 1)
      range = {range.begin + 1, range.end - 1};
    std::size_t begin = range.begin;
    for (std::size_t i = range.begin; i <= range.end; ++i) {
      if (i == range.end || tokens_[i].is(separator)) {
        if (begin < i && test(stripped({begin, i}))) return true;
        begin = i + 1;
      } else if ((tokens_[i].is("(") || tokens_[i].is("[")) && tokens_[i].close < range.end) {
        i = tokens_[i].close;
      }
    }
    return false;
  }

  /// Without parentheses around all of it.
  [[nodiscard]] TokenRange stripped(TokenRange range) const {
    while (range.begin + 2 < range.end && tokens_[range.begin].is("(") &&
           tokens_[range.begin].close == range.end - 1)
      range = {range.begin + 1, range.end - 1};
    return range;
  }

  /// The comparison outside of brackets; else the range's end.
  [[nodiscard]] std::size_t comparison(TokenRange range) const {
    static constexpr std::array<std::string_view, 6> kComparisons = {"<", "<=", ">", ">=", "==", "!="};
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if ((tokens_[i].is("(") || tokens_[i].is("[")) && tokens_[i].close < range.end)
        i = tokens_[i].close;
      else if (fission::among(kComparisons, tokens_[i].text))
        return i;
    }
    return range.end;
  }

  [[nodiscard]] std::optional<int> constant(std::size_t token) const {
    const std::string_view text = tokens_[token].text;
    if (tokens_[token].kind == Token::Kind::kNumber) return number(text);
    if (const auto known = constants_.find(text); known != constants_.end()) return known->second;
    if (contains_word(text, "warp") && contains_word(text, "size")) return kLanes;
    return std::nullopt;
  }

  /// `threadIdx.x < 32`, `31 >= tid`, `warp == 0`; `negated`: `tid >= 32`.
  [[nodiscard]] bool bounded(TokenRange part, bool negated) const {
    const std::size_t at = comparison(part);
    if (at == part.end || at == part.begin || at + 1 == part.end) return false;
    const std::string_view sign = tokens_[at].text;
    const bool equal = sign == (negated ? "!=" : "==");
    if (equal && (warp({part.begin, at}) || warp({at + 1, part.end}))) return true;
    const bool forward = thread(part.begin, at), backward = thread(at + 1, part.end);
    const std::size_t operand = forward ? at + 1 : part.begin;
    if (!forward && !backward) return false;
    if ((forward ? part.end - at - 1 : at - part.begin) != 1) return false;
    const auto value = constant(operand);
    if (!value) return false;
    const bool below = forward != negated;  // which way the sign has to point
    if (sign == (below ? "<" : ">")) return *value <= kLanes - (negated ? 1 : 0);
    if (sign == (below ? "<=" : ">=")) return *value <= kLanes - (negated ? 0 : 1);
    return false;
  }

  [[nodiscard]] bool by_lane(TokenRange part) const {
    const std::size_t at = comparison(part);
    return at != part.end && (lane({part.begin, at}) || lane({at + 1, part.end}));
  }

  const std::vector<Token>& tokens_;
  const std::map<std::string_view, int>& constants_;
  const LaneVariables& variables_;
};

/// Whether a parameter may be the number of a work-item.
bool names_work_item(std::string_view name) {
  return name == "t" || name == "tx" || contains_word(name, "id") || contains_word(name, "th") ||
         contains_word(name, "lane");
}

/// What the tokens of a value depend on.
struct ValueSources {
  bool thread = false;   ///< threadIdx.x
  bool varying = false;  ///< something else that differs between work-items
  bool other = false;    ///< something else
};

ValueSources sources_of(const std::vector<Token>& tokens, TokenRange value, const LaneVariables& known) {
  ValueSources found;
  for (std::size_t i = value.begin; i < value.end; ++i) {
    const Token& token = tokens[i];
    const bool axis = token.is("threadIdx") && i + 2 < value.end;
    found.thread = found.thread || (axis && tokens[i + 2].is("x")) || token.is("thread_rank") ||
                   known.threads.contains(token.text);
    found.varying = found.varying || token.is("threadIdx") || known.varying.contains(token.text) ||
                    contains_word(token.text, "lane");
    found.other = found.other || token.is("blockIdx") || token.is("[") || token.is("?");
  }
  return found;
}

/// Reads declarations and assignments in order: `int t = threadIdx.x;`, `lane = t & 31;`.
LaneVariables lane_variables(const std::vector<Token>& tokens, const DefinitionOutline& definition,
                             const std::map<std::string_view, int>& constants) {
  LaneVariables found;
  if (!definition.kernel) {
    const fission::Head head = fission::parse_head(tokens, definition);
    for (const auto& parameter : head.parameters) {
      if (parameter->pointer || parameter->array || parameter->name.empty()) continue;
      found.varying.insert(parameter->name);
      if (names_work_item(parameter->name)) found.threads.insert(parameter->name);
    }
  }
  static constexpr std::array<std::string_view, 7> kAssignments = {"=", "+=", "-=", "*=", "|=", "^=", "&="};
  const Conditions conditions(tokens, constants, found);
  for (std::size_t i = definition.body.begin + 1; i + 1 < definition.body.end; ++i) {
    if (!fission::among(kAssignments, tokens[i].text) || !tokens[i - 1].identifier()) continue;
    std::size_t end = i + 1;
    while (end < definition.body.end && !tokens[end].is(";") && !tokens[end].is(",") && !tokens[end].is(")"))
      end = tokens[end].is("(") || tokens[end].is("[") ? tokens[end].close + 1 : end + 1;
    const TokenRange value{i + 1, std::min(end, definition.body.end)};
    const std::string_view name = tokens[i - 1].text;
    const ValueSources sources = sources_of(tokens, value, found);
    if (sources.thread || sources.varying) found.varying.insert(name);
    if (sources.other || value.begin >= value.end || !tokens[i].is("=")) continue;
    if (conditions.lane(value))
      found.lanes.insert(name);
    else if (sources.thread && conditions.warp(value))
      found.warps.insert(name);
    else if (sources.thread)
      found.threads.insert(name);
  }
  found.varying.insert(found.lanes.begin(), found.lanes.end());
  found.varying.insert(found.threads.begin(), found.threads.end());
  return found;
}

/// Kernels, and functions with a mark of the device.
bool device_code(const std::vector<Token>& tokens, const DefinitionOutline& definition) {
  if (definition.kernel) return true;
  return std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(definition.head.begin),
                     tokens.begin() + static_cast<std::ptrdiff_t>(definition.head.end),
                     [](const Token& token) { return contains_word(token.text, "device"); });
}

/// Whether a statement only leaves the function.
bool returns(const Statement& statement) {
  if (statement.kind == Kind::kBlock)
    return statement.children.size() == 1 && returns(*statement.children[0]);
  return statement.kind == Kind::kReturn;
}

}  // namespace

OneWarpCode::OneWarpCode(const Outline& text, const UnitLanes& unit)
    : tokens_(text.source.tokens),
      unit_(unit),
      constants_(constants_of(text, plain_constants_)),
      inside_(tokens_.size() + 1, false) {
  for (const auto& [name, value] : unit.macros) {
    const auto known = constants_.emplace(name, value).first;
    known->second = std::max(known->second, value);
  }
  std::set<std::string_view> names;
  for (const DefinitionOutline& definition : text.definitions) {
    if (!definition.is_class && device_code(tokens_, definition)) names.insert(definition.name);
  }
  for (const DefinitionOutline& definition : text.definitions) {
    if (definition.is_class) continue;
    for (std::size_t i = definition.body.begin; i + 1 < definition.body.end; ++i) {
      if (names.contains(tokens_[i].text) && (tokens_[i + 1].is("(") || tokens_[i + 1].is("<")))
        calls_[tokens_[i].text].push_back(i);
    }
  }
  for (const DefinitionOutline& definition : text.definitions) {
    if (definition.is_class || definition.body.begin == 0 || definition.body.end >= tokens_.size()) continue;
    if (!device_code(tokens_, definition)) continue;
    FunctionStatements function;
    function.definition = &definition;
    function.parsed = fission::read_body(tokens_, definition.body);
    if (!function.parsed.trouble.empty() || !function.parsed.block) continue;
    function.constants = constants_in(definition);
    function.variables = lane_variables(tokens_, definition, function.constants);
    functions_.push_back(std::move(function));
  }
  for (const FunctionStatements& function : functions_) {
    const std::string_view name = function.definition->name;
    const bool one_warp = function.definition->kernel ? unit.one_warp_kernels.contains(std::string(name))
                                                      : contains_word(name, "warp");
    const bool whole = one_warp || unit.without_waits.contains(name);
    if (whole) whole_.insert(name);
    mark(function, *function.parsed.block, whole);
  }
  constexpr int kCallDepth = 8;
  bool changed = true;
  for (int round = 0; changed && round < kCallDepth; ++round) {
    changed = false;
    for (const FunctionStatements& function : functions_) {
      const std::string_view name = function.definition->name;
      if (whole_.contains(name) || function.definition->kernel || !only_called_inside(name)) continue;
      mark(function, *function.parsed.block, true);
      changed = true;
    }
    for (const FunctionStatements& function : functions_) {
      const std::string_view name = function.definition->name;
      if (!function.definition->kernel && only_called_inside(name)) whole_.insert(name);
    }
  }
}

std::map<std::string_view, int> OneWarpCode::constants_in(const DefinitionOutline& definition) const {
  std::map<std::string_view, int> constants = constants_;
  const TokenRange head = fission::parse_head(tokens_, definition).template_head;
  if (head.begin + 2 >= head.end) return constants;
  const auto given = unit_.template_arguments.find(std::string(definition.name));
  std::size_t index = 0;
  for (const TokenSpan& part : parts_of(tokens_, {head.begin + 2, head.end - 1}, true)) {
    std::size_t name = part.begin;  // the last one in front of a default: "int K = 4"
    for (std::size_t i = part.begin; i < part.end && !tokens_[i].is("="); ++i) name = i;
    constants.erase(tokens_[name].text);
    const bool known = definition.kernel && given != unit_.template_arguments.end() &&
                       index < given->second.size() && given->second[index];
    if (known) constants[tokens_[name].text] = given->second[index]->most;
    if (const auto most = definition.kernel ? std::nullopt : largest_argument(definition.name, index))
      constants[tokens_[name].text] = *most;
    ++index;
  }
  return constants;
}

/// The largest number that the calls of a function give to a parameter of its template; none: one of them
/// gives no number.
std::optional<int> OneWarpCode::largest_argument(std::string_view function, std::size_t parameter) const {
  const auto calls = calls_.find(function);
  if (calls == calls_.end()) return std::nullopt;
  int most = 0;
  for (const std::size_t call : calls->second) {
    const std::size_t end = behind_template_arguments(tokens_, call + 1, tokens_.size());
    if (end <= call + 2) return std::nullopt;
    const std::vector<TokenSpan> given = parts_of(tokens_, {call + 2, end - 1}, true);
    if (parameter >= given.size() || given[parameter].end != given[parameter].begin + 1) return std::nullopt;
    const std::string_view text = tokens_[given[parameter].begin].text;
    const auto constant = constants_.find(text);
    const auto value = constant == constants_.end() ? number(text) : std::optional(constant->second);
    if (!value) return std::nullopt;
    most = std::max(most, *value);
  }
  return most;
}

bool OneWarpCode::one_item(const FunctionStatements& function, TokenRange condition) const {
  return Conditions(tokens_, function.constants, function.variables).one(condition);
}

KnownNumbers OneWarpCode::known_numbers(const FunctionStatements& function) const {
  KnownNumbers known = unit_.numbers;
  for (const auto& [name, value] : plain_constants_) known.values[name] = value;
  const DefinitionOutline& definition = *function.definition;
  const TokenRange head = fission::parse_head(tokens_, definition).template_head;
  if (head.begin + 2 >= head.end) return known;
  const auto given = unit_.template_arguments.find(std::string(definition.name));
  std::size_t index = 0;
  for (const TokenSpan& part : parts_of(tokens_, {head.begin + 2, head.end - 1}, true)) {
    std::size_t name = part.begin;
    for (std::size_t i = part.begin; i < part.end && !tokens_[i].is("="); ++i) name = i;
    known.values.erase(tokens_[name].text);
    known.macros.erase(tokens_[name].text);
    const bool one = definition.kernel && given != unit_.template_arguments.end() &&
                     index < given->second.size() && given->second[index] &&
                     given->second[index]->least == given->second[index]->most;
    if (one) known.values[tokens_[name].text] = given->second[index]->most;
    ++index;
  }
  return known;
}

bool OneWarpCode::only_called_inside(std::string_view name) const {
  const auto calls = calls_.find(name);
  return calls != calls_.end() && std::all_of(calls->second.begin(), calls->second.end(),
                                              [this](std::size_t call) { return inside_[call]; });
}

void OneWarpCode::mark(TokenRange range, bool inside) {
  for (std::size_t i = range.begin; i < range.end; ++i) inside_[i] = inside;
}

void OneWarpCode::mark(const FunctionStatements& function, const Statement& statement, bool inside) {
  mark(statement.range, inside);
  const Conditions conditions(tokens_, function.constants, function.variables);
  if (statement.kind == Kind::kIf) {
    const bool one = conditions.one(statement.condition);
    mark(function, *statement.children[0], !one && (inside || conditions.few(statement.condition)));
    if (statement.children.size() > 1) mark(function, *statement.children[1], inside);
    return;
  }
  for (const auto& child : statement.children) {
    mark(function, *child, inside);
    const bool leaves = statement.kind == Kind::kBlock && child->kind == Kind::kIf &&
                        child->children.size() == 1 && returns(*child->children[0]);
    inside = inside || (leaves && conditions.all_others(child->condition));
  }
}

}  // namespace kiln
