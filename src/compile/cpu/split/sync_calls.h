#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/cpu/split/body.h"

namespace kiln::fission {

/// Which work-items a call waits for.
enum class Sync { kNone, kWarp, kBlock };

/// A cooperative group that a variable stands for.
struct Group {
  enum class Kind { kNone, kBlock, kTile };
  Kind kind = Kind::kNone;
  std::string size;  ///< of a tile: an expression
  [[nodiscard]] bool whole_warp() const { return kind == Kind::kTile && size == "32"; }
  friend bool operator==(const Group&, const Group&) = default;
};

/// A barrier, a warp operation, or a call of a function that has some.
struct SyncCall {
  TokenRange range;       ///< the whole expression
  std::string_view name;  ///< "__shfl_xor_sync", "shfl_xor" of a group, "reduce", the function
  Sync sync = Sync::kNone;
  Group group;  ///< that it is a member of, or the first argument
  bool user = false;
  TokenRange qualified_name;  ///< "ns::f<4>" of a user's function
  std::vector<TokenRange> arguments;
};

/// The functions of a text that wait, followed through their calls by name.
class SyncFunctions {
 public:
  explicit SyncFunctions(const Outline& text);
  [[nodiscard]] Sync of(std::string_view function) const;
  /// A name of a member function, class, lambda or variable that leads to a barrier: such calls cannot be
  /// split.
  [[nodiscard]] bool hidden(std::string_view name) const { return hidden_.contains(name); }
  /// The name of kernels and of nothing else: device code cannot call it.
  [[nodiscard]] bool kernel(std::string_view name) const {
    return kernels_.contains(name) && !called_.contains(name);
  }
  /// What such a name leads to: "coalesced_threads"; itself where it is a member function that waits.
  [[nodiscard]] std::string_view cause(std::string_view name) const { return hidden_.at(name); }
  [[nodiscard]] const std::vector<const DefinitionOutline*>& definitions(std::string_view name) const;
  /// Functions that read threadIdx, or call such.
  [[nodiscard]] bool reads_thread_index(std::string_view name) const { return indexed_.contains(name); }

 private:
  std::map<std::string_view, Sync> sync_;
  std::map<std::string_view, std::string_view> hidden_;  ///< the cause, by name
  std::set<std::string_view> indexed_;
  std::set<std::string_view> kernels_, called_;  ///< names of kernels, and of other definitions
  std::map<std::string_view, std::vector<const DefinitionOutline*>> definitions_;
};

/// Whether a name is that of a barrier or a warp operation of the CUDA dialect.
[[nodiscard]] Sync sync_of_builtin(std::string_view name);

/// The group that a declaration makes.
[[nodiscard]] Group group_of(const std::vector<Token>& tokens, TokenRange specifiers, TokenRange initializer);

/// The calls in [range) that wait, inner ones first. `groups`: of each variable of the body.
[[nodiscard]] std::vector<SyncCall> find_sync_calls(const Body& body, const SyncFunctions& functions,
                                                    const std::vector<Group>& groups, TokenRange range);

}  // namespace kiln::fission
