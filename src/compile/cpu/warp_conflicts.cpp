#include "compile/cpu/warp_conflicts.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>

#include "base/whole_word.h"
#include "compile/cpu/lane_values.h"
#include "compile/cpu/split/head.h"

namespace kiln {
namespace {

using fission::Statement;
using Kind = Statement::Kind;
using Meeting = LaneValues::Meeting;

/// One access to an element of an array, or to any of its elements.
struct ElementAccess {
  std::string_view array;
  std::string_view name;              ///< the pointer by which it is used, or the array
  std::vector<std::string> index;     ///< of each dimension, as text; none: unknown
  std::vector<LaneValues::Use> uses;  ///< for each shape of blocks
  bool stores = false;
  bool atomic = false;
  bool any = false;                   ///< of the elements behind the index
  bool varies = false;                ///< between work-items
  const Statement* branch = nullptr;  ///< the innermost `if` around it
  std::vector<std::size_t> scopes;    ///< the loops and branches for one work-item around it
};

/// Whether `index` is `base` plus something: `t + 16` and `t`.
bool adds_to(const std::string& index, const std::string& base) {
  if (index.size() <= base.size() + 1 || index.find('-') != std::string::npos) return false;
  const std::size_t rest = index.size() - base.size();
  return (index.compare(0, base.size(), base) == 0 && index[base.size()] == '+') ||
         (index.compare(rest, base.size(), base) == 0 && index[rest - 1] == '+');
}

/// Whether a statement only leaves the function or the turn of a loop.
bool leaves(const Statement& statement) {
  if (statement.kind == Kind::kBlock) return statement.children.size() == 1 && leaves(*statement.children[0]);
  return statement.kind == Kind::kReturn || statement.kind == Kind::kContinue;
}

class ConflictFinder {
 public:
  ConflictFinder(const std::vector<Token>& tokens, const FunctionStatements& function,
                 const OneWarpCode& code, const UnitLanes& unit, const CommonMemory& memory,
                 const std::function<bool(TokenRange)>& divisible)
      : tokens_(tokens),
        function_(function),
        code_(code),
        unit_(unit),
        memory_(memory),
        divisible_(divisible),
        numbers_(code.known_numbers(function)),
        names_(memory.arrays),
        without_waits_(unit.without_waits.contains(function.definition->name)) {
    const TokenRange body = function.definition->body;
    for (std::size_t i = body.begin; i < body.end && !has_leaders_; ++i) {
      const std::string_view text = tokens[i].text;
      has_leaders_ = text.starts_with("__match_any") || text.starts_with("__ballot") ||
                     text.starts_with("__activemask") || text.starts_with("__shfl");
    }
    names_.insert(memory.global.begin(), memory.global.end());
    names_.insert(memory.views.begin(), memory.views.end());
    for (const std::optional<Dim3>& block : shapes()) {
      blocks_known_.push_back(block.has_value());
      values_.push_back(std::make_unique<LaneValues>(tokens_, numbers_, names_, block));
      values_.back()->may_be_private(memory.private_too);
      if (memory.of_object) values_.back()->let_names_vary();
    }
    for (const auto& values : values_) masks_.push_back(values->all());
    set_parameters();
  }

  std::vector<WarpConflict> run() {
    // Lanes of the caller may still use what the function begins to change.
    for (const std::string_view view : memory_.views) {
      ElementAccess one = access_by(view);
      one.varies = one.any = one.stores = true;
      earlier_.push_back(std::move(one));
    }
    visit(*function_.parsed.block, false);
    std::vector<WarpConflict> result;
    for (const auto& [begin, conflict] : found_) result.push_back(conflict);
    return result;
  }

 private:
  /// A loop's body is read again after its end, but not in loops of this depth.
  static constexpr int kLoopDepth = 3;
  static constexpr std::size_t kMostAccesses = 128;
  /// A unit with more shapes of blocks is read with the first ones.
  static constexpr std::size_t kMostShapes = 3;
  /// Comparisons of two accesses; later ones are unclear.
  static constexpr int kMostMeetings = 20000;

