#pragma once

#include <string>
#include <vector>

#include "compile/outline.h"

namespace kiln {

/// What a kernel's text says about its clusters.
struct ClusterDims {
  std::string arguments;  ///< "2, 1, 1" of `__cluster_dims__(2, 1, 1)`; empty: it has none
  std::string scope;      ///< where their names are known: "a::b", or empty
};

/// Of the kernel that a name expression names, "a::b::k<2>". Template parameters among the arguments are
/// replaced by what the name expression gives them.
[[nodiscard]] ClusterDims cluster_dims_of(const std::vector<const Outline*>& texts,
                                          const std::string& name_expression);

}  // namespace kiln
