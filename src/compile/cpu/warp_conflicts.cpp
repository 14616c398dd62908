#include "compile/cpu/warp_conflicts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>

#include "base/whole_word.h"

namespace kiln {
namespace {

using fission::Statement;
using Kind = Statement::Kind;

/// One access to an element of an array.
struct ElementAccess {
  std::string_view array;
  std::vector<std::string> index;  ///< of each dimension
  bool stores = false;
  bool varies = false;                ///< between work-items
  const Statement* branch = nullptr;  ///< the innermost `if` around it
};

/// Whether `index` is `base` plus something: `t + 16` and `t`.
bool adds_to(const std::string& index, const std::string& base) {
  if (index.size() <= base.size() + 1 || index.find('-') != std::string::npos) return false;
  const std::size_t rest = index.size() - base.size();
  return (index.compare(0, base.size(), base) == 0 && index[base.size()] == '+') ||
         (index.compare(rest, base.size(), base) == 0 && index[rest - 1] == '+');
}

class ConflictFinder {
 public:
  ConflictFinder(const std::vector<Token>& tokens, const FunctionStatements& function,
                 const OneWarpCode& code, const std::set<std::string_view>& arrays,
                 const std::set<std::string_view>& synchronizing)
      : tokens_(tokens), function_(function), code_(code), arrays_(arrays), synchronizing_(synchronizing) {
    const TokenRange body = function.definition->body;
    for (std::size_t i = body.begin; i < body.end && !has_leaders_; ++i) {
      const std::string_view text = tokens[i].text;
      has_leaders_ = text.starts_with("__match_any") || text.starts_with("__ballot") ||
                     text.starts_with("__activemask") || text.starts_with("__shfl");
    }
  }

  std::vector<WarpConflict> run() {
    visit(*function_.parsed.block, false);
    std::vector<WarpConflict> result;
    for (const auto& [begin, conflict] : found_) result.push_back(conflict);
    return result;
  }

 private:
  /// A loop's body is read again after its end, but not in loops of this depth.
  static constexpr int kLoopDepth = 3;
  static constexpr std::size_t kMostAccesses = 64;

  void visit(const Statement& statement, bool nested) {
    switch (statement.kind) {
      case Kind::kBlock:
        for (const auto& child : statement.children) visit(*child, false);
        break;
      case Kind::kIf:
        access(statement.condition, statement, nested);
        if (has_leaders_) await_readers(statement, nested);
        branches_.push_back(&statement);
        for (const auto& child : statement.children) visit(*child, true);
        branches_.pop_back();
        break;
      case Kind::kFor:
      case Kind::kWhile:
      case Kind::kDo:
        if (statement.kind == Kind::kFor) access(statement.children[0]->range, statement, false);
        ++loops_;
        for (int turn = 0; turn < (loops_ > kLoopDepth ? 1 : 2); ++turn) {
          if (statement.kind != Kind::kDo) access(statement.condition, statement, false);
          visit(statement.body(), true);
          if (statement.kind == Kind::kDo) access(statement.condition, statement, false);
          access(statement.step, statement, false);
        }
        --loops_;
        break;
      case Kind::kScopeDeclaration:
      case Kind::kEmpty:
      case Kind::kBreak:
      case Kind::kContinue:
        break;
      default:
        access(statement.range, statement, nested);
    }
  }

  /// What the tokens do, which belong to `statement`.
  void access(TokenRange range, const Statement& statement, bool nested) {
    const std::vector<ElementAccess> accesses = accesses_in(range);
    const bool simple = statement.kind == Kind::kExpression || statement.kind == Kind::kDeclaration ||
                        statement.kind == Kind::kReturn || statement.kind == Kind::kIf;
    const bool follows_leader =
        has_leaders_ && std::any_of(accesses.begin(), accesses.end(), [this](const ElementAccess& later) {
          return std::any_of(earlier_.begin(), earlier_.end(), [&](const ElementAccess& one) {
            return one.stores && !later.stores && left_branch(one) && same_element(one, later);
          });
        });
    if (simple && follows_leader && range.begin < range.end) add(statement, nested, true, false);
    const bool guards = statement.kind == Kind::kIf && code_.at(statement.children[0]->range.begin);
    if (simple && range.begin < range.end && (guards || code_.at(range.begin))) {
      const bool before = std::any_of(accesses.begin(), accesses.end(), [this](const ElementAccess& later) {
        return std::any_of(earlier_.begin(), earlier_.end(),
                           [&](const ElementAccess& one) { return conflict(one, later); });
      });
      const bool within = statement.kind == Kind::kExpression && conflict_within(accesses);
      if (before || within) {
        add(statement, nested, before || !stepped_, within);
        if (within) return;  // a step ends behind it
      }
    }
    if (waits(range)) {
      earlier_.clear();
      return;
    }
    for (const ElementAccess& one : accesses) {
      const bool known = std::any_of(earlier_.begin(), earlier_.end(), [&](const ElementAccess& other) {
        return other.array == one.array && other.index == one.index && other.stores == one.stores &&
               other.branch == one.branch;
      });
      if (!known && earlier_.size() < kMostAccesses) earlier_.push_back(one);
    }
  }