  /// The shapes of the blocks that run the function. Other kernels may launch one that is no entry.
  [[nodiscard]] std::vector<std::optional<Dim3>> shapes() const {
    std::vector<std::optional<Dim3>> found;
    for (const auto& [kernel, blocks] : unit_.blocks) {
      if (function_.definition->kernel && kernel != function_.definition->name) continue;
      for (const auto& block : blocks) {
        if (std::find(found.begin(), found.end(), block) == found.end() && found.size() < kMostShapes)
          found.push_back(block);
      }
    }
    if (found.empty()) found.emplace_back(std::nullopt);
    return found;
  }

  void set_parameters() {
    const fission::Head head = fission::parse_head(tokens_, *function_.definition);
    static constexpr std::array<std::string_view, 9> kIndices = {
        "t", "tx", "tid", "lane", "laneid", "lane_id", "laneId", "thread_id", "threadId"};
    for (const auto& parameter : head.parameters) {
      const std::string_view name = parameter->name;
      if (name.empty() || names_.contains(name)) continue;
      const bool index = !function_.definition->kernel && fission::among(kIndices, name);
      for (const auto& values : values_) {
        if (index)
          values->index_parameter(name, name.starts_with("lane"));
        else
          values->parameter(name, function_.definition->kernel);
      }
    }
  }

  void visit(const Statement& statement, bool nested) {
    switch (statement.kind) {
      case Kind::kBlock:
        visit_block(statement);
        break;
      case Kind::kIf:
        visit_if(statement, nested);
        break;
      case Kind::kSwitch:
        visit_switch(statement, nested);
        break;
      case Kind::kFor:
      case Kind::kWhile:
      case Kind::kDo:
        visit_loop(statement);
        break;
      case Kind::kScopeDeclaration:
        if (!statement.is_shared) declare(statement);
        break;
      case Kind::kEmpty:
      case Kind::kBreak:
      case Kind::kContinue:
        break;
      default:
        access(statement.range, statement, nested);
        declare(statement);
    }
  }

  /// What a declaration or an expression makes of variables.
  void declare(const Statement& statement) {
    for (const auto& values : values_) {
      if (statement.declarators.empty()) values->assign(statement.range);
      for (const fission::Declarator& one : statement.declarators)
        values->declare(one.name, one.array || one.reference ? TokenRange{} : one.initializer);
    }
  }

  /// Variables that the statements declare, and what their names stand for around them.
  struct Hidden {
    std::set<std::string_view> declared;
    std::vector<LaneValues::Names> outer;
  };

  [[nodiscard]] Hidden hidden_by(const std::vector<const Statement*>& statements) const {
    Hidden hidden;
    for (const Statement* statement : statements) {
      for (const fission::Declarator& one : statement->declarators) hidden.declared.insert(one.name);
    }
    for (const auto& values : values_) {
      LaneValues::Names& outer = hidden.outer.emplace_back();
      for (const std::string_view name : hidden.declared) {
        if (const auto known = values->names().find(name); known != values->names().end())
          outer.insert(*known);
      }
    }
    return hidden;
  }

  void leave_scope(const Hidden& hidden) {
    for (std::size_t v = 0; v < values_.size(); ++v) {
      for (const std::string_view name : hidden.declared) values_[v]->names().erase(name);
      values_[v]->names().insert(hidden.outer[v].begin(), hidden.outer[v].end());
    }
  }

  void visit_block(const Statement& block) {
    std::vector<const Statement*> statements;
    for (const auto& child : block.children) statements.push_back(child.get());
    const Hidden hidden = hidden_by(statements);
    const std::vector<LaneMask> masks = masks_;
    for (const auto& child : block.children) {
      visit(*child, false);
      const bool guards =
          child->kind == Kind::kIf && child->children.size() == 1 && leaves(*child->children[0]);
      if (guards) narrow(child->condition, true);
    }
    masks_ = masks;
    leave_scope(hidden);
  }

  void narrow(TokenRange condition, bool negated) {
    for (std::size_t v = 0; v < values_.size(); ++v)
      masks_[v] = values_[v]->narrowed(masks_[v], condition, negated);
  }

