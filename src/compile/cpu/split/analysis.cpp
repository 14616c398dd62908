#include "compile/cpu/split/analysis.h"

#include <algorithm>
#include <array>
#include <set>

namespace kiln::fission {
namespace {

using Kind = Statement::Kind;

/// Functions without an effect that cost about as much as an addition.
constexpr std::array<std::string_view, 32> kCheapFunctions = {
    "min",      "max",       "abs",      "fabsf",   "fabs",     "fminf",   "fmaxf",         "fmin",
    "fmax",     "sizeof",    "alignof",  "int",     "unsigned", "long",    "float",         "double",
    "bool",     "char",      "short",    "size_t",  "uint",     "int32_t", "int64_t",       "uint32_t",
    "uint64_t", "ptrdiff_t", "decltype", "uint8_t", "__umul24", "__mul24", "kiln_global_x", "uint16_t"};
/// Further functions without an effect.
constexpr std::array<std::string_view, 70> kPureFunctions = {"sqrtf",
                                                             "sqrt",
                                                             "rsqrtf",
                                                             "rsqrt",
                                                             "expf",
                                                             "exp",
                                                             "exp2f",
                                                             "exp2",
                                                             "logf",
                                                             "log",
                                                             "log2f",
                                                             "log2",
                                                             "log10f",
                                                             "powf",
                                                             "pow",
                                                             "sinf",
                                                             "sin",
                                                             "cosf",
                                                             "cos",
                                                             "tanf",
                                                             "tanhf",
                                                             "tanh",
                                                             "fmaf",
                                                             "fma",
                                                             "floorf",
                                                             "floor",
                                                             "ceilf",
                                                             "ceil",
                                                             "roundf",
                                                             "rintf",
                                                             "truncf",
                                                             "fmodf",
                                                             "fmod",
                                                             "erff",
                                                             "erf",
                                                             "__expf",
                                                             "__logf",
                                                             "__powf",
                                                             "__sinf",
                                                             "__cosf",
                                                             "__fdividef",
                                                             "__frcp_rn",
                                                             "__fsqrt_rn",
                                                             "__clz",
                                                             "__popc",
                                                             "__ffs",
                                                             "__brev",
                                                             "__clzll",
                                                             "__popcll",
                                                             "__ffsll",
                                                             "__float_as_int",
                                                             "__int_as_float",
                                                             "__float2int_rn",
                                                             "__float2int_rd",
                                                             "__int2float_rn",
                                                             "isnan",
                                                             "isinf",
                                                             "cbrtf",
                                                             "hypotf",
                                                             "atan2f",
                                                             "copysignf",
                                                             "__ldg",
                                                             "plus",
                                                             "less",
                                                             "greater",
                                                             "bit_xor",
                                                             "make_float2",
                                                             "make_float4",
                                                             "make_int2",
                                                             "make_float3"};

constexpr std::array<std::string_view, 14> kCastWords = {
    "int",   "unsigned", "long",    "short",   "const",    "size_t",   "uint",
    "float", "double",   "int32_t", "int64_t", "uint32_t", "uint64_t", "char"};

bool is_operand_end(const Token& token) {
  if (token.is("return") || token.is("case")) return false;
  return token.identifier() || token.kind == Token::Kind::kNumber || token.is(")") || token.is("]");
}

}  // namespace

Analysis::Analysis(Input input) : in_(std::move(input)) {
  const std::size_t count = body().variables().size();
  groups_.resize(count);
  collect_groups();
  calls_ = find_sync_calls(body(), *in_.functions, groups_, body().block().range);
  for (std::size_t c = 0; c < calls_.size(); ++c) {
    SyncCall& call = calls_[c];
    if (call.user) {
      call.sync = in_.user_sync(call.name);
    }
    call_at_[call.range.begin] = c;
    if (in_.warp_function && call.sync == Sync::kBlock)
      throw Trouble{"a barrier of the block in a function of a warp", call.range.begin};
  }
  require_steps();
  least_.assign(count, kBlockLevel);
  constexpr int kMostRounds = 64;
  for (int round = 0;; ++round) {
    if (round == kMostRounds) throw Trouble{"levels that do not settle", body().block().range.begin};
    demoted_ = false;
    find_levels();
    plan();
    store();
    if (!demoted_) break;
  }
}

/// A call of a member of CUB's classes has to be seen as such, as it waits.
void Analysis::require_steps() const {
  const TokenRange range = body().block().range;
  for (std::size_t i = range.begin + 1; i < range.end; ++i) {
    const bool member = (body().is(i - 1, ".") || body().is(i - 1, "->")) &&
                        in_.functions->step_member(body().tokens()[i].text) &&
                        (body().is(i + 1, "(") || body().is(i + 1, "<"));
    const bool seen = std::any_of(calls_.begin(), calls_.end(),
                                  [&](const SyncCall& call) { return call.step && call.range.contains(i); });
    if (member && !seen)
      throw Trouble{"'" + std::string(body().tokens()[i].text) + "' of an object that Kiln does not follow",
                    i};
  }
}

void Analysis::collect_groups() {
  const std::vector<Variable>& variables = body().variables();
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const Variable& variable = variables[v];
    if (variable.parameter >= 0) {
      const auto p = static_cast<std::size_t>(variable.parameter);
      groups_[v] = group_of(body().tokens(), variable.specifiers, {});
      if (groups_[v].kind == Group::Kind::kNone && p < in_.parameter_groups.size())
        groups_[v] = in_.parameter_groups[p];
    } else {
      groups_[v] = group_of(body().tokens(), variable.specifiers, variable.declarator->initializer);
    }
  }
}

std::vector<const SyncCall*> Analysis::calls_in(TokenRange range) const {
  std::vector<const SyncCall*> found;
  for (const SyncCall& call : calls_) {
    if (call.sync != Sync::kNone && range.begin <= call.range.begin && call.range.end <= range.end)
      found.push_back(&call);
  }
  return found;
}

Sync Analysis::sync_in(TokenRange range) const {
  Sync most = Sync::kNone;
  for (const SyncCall* call : calls_in(range)) most = std::max(most, call->sync);
  return most;
}

std::size_t Analysis::index_length(std::size_t i) const {
  if (body().is(i, "threadIdx") && body().is(i + 1, ".") && body().is(i + 2, "x")) return 3;
  const int variable = body().variable_at(i);
  if (variable >= 0 && index_[static_cast<std::size_t>(variable)]) return 1;
  if (variable >= 0 && in_.shape.flat &&
      groups_[static_cast<std::size_t>(variable)].kind == Group::Kind::kBlock && body().is(i + 1, ".") &&
      body().is(i + 2, "thread_rank") && body().is(i + 3, "("))
    return 5;
  return 0;
}

