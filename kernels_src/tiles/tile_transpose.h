#pragma once

// Transposes of tiles through shared memory, of elements that only move.

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

/// A work-item's part of the transpose of a tile of Rows x Columns elements by Block work-items; rows of the
/// matrix and of its transpose are contiguous. A work-item loads packs of Pack elements of the tile's rows,
/// puts their elements one by one into the tile's transpose in shared memory, and stores packs of that one's
/// rows. The lanes of a warp have neighbouring packs of the same rows and put their elements into different
/// columns of the tile: `shift` moves each of these by its number, so that the lanes meet in no bank. `Kept`:
/// the second-level cache evicts the result before what whole tiles read; `Streaming`: the result is to leave
/// the caches first.
template <class Element, int Rows, int Columns, int Block, int Pack, bool Kept = false, bool Streaming = false>
struct TileTranspose {
  using Elements = kiln::Pack<Element, Pack>;
  static constexpr int across = Columns / Pack;        // packs of a row of the tile
  static constexpr int down = Rows / Pack;             // packs of a row of its transpose
  static constexpr int loads = Rows * across / Block;  // of a work-item
  static constexpr int stores = Columns * down / Block;
  static constexpr int rows_of_load = Block / across;  // that all work-items load at once
  static constexpr int rows_of_store = Block / down;
  static_assert(Rows % Pack == 0 && Columns % Pack == 0 && Block % across == 0 && Block % down == 0 &&
                    Rows * across % Block == 0 && Columns * down % Block == 0,
                "work-items have packs of whole rows, and each has as many");

  Elements packs[loads];

  /// Of the tile at (row, column) of a matrix of rows x columns elements; outside of it they are 0.
  __device__ void load(const Element* __restrict__ matrix, int row, int column, int rows, int columns,
                       int rank) {
    const int y = row + rank / across, x = column + rank % across * Pack;
    const Element* const from = matrix + (long long)y * columns + x;
    if (inside(row, column, rows, columns)) {
      // Loads without conditions all start before the first one ends.
      KILN_UNROLL_ALL
      for (int n = 0; n < loads; ++n)
        packs[n] = loaded(from + (long long)(n * rows_of_load) * columns);
      return;
    }
    KILN_UNROLL_ALL
    for (int n = 0; n < loads; ++n) {
      const Element* const line = from + (long long)(n * rows_of_load) * columns;
      const int left = y + n * rows_of_load < rows ? columns - x : 0;
      packs[n] = {};
      if (columns % Pack == 0) {
        if (left > 0) packs[n] = kiln::load_pack<Pack>(line);
      } else {
        KILN_UNROLL_ALL
        for (int e = 0; e < Pack; ++e) {
          if (e < left) packs[n].at[e] = line[e];
        }
      }
    }
  }
  /// Into `turned`, Columns x Rows elements. A barrier of the block comes before `store`.
  __device__ void put(Elements* turned, int rank) const {
    Element* const elements = reinterpret_cast<Element*>(turned);
    const int x = rank % across;
    KILN_UNROLL_ALL
    for (int n = 0; n < loads; ++n) {
      const int y = n * rows_of_load + rank / across;
      KILN_UNROLL_ALL
      for (int e = 0; e < Pack; ++e) elements[(x * Pack + e) * Rows + (y ^ shift(x))] = packs[n].at[e];
    }
  }
  /// The transpose of the tile at (row, column) to `matrix`, of columns x rows elements.
  __device__ static void store(Element* __restrict__ matrix, const Elements* turned, int row, int column,
                               int rows, int columns, int rank) {
    const int y = row + rank % down * Pack, x = column + rank / down;
    Element* const to = matrix + (long long)x * rows + y;
    if (inside(row, column, rows, columns)) {
      KILN_UNROLL_ALL
      for (int n = 0; n < stores; ++n)
        store_pack(to + (long long)(n * rows_of_store) * rows, taken(turned, n, rank));
      return;
    }
    KILN_UNROLL_ALL
    for (int n = 0; n < stores; ++n) {
      Element* const line = to + (long long)(n * rows_of_store) * rows;
      const int left = x + n * rows_of_store < columns ? rows - y : 0;
      const Elements pack = taken(turned, n, rank);
      if (rows % Pack == 0) {
        if (left > 0) store_pack(line, pack);
      } else {
        KILN_UNROLL_ALL
        for (int e = 0; e < Pack; ++e) {
          if (e < left) line[e] = pack.at[e];
        }
      }
    }
  }

 private:
  // Shared memory moves up to 32 words of 4 bytes at once: elements of so many lanes, whose packs are in so
  // many rows. Elements of less than 4 bytes share words, and stay together.
  static constexpr int size = int(sizeof(Element));
  static constexpr int lanes = size > 4 ? 128 / size : 32;
  static constexpr int rows_of_lanes = across < lanes ? lanes / across : 1;
  static constexpr int of_word = size < 4 ? 4 / size : 1;
  static constexpr int step = rows_of_lanes > of_word ? rows_of_lanes : of_word;
  static constexpr int wanted = across < lanes ? across : lanes;
  static constexpr int shifts = wanted < Rows / step ? wanted : Rows / step;

  /// Element y of a column of pack x is at y ^ shift(x).
  __device__ static constexpr int shift(int x) { return x % shifts * step; }

  /// Pack n of a work-item in the transpose. A shift by less than a pack has exchanged its elements.
  __device__ static Elements taken(const Elements* turned, int n, int rank) {
    const int x = n * rows_of_store + rank / down, by = shift(x / Pack);
    Elements pack = turned[x * down + (rank % down ^ by / Pack)];
    KILN_UNROLL_ALL
    for (int bit = step; bit < Pack; bit *= 2) {
      Elements exchanged;
      KILN_UNROLL_ALL
      for (int e = 0; e < Pack; ++e) exchanged.at[e] = pack.at[e ^ bit];
      if (by & bit) pack = exchanged;
    }
    return pack;
  }
  __device__ static bool inside(int row, int column, int rows, int columns) {
    return rows % Pack == 0 && columns % Pack == 0 && row <= rows - Rows && column <= columns - Columns;
  }
  __device__ static Elements loaded(const Element* __restrict__ from) {
    if constexpr (Kept)
      return kiln::kept_load_pack<Pack>(from);
    else
      return kiln::load_pack<Pack>(from);
  }
  __device__ static void store_pack(Element* __restrict__ to, const Elements& pack) {
    if constexpr (Streaming && sizeof(pack) >= 4)
      kiln::stream_store_pack(to, pack);
    else
      kiln::store_global_pack(to, pack);
  }
};

}  // namespace tiles