  void visit_if(const Statement& statement, bool nested) {
    access(statement.condition, statement, nested);
    declare_in(statement.condition);
    if (has_leaders_) await_readers(statement, nested);
    const bool leads = code_.one_item(function_, statement.condition);
    const std::vector<LaneMask> masks = masks_;
    std::vector<LaneValues::Names> before, after;
    std::vector<bool> common;
    for (const auto& values : values_) {
      before.push_back(values->names());
      common.push_back(!values->varies(*values->value(statement.condition).form));
    }
    branches_.push_back(&statement);
    if (leads) scopes_.push_back({&statement, ++scopes_entered_});
    narrow(statement.condition, false);
    visit(*statement.children[0], true);
    if (leads) scopes_.pop_back();
    masks_ = masks;
    for (std::size_t v = 0; v < values_.size(); ++v) {
      after.push_back(values_[v]->names());
      values_[v]->names() = before[v];
    }
    if (statement.children.size() > 1) {
      narrow(statement.condition, true);
      visit(*statement.children[1], true);
      masks_ = masks;
    }
    branches_.pop_back();
    const bool left = statement.children.size() == 1 && leaves(*statement.children[0]);
    for (std::size_t v = 0; v < values_.size() && !left; ++v) {
      const LaneValues::Names other = values_[v]->names();
      values_[v]->join(after[v], other, common[v]);
    }
  }

  /// All cases may be taken, each from the state in front of the switch.
  void visit_switch(const Statement& statement, bool nested) {
    access(statement.condition, statement, nested);
    declare_in(statement.condition);
    const std::vector<LaneMask> masks = masks_;
    std::vector<LaneValues::Names> before;
    std::vector<bool> common;
    for (const auto& values : values_) {
      before.push_back(values->names());
      common.push_back(!values->varies(*values->value(statement.condition).form));
    }
    std::vector<LaneValues::Names> after = before;
    branches_.push_back(&statement);
    for (const auto& section : statement.children) {
      for (std::size_t v = 0; v < values_.size(); ++v) values_[v]->names() = before[v];
      visit(*section, true);
      masks_ = masks;
      for (std::size_t v = 0; v < values_.size(); ++v) {
        const LaneValues::Names other = values_[v]->names();
        values_[v]->join(after[v], other, common[v]);
        after[v] = values_[v]->names();
      }
    }
    branches_.pop_back();
  }

  void declare_in(TokenRange range) {
    for (const auto& values : values_) values->assign(range);
  }

  void visit_loop(const Statement& statement) {
    Hidden hidden;
    if (statement.kind == Kind::kFor) {
      hidden = hidden_by({statement.children[0].get()});
      access(statement.children[0]->range, statement, false);
      declare(*statement.children[0]);
    }
    ++loops_;
    scopes_.push_back({&statement, ++scopes_entered_});
    const std::vector<LaneMask> masks = masks_;
    const TokenRange body = statement.body().range;
    TokenRange repeated = body;
    for (const TokenRange part : {statement.condition, statement.step}) {
      if (part.begin >= part.end) continue;
      repeated = {std::min(repeated.begin, part.begin), std::max(repeated.end, part.end)};
    }
    for (int turn = 0; turn < (loops_ > kLoopDepth ? 1 : 2); ++turn) {
      for (const auto& values : values_)
        values->enter_turn(repeated, statement.condition, statement.step, turn);
      if (statement.kind != Kind::kDo) access_condition(statement);
      declare_in(statement.condition);
      if (statement.kind != Kind::kDo) narrow(statement.condition, false);
      visit(statement.body(), true);
      masks_ = masks;
      if (statement.kind == Kind::kDo) access_condition(statement);
      access(statement.step, statement, false);
      declare_in(statement.step);
    }
    for (const auto& values : values_) values->leave_loop(repeated);
    if (statement.kind == Kind::kFor) leave_scope(hidden);
    scopes_.pop_back();
    --loops_;
  }

  /// The condition of a loop, in front of which lanes may wait in each turn.
  void access_condition(const Statement& loop) {
    const TokenRange condition = loop.condition;
    if (condition.begin >= condition.end) return;
    Statement one;
    one.kind = Kind::kExpression;
    one.range = condition;
    access(condition, one, false, true);
  }

