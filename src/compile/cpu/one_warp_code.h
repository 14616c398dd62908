#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/cpu/split/statements.h"
#include "compile/cpu/unit_lanes.h"
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
  std::map<std::string_view, int> constants;  ///< names of numbers, parameters of its template among them
  LaneVariables variables;
};

/// The code of a text in which at most the 32 lanes of one warp work on common data: branches for few
/// work-items (`if (threadIdx.x < 32)`) or by the number of a lane (`if (lane >= 1)`), functions with "warp"
/// in their name or that only such code calls, kernels whose blocks have at most 32 work-items, and kernels
/// that share memory without any wait.
class OneWarpCode {
 public:
  /// `text` and `unit` outlive the object.
  OneWarpCode(const Outline& text, const UnitLanes& unit);

  [[nodiscard]] const std::vector<FunctionStatements>& functions() const { return functions_; }
  [[nodiscard]] bool at(std::size_t token) const { return inside_[token]; }
  /// Whether all of a function is such code.
  [[nodiscard]] bool all_of(std::string_view function) const { return whole_.contains(function); }
  /// Whether a condition holds for one work-item of a warp at most: `lane == 0`.
  [[nodiscard]] bool one_item(const FunctionStatements& function, TokenRange condition) const;
  /// The numbers that names have in a function, with the arguments of its template.
  [[nodiscard]] KnownNumbers known_numbers(const FunctionStatements& function) const;

 private:
  void mark(const FunctionStatements& function, const fission::Statement& statement, bool inside);
  void mark(TokenRange range, bool inside);
  [[nodiscard]] bool only_called_inside(std::string_view name) const;
  [[nodiscard]] std::optional<int> largest_argument(std::string_view function, std::size_t parameter) const;
  [[nodiscard]] std::map<std::string_view, int> constants_in(const DefinitionOutline& definition) const;

  const std::vector<Token>& tokens_;
  const UnitLanes& unit_;
  std::map<std::string_view, long long> plain_constants_;  ///< those with one value
  std::map<std::string_view, int> constants_;
  std::vector<FunctionStatements> functions_;
  std::map<std::string_view, std::vector<std::size_t>> calls_;
  std::vector<bool> inside_;
  std::set<std::string_view> whole_;
};

}  // namespace kiln
