#pragma once

#include <string>

#include "kiln/error.h"

namespace kiln {

/// An expression or literal as written, with its place, so that an error found later can point at it.
struct ExpressionText {
  std::string text;
  SourceLocation where;
  std::string key;  ///< path of the key, "kernels.laplacian.grid[0]"
};

}  // namespace kiln
