#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/cpu/split/statements.h"
#include "compile/outline.h"

namespace kiln {

/// The local variables of a function that differ between work-items, as their initial values and names show.
struct LaneVariables {
  std::set<std::string_view> threads;  ///< from threadIdx.x, or a parameter with such a name
  std::set<std::string_view> lanes;    ///< modulo 32, or "lane" in the name
  std::set<std::string_view> warps;    ///< a warp's number
  std::set<std::string_view> varying;  ///< all that depend on these, and parameters
};

/// A function's statements. Without `parsed.block`, or with a trouble, they are not understood.
struct FunctionStatements {
  const DefinitionOutline* definition = nullptr;
  fission::ParsedBody parsed;
  LaneVariables variables;
};

/// The code of a text in which at most the 32 lanes of one warp work on common data: branches for few
/// work-items (`if (threadIdx.x < 32)`) or by the number of a lane (`if (lane >= 1)`), functions with "warp"
/// in their name or that only such code calls, and kernels whose blocks have at most 32 work-items.
class OneWarpCode {
 public:
  /// `kernels`: those with such blocks. `text` outlives the object.
  OneWarpCode(const Outline& text, const std::set<std::string>& kernels);

  [[nodiscard]] const std::vector<FunctionStatements>& functions() const { return functions_; }
  [[nodiscard]] bool at(std::size_t token) const { return inside_[token]; }

 private:
  void mark(const FunctionStatements& function, const fission::Statement& statement, bool inside);
  void mark(TokenRange range, bool inside);
  [[nodiscard]] bool only_called_inside(std::string_view name) const;

  const std::vector<Token>& tokens_;
  std::map<std::string_view, int> constants_;
  std::vector<FunctionStatements> functions_;
  std::map<std::string_view, std::vector<std::size_t>> calls_;
  std::vector<bool> inside_;
};

}  // namespace kiln
