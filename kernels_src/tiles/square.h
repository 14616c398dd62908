#pragma once

#include "tile_transpose.h"

namespace tiles {

/// By the name that `gemm` has for it, whose text stays as its wisdom was found with.
template <class Element, int Rows, int Columns, int Block, int Pack>
using Squares = TileTranspose<Element, Rows, Columns, Block, Pack>;

}  // namespace tiles