  /// What the tokens do, which belong to `statement`.
  void access(TokenRange range, const Statement& statement, bool nested, bool condition = false) {
    const std::vector<ElementAccess> accesses = accesses_in(range);
    const bool simple = statement.kind == Kind::kExpression || statement.kind == Kind::kDeclaration ||
                        statement.kind == Kind::kReturn || statement.branches();
    const bool follows_leader =
        has_leaders_ && std::any_of(accesses.begin(), accesses.end(), [this](const ElementAccess& later) {
          return std::any_of(earlier_.begin(), earlier_.end(), [&](const ElementAccess& one) {
            return one.stores && !later.stores && left_branch(one) && same_element(one, later);
          });
        });
    if (simple && follows_leader && range.begin < range.end) add(statement, nested, true, false, condition);
    const bool guards = statement.kind == Kind::kIf && code_.at(statement.children[0]->range.begin);
    if (simple && range.begin < range.end) {
      const bool few = guards || code_.at(range.begin);
      bool before = false;
      std::size_t depth = 0;  // in so many scopes lanes have to wait
      for (const ElementAccess& later : accesses) {
        for (const ElementAccess& one : earlier_) {
          const std::size_t common = common_scopes(one);
          if ((before && common <= depth) || !conflict(one, later, few)) continue;
          before = true;
          depth = std::max(depth, common);
        }
      }
      const bool within = statement.kind == Kind::kExpression && !condition && divisible_(range) &&
                          conflict_within(accesses, few);
      if (before && depth < scopes_.size() && !within) {
        add(*scopes_[depth].statement, true, true, false, false, depth);
      } else if (before || within) {
        add(statement, nested, before || !stepped_, within, condition);
        if (within) return;  // a step ends behind it
      }
    }
    if (waits(range)) {
      earlier_.clear();
      return;
    }
    for (const ElementAccess& one : accesses) {
      const bool known = std::any_of(earlier_.begin(), earlier_.end(), [&](const ElementAccess& other) {
        return other.array == one.array && other.name == one.name && other.index == one.index &&
               other.stores == one.stores && other.branch == one.branch && !one.any && loops_ == 0;
      });
      if (!known && earlier_.size() < kMostAccesses) earlier_.push_back(one);
    }
  }

  /// A loop, or a branch for one work-item, in front of which lanes can wait for what was done before.
  struct Scope {
    const Statement* statement;
    std::size_t number;
  };

  /// How many of the scopes around the statement are around the access, too.
  [[nodiscard]] std::size_t common_scopes(const ElementAccess& one) const {
    std::size_t count = 0;
    while (count < scopes_.size() && count < one.scopes.size() && scopes_[count].number == one.scopes[count])
      ++count;
    return count;
  }

  /// `depth`: of the scopes in which lanes are in step in front of the statement.
  void add(const Statement& statement, bool nested, bool before, bool within, bool condition,
           std::size_t depth = std::string::npos) {
    // Parts of a declaration with several names begin with it.
    const bool declares = statement.kind == Kind::kDeclaration;
    const TokenRange whole = {declares ? statement.specifiers.begin : statement.range.begin,
                              statement.range.end};
    WarpConflict& known = found_[whole.begin];
    known.statement = whole;
    known.nested = nested && !declares;
    known.before = known.before || before;
    known.within = known.within || within;
    known.condition = condition;
    stepped_ = true;
    std::erase_if(earlier_, [&](const ElementAccess& one) { return common_scopes(one) <= depth; });
  }

  /// In front of a branch in which some lanes store what all have read: `rank = count[digit] + n;
  /// if (leads) count[digit] += m;`.
  void await_readers(const Statement& branch, bool nested) {
    for (const auto& child : branch.children) {
      for (const ElementAccess& later : accesses_in(child->range)) {
        const bool waits =
            later.stores && std::any_of(earlier_.begin(), earlier_.end(), [&](const ElementAccess& one) {
              return !one.stores && same_element(one, later);
            });
        if (waits) return add(branch, nested, true, false, false);
      }
    }
  }

  /// Whether an access stands in a branch that has ended.
  [[nodiscard]] bool left_branch(const ElementAccess& one) const {
    return one.branch != nullptr &&
           std::find(branches_.begin(), branches_.end(), one.branch) == branches_.end();
  }

  /// Whether lanes may use one element together: the index is the same text, and not a lane's own.
  [[nodiscard]] bool same_element(const ElementAccess& a, const ElementAccess& b) const {
    return a.name == b.name && !a.any && !b.any && a.index == b.index && !a.atomic && !b.atomic &&
           !memory_.views.contains(a.name) && !memory_.global.contains(a.array) && (a.varies || b.varies) &&
           std::none_of(a.index.begin(), a.index.end(), [this](const std::string& one) {
             return own(one) ||
                    std::any_of(function_.variables.threads.begin(), function_.variables.threads.end(),
                                [&](std::string_view name) { return has_word(one, name); });
           });
  }

