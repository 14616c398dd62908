#include "compile/cpu/split/levels.h"

#include <algorithm>
#include <utility>

namespace kiln::fission {

Levels::Levels(Input input) : Partings(std::move(input)) {
  least_.assign(body().variables().size(), kBlockLevel);
}

bool Levels::raise(int variable, Level level) {
  Level& known = levels_[static_cast<std::size_t>(variable)];
  const Level wanted = cap(level);
  if (wanted <= known || groups_[static_cast<std::size_t>(variable)].kind != Group::Kind::kNone) return false;
  known = wanted;
  return true;
}

void Levels::find_levels() {
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
    // A constructor may read threadIdx.
    for (std::size_t i = variable.specifiers.begin; variable.parameter < 0 && i < variable.specifiers.end;
         ++i) {
      if (in_.functions->reads_thread_index(body().tokens()[i].text)) raise(static_cast<int>(v), kItemLevel);
    }
    const bool own_array = variable.declarator->array && variable.parameter < 0;
    if (own_array && !variable.constant) raise(static_cast<int>(v), kItemLevel);
    // A reference has the level of its target; the object that it is bound to may change.
    if (variable.declarator->reference && variable.parameter < 0 && !variable.constant)
      raise(static_cast<int>(v), kItemLevel);
    // Names of threadIdx.x.
    if (!variable.modified && variable.parameter < 0 && !variable.declarator->pointer &&
        !variable.declarator->reference && keeps_indices(variable)) {
      const TokenRange value = bare(variable.declarator->initializer);
      const std::size_t length = value.begin < value.end ? index_length(value.begin) : 0;
      if (length != 0 && value.begin + length == value.end) index_[v] = true;
    }
  }
  for (bool grown = true; grown;) {
    grown = false;
    control_.clear();
    parted_.clear();
    control(body().block(), kBlockLevel, {});
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
      if (statement.kind == Kind::kOpaque || leaves_parted(write)) level = kItemLevel;
      if (statement.children.empty()) {  // in a lambda
        for (std::size_t t = statement.range.begin; t < write.at; ++t) {
          if (body().is(t, "{") && body().tokens()[t].close > write.at) level = kItemLevel;
        }
      }
      grown = raise(write.variable, level) || grown;
    }
  }
}

Level Levels::condition_level(const Statement& statement) const {
  // A barrier's condition has one value for all work-items that come to it, or the program is wrong.
  if (sync_in(statement.range) == Sync::kBlock) return kBlockLevel;
  return cap(facts(statement.condition).level);
}

bool Levels::parts(const Statement& statement) const {
  if (in_.warp_function || sync_in(statement.range) != Sync::kBlock) return false;
  const bool open = may_part(statement);
  if (open && !uniform_range(statement.condition, kBlockLevel)) return true;
  return statement.loop() && exits(statement.body(), kBlockLevel, open, true) != kBlockLevel;
}

/// Whether a variable is changed where only some of the work-items take part that see it.
bool Levels::leaves_parted(const Write& write) const {
  const auto found = parted_.find(write.statement);
  if (found == parted_.end()) return false;
  const Variable& variable = body().variables()[static_cast<std::size_t>(write.variable)];
  return std::any_of(found->second.begin(), found->second.end(), [&](TokenRange range) {
    return range.contains(write.at) && (variable.parameter >= 0 || !range.contains(variable.declarator->at));
  });
}

Level Levels::exits(const Statement& statement, Level level, bool breaks, bool continues) const {
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
  const Level condition = parts(statement) ? kItemLevel : condition_level(statement);
  const Level inside = statement.branches() ? std::max(level, condition) : level;
  if (statement.kind == Kind::kSwitch) breaks = false;
  Level most = kBlockLevel;
  for (const auto& child : statement.children)
    most = std::max(most, exits(*child, inside, breaks, continues));
  return most;
}

void Levels::control(const Statement& statement, Level level, const std::vector<TokenRange>& parted) {
  Level inside = level;
  if (statement.branches()) inside = std::max(level, condition_level(statement));
  if (statement.loop()) {
    inside = std::max(level, condition_level(statement));
    if (sync_in(statement.range) != Sync::kBlock)
      inside = std::max(inside, exits(statement.body(), kBlockLevel, true, true));
  }
  if (statement.kind == Kind::kOpaque) inside = kItemLevel;
  control_[&statement] = cap(inside);
  std::vector<TokenRange> ranges = parted;
  if (parts(statement)) ranges.push_back(statement.range);
  // Work-items that go on with the next turn see what the loop's head declares.
  const bool skips = statement.loop() && sync_in(statement.range) == Sync::kBlock && !in_.warp_function &&
                     exits(statement.body(), kBlockLevel, false, true) != kBlockLevel;
  if (skips) ranges.push_back(statement.body().range);
  if (!ranges.empty()) parted_[&statement] = ranges;
  for (const auto& child : statement.children) control(*child, cap(inside), ranges);
}

bool Levels::uniform_range(TokenRange range, Level level) const {
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

bool Levels::uniform_statement(const Statement& statement, Level level) const {
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
    case Kind::kSwitch:
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

}  // namespace kiln::fission