Analysis::WarpPart Analysis::warp_part(std::size_t i, std::size_t end) const {
  if (!in_.shape.warps || !(in_.shape.flat || in_.shape.whole_rows)) return {};
  const std::size_t length = index_length(i);
  if (length == 0) return {};
  if (i > 0 && (body().is(i - 1, "*") || body().is(i - 1, "/") || body().is(i - 1, "%"))) return {};
  std::size_t at = i + length;
  const auto number = [&](std::size_t t, std::string_view decimal, std::string_view hexadecimal) {
    if (t >= end || body().tokens()[t].kind != Token::Kind::kNumber)
      return body().is(t, "warpSize") && decimal == "32";
    std::string text(body().tokens()[t].text);
    for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    while (!text.empty() && (text.back() == 'u' || text.back() == 'l')) text.pop_back();
    return text == decimal || text == hexadecimal;
  };
  const auto ends = [&](std::size_t t) { return t >= end || !(body().is(t, ".") || body().is(t, "[")); };
  if (body().is(at, "/") && number(at + 1, "32", "0x20") && ends(at + 2)) return {length + 2, false};
  if (body().is(at, "%") && number(at + 1, "32", "0x20") && ends(at + 2)) return {length + 2, true};
  // Next to an operator that binds more tightly the shift would have another value.
  const bool before = i > 0 && (body().is(i - 1, "+") || body().is(i - 1, "-"));
  if (body().is(at, ">") && body().is(at + 1, ">") && number(at + 2, "5", "0x5") && !before &&
      !body().is(at + 3, "+") && !body().is(at + 3, "-") && !body().is(at + 3, "*"))
    return {length + 3, false};
  if (body().is(at, "&") && number(at + 1, "31", "0x1f") && !before &&
      !(i > 0 && (body().is(i - 1, "<") || body().is(i - 1, ">") || body().is(i - 1, "=="))) &&
      !body().is(at + 2, "+") && !body().is(at + 2, "-") && !body().is(at + 2, "*") &&
      !body().is(at + 2, "=="))
    return {length + 2, true};
  return {};
}

std::size_t Analysis::group_call_length(std::size_t i) const {
  const int variable = body().variable_at(i);
  if (variable < 0 || groups_[static_cast<std::size_t>(variable)].kind == Group::Kind::kNone) return 0;
  if (!body().is(i + 1, ".") || !body().is(i + 3, "(")) return 0;
  return body().tokens()[i + 3].close + 1 - i;
}

bool Analysis::pure_call(std::size_t i) const {
  const std::string_view name = body().tokens()[i].text;
  return !in_.signatures->defines(name) && (among(kCheapFunctions, name) || among(kPureFunctions, name));
}

Level Analysis::level_of_call(const SyncCall& call) const {
  const std::string_view name = call.name;
  if (call.sync == Sync::kBlock) return call.user || call.step ? kItemLevel : kBlockLevel;
  if (call.user) return kItemLevel;
  if (call.group.kind == Group::Kind::kTile) {
    if (!call.group.whole_warp()) return kItemLevel;
    if (name == "any" || name == "all" || name == "ballot" || name == "reduce" || name == "sync")
      return kWarpLevel;
    return name == "shfl" && call.arguments.size() == 2 ? facts(call.arguments[1]).level : kItemLevel;
  }
  if (name == "__any_sync" || name == "__all_sync" || name == "__ballot_sync" || name == "__activemask" ||
      name == "__ballot" || name.substr(0, 9) == "__reduce_")
    return call.arguments.empty() || facts(call.arguments[0]).level != kItemLevel ? kWarpLevel : kItemLevel;
  if (name == "__shfl_sync" && call.arguments.size() == 3)
    return std::max(kWarpLevel, facts(call.arguments[2]).level);
  return name == "__syncwarp" ? kWarpLevel : kItemLevel;
}

Facts Analysis::facts(TokenRange range, bool with_calls) const {
  Facts result;
  const std::vector<Token>& tokens = body().tokens();
  const auto raise_to = [&](Level level) { result.level = std::max(result.level, cap(level)); };
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (const auto call = call_at_.find(i); call != call_at_.end()) {
      const SyncCall& known = calls_[call->second];
      if (known.sync != Sync::kNone && known.range.end <= range.end) {
        raise_to(level_of_call(known));
        if (with_calls) result.effects = result.calls = true;
        i = known.range.end - 1;
        continue;
      }
    }
    if (const GridCall call = grid_call(i); call.length != 0) {
      if (call.index && call.axis == 'x') raise_to(kItemLevel);
      if (call.index && call.axis != 'x')
        raise_to(in_.shape.flat ? kBlockLevel : in_.shape.whole_rows ? kWarpLevel : kItemLevel);
      i += call.length - 1;
      continue;
    }
    if (const WarpPart part = warp_part(i, range.end); part.length != 0) {
      raise_to(part.remainder ? kItemLevel : kWarpLevel);
      i += part.length - 1;
      continue;
    }
    const Token& token = tokens[i];
    if (body().assignment_length(i) != 0 || token.is("++") || token.is("--")) {
      result.effects = true;
    } else if (token.is("[")) {
      const bool subscript = i > range.begin && is_operand_end(tokens[i - 1]);
      if (!subscript) {  // a lambda
        raise_to(kItemLevel);
        result.effects = result.calls = true;
      } else {
        const bool address = i >= range.begin + 2 && body().is(i - 2, "&") &&
                             (i == range.begin + 2 || !is_operand_end(tokens[i - 3]));
        result.loads = result.loads || !address;
      }
    } else if (token.is("->")) {
      result.loads = result.loads || !(i > 0 && body().is(i - 1, "kiln_worker"));
    } else if (token.is("*") && (i == range.begin || !is_operand_end(tokens[i - 1]))) {
      result.loads = true;
    } else if (token.is("/") || token.is("%")) {
      const bool constant =
          i + 1 < range.end && (tokens[i + 1].kind == Token::Kind::kNumber || body().is(i + 1, "warpSize"));
      result.divides = result.divides || !constant;
    }
    if (!token.identifier()) continue;
    const bool member = i > range.begin && (body().is(i - 1, ".") || body().is(i - 1, "->"));
    if (member) {
      if (body().is(i + 1, "(")) {
        raise_to(kItemLevel);
        result.effects = result.calls = true;
      }
      continue;
    }
    if (body().is(i + 1, "::")) continue;
    if (token.is("threadIdx")) {
      if (!body().is(i + 1, ".")) {
        raise_to(kItemLevel);
      } else if (body().is(i + 2, "x")) {
        // "threadIdx.x < 64" has one value in a warp.
        raise_to(kItemLevel);
      } else {
        raise_to(in_.shape.flat ? kBlockLevel : in_.shape.whole_rows ? kWarpLevel : kItemLevel);
      }
      if (body().is(i + 1, ".")) i += 2;
      continue;
    }
    const int variable = body().variable_at(i);
    if (variable >= 0) {
      // Memory that other work-items may have written meanwhile: shared memory by its name alone.
      const Variable& named = body().variables()[static_cast<std::size_t>(variable)];
      if (named.fixed && named.statement != nullptr && named.statement->is_shared && !named.declarator->array)
        result.loads = true;
      const std::size_t length = group_call_length(i);
      if (length != 0) {
        const std::string_view name = tokens[i + 2].text;
        if (name == "thread_rank" || name == "thread_index")
          raise_to(kItemLevel);
        else if (name == "meta_group_rank")
          raise_to(groups_[static_cast<std::size_t>(variable)].whole_warp() ? kWarpLevel : kItemLevel);
        i += length - 1;
        continue;
      }
      if (groups_[static_cast<std::size_t>(variable)].kind == Group::Kind::kNone) {
        raise_to(levels_[static_cast<std::size_t>(variable)]);
        if (body().is(i + 1, "(")) {  // a lambda
          raise_to(kItemLevel);
          result.effects = result.calls = true;
        }
      }
      continue;
    }
    if (in_.changes(token.text)) result.loads = true;
    std::size_t open = i + 1;
    if (body().is(open, "<")) open = after_template_arguments(tokens, open, range.end);
    if (open < range.end && body().is(open, "(")) {
      const std::string_view name = token.text;
      const bool cast = name == "static_cast" || name == "reinterpret_cast" || name == "const_cast";
      const bool group = name == "this_thread_block" || name == "this_grid" || name == "tiled_partition";
      if (cast || group) continue;
      if (pure_call(i)) {
        result.calls = result.calls || !among(kCheapFunctions, name);
      } else {
        raise_to(kItemLevel);
        result.effects = result.calls = true;
      }
    } else if (token.is("new") || token.is("delete") || token.is("throw")) {
      result.effects = true;
    }
  }
  return result;
}