  [[nodiscard]] bool conflict_within(const std::vector<ElementAccess>& accesses, bool few) {
    for (const ElementAccess& store : accesses) {
      if (!store.stores) continue;
      for (const ElementAccess& read : accesses) {
        if (!read.stores && !(read.any && store.any) && conflict(read, store, few)) return true;
      }
    }
    return false;
  }

  /// How a later lane's `earlier` and an earlier lane's `later` stand to each other in all shapes of blocks.
  [[nodiscard]] Meeting meeting(const ElementAccess& earlier, const ElementAccess& later) {
    if (earlier.uses.empty() || later.uses.empty() || ++meetings_ > kMostMeetings) return Meeting::kUnclear;
    Meeting result = Meeting::kNever;
    for (std::size_t v = 0; v < values_.size() && result != Meeting::kCertain; ++v) {
      Meeting one = values_[v]->meeting(earlier.uses[v], later.uses[v]);
      if (one == Meeting::kNever && !blocks_known_[v]) one = Meeting::kUnclear;
      result = std::max(result, one);
    }
    // A pointer to a variable of its own has the same index in all work-items.
    const bool own_memory = memory_.private_too.contains(earlier.array) && !varies(earlier) && !varies(later);
    if (memory_.private_too.contains(earlier.array) && result == Meeting::kNever) return Meeting::kUnclear;
    return own_memory && result == Meeting::kCertain ? Meeting::kUnclear : result;
  }

  [[nodiscard]] bool varies(const ElementAccess& access) const {
    for (const LaneForm& form : access.uses.front().likely) {
      if (values_.front()->varies(form)) return true;
    }
    return false;
  }

  /// Whether other lanes may have to be through with `earlier` before `later`; `few`: in code of one warp.
  [[nodiscard]] bool conflict(const ElementAccess& earlier, const ElementAccess& later, bool few) {
    if (earlier.array != later.array || (!earlier.stores && !later.stores)) return false;
    if (earlier.atomic && later.atomic) return false;
    const bool view = memory_.views.contains(earlier.array);
    const bool in_step = few || (view && !function_.variables.lanes.empty());
    const bool text_says =
        in_step && !memory_.global.contains(earlier.array) && text_conflict(earlier, later);
    const Meeting found = meeting(earlier, later);
    if (found != Meeting::kUnclear) return found == Meeting::kCertain;
    if (!text_says || separate_parts(earlier, later)) return false;
    if (!without_waits_ && !view) return earlier.stores != later.stores && !earlier.atomic && !later.atomic;
    const bool clear = !earlier.any && !later.any;
    if (clear && earlier.stores && later.stores && !earlier.atomic && !later.atomic) return false;
    return earlier.uses.empty() || later.uses.empty() || !rows_of_lanes(earlier, later);
  }

  /// Whether two pointers into one array may have a part of it each: their distance is not known.
  [[nodiscard]] bool separate_parts(const ElementAccess& a, const ElementAccess& b) const {
    if (a.name == b.name) return false;
    const LaneValue one = values_.front()->address(a.name), other = values_.front()->address(b.name);
    if (!one.form || !other.form) return false;
    return without_waits_ ? values_.front()->apart_by_unknown(*one.form, *other.form)
                          : !one.form->terms.empty() || !other.form->terms.empty();
  }

  [[nodiscard]] bool rows_of_lanes(const ElementAccess& a, const ElementAccess& b) const {
    for (std::size_t v = 0; v < values_.size(); ++v) {
      if (!values_[v]->rows_of_lanes(a.uses[v], b.uses[v])) return false;
    }
    return true;
  }

  /// Whether the indices' texts allow that lanes meet in the wrong order.
  [[nodiscard]] bool text_conflict(const ElementAccess& earlier, const ElementAccess& later) const {
    if (!earlier.varies && !later.varies) return false;
    if (earlier.name != later.name || earlier.index.size() != later.index.size()) return true;
    if (earlier.any || later.any) return true;
    bool same = true, ahead = later.stores && !earlier.stores;
    for (std::size_t d = 0; d < earlier.index.size(); ++d) {
      if (earlier.index[d] == later.index[d]) {
        if (own(earlier.index[d])) return false;
        continue;
      }
      same = false;
      ahead = ahead && adds_to(earlier.index[d], later.index[d]);
    }
    return !same && !ahead;
  }

