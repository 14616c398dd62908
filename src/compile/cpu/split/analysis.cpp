#include "compile/cpu/split/analysis.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace kiln::fission {

Analysis::Analysis(Input input) : LoopForms(std::move(input)) {
  constexpr int kMostRounds = 64;
  for (int round = 0;; ++round) {
    if (round == kMostRounds) throw Trouble{"levels that do not settle", body().block().range.begin};
    demoted_ = false;
    find_levels();
    plan();
    store();
    if (!demoted_) break;
  }
  if (!in_.warp_function) refuse_roles(body().block());
  find_parting(body().block());
}

namespace {

/// Whether at most one of two conditions holds, as of "warp == 0" and "warp != 0", or "b" and "!b".
bool exclude_each_other(const std::vector<Token>& tokens, TokenRange a, TokenRange b) {
  if (a.begin < a.end && tokens[a.begin].is("!")) std::swap(a, b);
  const auto text = [&](TokenRange range, std::size_t i) { return tokens[range.begin + i].text; };
  const std::size_t length = a.end - a.begin;
  if (b.begin < b.end && tokens[b.begin].is("!")) {
    const bool brackets = b.end - b.begin == length + 3 && tokens[b.begin + 1].is("(");
    const TokenRange rest = {b.begin + (brackets ? 2 : 1), b.end - (brackets ? 1 : 0)};
    if (rest.end - rest.begin != length) return false;
    for (std::size_t i = 0; i < length; ++i) {
      if (text(a, i) != text(rest, i)) return false;
    }
    return length == 1 || brackets;
  }
  if (b.end - b.begin != length) return false;
  std::size_t differences = 0, at = 0, equals = 0;
  for (std::size_t i = 0; i < length; ++i) {
    if (text(a, i) == "&&" || text(a, i) == "||") return false;
    if (text(a, i) == "==") ++equals;
    if (text(a, i) == text(b, i)) continue;
    ++differences;
    at = i;
  }
  if (differences != 1) return false;
  const std::string_view first = text(a, at), second = text(b, at);
  const bool constants =
      tokens[a.begin + at].kind == Token::Kind::kNumber && tokens[b.begin + at].kind == Token::Kind::kNumber;
  if (constants) return equals == 1 && at > 0 && text(a, at - 1) == "==" && at + 1 == length;
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOpposites = {
      {{"==", "!="}, {"<", ">="}, {">", "<="}, {"==", ">"}, {"==", "<"}, {"<", ">"}}};
  return std::any_of(kOpposites.begin(), kOpposites.end(), [&](const auto& pair) {
    return (first == pair.first && second == pair.second) || (first == pair.second && second == pair.first);
  });
}

}  // namespace

/// Whether an expression's value follows from threadIdx alone, by what the text shows, and differs between
/// work-items.
bool Analysis::by_thread_index(TokenRange range, int depth) const {
  constexpr int kDepth = 8;
  bool found = false;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const Token& token = body().tokens()[i];
    if (token.is("[") || token.is("->")) return false;
    if (!token.identifier()) continue;
    if (in_.functions->reads_thread_index(token.text) || token.is("threadIdx")) found = true;
    const int v = body().variable_at(i);
    if (v < 0) continue;
    const Variable& variable = body().variables()[static_cast<std::size_t>(v)];
    if (variable.parameter >= 0) {
      found = found || cap(levels_[static_cast<std::size_t>(v)]) > kBlockLevel;
      continue;
    }
    if (variable.fixed || variable.modified || depth == kDepth) return false;
    const TokenRange value = variable.declarator->initializer;
    if (cap(facts(value).level) == kBlockLevel) continue;
    if (!by_thread_index(value, depth + 1)) return false;
    found = true;
  }
  return found;
}