bool Analysis::raise(int variable, Level level) {
  Level& known = levels_[static_cast<std::size_t>(variable)];
  const Level wanted = cap(level);
  if (wanted <= known || groups_[static_cast<std::size_t>(variable)].kind != Group::Kind::kNone) return false;
  known = wanted;
  return true;
}

void Analysis::find_levels() {
  const std::vector<Variable>& variables = body().variables();
  levels_ = least_;
  index_.assign(variables.size(), false);
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const Variable& variable = variables[v];
    if (variable.parameter >= 0) {
      const auto p = static_cast<std::size_t>(variable.parameter);
      if (p < in_.parameter_levels.size()) raise(static_cast<int>(v), in_.parameter_levels[p]);
    }
    if (variable.fixed) continue;
    if (variable.escapes) raise(static_cast<int>(v), kItemLevel);
    const bool own_array = variable.declarator->array && variable.parameter < 0;
    if (own_array && !variable.constant) raise(static_cast<int>(v), kItemLevel);
    // A reference has the level of its target; the object that it is bound to may change.
    if (variable.declarator->reference && variable.parameter < 0 && !variable.constant)
      raise(static_cast<int>(v), kItemLevel);
    // Names of threadIdx.x.
    if (!variable.modified && variable.parameter < 0 && !variable.declarator->pointer &&
        !variable.declarator->reference) {
      TokenRange value = variable.declarator->initializer;
      for (bool casts = true; casts && value.begin < value.end;) {
        casts = false;
        if (body().is(value.begin, "(")) {
          std::size_t t = value.begin + 1;
          while (t < value.end && among(kCastWords, body().tokens()[t].text)) ++t;
          if (t > value.begin + 1 && body().is(t, ")")) {
            value.begin = t + 1;
            casts = true;
          }
        }
      }
      const std::size_t length = value.begin < value.end ? index_length(value.begin) : 0;
      if (length != 0 && value.begin + length == value.end) index_[v] = true;
    }
  }
  for (bool grown = true; grown;) {
    grown = false;
    control_.clear();
    control(body().block(), kBlockLevel);
    for (std::size_t v = 0; v < variables.size(); ++v) {
      const Variable& variable = variables[v];
      if (variable.parameter >= 0 || variable.fixed) continue;
      const Level level =
          std::max(facts(variable.declarator->initializer).level, control_[variable.statement]);
      grown = raise(static_cast<int>(v), level) || grown;
    }
    for (const Write& write : body().writes()) {
      if (write.variable < 0) continue;
      Level level = std::max(facts(write.value).level, control_[write.statement]);
      const Statement& statement = *write.statement;
      if (statement.kind == Kind::kOpaque) level = kItemLevel;
      if (statement.children.empty()) {  // in a lambda
        for (std::size_t t = statement.range.begin; t < write.at; ++t) {
          if (body().is(t, "{") && body().tokens()[t].close > write.at) level = kItemLevel;
        }
      }
      grown = raise(write.variable, level) || grown;
    }
  }
}

Level Analysis::condition_level(const Statement& statement) const {
  // A barrier's condition has one value for the whole block, or the program is wrong.
  if (sync_in(statement.range) == Sync::kBlock) return kBlockLevel;
  return cap(facts(statement.condition).level);
}

Level Analysis::exits(const Statement& statement, Level level, bool breaks, bool continues) const {
  switch (statement.kind) {
    case Kind::kBreak:
      return breaks ? level : kBlockLevel;
    case Kind::kContinue:
      return continues ? level : kBlockLevel;
    case Kind::kOpaque: {
      if (continues && jumps(statement, Kind::kContinue)) return kItemLevel;
      return kBlockLevel;
    }
    case Kind::kFor:
    case Kind::kWhile:
    case Kind::kDo:
      return kBlockLevel;
    default:
      break;
  }
  const Level inside = statement.kind == Kind::kIf ? std::max(level, condition_level(statement)) : level;
  Level most = kBlockLevel;
  for (const auto& child : statement.children)
    most = std::max(most, exits(*child, inside, breaks, continues));
  return most;
}

void Analysis::control(const Statement& statement, Level level) {
  Level inside = level;
  if (statement.kind == Kind::kIf) inside = std::max(level, condition_level(statement));
  if (statement.loop()) {
    inside = std::max(level, condition_level(statement));
    if (sync_in(statement.range) != Sync::kBlock)
      inside = std::max(inside, exits(statement.body(), kBlockLevel, true, true));
  }
  if (statement.kind == Kind::kOpaque) inside = kItemLevel;
  control_[&statement] = cap(inside);
  for (const auto& child : statement.children) control(*child, cap(inside));
}

/// Whether a jump of this kind leads out of the statement.
bool Analysis::jumps(const Statement& statement, Kind kind) const {
  if (statement.kind == kind) return true;
  if (statement.loop() && kind != Kind::kReturn) return false;
  if (statement.kind == Kind::kOpaque || statement.children.empty()) {
    // In a switch "continue" leads out and "break" does not; in a range-based for neither does; out of a
    // lambda no jump leads.
    if (statement.kind != Kind::kOpaque) return false;
    const std::string_view word = kind == Kind::kReturn     ? "return"
                                  : kind == Kind::kContinue ? "continue"
                                                            : "";
    if (word == "continue" && !body().is(statement.range.begin, "switch")) return false;
    for (std::size_t i = statement.range.begin; i < statement.range.end; ++i) {
      if (!word.empty() && body().is(i, word)) return true;
      const bool loop =
          word == "continue" && (body().is(i, "for") || body().is(i, "while")) && body().is(i + 1, "(");
      if (!loop) continue;
      i = body().tokens()[i + 1].close + 1;  // a jump inside of it does not lead out
      if (body().is(i, "{")) i = body().tokens()[i].close;
      while (i < statement.range.end && !body().is(i, "}") && !body().is(i, ";")) ++i;
    }
    return false;
  }
  return std::any_of(statement.children.begin(), statement.children.end(),
                     [&](const auto& child) { return jumps(*child, kind); });
}

bool Analysis::leaves_early(const Statement& statement) const {
  return leaving_.contains(&statement);
}

Analysis::Place Analysis::place(const Statement& statement) const {
  const auto found = places_.find(&statement);
  return found == places_.end() ? Place::kItem : found->second;
}