  /// Whether an index is another one in each lane.
  [[nodiscard]] bool own(const std::string& index) const {
    return index == "threadIdx.x" || function_.variables.threads.contains(index) ||
           function_.variables.lanes.contains(index);
  }

  [[nodiscard]] bool varies(const Token& token) const {
    return token.is("threadIdx") || function_.variables.varying.contains(token.text);
  }

  [[nodiscard]] bool waits(TokenRange range) const {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (tokens_[i].identifier() &&
          (synchronizes(tokens_[i].text) || unit_.synchronizing.contains(tokens_[i].text)))
        return true;
    }
    return false;
  }

  /// What stands behind an element at `next`: whether it is stored.
  [[nodiscard]] bool stored(std::size_t first, std::size_t next, TokenRange range) const {
    static constexpr std::array<std::string_view, 8> kCompound = {
        "+=", "-=", "*=", "/=", "|=", "&=", "^=", "%="};
    while (next + 1 < range.end && tokens_[next].is(".") && tokens_[next + 1].identifier()) next += 2;
    const bool counts = (next < range.end && (tokens_[next].is("++") || tokens_[next].is("--"))) ||
                        (first > range.begin && (tokens_[first - 1].is("++") || tokens_[first - 1].is("--")));
    const bool shifts = next + 1 < range.end && (tokens_[next].is("<") || tokens_[next].is(">")) &&
                        tokens_[next + 1].is(tokens_[next].is("<") ? "<=" : ">=");
    const bool compound = next < range.end && fission::among(kCompound, tokens_[next].text);
    return counts || shifts || compound || (next < range.end && tokens_[next].is("="));
  }

  [[nodiscard]] ElementAccess access_by(std::string_view name) {
    ElementAccess one;
    one.array = one.name = name;
    one.branch = branches_.empty() ? nullptr : branches_.back();
    for (const Scope& scope : scopes_) one.scopes.push_back(scope.number);
    const std::string_view array = memory_.views.contains(name) ? name : values_.front()->address(name).array;
    if (!array.empty()) one.array = array;
    one.varies = one.array != name && function_.variables.varying.contains(name);
    return one;
  }

  /// Adds the indices of an element; `deep`: of a pointer's element, in front of which nothing else stands.
  void set_index(ElementAccess& one, const std::vector<TokenRange>& index, bool plain) {
    for (const TokenRange dimension : index) {
      one.index.push_back(text_of(tokens_, {dimension.begin, dimension.end}));
      for (std::size_t i = dimension.begin; i < dimension.end; ++i)
        one.varies = one.varies || varies(tokens_[i]);
    }
    if (index.empty()) one.index.emplace_back("0");
    for (std::size_t v = 0; v < values_.size(); ++v) {
      LaneValues& values = *values_[v];
      LaneValues::Use use;
      use.mask = masks_[v];
      use.stores = one.stores;
      for (const TokenRange dimension : index) {
        use.index.push_back(*values.value(dimension).form);
        one.varies = one.varies || values.varies(use.index.back());  // "id[0]" of a local array
        use.likely.push_back(*values.likely_value(dimension).form);
      }
      const LaneValue base = values.address(one.name);
      const bool pointer = base.form && one.array != one.name;
      if (index.empty()) {
        use.index.push_back(values.zero());
        use.likely.push_back(values.zero());
      }
      if (!plain) {
        use.index = use.likely = {values.unknown(true)};
      } else if (base.form && !memory_.views.contains(one.name)) {
        values.add_offset(use, *base.form, pointer);
      }
      one.uses.push_back(std::move(use));
    }
  }

