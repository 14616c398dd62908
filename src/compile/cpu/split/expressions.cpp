#include "compile/cpu/split/expressions.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "compile/cpu/split/find_calls.h"

namespace kiln::fission {
namespace {

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

}  // namespace

bool ends_operand(const Token& token) {
  if (token.is("return") || token.is("case")) return false;
  return token.identifier() || token.kind == Token::Kind::kNumber || token.is(")") || token.is("]");
}

bool cast_word(std::string_view word) {
  static constexpr std::array<std::string_view, 14> kWords = {
      "int",   "unsigned", "long",    "short",   "const",    "size_t",   "uint",
      "float", "double",   "int32_t", "int64_t", "uint32_t", "uint64_t", "char"};
  return among(kWords, word);
}

Expressions::Expressions(Input input) : in_(std::move(input)) {
  groups_.resize(body().variables().size());
  collect_groups();
  calls_ = find_sync_calls(body(), *in_.functions, groups_, body().block().range);
  for (std::size_t c = 0; c < calls_.size(); ++c) {
    SyncCall& call = calls_[c];
    if (call.user) call.sync = in_.user_sync(call.name);
    call_at_[call.range.begin] = c;
    if (in_.warp_function && call.sync == Sync::kBlock)
      throw Trouble{"a barrier of the block in a function of a warp", call.range.begin};
  }
  require_steps();
}

/// A call of a member of CUB's classes has to be seen as such, as it waits.
void Expressions::require_steps() const {
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

void Expressions::collect_groups() {
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
    const std::string& lanes = groups_[v].size;
    const bool literal = !lanes.empty() && lanes.find_first_not_of("0123456789") == std::string::npos;
    if (literal && (lanes.size() > 2 || std::stoi(lanes) > 32))
      throw Trouble{"a tile of more than 32 lanes", variable.specifiers.begin};
  }
}

std::vector<const SyncCall*> Expressions::calls_in(TokenRange range) const {
  std::vector<const SyncCall*> found;
  for (const SyncCall& call : calls_) {
    if (call.sync != Sync::kNone && range.begin <= call.range.begin && call.range.end <= range.end)
      found.push_back(&call);
  }
  return found;
}

Sync Expressions::sync_in(TokenRange range) const {
  Sync most = Sync::kNone;
  for (const SyncCall* call : calls_in(range)) most = std::max(most, call->sync);
  return most;
}

std::size_t Expressions::index_length(std::size_t i) const {
  if (body().is(i, "threadIdx") && body().is(i + 1, ".") && body().is(i + 2, "x")) return 3;
  const int variable = body().variable_at(i);
  if (variable >= 0 && index_[static_cast<std::size_t>(variable)]) return 1;
  if (variable >= 0 && in_.shape.flat &&
      groups_[static_cast<std::size_t>(variable)].kind == Group::Kind::kBlock && body().is(i + 1, ".") &&
      body().is(i + 2, "thread_rank") && body().is(i + 3, "("))
    return 5;
  return 0;
}

Expressions::WarpPart Expressions::warp_part(std::size_t i, std::size_t end) const {
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

Expressions::GridCall Expressions::grid_call(std::size_t i) const {
  if (!body().is(i, "kiln") || !body().is(i + 1, "::") || !body().is(i + 3, "(") || !body().is(i + 4, ")"))
    return {};
  const std::string_view name = body().tokens()[i + 2].text;
  if (name == "global_size_x") return {5, 'x', false};
  const bool index = name == "global_index_x" || name == "global_index_y" || name == "global_index_z";
  return index ? GridCall{5, name.back(), true} : GridCall{};
}

std::size_t Expressions::group_call_length(std::size_t i) const {
  const int variable = body().variable_at(i);
  if (variable < 0 || groups_[static_cast<std::size_t>(variable)].kind == Group::Kind::kNone) return 0;
  if (!body().is(i + 1, ".") || !body().is(i + 3, "(")) return 0;
  return body().tokens()[i + 3].close + 1 - i;
}

bool Expressions::pure_call(std::size_t i) const {
  const std::string_view name = body().tokens()[i].text;
  return !in_.signatures->defines(name) && (among(kCheapFunctions, name) || among(kPureFunctions, name));
}

Level Expressions::level_of_call(const SyncCall& call) const {
  const std::string_view name = call.name;
  if (call.sync == Sync::kBlock) return call.user || call.step ? kItemLevel : kBlockLevel;
  if (call.user) return kItemLevel;
  if (name == "coalesced_threads") return kWarpLevel;
  if (call.group.kind == Group::Kind::kCoalesced) {
    if (name == "any" || name == "all" || name == "ballot" || name == "reduce" || name == "sync")
      return kWarpLevel;
    return name == "shfl" && call.arguments.size() == 2 ? std::max(kWarpLevel, facts(call.arguments[1]).level)
                                                        : kItemLevel;
  }
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
  return name == "__syncwarp" || name == "kiln_warp_step" ? kWarpLevel : kItemLevel;
}

Facts Expressions::facts(TokenRange range, bool with_calls) const {
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
      const bool subscript = i > range.begin && ends_operand(tokens[i - 1]);
      if (!subscript) {  // a lambda
        raise_to(kItemLevel);
        result.effects = result.calls = true;
      } else {
        const bool address = i >= range.begin + 2 && body().is(i - 2, "&") &&
                             (i == range.begin + 2 || !ends_operand(tokens[i - 3]));
        result.loads = result.loads || !address;
      }
    } else if (token.is("->")) {
      result.loads = result.loads || !(i > 0 && body().is(i - 1, "kiln_worker"));
    } else if (token.is("*") && (i == range.begin || !ends_operand(tokens[i - 1]))) {
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
      if (!body().is(i + 1, ".") || body().is(i + 2, "x")) {
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
        else if (groups_[static_cast<std::size_t>(variable)].kind == Group::Kind::kCoalesced)
          raise_to(kWarpLevel);
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

bool Expressions::changes_nothing(TokenRange range) const {
  const std::vector<Token>& tokens = body().tokens();
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (body().is(i, "[") &&
        !(i > range.begin && ends_operand(tokens[i - 1]))) {  // a lambda is not called here
      while (i < range.end && !body().is(i, "{")) ++i;
      i = i < range.end ? tokens[i].close : range.end;
      continue;
    }
    if (body().assignment_length(i) != 0 || body().is(i, "++") || body().is(i, "--") || body().is(i, "new"))
      return false;
    const bool call = tokens[i].identifier() && body().is(i + 1, "(") && !body().is(i + 2, ")");
    const bool cast = cast_word(tokens[i].text) || tokens[i].is("sizeof");
    if (call && !cast && !pure_call(i)) return false;
  }
  return true;
}

}  // namespace kiln::fission
