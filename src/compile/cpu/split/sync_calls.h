#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/cpu/split/body.h"

namespace kiln::fission {

/// The work-items that a call waits for.
enum class Sync { kNone, kWarp, kBlock };

/// A cooperative group that a variable holds.
struct Group {
  enum class Kind { kNone, kBlock, kTile, kGrid, kCoalesced };
  Kind kind = Kind::kNone;
  std::string size;  ///< of a tile, as an expression
  [[nodiscard]] bool whole_warp() const { return kind == Kind::kTile && size == "32"; }
  friend bool operator==(const Group&, const Group&) = default;
};

/// A barrier, a warp operation, or a call of a function that contains one.
struct SyncCall {
  TokenRange range;       ///< the whole expression
  std::string_view name;  ///< "__shfl_xor_sync", "shfl_xor" of a group, "reduce", the function
  Sync sync = Sync::kNone;
  Group group;  ///< the group whose member it is, or that is its first argument
  bool user = false;
  bool step = false;          ///< an operation of a class of CUB: BlockReduce(storage).Sum(x)
  bool partial = false;       ///< it may wait for a cuda::barrier, which a part of a block may do
  TokenRange qualified_name;  ///< "ns::f<4>" of a user's function
  std::vector<TokenRange> arguments;
};

/// The functions of a text that wait, found through their calls by name.
class SyncFunctions {
 public:
  /// `entries`: the names of the kernels with their template arguments.
  explicit SyncFunctions(const Outline& text, const std::vector<std::string>& entries = {});
  [[nodiscard]] Sync of(std::string_view function) const;
  /// Whether this is the name of member functions, not static, that wait; "operator" for operator().
  [[nodiscard]] bool waiting_member(std::string_view name) const { return waiting_members_.contains(name); }
  [[nodiscard]] bool any_waiting_member() const { return !waiting_members_.empty(); }
  /// Whether this is the name of a class, lambda, operator or variable that leads to a barrier: such calls
  /// cannot be split.
  [[nodiscard]] bool hidden(std::string_view name) const { return hidden_.contains(name); }
  /// Whether the token may be a barrier, a warp operation or the name of a function that waits.
  [[nodiscard]] bool may_wait(const std::vector<Token>& tokens, std::size_t i) const;
  /// Whether functions of this name wait for a cuda::barrier, or call such functions.
  [[nodiscard]] bool partial(std::string_view name) const { return partial_.contains(name); }
  /// Whether this is the name of kernels only: device code cannot call it.
  [[nodiscard]] bool kernel(std::string_view name) const {
    return kernels_.contains(name) && !called_.contains(name);
  }
  /// Whether this is the name of a class of CUB, or another name of one, whose members bring the values of a
  /// block together in one step (cub_common.h), and whether it is the name of such a member.
  [[nodiscard]] bool step_class(std::string_view name) const { return step_classes_.contains(name); }
  [[nodiscard]] bool step_member(std::string_view name) const { return step_members_.contains(name); }
  /// Whether a variable's type is such a class.
  [[nodiscard]] bool step_object(TokenRange specifiers) const;
  /// The cause of such a name: "coalesced_threads"; the name itself for a member function that waits.
  [[nodiscard]] std::string_view cause(std::string_view name) const { return hidden_.at(name); }
  [[nodiscard]] const std::vector<const DefinitionOutline*>& definitions(std::string_view name) const;
  /// Whether functions of this name read threadIdx, or call such functions.
  [[nodiscard]] bool reads_thread_index(std::string_view name) const { return indexed_.contains(name); }

 private:
  const std::vector<Token>& tokens_;
  std::map<std::string_view, Sync> sync_;
  void find_step_classes(const Outline& text);
  void find_index_readers(const Outline& text, const std::vector<std::string>& entries,
                          std::map<std::string_view, std::set<std::string_view>>& names);
  [[nodiscard]] bool of_cub_and_harmless(const Outline& text, const DefinitionOutline& definition) const;

  std::set<std::string_view> step_classes_, step_members_, waiting_members_;
  TokenRange cub_;                                       ///< Kiln's headers for CUB
  std::map<std::string_view, std::string_view> hidden_;  ///< the cause, by name
  std::set<std::string_view> indexed_, partial_, classes_;
  std::set<std::string_view> kernels_, called_;  ///< names of kernels, and of other definitions
  std::map<std::string_view, std::vector<const DefinitionOutline*>> definitions_;
};

/// The work-items that a barrier or a warp operation of the CUDA dialect waits for; kNone for other names.
[[nodiscard]] Sync sync_of_builtin(std::string_view name);

/// Whether this is the name of a member function by which a tile's lanes wait for each other.
[[nodiscard]] bool tile_operation(std::string_view name);
/// Whether the token is such a function of a cuda::barrier, of any object.
[[nodiscard]] bool member_wait(const std::vector<Token>& tokens, std::size_t i);

/// Whether the token is the type of a tile of a cooperative group, or a function that makes a group of lanes.
[[nodiscard]] bool tile_word(const std::vector<Token>& tokens, std::size_t i);

/// The group that a declaration makes.
[[nodiscard]] Group group_of(const std::vector<Token>& tokens, TokenRange specifiers, TokenRange initializer);

}  // namespace kiln::fission