  [[nodiscard]] std::vector<ElementAccess> accesses_in(TokenRange range) {
    std::vector<ElementAccess> found;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (!tokens_[i].identifier()) continue;
      if (i > 0 && (tokens_[i - 1].is(".") || tokens_[i - 1].is("->") || tokens_[i - 1].is("::"))) continue;
      if (i + 1 < range.end && tokens_[i + 1].is("(") && tokens_[i].text.starts_with("atomic")) {
        atomic(i, range, found);
        continue;
      }
      if (memory_.views.contains(tokens_[i].text)) {
        view_access(i, range, found);
      } else if (memory_.arrays.contains(tokens_[i].text) || memory_.global.contains(tokens_[i].text)) {
        array_access(i, range, found);
      }
      if (unit_.functions.contains(tokens_[i].text)) call(i, range, found);
    }
    return found;
  }

  void array_access(std::size_t i, TokenRange range, std::vector<ElementAccess>& found) {
    std::size_t before = i;
    while (before > range.begin && tokens_[before - 1].is("(")) --before;
    const bool address = before > 1 && tokens_[before - 1].is("&") && !operand_end(tokens_[before - 2]);
    const bool element = i + 1 < range.end && tokens_[i + 1].is("[");
    if (element && !address) {
      ElementAccess one = access_by(tokens_[i].text);
      std::vector<TokenRange> index;
      std::size_t next = i + 1;
      while (next < range.end && tokens_[next].is("[") && tokens_[next].close < range.end) {
        index.push_back({next + 1, tokens_[next].close});
        next = tokens_[next].close + 1;
      }
      one.stores = stored(i, next, range);
      set_index(one, index, true);
      found.push_back(std::move(one));
      return;
    }
    if (element) return;
    // "*p", "(*p)"
    const bool content =
        i > range.begin && tokens_[i - 1].is("*") && (i - 1 == range.begin || !operand_end(tokens_[i - 2]));
    if (content) {
      ElementAccess one = access_by(tokens_[i].text);
      std::size_t first = i - 1, next = i + 1;
      while (first > range.begin && next < range.end && tokens_[first - 1].is("(") && tokens_[next].is(")"))
        --first, ++next;
      one.varies = one.varies || memory_.private_too.contains(one.name) || one.name != one.array;
      one.stores = stored(first, next, range);
      set_index(one, {}, true);
      found.push_back(std::move(one));
      return;
    }
    // "((T*)p)[i]"
    const bool cast = i + 2 < range.end && tokens_[i + 1].is(")") && tokens_[i + 2].is("[") &&
                      i > range.begin && tokens_[i - 1].is(")") && tokens_[i + 2].close < range.end;
    if (!cast) return;
    ElementAccess one = access_by(tokens_[i].text);
    std::size_t first = i - 1;
    while (first > range.begin && tokens_[first].close != i + 1) --first;
    one.stores = stored(first, tokens_[i + 2].close + 1, range);
    set_index(one, {{i + 3, tokens_[i + 2].close}}, false);
    one.index.front().insert(0, "cast ");
    found.push_back(std::move(one));
  }

  /// Whether a token ends a value, so that "*" behind it multiplies.
  [[nodiscard]] static bool operand_end(const Token& token) {
    return (token.identifier() && !token.is("return")) || token.is(")") || token.is("]") ||
           token.kind == Token::Kind::kNumber;
  }

  /// `atomicAdd(&s[i], x)`, `atomicAdd(s + i, x)`
  void atomic(std::size_t i, TokenRange range, std::vector<ElementAccess>& found) {
    if (tokens_[i + 1].close >= range.end) return;
    const std::vector<TokenSpan> parts = parts_of_call(tokens_, {i + 2, tokens_[i + 1].close});
    if (parts.empty()) return;
    const TokenRange target{parts[0].begin, parts[0].end};
    std::size_t name = target.begin;
    while (name < target.end && !names_.contains(tokens_[name].text)) ++name;
    const LaneValue base = values_.front()->value(target);
    if (name == target.end || base.array.empty()) return;
    ElementAccess one = access_by(base.array);
    one.stores = one.atomic = true;
    one.index.push_back(text_of(tokens_, parts[0]));
    for (std::size_t k = target.begin; k < target.end; ++k) one.varies = one.varies || varies(tokens_[k]);
    for (std::size_t v = 0; v < values_.size(); ++v) {
      LaneValues::Use use;
      use.mask = masks_[v];
      use.index.push_back(*values_[v]->value(target).form);
      use.likely.push_back(*values_[v]->likely_value(target).form);
      one.uses.push_back(std::move(use));
    }
    found.push_back(std::move(one));
  }

