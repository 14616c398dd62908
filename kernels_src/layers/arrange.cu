#include "kiln/params.h"

// What the layers read: images and filters as they need them.

using Index = long long;

/// x as planes of channels in float -> y nhwc with `c` channels, a multiple of 4, of which the image has
/// `image_c`, and a border of zeros: `border` pixels on the left and above.
extern "C" __global__ void arrange(T* __restrict__ y, const float* __restrict__ x, const Params p) {
  const Index i = kiln::global_index_x();
  if (i >= (Index)p.batch * p.h * p.w) return;
  const int row = int(i / p.w % p.h) - p.border_h;
  const int column = int(i % p.w) - p.border_w;
  const Index image = i / p.w / p.h;
  const bool inside = row >= 0 && row < p.image_h && column >= 0 && column < p.image_w;
  constexpr int some = 4;  // channels that are stored at once
  for (int c = 0; c < p.c; c += some) {
    kiln::Pack<T, some> pack = {};
    KILN_UNROLL_ALL
    for (int e = 0; e < some; ++e) {
      if (inside && c + e < p.image_c)
        pack.at[e] = T(x[((image * p.image_c + c + e) * p.image_h + row) * p.image_w + column]);
    }
    kiln::store_pack(y + i * p.c + c, pack);
  }
}

/// Filters of `taps` x `channels`, `rows` of them, with zeros on the left and behind the channels: y has
/// `y_taps` x `y_channels`.
extern "C" __global__ void arrange_filters(T* __restrict__ y, const T* __restrict__ x, const int rows,
                                           const int taps, const int channels, const int y_taps,
                                           const int y_channels) {
  const Index i = kiln::global_index_x();
  if (i >= (Index)rows * y_taps * y_channels) return;
  const int channel = int(i % y_channels);
  const int tap = int(i / y_channels % y_taps) - (y_taps - taps);
  const Index row = i / y_channels / y_taps;
  y[i] = tap >= 0 && channel < channels ? x[(row * taps + tap) * channels + channel] : T(0.0f);
}

/// For convolve_vectors: `rows` filters of `depth` elements -> y [strip of 64 filters][depth][64].
extern "C" __global__ void pack_filters(float* __restrict__ y, const T* __restrict__ x, const int rows,
                                        const int depth) {
  constexpr int strip = 64;
  const Index i = kiln::global_index_x();
  if (i >= (Index)(rows + strip - 1) / strip * strip * depth) return;
  const Index row = i / strip / depth * strip + i % strip;
  y[i] = row < rows ? float(x[row * depth + i / strip % depth]) : 0.0f;
}
