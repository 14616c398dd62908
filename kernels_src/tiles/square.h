#pragma once

// Transposes of tiles through shared memory, of elements that only move. A work-item moves squares of Pack x
// Pack elements: it loads a square's rows, each by one access, turns it in registers, and puts its columns, each
// a pack, into the tile's transpose. There pack q of a column stands at q ^ (the square's column), so that neither
// the writes, which go down the columns, nor the reads, which go along them, meet in a bank.

namespace tiles {

/// Memory of an element of this many bytes.
template <int Bytes>
struct ElementOf;
template <>
struct ElementOf<1> {
  using Type = unsigned char;
};
template <>
struct ElementOf<2> {
  using Type = unsigned short;
};
template <>
struct ElementOf<4> {
  using Type = unsigned int;
};
template <>
struct ElementOf<8> {
  using Type = unsigned long long;
};
template <>
struct ElementOf<16> {
  using Type = uint4;
};

/// A work-item's squares of a tile of Rows x Columns elements that Block work-items transpose; rows of the matrix
/// and of its transpose are contiguous. Loads ask the second-level cache for Fetch bytes (0: as many as it
/// likes); `Streaming`: the result is to leave the caches first.
template <class Element, int Rows, int Columns, int Block, int Pack, int Fetch = 0, bool Streaming = false>
struct Squares {
  using Elements = kiln::Pack<Element, Pack>;
  static constexpr int across = Columns / Pack;
  static constexpr int down = Rows / Pack;
  static constexpr int rounds = across * down / Block;  // squares of a work-item
  static_assert(across * down % Block == 0, "each work-item has as many squares");

  Elements square[rounds][Pack];

  /// The tile at (row, column) of a matrix of rows x columns elements; outside of it they are 0.
  __device__ void load(const Element* __restrict__ matrix, int row, int column, int rows, int columns, int rank) {
    KILN_UNROLL_ALL
    for (int n = 0; n < rounds; ++n) {
      const int number = n * Block + rank;
      const int first = row + number / across * Pack, x = column + number % across * Pack;
      KILN_UNROLL_ALL
      for (int r = 0; r < Pack; ++r)
        square[n][r] = load_row(matrix + (long long)(first + r) * columns + x, first + r < rows ? columns - x : 0,
                                columns % Pack == 0);
    }
  }
  /// Into `turned`, Columns x down packs. A barrier of the block comes before `store`.
  __device__ void put(Elements* turned, int rank) const {
    KILN_UNROLL_ALL
    for (int n = 0; n < rounds; ++n) {
      const int x = (n * Block + rank) % across, y = (n * Block + rank) / across;
      KILN_UNROLL_ALL
      for (int c = 0; c < Pack; ++c) {
        Elements column;
        KILN_UNROLL_ALL
        for (int r = 0; r < Pack; ++r) column.at[r] = square[n][r].at[c];
        turned[(x * Pack + c) * down + (y ^ x % down)] = column;
      }
    }
  }
  /// The transpose of the tile at (row, column) to `matrix`, of columns x rows elements.
  __device__ static void store(Element* __restrict__ matrix, const Elements* turned, int row, int column, int rows,
                               int columns, int rank) {
    KILN_UNROLL_ALL
    for (int n = 0; n < rounds * Pack; ++n) {
      const int number = n * Block + rank;
      const int y = number % down, x = number / down;
      store_row(matrix + (long long)(column + x) * rows + row + y * Pack, turned[x * down + (y ^ x / Pack % down)],
                column + x < columns ? rows - row - y * Pack : 0, rows % Pack == 0);
    }
  }

 private:
  __device__ static Elements load_row(const Element* __restrict__ from, int left, bool whole) {
    Elements row = {};
    if (left >= Pack && whole) {
      row = kiln::fetch_pack<Pack, Fetch>(from);
    } else {
      KILN_UNROLL_ALL
      for (int e = 0; e < Pack; ++e) {
        if (e < left) row.at[e] = from[e];
      }
    }
    return row;
  }
  __device__ static void store_row(Element* __restrict__ to, const Elements& row, int left, bool whole) {
    if (left >= Pack && whole) {
      if (Streaming && sizeof(row) >= 4) {
        kiln::stream_store_pack(to, row);
      } else {
        kiln::store_pack(to, row);
      }
    } else {
      KILN_UNROLL_ALL
      for (int e = 0; e < Pack; ++e) {
        if (e < left) to[e] = row.at[e];
      }
    }
  }
};

}  // namespace tiles
