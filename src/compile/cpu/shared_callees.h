#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/outline.h"

namespace kiln {

/// Functions, by name without scope, whose `__shared__` variables count for the blocks of a kernel because it
/// may call them. Names are followed as in ReachedNames, so there may be too many. The views point into the
/// texts.
class SharedCallees {
 public:
  explicit SharedCallees(const std::vector<const Outline*>& texts);

  /// The functions that the kernel of a name expression may call, without itself.
  [[nodiscard]] std::set<std::string_view> of(const std::string& name_expression) const;

 private:
  std::vector<const Outline*> texts_;
  std::set<std::string_view> functions_;  ///< functions that have such variables
  std::map<std::string_view, std::set<std::string_view>>
      members_;  ///< by class, the names by which its members may call such functions
};

}  // namespace kiln