/// A block whose warps wait at barriers of different branches, as producers and consumers do, needs a thread
/// of its own for each work-item. Work-items agree on what they read from memory, or the split text faults.
void Analysis::refuse_roles(const Statement& list) const {
  const auto waits = [&](const Statement& statement) {
    const std::vector<const SyncCall*> calls = calls_in(statement.range);
    return std::any_of(calls.begin(), calls.end(), [&](const SyncCall* call) {
      const bool partial = call->partial || (call->user && in_.functions->partial(call->name));
      return !partial && sync_in(call->range) == Sync::kBlock;
    });
  };
  const auto differs = [&](const Statement& statement) {
    const bool constant = body().is(statement.range.begin + 1, "constexpr");
    return statement.branches() && !constant && waits(statement) &&
           sync_in(statement.condition) == Sync::kNone &&
           cap(facts(statement.condition).level) > kBlockLevel && by_thread_index(statement.condition, 0);
  };
  const auto refuse = [](const Statement& statement) {
    throw Trouble{"barriers in several branches of a condition that differs between work-items",
                  statement.range.begin};
  };
  const Statement* before = nullptr;
  for (const auto& child : list.children) {
    if (!waits(*child)) continue;
    refuse_roles(*child);
    const std::vector<const SyncCall*> calls = calls_in(child->range);
    const bool grid = std::any_of(calls.begin(), calls.end(), [](const SyncCall* call) {
      return call->group.kind == Group::Kind::kGrid;  // for all of a block
    });
    if (grid || !differs(*child)) continue;
    const auto& branches = child->children;
    const auto waiting =
        std::count_if(branches.begin(), branches.end(), [&](const auto& branch) { return waits(*branch); });
    const Statement& first = *branches.front();
    const bool leaves = child->kind == Kind::kIf && waits(first) && first.kind == Kind::kBlock &&
                        !first.children.empty() && first.children.back()->kind == Kind::kReturn &&
                        (behind(*child) == Behind::kBarrier || behind(*child) == Behind::kPerhaps);
    const bool others = before != nullptr && before->kind == Kind::kIf && child->kind == Kind::kIf &&
                        exclude_each_other(body().tokens(), before->condition, child->condition);
    if (waiting > 1 || leaves || others) refuse(*child);
    before = child.get();
  }
}

void Analysis::find_parting(const Statement& statement) {
  any_parts_ = any_parts_ || parts(statement);
  for (const auto& child : statement.children) find_parting(*child);
}

Analysis::Place Analysis::place(const Statement& statement) const {
  const auto found = places_.find(&statement);
  return found == places_.end() ? Place::kItem : found->second;
}