  void add(const Statement& statement, bool nested, bool before, bool within) {
    // Parts of a declaration with several names begin with it.
    const bool declares = statement.kind == Kind::kDeclaration;
    const TokenRange whole = {declares ? statement.specifiers.begin : statement.range.begin,
                              statement.range.end};
    WarpConflict& known = found_[whole.begin];
    known.statement = whole;
    known.nested = nested;
    known.before = known.before || before;
    known.within = known.within || within;
    stepped_ = true;
    earlier_.clear();
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
        if (waits) return add(branch, nested, true, false);
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
    return a.array == b.array && a.index == b.index && (a.varies || b.varies) &&
           std::none_of(a.index.begin(), a.index.end(), [this](const std::string& one) {
             return own(one) ||
                    std::any_of(function_.variables.threads.begin(), function_.variables.threads.end(),
                                [&](std::string_view name) { return has_word(one, name); });
           });
  }

  [[nodiscard]] bool conflict_within(const std::vector<ElementAccess>& accesses) const {
    for (const ElementAccess& store : accesses) {
      if (!store.stores) continue;
      for (const ElementAccess& read : accesses) {
        if (!read.stores && conflict(read, store)) return true;
      }
    }
    return false;
  }

  /// Whether other lanes may have to be through with `earlier` before `later`.
  [[nodiscard]] bool conflict(const ElementAccess& earlier, const ElementAccess& later) const {
    if (earlier.array != later.array || earlier.stores == later.stores) return false;
    if (!earlier.varies && !later.varies) return false;
    if (earlier.index.size() != later.index.size()) return true;
    bool same = true, ahead = later.stores;
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
          (synchronizes(tokens_[i].text) || synchronizing_.contains(tokens_[i].text)))
        return true;
    }
    return false;
  }

  [[nodiscard]] std::vector<ElementAccess> accesses_in(TokenRange range) const {
    static constexpr std::array<std::string_view, 8> kCompound = {
        "+=", "-=", "*=", "/=", "|=", "&=", "^=", "%="};
    std::vector<ElementAccess> found;
    for (std::size_t i = range.begin; i + 1 < range.end; ++i) {
      if (!arrays_.contains(tokens_[i].text) || !tokens_[i + 1].is("[")) continue;
      if (i > 0 && (tokens_[i - 1].is(".") || tokens_[i - 1].is("->") || tokens_[i - 1].is("::"))) continue;
      if (i > 1 && tokens_[i - 1].is("&") && (tokens_[i - 2].is("(") || tokens_[i - 2].is(","))) continue;
      ElementAccess one{tokens_[i].text, {}, false, false, branches_.empty() ? nullptr : branches_.back()};
      std::size_t next = i + 1;
      while (next < range.end && tokens_[next].is("[") && tokens_[next].close < range.end) {
        one.index.push_back(text_of(tokens_, {next + 1, tokens_[next].close}));
        const std::size_t close = tokens_[next].close;
        for (; next < close; ++next) one.varies = one.varies || varies(tokens_[next]);
        ++next;
      }
      while (next + 1 < range.end && tokens_[next].is(".") && tokens_[next + 1].identifier()) next += 2;
      const bool counts = (next < range.end && (tokens_[next].is("++") || tokens_[next].is("--"))) ||
                          (i > range.begin && (tokens_[i - 1].is("++") || tokens_[i - 1].is("--")));
      const bool shifts = next + 1 < range.end && (tokens_[next].is("<<") || tokens_[next].is(">>")) &&
                          tokens_[next + 1].is("=");
      const bool compound = next < range.end && fission::among(kCompound, tokens_[next].text);
      one.stores = counts || shifts || compound || (next < range.end && tokens_[next].is("="));
      found.push_back(one);
    }
    return found;
  }

  const std::vector<Token>& tokens_;
  const FunctionStatements& function_;
  const OneWarpCode& code_;
  const std::set<std::string_view>& arrays_;
  const std::set<std::string_view>& synchronizing_;
  std::vector<ElementAccess> earlier_;  // since lanes were in step
  std::map<std::size_t, WarpConflict> found_;
  std::vector<const Statement*> branches_;  // around the statement
  bool has_leaders_ = false;                // an operation of a warp may choose one of its lanes
  int loops_ = 0;
  bool stepped_ = false;  // if not, what the caller did may not be done by all lanes
};

}  // namespace

bool synchronizes(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::size_t sync = lower.find("sync");
  if (sync != std::string::npos && (sync == 0 || lower[sync - 1] != 'a')) return true;
  return lower.starts_with("__shfl") || lower.starts_with("__ballot") || lower.starts_with("__any") ||
         lower.starts_with("__all") || lower.starts_with("__barrier");
}

std::vector<WarpConflict> find_warp_conflicts(const std::vector<Token>& tokens,
                                              const FunctionStatements& function, const OneWarpCode& code,
                                              const std::set<std::string_view>& arrays,
                                              const std::set<std::string_view>& synchronizing) {
  return ConflictFinder(tokens, function, code, arrays, synchronizing).run();
}

}  // namespace kiln
