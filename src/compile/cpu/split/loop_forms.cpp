#include "compile/cpu/split/loop_forms.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace kiln::fission {

TokenRange LoopForms::unbracketed(TokenRange range) const {
  while (range.begin < range.end && body().is(range.begin, "(") &&
         body().tokens()[range.begin].close + 1 == range.end)
    range = {range.begin + 1, range.end - 1};
  return range;
}

LoopForms::Bounds LoopForms::bounds(TokenRange condition, Place around) const {
  Bounds result;
  condition = unbracketed(condition);
  // A flag that holds the condition.
  if (condition.begin + 1 == condition.end && body().variable_at(condition.begin) >= 0) {
    const Variable& flag = body().variables()[static_cast<std::size_t>(body().variable_at(condition.begin))];
    if (flag.parameter < 0 && !flag.modified && !flag.fixed &&
        flag.declarator->start == Declarator::Start::kEquals) {
      const TokenRange value = flag.declarator->initializer;
      if (steady_names(flag) && !facts(value).effects && !facts(value).loads) condition = unbracketed(value);
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
    const TokenRange term = unbracketed({begin, i});
    begin = i + 1;
    std::size_t sign = term.end;
    bool odd = false;
    for (std::size_t t = term.begin; t < term.end; ++t) {
      if (body().is(t, "(") || body().is(t, "[")) {
        t = body().tokens()[t].close;
        continue;
      }
      // In "(first || n <= threadIdx.x)" the comparison is not the whole term.
      for (const std::string_view binds_less : {"||", "&&", "?", "&", "|", "^", "=", "!=", ","})
        odd = odd || body().is(t, binds_less);
      const bool compares = body().is(t, "<") || body().is(t, ">") || body().is(t, "<=") ||
                            body().is(t, ">=") || body().is(t, "==");
      if (compares) {
        odd = odd || sign != term.end;
        sign = t;
      }
    }
    static const std::map<std::string_view, std::pair<const char*, const char*>> names = {
        {"<", {"less", "greater"}},
        {">", {"greater", "less"}},
        {"<=", {"less_equal", "greater_equal"}},
        {">=", {"greater_equal", "less_equal"}},
        {"==", {"equal", "equal"}}};
    bool known = false;
    if (!odd && sign != term.end) {
      const TokenRange left{term.begin, sign}, right{sign + 1, term.end};
      const auto& [straight, turned] = names.at(body().tokens()[sign].text);
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
            {axis, left_axis != 0 ? straight : turned, left_axis != 0 ? left : right, limit});
        known = true;
      }
    }
    if (!known) result.all = false;
  }
  if (result.bounds.empty()) result.all = false;
  return result;
}

bool LoopForms::narrowed(const Statement& statement, Place around) const {
  return statement.kind == Kind::kIf && statement.children.size() == 1 && !statement.constant &&
         !jumps(statement, Kind::kReturn) && !jumps(statement, Kind::kBreak) &&
         !jumps(statement, Kind::kContinue) && !bounds(statement.condition, around).bounds.empty();
}

/// The statement only assigns elements of arrays that it does not read: __shared__ arrays of the kernel, or
/// what its parameters point to if it reads through no other pointer.
bool LoopForms::repeats(const Statement& statement) const {
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

std::optional<LoopForms::Strided> LoopForms::strided(const Statement& statement, Place around) const {
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
bool LoopForms::keeps_order(const Statement& loop) const {
  const TokenRange range = loop.body().range;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (!body().is(i, "[") || !ends_operand(body().tokens()[i - 1])) continue;
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

}  // namespace kiln::fission