Analysis::Place Analysis::wanted_place(const Statement& statement, Place around) const {
  const Sync sync = sync_in(statement.range);
  const bool block = around == Place::kBlock;
  const Level level = block ? kBlockLevel : kWarpLevel;
  if (block && sync == Sync::kBlock) return around;
  if (!block && sync != Sync::kNone) return around;
  const bool has_sync = sync != Sync::kNone;  // of warps, at the block's level
  switch (statement.kind) {
    case Kind::kReturn:
      return has_sync ? Place::kItem : around;
    case Kind::kScopeDeclaration:
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
  if (statement.branches() || statement.kind == Kind::kBlock) {
    if (leads_out && block) return place_of_jump(statement, known_condition);
    if (has_sync) return Place::kItem;
    if (!known_condition) return Place::kItem;
    if (leads_out) return around;
    if (statement.branches() && jumps(statement, Kind::kReturn)) return around;
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
  if (has_sync || jumps(statement, Kind::kReturn)) return Place::kItem;
  if (uniform_statement(statement, level)) return around;
  if (block && in_.shape.warps) return Place::kItem;
  const bool same_course =
      condition_level(statement) <= level && exit_level(statement) <= level &&
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

/// The place of a statement with a jump out of it, in a loop around a barrier.
Analysis::Place Analysis::place_of_jump(const Statement& statement, bool known_condition) const {
  if (sync_in(statement.range) != Sync::kNone)
    throw Trouble{"'break' or 'continue' beside a warp operation, in a loop around a barrier",
                  statement.range.begin};
  if (known_condition) return Place::kBlock;
  const Statement& loop = *loop_around(statement);
  const bool skips = jumps(statement, Kind::kContinue);
  const bool may_skip = behind(loop.body()) == Behind::kTurn;
  if (skips && !may_skip && sync_in({statement.range.end, loop.body().range.end}) == Sync::kBlock)
    throw Trouble{"'continue' in front of a barrier, under a condition that may differ between work-items",
                  statement.range.begin};
  if (!jumps(statement, Kind::kBreak) || may_part(loop)) return Place::kItem;
  if (!skips && behind(loop) == Behind::kBarrier) return Place::kBlock;
  throw Trouble{
      "'break' under a condition that may differ between work-items, in a loop around a barrier that others "
      "may follow",
      statement.range.begin};
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
  leaves_early_ = false;
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
      if (jumps(*statement, Kind::kReturn)) leaves_early_ = true;
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
      if (jumps(*statement, Kind::kReturn)) leaves_early_ = true;
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

/// Whether a variable's value can be computed again, at low cost, at each place that needs it.
bool Analysis::repeatable(const Variable& variable) const {
  if (variable.parameter >= 0 || variable.fixed || variable.modified || variable.escapes ||
      variable.declarator->start == Declarator::Start::kNone || variable.declarator->array)
    return false;
  const Facts known = facts(variable.declarator->initializer);
  return !known.effects && !known.loads && !known.calls && !known.divides && steady_names(variable);
}

/// The values that a variable's declaration and, for a pointer, assignments give it, if names in them are
/// needed as long as the variable lives: a deduced type is written with them, a pointer may lead to them.
std::vector<TokenRange> Analysis::lasting_values(int number) const {
  const Variable& variable = body().variables()[static_cast<std::size_t>(number)];
  bool deduced = variable.declarator->reference || repeatable(variable) || sum_of_index(number);
  for (std::size_t i = variable.specifiers.begin; i < variable.specifiers.end; ++i)
    deduced = deduced || body().is(i, "auto");
  std::vector<TokenRange> values;
  if (deduced || variable.declarator->pointer) values.push_back(variable.declarator->initializer);
  if (!variable.declarator->pointer) return values;
  for (const Write& write : body().writes()) {
    if (write.variable == number) values.push_back(write.value);
  }
  if (deduced) return values;
  const auto leads_to = [&](std::size_t i) {
    const int v = body().variable_at(i);
    if (v < 0 || v == number) return false;
    const Variable& named = body().variables()[static_cast<std::size_t>(v)];
    return named.parameter < 0 && !named.fixed &&
           (named.escapes || named.declarator->array || named.declarator->pointer ||
            named.declarator->reference);
  };
  std::erase_if(values, [&](TokenRange value) {
    for (std::size_t i = value.begin; i < value.end; ++i) {
      if (leads_to(i)) return false;
    }
    return true;
  });
  return values;
}

bool Analysis::named_in_block(int number) const {
  const Variable& variable = body().variables()[static_cast<std::size_t>(number)];
  const std::size_t base = body().block().range.begin;
  const int group = block_group_[variable.declarator->at - base];
  return exposed_in_block_.contains(number) ||
         std::any_of(variable.uses.begin(), variable.uses.end(),
                     [&](std::size_t use) { return block_group_[use - base] != group; });
}

/// Variables that are needed in other loops than those that name them.
Analysis::Exposed Analysis::find_exposed() const {
  const std::vector<Variable>& variables = body().variables();
  const std::size_t base = body().block().range.begin;
  Exposed found;
  for (std::size_t before = variables.size() + 1; before != found.in_warp.size() + found.in_block.size();) {
    before = found.in_warp.size() + found.in_block.size();
    for (std::size_t v = variables.size(); v-- > 0;) {
      const Variable& variable = variables[v];
      if (variable.parameter >= 0 || variable.fixed) continue;
      const std::vector<TokenRange> values = lasting_values(static_cast<int>(v));
      const auto used_elsewhere = [&](const std::vector<int>& groups, const std::set<int>& exposed) {
        const int group = groups[variable.declarator->at - base];
        return exposed.contains(static_cast<int>(v)) || group < 0 ||
               std::any_of(variable.uses.begin(), variable.uses.end(),
                           [&](std::size_t use) { return groups[use - base] != group; });
      };
      if (values.empty() || !used_elsewhere(warp_group_, found.in_warp)) continue;
      const bool leaves_chunk = used_elsewhere(block_group_, found.in_block);
      for (const TokenRange value : values) {
        for (std::size_t i = value.begin; i < value.end; ++i) {
          if (body().variable_at(i) >= 0) found.in_warp.insert(body().variable_at(i));
          if (body().variable_at(i) >= 0 && leaves_chunk) found.in_block.insert(body().variable_at(i));
        }
      }
    }
  }
  return found;
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
  const auto [exposed, exposed_in_block] = find_exposed();
  exposed_in_block_ = exposed_in_block;
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
        (exposed_in_block.contains(static_cast<int>(v)) ||
         std::any_of(variable.uses.begin(), variable.uses.end(), [&](std::size_t use) {
           return block_group_[use - base] != block_group_[variable.declarator->at - base];
         }));
    if (!leaves_chunk && declared != Place::kItem && levels_[v] <= outer_level) {
      storage_[v] = Storage::kOuter;
      for (const Write& write : body().writes()) {
        if (write.variable != static_cast<int>(v)) continue;
        // A step of several expressions runs for each work-item if one of them has to.
        const Statement& statement = *write.statement;
        const bool item_by_item =
            statement.step.contains(write.at) && !uniform_range(statement.step, place(statement));
        if (item_by_item || place(statement) != declared) demote(v);
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

}  // namespace kiln::fission
