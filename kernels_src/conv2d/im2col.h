#pragma once

// What sets a convolution apart from a product of matrices: this source. Row `row` of operand A is a pixel of
// the output, its depth the elements of x under the filter, in the order r, s, channel.
struct Im2col {
  using Element = T;
  static constexpr bool k_contiguous = true;
  static constexpr bool computes = Params::layout == 0;
  const T* x;  // of the batch, at the group's first channel
  Params p;
  int rows, depth;

  struct Place {
    int image, y, x, channel;
  };
  KILN_DEVICE Place place(int row, int k) const {
    const int channels = p.c / p.groups;
    const int tap = k / channels;
    const int pixel = row % (p.out_h * p.out_w);
    return {row / (p.out_h * p.out_w), pixel / p.out_w * p.stride + tap / p.filter_w * p.dilation - p.padding,
            pixel % p.out_w * p.stride + tap % p.filter_w * p.dilation - p.padding, k % channels};
  }
  KILN_DEVICE bool inside(const Place& at) const {
    return unsigned(at.y) < unsigned(p.h) && unsigned(at.x) < unsigned(p.w);
  }
  KILN_DEVICE const T* address(int row, int k) const { return address_of(place(row, k)); }
  KILN_DEVICE const T* address_of(const Place& at) const {
    if (Params::layout == 0) return x + (((long long)at.image * p.h + at.y) * p.w + at.x) * p.c + at.channel;
    return x + (((long long)at.image * p.c + at.channel) * p.h + at.y) * p.w + at.x;
  }
  KILN_DEVICE T at(int row, int k) const {
    return row < rows && k < depth && inside(place(row, k)) ? *address(row, k) : T(0.0f);
  }
  /// Whether Count neighbours along the depth are neighbours in memory: channels of a tap or, without
  /// padding, all of a filter's row.
  template <int Count>
  KILN_DEVICE bool together() const {
    const bool channels = p.c / p.groups % Count == 0;
    const bool lines = p.padding == 0 && p.dilation == 1 && p.groups == 1 && p.filter_w * p.c % Count == 0 &&
                       p.stride * p.c % Count == 0 && p.w * p.c % Count == 0;
    return Count == 1 || (Params::layout == 0 && (channels || lines));
  }
  template <int Count>
  KILN_DEVICE bool whole(int row, int k) const {
    return together<Count>() && row < rows && k + Count <= depth && inside(place(row, k));
  }
  template <int Count>
  KILN_DEVICE bool none(int row, int k) const {
    return row >= rows || k >= depth || (together<Count>() && !inside(place(row, k)));
  }
  /// take(from, apart, count) for the elements of a row from k on, in order: the channels of a tap, which lie
  /// `apart` from each other; null: they are 0.
  template <class Take>
  KILN_DEVICE void for_pieces(int row, int k, int count, const Take& take) const {
    const int channels = p.c / p.groups;
    Place at = place(row, k);
    for (int column = k / channels % p.filter_w; count > 0;) {
      const int some = channels - at.channel < count ? channels - at.channel : count;
      const T* from = row < rows && inside(at) ? address_of(at) : nullptr;
      take(from, Params::layout == 0 ? 1 : (long long)p.h * p.w, some);
      count -= some;
      at.channel = 0;
      at.x += p.dilation;
      if (++column == p.filter_w) {
        column = 0;
        at.x -= p.filter_w * p.dilation;
        at.y += p.dilation;
      }
    }
  }
};