bool Analysis::uniform_range(TokenRange range, Level level) const {
  const Facts known = facts_without_calls(range);
  if (known.level > level) return false;
  if (!known.effects) return true;
  if (known.calls) {  // only calls without effects may stand there
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (const auto call = call_at_.find(i);
          call != call_at_.end() && calls_[call->second].sync != Sync::kNone) {
        i = calls_[call->second].range.end - 1;
        continue;
      }
      if (body().tokens()[i].identifier() && body().is(i + 1, "(") && !pure_call(i)) return false;
    }
  }
  return std::all_of(body().writes().begin(), body().writes().end(), [&](const Write& write) {
    return !range.contains(write.at) ||
           (write.variable >= 0 && levels_[static_cast<std::size_t>(write.variable)] <= level);
  });
}

bool Analysis::uniform_statement(const Statement& statement, Level level) const {
  const auto plain = [&](TokenRange range) { return uniform_range(range, level); };
  switch (statement.kind) {
    case Kind::kEmpty:
    case Kind::kScopeDeclaration:
      return true;
    case Kind::kExpression: {
      const bool writes = std::any_of(body().writes().begin(), body().writes().end(),
                                      [&](const Write& write) { return statement.range.contains(write.at); });
      return writes && plain(statement.range);
    }
    case Kind::kDeclaration:
      return std::all_of(
          statement.declarators.begin(), statement.declarators.end(), [&](const Declarator& d) {
            const int variable = body().variable_at(d.at);
            if (variable < 0) return false;
            if (groups_[static_cast<std::size_t>(variable)].kind != Group::Kind::kNone) return true;
            return levels_[static_cast<std::size_t>(variable)] <= level && plain(d.initializer);
          });
    case Kind::kIf:
    case Kind::kFor:
    case Kind::kWhile:
    case Kind::kDo:
      if (!plain(statement.condition) || !plain(statement.step)) return false;
      break;
    case Kind::kBlock:
      break;
    default:
      return false;
  }
  return std::all_of(statement.children.begin(), statement.children.end(),
                     [&](const auto& child) { return uniform_statement(*child, level); });
}

/// A loop that has to stay in the loop over work-items.
bool Analysis::item_only(const Statement& loop) const {
  return jumps(loop, Kind::kReturn);
}

Analysis::Place Analysis::wanted_place(const Statement& statement, Place around) const {
  const Sync sync = sync_in(statement.range);
  const bool block = around == Place::kBlock;
  const Level level = block ? kBlockLevel : kWarpLevel;
  if (block && sync == Sync::kBlock) return around;
  if (!block && sync != Sync::kNone) return around;
  const bool has_sync = sync != Sync::kNone;  // of warps, at the block's level
  switch (statement.kind) {
    case Kind::kScopeDeclaration:
    case Kind::kReturn:
    case Kind::kBreak:
    case Kind::kContinue:
    case Kind::kEmpty:
      return around;
    case Kind::kDeclaration:
    case Kind::kExpression:
      return !has_sync && uniform_statement(statement, level) ? around : Place::kItem;
    case Kind::kOpaque:
      if (jumps(statement, Kind::kContinue)) throw Trouble{"'continue' in a switch", statement.range.begin};
      return Place::kItem;
    default:
      break;
  }
  const bool leads_out = jumps(statement, Kind::kBreak) || jumps(statement, Kind::kContinue);
  const bool known_condition =
      statement.kind == Kind::kBlock ||
      (sync_in(statement.condition) == Sync::kNone && uniform_range(statement.condition, level));
  if (statement.kind == Kind::kIf || statement.kind == Kind::kBlock) {
    if (leads_out && block) {
      if (!known_condition || has_sync)
        throw Trouble{
            "'break' or 'continue' under a condition that may differ between work-items, in a loop "
            "around a barrier",
            statement.range.begin};
      return around;
    }
    if (has_sync) return Place::kItem;
    if (!known_condition) return Place::kItem;
    if (leads_out) return around;
    if (statement.kind == Kind::kIf && jumps(statement, Kind::kReturn)) return around;
    if (uniform_statement(statement, level)) return around;
    if (block && in_.shape.warps) {
      // Only a statement that sets the block's own values has to stand there.
      const bool sets = std::any_of(body().writes().begin(), body().writes().end(), [&](const Write& write) {
        return statement.range.contains(write.at) && write.variable >= 0 &&
               levels_[static_cast<std::size_t>(write.variable)] == kBlockLevel &&
               !statement.range.contains(
                   body().variables()[static_cast<std::size_t>(write.variable)].declarator->at);
      });
      return sets ? around : Place::kItem;
    }
    for (const auto& child : statement.children) {
      if (child->kind != Kind::kScopeDeclaration && child->kind != Kind::kEmpty &&
          wanted_place(*child, around) != Place::kItem)
        return around;
    }
    return Place::kItem;
  }
  // A loop. If its course is equal for all work-items it is better outside: its body then becomes vector
  // code.
  if (has_sync || item_only(statement)) return Place::kItem;
  if (uniform_statement(statement, level)) return around;
  if (block && in_.shape.warps) return Place::kItem;
  const bool same_course =
      condition_level(statement) <= level && exits(statement.body(), kBlockLevel, true, true) <= level &&
      (statement.kind != Kind::kFor || uniform_statement(*statement.children[0], level)) && [&] {
        for (const TokenRange range : {statement.condition, statement.step}) {
          for (const Write& write : body().writes()) {
            if (range.contains(write.at) &&
                (write.variable < 0 || levels_[static_cast<std::size_t>(write.variable)] > level))
              return false;
          }
          if (facts(range).calls && facts(range).effects) return false;
        }
        return true;
      }();
  return same_course && !keeps_order(statement) ? around : Place::kItem;
}

void Analysis::mark_group(const Statement& statement, int block_group, int warp_group) {
  for (std::size_t i = statement.range.begin; i < statement.range.end; ++i) {
    block_group_[i - body().block().range.begin] = block_group;
    warp_group_[i - body().block().range.begin] = warp_group;
  }
}

namespace {

void mark_all(const Statement& statement, Analysis::Place place,
              std::map<const Statement*, Analysis::Place>& places) {
  places[&statement] = place;
  for (const auto& child : statement.children) mark_all(*child, place, places);
}

}  // namespace

void Analysis::plan() {
  places_.clear();
  hoisted_.clear();
  leaving_.clear();
  groups_used_ = 0;
  const TokenRange range = body().block().range;
  block_group_.assign(range.end - range.begin, -1);
  warp_group_.assign(range.end - range.begin, -1);
  plan_list(body().block(), in_.warp_function ? Place::kWarp : Place::kBlock);
}

