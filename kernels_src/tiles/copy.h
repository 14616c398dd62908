#pragma once

// From a source to shared memory. A tile in shared memory is Rows x Depth elements, contiguous along the
// depth or along the rows as the operation wants it; `pad` bytes more in each line put neighbours of one
// column into different banks.

namespace tiles {

template <class E, int Rows, int Depth, bool KContiguous, int PadBytes>
struct Layout {
  using Element = E;
  static constexpr bool k_contiguous = KContiguous;
  static constexpr int rows = Rows;
  static constexpr int depth = Depth;
  static constexpr int pitch = (KContiguous ? Depth : Rows) + PadBytes / int(sizeof(E));
  static constexpr int elements = pitch * (KContiguous ? Rows : Depth);
  static constexpr int bytes = (elements * int(sizeof(E)) + 127) / 128 * 128;
  KILN_DEVICE static constexpr int at(int row, int k) {
    return KContiguous ? row * pitch + k : k * pitch + row;
  }
};

/// Loads, then stores: on every back end.
struct PlainCopy {
  template <int Count, class E>
  KILN_DEVICE static void move(E* to, const E* from) {
    kiln::store_pack(to, kiln::load_pack<Count>(from));
  }
  KILN_DEVICE static void commit() {}
  template <int Left>
  KILN_DEVICE static void wait() {}
};

/// The tile from (row, k) on. Work-items follow the source's order, 16 bytes each at a time. Where the layout
/// has the other order elements are moved one by one; there, neighbours go to neighbouring work-items, unless
/// the source computes its addresses: one for 16 bytes is enough.
template <class Layout, class Copy, int Block, class Source>
KILN_DEVICE void copy_tile(typename Layout::Element* to, const Source& source, int row, int k, int rank) {
  using E = typename Layout::Element;
  constexpr bool same = Source::k_contiguous == Layout::k_contiguous;
  constexpr int count = same || Source::computes ? 16 / int(sizeof(E)) : 1;
  constexpr int line = (Source::k_contiguous ? Layout::depth : Layout::rows) / count;
  constexpr int chunks = Layout::rows * Layout::depth / count;
  constexpr int down = Source::k_contiguous ? 0 : 1;  // from one element of a chunk to the next
  KILN_UNROLL_ALL
  for (int n = 0; n < (chunks + Block - 1) / Block; ++n) {
    const int chunk = n * Block + rank;
    if (chunks % Block != 0 && chunk >= chunks) break;
    const int along = chunk % line * count;
    const int across = chunk / line;
    const int r = Source::k_contiguous ? across : along;
    const int d = Source::k_contiguous ? along : across;
    if (source.template whole<count>(row + r, k + d)) {
      const E* from = source.address(row + r, k + d);
      if constexpr (same) {
        Copy::template move<count>(to + Layout::at(r, d), from);
      } else {
        KILN_UNROLL_ALL
        for (int e = 0; e < count; ++e)
          Copy::template move<1>(to + Layout::at(r + e * down, d + e * (1 - down)), from + e);
      }
    } else if (same && source.template none<count>(row + r, k + d)) {
      kiln::store_pack(to + Layout::at(r, d), kiln::Pack<E, count>{});
    } else {
      KILN_UNROLL(1)  // seldom: the text of all is long where the source computes
      for (int e = 0; e < count; ++e)
        to[Layout::at(r + e * down, d + e * (1 - down))] =
            source.at(row + r + e * down, k + d + e * (1 - down));
    }
  }
}

}  // namespace tiles
