#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/cpu/split/statements.h"
#include "compile/outline.h"
#include "specialize/specialization.h"

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

/// What the entries and macros of a unit say of its kernels.
struct UnitNumbers {
  std::set<std::string> one_warp_kernels;  ///< those whose blocks have at most 32 work-items
  /// By kernel the largest number that an entry gives to each parameter of its template; none: one of them
  /// gives no number.
  std::map<std::string, std::vector<std::optional<int>>> template_arguments;
  std::map<std::string, int> macros;  ///< of the workload
};

[[nodiscard]] UnitNumbers unit_numbers(const Specialization& specialization);

/// The code of a text in which at most the 32 lanes of one warp work on common data: branches for few
/// work-items (`if (threadIdx.x < 32)`) or by the number of a lane (`if (lane >= 1)`), functions with "warp"
/// in their name or that only such code calls, and kernels whose blocks have at most 32 work-items.
class OneWarpCode {
 public:
  /// `text` and `numbers` outlive the object.
  OneWarpCode(const Outline& text, const UnitNumbers& numbers);

  [[nodiscard]] const std::vector<FunctionStatements>& functions() const { return functions_; }
  [[nodiscard]] bool at(std::size_t token) const { return inside_[token]; }

 private:
  void mark(const FunctionStatements& function, const fission::Statement& statement, bool inside);
  void mark(TokenRange range, bool inside);
  [[nodiscard]] bool only_called_inside(std::string_view name) const;
  [[nodiscard]] std::map<std::string_view, int> constants_in(const DefinitionOutline& definition) const;

  const std::vector<Token>& tokens_;
  const UnitNumbers& numbers_;
  std::map<std::string_view, int> constants_;
  std::vector<FunctionStatements> functions_;
  std::map<std::string_view, std::vector<std::size_t>> calls_;
  std::vector<bool> inside_;
};

}  // namespace kiln
