#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/outline.h"

namespace kiln {

/// Functions, by name without scope, whose `__shared__` variables count against the blocks of a kernel
/// because it may call them. Names are followed as ReachedNames does, so that there may be too many. The
/// views point into the texts.
class SharedCallees {
 public:
  explicit SharedCallees(const std::vector<const Outline*>& texts);

  /// Of the kernel that a name expression names; without itself.
  [[nodiscard]] std::set<std::string_view> of(const std::string& name_expression) const;

 private:
  std::vector<const Outline*> texts_;
  std::set<std::string_view> functions_;                            ///< that have such variables
  std::map<std::string_view, std::set<std::string_view>> members_;  ///< what such classes may call so
};

}  // namespace kiln
