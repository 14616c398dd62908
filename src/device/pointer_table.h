#pragma once

#include <compare>
#include <cstdint>

namespace kiln {

/// The rows of a buffer: the places to which an array of pointers points, in the order of the rows.
struct PointerTable {
  std::uint64_t rows = 0;
  std::uint64_t pitch = 0;  ///< bytes from one row to the next

  friend auto operator<=>(const PointerTable&, const PointerTable&) = default;
};

}  // namespace kiln