/// The statements of an item's loop, one after the other: a group.
void Analysis::plan_list(const Statement& list, Place around) {
  const bool block = around == Place::kBlock;
  std::vector<const Statement*> chunk;
  bool stores = false;  // the chunk may write memory
  const auto flush = [&] {
    if (chunk.empty()) return;
    if (block && in_.shape.warps) {
      plan_chunk(chunk);
    } else {
      const int group = groups_used_++;
      for (const Statement* statement : chunk) {
        // In a function of a warp everything is one group of the block.
        mark_group(*statement,
                   block ? group : block_group_[statement->range.begin - body().block().range.begin], group);
        mark_all(*statement, Place::kItem, places_);
      }
    }
    for (const Statement* statement : chunk) {
      if (jumps(*statement, Kind::kReturn)) leaving_.insert(statement);
    }
    chunk.clear();
    stores = false;
  };
  const auto one = [&](const Statement& statement) {
    const Place place = wanted_place(statement, around);
    if (place == Place::kItem) {
      const bool alone =
          !(block && in_.shape.warps) && (narrowed(statement, around) || strided(statement, around));
      if (alone) flush();
      chunk.push_back(&statement);
      if (alone) {
        flush();
        return;
      }
      stores = stores || sync_in(statement.range) != Sync::kNone || facts(statement.range).calls ||
               std::any_of(body().writes().begin(), body().writes().end(), [&](const Write& write) {
                 return statement.range.contains(write.at) && write.variable < 0;
               });
      return;
    }
    const bool declaration =
        statement.kind == Kind::kScopeDeclaration || statement.kind == Kind::kEmpty ||
        (statement.kind == Kind::kDeclaration && calls_in(statement.range).empty() &&
         std::all_of(statement.declarators.begin(), statement.declarators.end(),
                     [&](const Declarator& d) { return !facts(d.initializer).loads || !stores; }));
    if (declaration) {
      hoisted_.insert(&statement);
      places_[&statement] = around;
      return;
    }
    flush();
    places_[&statement] = around;
    plan_children(statement, around);
  };
  if (list.kind == Kind::kBlock) {
    for (const auto& child : list.children) one(*child);
  } else {
    one(list);
  }
  flush();
  places_[&list] = list.kind == Kind::kBlock ? around : place(list);
}

void Analysis::plan_children(const Statement& statement, Place around) {
  if (uniform_statement(statement, around == Place::kBlock ? kBlockLevel : kWarpLevel)) {
    mark_all(statement, around, places_);
    return;
  }
  if (statement.kind == Kind::kFor) {
    places_[statement.children[0].get()] = around;
    plan_list(statement.body(), around);
    return;
  }
  if (statement.kind == Kind::kBlock) {
    plan_list(statement, around);
    return;
  }
  for (const auto& child : statement.children) plan_list(*child, around);
}

/// The statements that run in one loop over warps.
void Analysis::plan_chunk(const std::vector<const Statement*>& chunk) {
  const int group = groups_used_++;
  for (const Statement* statement : chunk) mark_group(*statement, group, -1);
  Statement list;  // as if the statements stood in brackets
  std::vector<const Statement*> items;
  const auto flush = [&] {
    if (items.empty()) return;
    const int inner = groups_used_++;
    for (const Statement* statement : items) {
      mark_group(*statement, group, inner);
      mark_all(*statement, Place::kItem, places_);
      if (jumps(*statement, Kind::kReturn)) leaving_.insert(statement);
    }
    items.clear();
  };
  for (const Statement* statement : chunk) {
    if (wanted_place(*statement, Place::kWarp) == Place::kItem) {
      const bool alone = narrowed(*statement, Place::kWarp) || strided(*statement, Place::kWarp);
      if (alone) flush();
      items.push_back(statement);
      if (alone) flush();
      continue;
    }
    places_[statement] = Place::kWarp;
    if (statement->kind == Kind::kScopeDeclaration || statement->kind == Kind::kEmpty) {
      hoisted_.insert(statement);
      continue;
    }
    flush();
    plan_children(*statement, Place::kWarp);
  }
  flush();
}

/// Whether a variable keeps its value as long as the variable `user` lives.
bool Analysis::steady_in(int number, const Variable& user) const {
  const Variable& variable = body().variables()[static_cast<std::size_t>(number)];
  if (variable.fixed || !variable.modified ||
      groups_[static_cast<std::size_t>(number)].kind != Group::Kind::kNone)
    return true;
  if (variable.escapes) return false;
  return std::none_of(body().writes().begin(), body().writes().end(), [&](const Write& write) {
    return write.variable == number && write.at >= user.declarator->at && write.at < user.scope_end;
  });
}

bool Analysis::steady_names(const Variable& variable) const {
  const TokenRange value = variable.declarator->initializer;
  for (std::size_t i = value.begin; i < value.end; ++i) {
    const int other = body().variable_at(i);
    if (other >= 0 && !steady_in(other, variable)) return false;
  }
  return true;
}

/// Whether a variable's value can be computed again, at low cost, at each place that needs it.
bool Analysis::repeatable(const Variable& variable) const {
  if (variable.parameter >= 0 || variable.fixed || variable.modified || variable.escapes ||
      variable.declarator->start == Declarator::Start::kNone || variable.declarator->array)
    return false;
  const Facts known = facts(variable.declarator->initializer);
  return !known.effects && !known.loads && !known.calls && !known.divides && steady_names(variable);
}

void Analysis::store() {
  const std::vector<Variable>& variables = body().variables();
  const std::size_t base = body().block().range.begin;
  storage_.assign(variables.size(), Storage::kLocal);
  block_array_.assign(variables.size(), false);
  const Place root = in_.warp_function ? Place::kWarp : Place::kBlock;
  const auto demote = [&](std::size_t v) {
    if (least_[v] != kItemLevel) demoted_ = true;
    least_[v] = kItemLevel;
  };
  // Some variables have a deduced type and live longer than a loop: the names in their initializers are
  // needed outside of the loop.
  std::set<int> exposed, exposed_in_block;
  for (std::size_t v = variables.size(); v-- > 0;) {
    const Variable& variable = variables[v];
    if (variable.parameter >= 0 || variable.fixed) continue;
    bool deduced =
        variable.declarator->reference || repeatable(variable) || sum_of_index(static_cast<int>(v));
    for (std::size_t i = variable.specifiers.begin; i < variable.specifiers.end; ++i)
      deduced = deduced || body().is(i, "auto");
    if (!deduced) continue;
    const int group = warp_group_[variable.declarator->at - base];
    const bool crosses = exposed.contains(static_cast<int>(v)) || group < 0 ||
                         std::any_of(variable.uses.begin(), variable.uses.end(),
                                     [&](std::size_t use) { return warp_group_[use - base] != group; });
    if (!crosses) continue;
    const int chunk = block_group_[variable.declarator->at - base];
    const bool leaves_chunk = exposed_in_block.contains(static_cast<int>(v)) || chunk < 0 ||
                              std::any_of(variable.uses.begin(), variable.uses.end(),
                                          [&](std::size_t use) { return block_group_[use - base] != chunk; });
    for (std::size_t i = variable.declarator->initializer.begin; i < variable.declarator->initializer.end;
         ++i) {
      if (body().variable_at(i) >= 0) exposed.insert(body().variable_at(i));
      if (body().variable_at(i) >= 0 && leaves_chunk) exposed_in_block.insert(body().variable_at(i));
    }
  }
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const Variable& variable = variables[v];
    if (variable.fixed || groups_[v].kind != Group::Kind::kNone) {
      storage_[v] = Storage::kOuter;
      continue;
    }
    const bool parameter = variable.parameter >= 0;
    const Place declared = parameter ? root : place(*variable.statement);
    const Level outer_level = declared == Place::kBlock ? kBlockLevel : kWarpLevel;
    // A declaration in a loop over warps is not visible in the next loop.
    const bool leaves_chunk =
        declared == Place::kWarp && !in_.warp_function &&
        std::any_of(variable.uses.begin(), variable.uses.end(), [&](std::size_t use) {
          return block_group_[use - base] != block_group_[variable.declarator->at - base];
        });
    if (!leaves_chunk && declared != Place::kItem && levels_[v] <= outer_level) {
      storage_[v] = Storage::kOuter;
      for (const Write& write : body().writes()) {
        if (write.variable == static_cast<int>(v) && place(*write.statement) != declared) demote(v);
      }
      continue;
    }
    bool in_warp = !parameter, in_block = !parameter;
    if (!parameter) {
      const int block_group = block_group_[variable.declarator->at - base];
      const int warp_group = warp_group_[variable.declarator->at - base];
      for (const std::size_t use : variable.uses) {
        if (block_group_[use - base] != block_group || (block_group < 0 && !in_.warp_function))
          in_block = false;
        if (warp_group_[use - base] != warp_group || warp_group < 0) in_warp = false;
      }
      if (variable.uses.empty()) in_warp = in_warp && warp_group >= 0;
      if (exposed.contains(static_cast<int>(v))) in_warp = false;
      if (exposed_in_block.contains(static_cast<int>(v))) in_block = false;
      if (in_warp && in_block) continue;
      const TokenRange value = variable.declarator->initializer;
      if (value.begin < value.end && body().is(value.begin, "[")) {  // a lambda
        const bool by_reference = body().is(value.begin + 1, "&") || body().is(value.begin + 1, "]");
        if (!by_reference && !steady_names(variable))
          throw Trouble{"a lambda that copies what changes", value.begin};
        storage_[v] = Storage::kRepeated;
        continue;
      }
      if (repeatable(variable)) {
        storage_[v] = Storage::kRepeated;
        continue;
      }
    }
    storage_[v] = Storage::kItems;
    block_array_[v] = !in_.warp_function && !in_block;
    if (levels_[v] != kItemLevel) {
      // The value would be stored for each work-item, so all of them have to compute it.
      demote(v);
    }
  }
}

