#include "conv2d.h"

// For images with few channels (see im2col_boxes.h): 16 bytes for each pixel, with zeros for channels that
// are not there, and around the image. A filter's row has 8 elements, of which the last ones may be zeros.
constexpr int per_pixel = 16 / int(sizeof(T));
using Pixel = kiln::Pack<T, per_pixel>;

extern "C" __global__ void pack_x(T* __restrict__ packed, const T* __restrict__ x, int rows, int columns,
                                  const Params p) {
  const long long at = kiln::global_index_x();
  if (at >= (long long)p.batch * rows * columns) return;
  const int j = int(at % columns) - p.padding;
  const int i = int(at / columns % rows) - p.padding;
  const long long image = at / columns / rows;
  Pixel pixel;
  for (int c = 0; c < per_pixel; ++c)
    pixel.at[c] = c < p.c && i >= 0 && i < p.h && j >= 0 && j < p.w
                      ? x[((image * p.h + i) * p.w + j) * p.c + c]
                      : T(0.0f);
  kiln::store_pack(packed + at * per_pixel, pixel);
}

extern "C" __global__ void pack_weights(T* __restrict__ packed, const T* __restrict__ weights,
                                        const Params p) {
  const long long at = kiln::global_index_x();
  if (at >= (long long)p.filters * p.filter_h * 8) return;
  const int s = int(at % 8);
  Pixel pixel;
  for (int c = 0; c < per_pixel; ++c)
    pixel.at[c] = c < p.c && s < p.filter_w ? weights[(at / 8 * p.filter_w + s) * p.c + c] : T(0.0f);
  kiln::store_pack(packed + at * per_pixel, pixel);
}
