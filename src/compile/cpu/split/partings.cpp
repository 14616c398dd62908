#include "compile/cpu/split/partings.h"

#include <algorithm>
#include <utility>

namespace kiln::fission {

Partings::Partings(Input input) : Indices(std::move(input)) {
  find_loops(body().block(), nullptr);
  if (in_.warp_function) return;
  find_behind(body().block(), in_.behind, in_.behind == Behind::kAgain ? Behind::kAgain : Behind::kPerhaps);
}

void Partings::find_loops(const Statement& statement, const Statement* around) {
  loop_around_[&statement] = around;
  for (const auto& child : statement.children) find_loops(*child, statement.loop() ? &statement : around);
}

const Statement* Partings::loop_around(const Statement& statement) const {
  const auto found = loop_around_.find(&statement);
  return found == loop_around_.end() ? nullptr : found->second;
}

Behind Partings::behind(const Statement& statement) const {
  const auto found = behind_.find(&statement);
  return found == behind_.end() ? Behind::kAgain : found->second;
}

bool Partings::may_part(const Statement& statement) const {
  if (in_.warp_function || sync_in(statement.range) != Sync::kBlock) return false;
  for (const SyncCall* call : calls_in(statement.range)) {
    if (call->group.kind == Group::Kind::kGrid) return false;  // the grid's sync is for all of a block
  }
  return open(behind(statement));
}

/// Whether each work-item that comes to the statement passes a barrier in it. A counting loop counts as one
/// with a turn.
bool Partings::certain(const Statement& statement) const {
  if (sync_in(statement.range) != Sync::kBlock) return false;
  switch (statement.kind) {
    case Kind::kBlock:
      for (const auto& child : statement.children) {
        if (certain(*child)) return true;
        if (jumps(*child, Kind::kReturn) || jumps(*child, Kind::kBreak) || jumps(*child, Kind::kContinue))
          return false;
      }
      return false;
    case Kind::kIf:
      if (sync_in(statement.condition) == Sync::kBlock) return true;
      return statement.children.size() == 2 && certain(*statement.children[0]) &&
             certain(*statement.children[1]);
    case Kind::kFor:
    case Kind::kDo:
      return sync_in(statement.condition) == Sync::kBlock || certain(statement.body());
    case Kind::kWhile:
    case Kind::kSwitch:
      return sync_in(statement.condition) == Sync::kBlock;
    default:
      return true;
  }
}

/// What is behind the statement in front of `statement`.
Behind Partings::before(const Statement& statement, Behind after) const {
  if (certain(statement)) return Behind::kBarrier;
  const bool leaves =
      jumps(statement, Kind::kReturn) || jumps(statement, Kind::kBreak) || jumps(statement, Kind::kContinue);
  if (leaves && after == Behind::kBarrier) after = Behind::kPerhaps;
  return after == Behind::kNothing && sync_in(statement.range) == Sync::kBlock ? Behind::kPerhaps : after;
}

void Partings::find_behind(const Statement& statement, Behind after, Behind again) {
  behind_[&statement] = after;
  if (sync_in(statement.range) != Sync::kBlock) return;
  if (statement.loop()) {
    find_in_loop(statement, after);
    return;
  }
  if (statement.kind == Kind::kBlock) {
    for (auto child = statement.children.rbegin(); child != statement.children.rend(); ++child) {
      find_behind(**child, after, again);
      after = before(**child, after);
      if (after == Behind::kPerhaps) after = again;
    }
    return;
  }
  for (const auto& child : statement.children) find_behind(*child, after, again);
  const auto waits = [&](const auto& child) { return sync_in(child->range) == Sync::kBlock; };
  const auto branches = std::count_if(statement.children.begin(), statement.children.end(), waits);
  const bool meets = after == Behind::kPerhaps || after == Behind::kTurn;
  if (may_part(statement) && (meets || branches > 1)) may_meet_ = true;
}

/// A statement of a loop's body comes again, unless the body has a barrier elsewhere. Work-items that go past
/// it in the last turns may end, if nothing that is certain follows the loop in the kernel and its callers.
void Partings::find_in_loop(const Statement& loop, Behind after) {
  const Behind again = in_.behind == Behind::kNothing && open(after) ? Behind::kTurn : Behind::kAgain;
  if (may_part(loop) && (after == Behind::kPerhaps || after == Behind::kTurn)) may_meet_ = true;
  if (again == Behind::kTurn && jumps(loop.body(), Kind::kContinue)) may_meet_ = true;
  const Statement& inside = loop.body();
  behind_[&inside] = again;
  if (inside.kind != Kind::kBlock) {
    find_behind(inside, again, again);
    return;
  }
  for (std::size_t i = 0; i < inside.children.size(); ++i) {
    Behind next = again;
    for (std::size_t earlier = 0; earlier < i && after == Behind::kBarrier; ++earlier) {
      if (certain(*inside.children[earlier])) next = Behind::kBarrier;
    }
    for (std::size_t later = inside.children.size(); --later > i;) {
      next = before(*inside.children[later], next);
      if (next == Behind::kPerhaps) next = again;
    }
    find_behind(*inside.children[i], next, again);
  }
}

Behind Partings::behind(const SyncCall& call) const {
  Behind found = Behind::kAgain;
  TokenRange smallest = body().block().range;
  for (const auto& [statement, its] : behind_) {
    const TokenRange range = statement->range;
    if (range.begin > call.range.begin || range.end < call.range.end) continue;
    if (range.end - range.begin > smallest.end - smallest.begin) continue;
    smallest = range;
    found = statement->children.empty() ? its : Behind::kAgain;
  }
  return found == Behind::kTurn ? Behind::kAgain : found;
}

bool Partings::jumps(const Statement& statement, Kind kind) const {
  if (statement.kind == kind) return true;
  if (statement.loop() && kind != Kind::kReturn) return false;
  if (statement.kind == Kind::kSwitch && kind == Kind::kBreak) return false;
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

}  // namespace kiln::fission