/// The range without brackets and casts around the whole of it.
TokenRange Analysis::bare(TokenRange range) const {
  const std::vector<Token>& tokens = body().tokens();
  while (range.begin < range.end) {
    if (body().is(range.begin, "(")) {
      const std::size_t close = tokens[range.begin].close;
      if (close + 1 == range.end) {
        range = {range.begin + 1, close};
        continue;
      }
      std::size_t t = range.begin + 1;
      while (t < close && among(kCastWords, tokens[t].text)) ++t;
      if (t == close && t > range.begin + 1) {
        range.begin = close + 1;
        continue;
      }
    }
    if (body().is(range.begin, "static_cast") && body().is(range.begin + 1, "<")) {
      const std::size_t open = after_template_arguments(tokens, range.begin + 1, range.end);
      if (body().is(open, "(") && tokens[open].close + 1 == range.end) {
        range = {open + 1, tokens[open].close};
        continue;
      }
    }
    break;
  }
  return range;
}

/// 'x', 'y' or 'l' if an expression is that index; else 0.
char Analysis::axis_of(TokenRange range) const {
  range = bare(range);
  if (range.begin >= range.end) return 0;
  if (const WarpPart part = warp_part(range.begin, range.end); part.length != 0)
    return part.remainder && range.begin + part.length == range.end ? 'l' : '\0';
  const std::size_t length = index_length(range.begin);
  if (length != 0 && range.begin + length == range.end) return 'x';
  if (range.begin + 3 == range.end && body().is(range.begin, "threadIdx") && body().is(range.begin + 2, "y"))
    return 'y';
  const int variable = body().variable_at(range.begin);
  if (variable < 0) return 0;
  if (const std::size_t call = group_call_length(range.begin); call != 0) {
    const bool lane = groups_[static_cast<std::size_t>(variable)].whole_warp() &&
                      body().is(range.begin + 2, "thread_rank") && range.begin + call == range.end;
    return lane ? 'l' : '\0';
  }
  const Variable& known = body().variables()[static_cast<std::size_t>(variable)];
  if (range.begin + 1 != range.end || known.modified || known.parameter >= 0 || known.declarator->pointer ||
      known.declarator->array || known.declarator->reference || known.fixed)
    return 0;
  const TokenRange value = bare(known.declarator->initializer);
  return value.begin < value.end && value.begin != range.begin ? axis_of(value) : '\0';
}

Analysis::Bounds Analysis::bounds(TokenRange condition, Place around) const {
  Bounds result;
  condition = bare(condition);
  // A flag that holds the condition.
  if (condition.begin + 1 == condition.end && body().variable_at(condition.begin) >= 0) {
    const Variable& flag = body().variables()[static_cast<std::size_t>(body().variable_at(condition.begin))];
    if (flag.parameter < 0 && !flag.modified && !flag.fixed &&
        flag.declarator->start == Declarator::Start::kEquals) {
      const TokenRange value = flag.declarator->initializer;
      bool steady = true;
      for (std::size_t i = value.begin; i < value.end; ++i) {
        const int other = body().variable_at(i);
        steady = steady && (other < 0 || steady_in(other, flag));
      }
      if (steady && !facts(value).effects && !facts(value).loads) condition = bare(value);
    }
  }
  const Level level = around == Place::kBlock ? kBlockLevel : kWarpLevel;
  result.all = true;
  std::size_t begin = condition.begin;
  for (std::size_t i = condition.begin; i <= condition.end; ++i) {
    if (i < condition.end && (body().is(i, "(") || body().is(i, "["))) {
      i = body().tokens()[i].close;
      continue;
    }
    if (i < condition.end && (body().is(i, "||") || body().is(i, "?"))) return {};
    if (i < condition.end && !body().is(i, "&&")) continue;
    const TokenRange term = bare({begin, i});
    begin = i + 1;
    std::size_t sign = term.end;
    bool odd = false;
    for (std::size_t t = term.begin; t < term.end; ++t) {
      if (body().is(t, "(") || body().is(t, "[")) {
        t = body().tokens()[t].close;
        continue;
      }
      const bool compares = body().is(t, "<") || body().is(t, ">") || body().is(t, "<=") ||
                            body().is(t, ">=") || body().is(t, "==");
      if (compares) {
        odd = odd || sign != term.end;
        sign = t;
      }
    }
    static const std::map<std::string_view, std::pair<const char*, const char*>> kNames = {
        {"<", {"less", "greater"}},
        {">", {"greater", "less"}},
        {"<=", {"less_equal", "greater_equal"}},
        {">=", {"greater_equal", "less_equal"}},
        {"==", {"equal", "equal"}}};
    bool known = false;
    if (!odd && sign != term.end) {
      const TokenRange left{term.begin, sign}, right{sign + 1, term.end};
      const auto& [straight, turned] = kNames.at(body().tokens()[sign].text);
      const char left_axis = axis_of(left), right_axis = axis_of(right);
      const TokenRange limit = left_axis != 0 ? right : left;
      const char axis = left_axis != 0 ? left_axis : right_axis;
      const Facts facts_of_limit = facts(limit);
      const bool lanes = around == Place::kWarp;
      const bool fits = axis == 'x'   ? (!lanes || in_.shape.flat || in_.shape.whole_rows)
                        : axis == 'y' ? !lanes
                                      : axis == 'l' && lanes;
      if (fits && limit.begin < limit.end && facts_of_limit.level <= level && !facts_of_limit.effects) {
        result.bounds.push_back(
            {axis, left_axis != 0 ? straight : turned, bare(left_axis != 0 ? left : right), limit});
        known = true;
      }
    }
    if (!known) result.all = false;
  }
  if (result.bounds.empty()) result.all = false;
  return result;
}

