#include "patch.h"

// For images with few channels: x as Packing says, with zeros around the image and for channels that are not
// there, and the filters alike, each row with 8 elements, of which the last ones may be zeros.
using Pixel = kiln::Pack<T, Packing::per_pixel>;

template <class At>
KILN_DEVICE void store_pixel(T* to, const Params& p, const At& at) {
  Pixel pixel;
  KILN_UNROLL_ALL
  for (int e = 0; e < Packing::per_pixel; ++e)
    pixel.at[e] = e / p.c < Packing::rows(p) ? at(e / p.c, e % p.c) : T(0.0f);
  kiln::store_pack(to, pixel);
}

// Of x there are `rows` and `columns`.
extern "C" __global__ void pack(T* __restrict__ packed_x, T* __restrict__ packed_weights,
                                const T* __restrict__ x, const T* __restrict__ weights, int rows, int columns,
                                const Params p) {
  const long long pixels = (long long)p.batch * rows * columns;
  long long at = kiln::global_index_x();
  if (at < pixels) {
    const int j = int(at % columns) - p.padding;
    const int i = int(at / columns % rows) * Packing::apart(p) - p.padding;
    const long long image = at / columns / rows;
    store_pixel(packed_x + at * Packing::per_pixel, p, [&](int r, int c) {
      return i + r >= 0 && i + r < p.h && j >= 0 && j < p.w ? x[((image * p.h + i + r) * p.w + j) * p.c + c]
                                                            : T(0.0f);
    });
    return;
  }
  at -= pixels;
  const int lines = Packing::lines(p);
  if (at >= (long long)p.filters * lines * 8) return;
  const int s = int(at % 8);
  const int first = int(at / 8 % lines) * Packing::rows(p);
  const long long filter = at / 8 / lines;
  store_pixel(packed_weights + at * Packing::per_pixel, p, [&](int r, int c) {
    return first + r < p.filter_h && s < p.filter_w
               ? weights[((filter * p.filter_h + first + r) * p.filter_w + s) * p.c + c]
               : T(0.0f);
  });
}