  /// `state(row, column)`, `state.member(...)`
  void view_access(std::size_t i, TokenRange range, std::vector<ElementAccess>& found) {
    if (i + 1 >= range.end) return;
    ElementAccess one = access_by(tokens_[i].text);
    one.varies = true;
    const bool brackets = tokens_[i + 1].is("(") || tokens_[i + 1].is("[");
    if (brackets && tokens_[i + 1].close < range.end) {
      std::vector<TokenRange> index;
      for (const TokenSpan& part : parts_of_call(tokens_, {i + 2, tokens_[i + 1].close}))
        index.push_back({part.begin, part.end});
      one.stores = stored(i, tokens_[i + 1].close + 1, range);
      set_index(one, index, true);
      found.push_back(std::move(one));
    } else if (tokens_[i + 1].is(".") && i + 3 < range.end && tokens_[i + 3].is("(")) {
      one.any = true;
      found.push_back(one);
      one.stores = true;
      found.push_back(std::move(one));
    }
  }

  /// What a function may do with the addresses that it gets.
  void call(std::size_t i, TokenRange range, std::vector<ElementAccess>& found) {
    // A function of such code alone waits where it begins to use what others stored.
    if (unit_.synchronizing.contains(tokens_[i].text)) return;
    if (!without_waits_ && memory_.views.empty() && code_.all_of(tokens_[i].text)) return;
    const std::vector<LaneParameter>& parameters = unit_.functions.find(tokens_[i].text)->second;
    std::size_t open = i + 1;
    if (open < range.end && tokens_[open].is("<")) open = behind_angles(tokens_, open, range.end);
    if (open >= range.end || !tokens_[open].is("(") || tokens_[open].close >= range.end) return;
    const std::vector<TokenSpan> parts = parts_of_call(tokens_, {open + 1, tokens_[open].close});
    for (std::size_t p = 0; p < std::min(parts.size(), parameters.size()); ++p) {
      if (!parameters[p].address) continue;
      const TokenRange part{parts[p].begin, parts[p].end};
      const bool view = part.end == part.begin + 1 && memory_.views.contains(tokens_[part.begin].text);
      const std::string_view array = view ? tokens_[part.begin].text : values_.front()->value(part).array;
      if (array.empty() || memory_.private_too.contains(array)) continue;
      ElementAccess one = access_by(array);
      one.varies = one.any = true;
      for (std::size_t v = 0; v < values_.size() && !view; ++v) {
        LaneValues::Use use;
        use.mask = masks_[v];
        use.index = {*values_[v]->value(part).form};
        values_[v]->add_offset(use, values_[v]->unknown(true), false);
        one.uses.push_back(std::move(use));
      }
      found.push_back(one);
      one.stores = true;
      if (parameters[p].changed) found.push_back(std::move(one));
    }
  }

  const std::vector<Token>& tokens_;
  const FunctionStatements& function_;
  const OneWarpCode& code_;
  const UnitLanes& unit_;
  const CommonMemory& memory_;
  const std::function<bool(TokenRange)>& divisible_;
  const KnownNumbers numbers_;
  std::set<std::string_view> names_;                 // of all common memory
  std::vector<std::unique_ptr<LaneValues>> values_;  // for each shape of blocks
  std::vector<bool> blocks_known_;
  std::vector<LaneMask> masks_;
  bool without_waits_;
  std::vector<ElementAccess> earlier_;  // since lanes were in step
  std::map<std::size_t, WarpConflict> found_;
  std::vector<const Statement*> branches_;  // around the statement
  std::vector<Scope> scopes_;               // around the statement
  std::size_t scopes_entered_ = 0;
  bool has_leaders_ = false;  // an operation of a warp may choose one of its lanes
  int loops_ = 0, meetings_ = 0;
  bool stepped_ = false;  // if not, what the caller did may not be done by all lanes
};

}  // namespace

std::vector<WarpConflict> find_warp_conflicts(const std::vector<Token>& tokens,
                                              const FunctionStatements& function, const OneWarpCode& code,
                                              const UnitLanes& unit, const CommonMemory& memory,
                                              const std::function<bool(TokenRange)>& divisible) {
  return ConflictFinder(tokens, function, code, unit, memory, divisible).run();
}

}  // namespace kiln