bool Analysis::narrowed(const Statement& statement, Place around) const {
  return statement.kind == Kind::kIf && statement.children.size() == 1 && !statement.constant &&
         !jumps(statement, Kind::kReturn) && !jumps(statement, Kind::kBreak) &&
         !jumps(statement, Kind::kContinue) && !bounds(statement.condition, around).bounds.empty();
}

bool Analysis::changes_nothing(TokenRange range) const {
  const std::vector<Token>& tokens = body().tokens();
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (body().is(i, "[") &&
        !(i > range.begin && is_operand_end(tokens[i - 1]))) {  // a lambda is not called here
      while (i < range.end && !body().is(i, "{")) ++i;
      i = i < range.end ? tokens[i].close : range.end;
      continue;
    }
    if (body().assignment_length(i) != 0 || body().is(i, "++") || body().is(i, "--") || body().is(i, "new"))
      return false;
    const bool call = tokens[i].identifier() && body().is(i + 1, "(") && !body().is(i + 2, ")");
    const bool cast = among(kCastWords, tokens[i].text) || tokens[i].is("sizeof");
    if (call && !cast && !pure_call(i)) return false;
  }
  return true;
}

/// The statement only assigns elements of arrays that it does not read: __shared__ arrays of the kernel, or
/// what its parameters point to if it reads through no other pointer.
bool Analysis::repeats(const Statement& statement) const {
  const TokenRange range = statement.range;
  if (sync_in(range) != Sync::kNone) return false;
  std::set<std::size_t> targets;  // tokens
  std::set<int> written;
  bool through_pointer = false;
  for (const Write& write : body().writes()) {
    if (!range.contains(write.at)) continue;
    if (write.variable >= 0 &&
        range.contains(body().variables()[static_cast<std::size_t>(write.variable)].declarator->at) &&
        !body().is(write.at - 1, "]"))
      continue;
    std::size_t base = write.at;
    if (!body().is(write.at, "=")) return false;
    while (base > range.begin && body().is(base - 1, "]")) base = body().matching_open(base - 1);
    if (base == write.at || base <= range.begin + 1 || base > write.at) return false;
    --base;
    const Token& before = body().tokens()[base - 1];
    if (!(before.is(";") || before.is("{") || before.is("}") || before.is(")"))) return false;
    const int v = body().variable_at(base);
    if (v < 0) return false;
    const Variable& array = body().variables()[static_cast<std::size_t>(v)];
    const bool pointer = array.parameter >= 0 && array.declarator->pointer && !array.modified;
    if (!pointer && !(array.statement != nullptr && array.statement->is_shared && array.declarator->array))
      return false;
    for (std::size_t i = array.specifiers.begin; i < array.specifiers.end; ++i) {
      if (body().is(i, "extern") || body().is(i, "volatile")) return false;
    }
    through_pointer = through_pointer || pointer;
    targets.insert(base);
    written.insert(v);
  }
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (body().is(i, "->") || body().is(i, "asm") || body().is(i, "this") || body().is(i, "::")) return false;
    const bool control = body().is(i, "if") || body().is(i, "for") || body().is(i, "while");
    if (body().tokens()[i].identifier() && body().is(i + 1, "(") && !control && !pure_call(i)) return false;
    if (targets.contains(i) || body().is(i - 1, ".")) continue;
    const int v = body().variable_at(i);
    if (v < 0) {
      // A variable of the text, which a pointer may lead to.
      if (through_pointer && body().tokens()[i].identifier() && body().is(i + 1, "[")) return false;
      continue;
    }
    const Variable& read = body().variables()[static_cast<std::size_t>(v)];
    if (written.contains(v)) return false;
    if (read.declarator->reference) return false;
    if (read.declarator->pointer && (through_pointer || read.parameter < 0)) return false;
  }
  return !written.empty();
}

int Analysis::stride(TokenRange range, int depth) const {
  constexpr int kDeepest = 16;
  range = bare(range);
  if (depth > kDeepest) return kOther;
  int sum = 0;
  std::size_t begin = range.begin;
  const auto add = [&](TokenRange term) {
    term = bare(term);
    if (term.begin >= term.end) return;
    if (const GridCall call = grid_call(term.begin);
        term.begin + call.length == term.end && call.length != 0) {
      sum += call.index && call.axis == 'x' ? 1 : 0;
      return;
    }
    if (axis_of(term) == 'x' || axis_of(term) == 'l') {
      sum += 1;
      return;
    }
    if (axis_of(term) == 'y') return;
    if (const std::size_t call = group_call_length(term.begin);
        call != 0 && term.begin + call == term.end && body().is(term.begin + 2, "thread_rank") &&
        groups_[static_cast<std::size_t>(body().variable_at(term.begin))].kind == Group::Kind::kGrid) {
      sum += 1;
      return;
    }
    if (term.begin + 1 == term.end) {
      const int v = body().variable_at(term.begin);
      if (v < 0 || levels_[static_cast<std::size_t>(v)] != kItemLevel) return;
      const Variable& variable = body().variables()[static_cast<std::size_t>(v)];
      if (variable.modified || variable.parameter >= 0 || variable.declarator->array || variable.fixed) {
        sum = kOther;
        return;
      }
      sum += stride(variable.declarator->initializer, depth + 1);
      return;
    }
    if (body().is(term.begin, "kiln_global_x")) {
      sum += 1;
      return;
    }
    if (facts(term).level == kBlockLevel || (in_.shape.warps && facts(term).level == kWarpLevel)) return;
    // Products of values that vary only from row to row do not vary along x.
    bool rows = true;
    for (std::size_t i = term.begin; i < term.end && rows; ++i) {
      const int v = body().variable_at(i);
      if (v >= 0 && levels_[static_cast<std::size_t>(v)] == kItemLevel)
        rows = stride({i, i + 1}, depth + 1) == 0;
      if (body().is(i, "threadIdx") && !body().is(i + 2, "y") && !body().is(i + 2, "z")) rows = false;
      if (body().is(i, "[") || body().is(i, "->")) rows = false;
    }
    if (rows) return;
    sum = kOther;
  };
  for (std::size_t i = range.begin; i <= range.end && sum < kOther; ++i) {
    if (i < range.end && (body().is(i, "(") || body().is(i, "["))) {
      i = body().tokens()[i].close;
      continue;
    }
    const bool ends = i == range.end || ((body().is(i, "+") || body().is(i, "-")) && i > begin);
    if (!ends) continue;
    add({begin, i});
    begin = i + 1;
  }
  return std::min(sum, kOther);
}

std::optional<Analysis::Strided> Analysis::strided(const Statement& statement, Place around) const {
  const Level level = around == Place::kBlock ? kBlockLevel : kWarpLevel;
  if (statement.kind != Kind::kFor || sync_in(statement.range) != Sync::kNone) return std::nullopt;
  const Statement& start = *statement.children[0];
  if (start.kind != Kind::kDeclaration || start.declarators.size() != 1) return std::nullopt;
  const Declarator& declarator = start.declarators[0];
  const int v = body().variable_at(declarator.at);
  if (v < 0 || declarator.pointer || declarator.reference || declarator.array) return std::nullopt;
  const Variable& variable = body().variables()[static_cast<std::size_t>(v)];
  if (variable.escapes || levels_[static_cast<std::size_t>(v)] != kItemLevel) return std::nullopt;
  if (stride(declarator.initializer) != 1 || facts(declarator.initializer).effects ||
      facts(declarator.initializer).loads || declarator.start != Declarator::Start::kEquals)
    return std::nullopt;
  // "i < n", "i += m", and no other change of i.
  const TokenRange condition = statement.condition, step = statement.step;
  if (condition.end < condition.begin + 3 || body().variable_at(condition.begin) != v ||
      !(body().is(condition.begin + 1, "<") || body().is(condition.begin + 1, "<=")))
    return std::nullopt;
  const Facts limit = facts({condition.begin + 2, condition.end});
  if (limit.level > level || limit.effects) return std::nullopt;
  if (step.end < step.begin + 3 || body().variable_at(step.begin) != v || !body().is(step.begin + 1, "+="))
    return std::nullopt;
  const TokenRange by{step.begin + 2, step.end};
  if (facts(by).level > level || facts(by).effects) return std::nullopt;
  for (const Write& write : body().writes()) {
    if (write.variable == v && !step.contains(write.at)) return std::nullopt;
    // Its start and its end do not change in the loop.
    if (write.variable >= 0 && statement.body().range.contains(write.at)) {
      for (const TokenRange range : {declarator.initializer, condition, by}) {
        for (std::size_t i = range.begin; i < range.end; ++i) {
          if (body().variable_at(i) == write.variable && write.variable != v) return std::nullopt;
        }
      }
    }
  }
  const Statement& inside = statement.body();
  if (jumps(inside, Kind::kReturn) || jumps(inside, Kind::kBreak) || jumps(inside, Kind::kContinue))
    return std::nullopt;
  return Strided{v, declarator.initializer, by};
}

/// Whether each work-item of a loop walks along its own memory, so that running one work-item after the other
/// is better.
bool Analysis::keeps_order(const Statement& loop) const {
  const TokenRange range = loop.body().range;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (!body().is(i, "[") || !is_operand_end(body().tokens()[i - 1])) continue;
    const TokenRange index{i + 1, body().tokens()[i].close};
    if (stride(index) != kOther) continue;
    const int base = body().variable_at(i - 1);
    if (base >= 0 && body().variables()[static_cast<std::size_t>(base)].fixed) continue;  // shared memory
    // A counter of the loop, alone, in a sum.
    for (const Write& write : body().writes()) {
      if (write.variable < 0 || !(loop.step.contains(write.at) || range.contains(write.at))) continue;
      for (std::size_t t = index.begin; t < index.end; ++t) {
        if (body().variable_at(t) != write.variable) continue;
        const bool product = (t > index.begin && body().is(t - 1, "*")) || body().is(t + 1, "*");
        if (!product) return true;
      }
    }
  }
  // "*p++", or an index that belongs to the work-item.
  return false;
}

Analysis::GridCall Analysis::grid_call(std::size_t i) const {
  if (!body().is(i, "kiln") || !body().is(i + 1, "::") || !body().is(i + 3, "(") || !body().is(i + 4, ")"))
    return {};
  const std::string_view name = body().tokens()[i + 2].text;
  if (name == "global_size_x") return {5, 'x', false};
  const bool index = name == "global_index_x" || name == "global_index_y" || name == "global_index_z";
  return index ? GridCall{5, name.back(), true} : GridCall{};
}

std::size_t Analysis::wide_cast_length(std::size_t i) const {
  if (!body().is(i, "(")) return 0;
  bool wide = false;
  std::size_t t = i + 1;
  for (; body().is(t, "size_t") || body().is(t, "long") || body().is(t, "int64_t") ||
         body().is(t, "uint64_t") || body().is(t, "ptrdiff_t") || body().is(t, "unsigned") ||
         body().is(t, "int");
       ++t)
    wide = wide || !(body().is(t, "unsigned") || body().is(t, "int"));
  return wide && body().is(t, ")") ? t + 1 - i : 0;
}

/// Names, numbers and indices with +, - and * between them.
bool Analysis::plain_sum(TokenRange range) const {
  const std::vector<Token>& tokens = body().tokens();
  if (range.begin >= range.end) return false;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const Token& token = tokens[i];
    if (const GridCall call = grid_call(i); call.length != 0) {
      i += call.length - 1;
      continue;
    }
    if (const std::size_t cast = wide_cast_length(i); cast != 0) {
      i += cast - 1;
      continue;
    }
    if (const std::size_t length = group_call_length(i); length != 0) {
      if (body().is(i + 2, "thread_index") || body().is(i + 2, "group_index") ||
          body().is(i + 2, "dim_threads") || body().is(i + 2, "group_dim") ||
          body().is(i + 2, "dim_blocks") || body().is(i + 2, "block_index") ||
          body().is(i + 2, "barrier_arrive"))
        return false;
      i += length - 1;
      continue;
    }
    if (const WarpPart part = warp_part(i, range.end); part.length != 0) {
      i += part.length - 1;
      continue;
    }
    const bool built_in =
        token.is("threadIdx") || token.is("blockIdx") || token.is("blockDim") || token.is("gridDim");
    if (built_in && body().is(i + 1, ".")) {
      i += 2;
    } else if (token.identifier()) {
      if (body().is(i + 1, "(") || body().is(i + 1, "<") || body().is(i + 1, "::") ||
          among(kCastWords, token.text) || token.is("sizeof"))
        return false;
      const int v = body().variable_at(i);
      if (v < 0) {
        if (built_in) return false;
        continue;
      }
      const Variable& variable = body().variables()[static_cast<std::size_t>(v)];
      if (variable.declarator->pointer || variable.declarator->array ||
          groups_[static_cast<std::size_t>(v)].kind != Group::Kind::kNone)
        return false;
      // An unsigned value that represents a negative one relies on wrapping.
      for (std::size_t t = variable.declarator->initializer.begin; t < variable.declarator->initializer.end;
           ++t) {
        if (body().is(t, "~") || (body().is(t, "-") && (t == variable.declarator->initializer.begin ||
                                                        !is_operand_end(tokens[t - 1]))))
          return false;
      }
    } else if (token.kind == Token::Kind::kNumber) {
      if (token.text.find_first_of(".") != std::string_view::npos || token.text.size() > 9) return false;
    } else if (!(token.is("+") || token.is("-") || token.is("*") || token.is("(") || token.is(")"))) {
      return false;
    } else if ((token.is("-") || token.is("*")) && (i == range.begin || !is_operand_end(tokens[i - 1]))) {
      return false;
    }
  }
  return true;
}

bool Analysis::sum_of_index(int number) const {
  const Variable& variable = body().variables()[static_cast<std::size_t>(number)];
  if (variable.modified || variable.parameter >= 0 || variable.fixed || variable.declarator->pointer ||
      variable.declarator->reference || variable.declarator->array ||
      variable.declarator->start != Declarator::Start::kEquals)
    return false;
  for (std::size_t i = variable.specifiers.begin; i < variable.specifiers.end; ++i) {
    const Token& token = body().tokens()[i];
    if (!(token.is("int") || token.is("unsigned") || token.is("const") || token.is("uint") ||
          token.is("uint32_t") || token.is("int32_t") || token.is("auto")))
      return false;
  }
  const TokenRange value = bare(variable.declarator->initializer);
  if (!plain_sum(value)) return false;
  for (std::size_t i = value.begin; i < value.end; ++i) {
    const int other = body().variable_at(i);
    if (other >= 0 && !steady_in(other, variable)) return false;
  }
  return stride(value) == 1 || levels_[static_cast<std::size_t>(number)] == kItemLevel;
}

}  // namespace kiln::fission
