// Texture fetches for a host compiler: tex1Dfetch and tex2D. Sampling follows the CUDA C++ Programming Guide,
// appendix "Texture Fetching": the nearest element is that of floor(x); linear filtering weighs the elements
// around x - 0.5, with weights of 8 bits after the point. Rounding of the weights is not documented; here it
// is to the nearest.
#pragma once

#include "kiln/small_float.h"

typedef unsigned long long cudaTextureObject_t;
typedef cudaTextureObject_t CUtexObject;

namespace kiln::texture_detail {

using cpu_abi::Texture;

/// The values of TextureLayout (device/texture.h).
enum : unsigned { kU8 = 1, kU16 = 2, kU32 = 3, kI8 = 8, kI16 = 9, kI32 = 10, kF16 = 16, kF32 = 32 };
enum : unsigned { kWrap, kClamp, kMirror, kBorder };

/// What a fetch of `T` gives: a number, or one of CUDA's vectors.
template <class T>
struct Fetched {
  using Scalar = T;
  static constexpr unsigned kChannels = 1;
};
#define KILN_FETCHED(name, scalar)           \
  template <>                                \
  struct Fetched<name##1> {                  \
    using Scalar = scalar;                   \
    static constexpr unsigned kChannels = 1; \
  };                                         \
  template <>                                \
  struct Fetched<name##2> {                  \
    using Scalar = scalar;                   \
    static constexpr unsigned kChannels = 2; \
  };                                         \
  template <>                                \
  struct Fetched<name##4> {                  \
    using Scalar = scalar;                   \
    static constexpr unsigned kChannels = 4; \
  };
KILN_FETCHED(char, signed char)
KILN_FETCHED(uchar, unsigned char)
KILN_FETCHED(short, short)
KILN_FETCHED(ushort, unsigned short)
KILN_FETCHED(int, int)
KILN_FETCHED(uint, unsigned int)
KILN_FETCHED(float, float)
#undef KILN_FETCHED

template <class V>
KILN_SHIM V value_at(const void* data, unsigned i) {
  return static_cast<const V*>(data)[i];
}

/// Number `i` from `element` on. Integers that are read as numbers are scaled to 1; the least negative one is
/// -1, too.
template <class Scalar>
KILN_SHIM Scalar number_at(const Texture& texture, const void* element, unsigned i) {
  const bool scaled = texture.normalized_values;
  switch (texture.format) {
    case kU8:
      return static_cast<Scalar>(value_at<unsigned char>(element, i) / (scaled ? 255.0f : 1.0f));
    case kU16:
      return static_cast<Scalar>(value_at<unsigned short>(element, i) / (scaled ? 65535.0f : 1.0f));
    case kI8: {
      const float value = value_at<signed char>(element, i) / (scaled ? 127.0f : 1.0f);
      return static_cast<Scalar>(scaled && value < -1.0f ? -1.0f : value);
    }
    case kI16: {
      const float value = value_at<short>(element, i) / (scaled ? 32767.0f : 1.0f);
      return static_cast<Scalar>(scaled && value < -1.0f ? -1.0f : value);
    }
    case kU32:
      return static_cast<Scalar>(value_at<unsigned int>(element, i));
    case kI32:
      return static_cast<Scalar>(value_at<int>(element, i));
    case kF16:
      return static_cast<Scalar>(static_cast<float>(value_at<kiln::Half>(element, i)));
    default:
      return static_cast<Scalar>(value_at<float>(element, i));
  }
}

constexpr unsigned long kBytesOf[33] = {0, 1, 2, 4, 0, 0, 0, 0, 1, 2, 4, 0, 0, 0, 0, 0, 2,
                                        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4};

/// A coordinate's element: -1 for one that reads as 0.
KILN_SHIM long element_of(long i, unsigned extent, unsigned address) {
  const long n = extent;
  if (i >= 0 && i < n) return i;
  if (address == kBorder) return -1;
  if (address == kClamp) return i < 0 ? 0 : n - 1;
  const long period = address == kWrap ? n : 2 * n;
  const long within = (i % period + period) % period;
  return within < n ? within : period - 1 - within;
}

/// So far outside, a coordinate of single precision names no other element any more; NaN becomes the least.
KILN_SHIM float in_range(float x) {
  return fminf(fmaxf(x, -1e9f), 1e9f);
}

template <class Scalar>
KILN_SHIM void fetch(const Texture& texture, long x, long y, Scalar* numbers) {
  const long column = element_of(x, texture.width, texture.address_x);
  const long row = element_of(y, texture.height, texture.address_y);
  const char* element = static_cast<const char*>(texture.data) + row * static_cast<long>(texture.pitch) +
                        column * static_cast<long>(texture.channels * kBytesOf[texture.format]);
  for (unsigned i = 0; i < texture.channels; ++i)
    numbers[i] = row < 0 || column < 0 ? Scalar() : number_at<Scalar>(texture, element, i);
}

/// The part after the point, as a weight.
KILN_SHIM float weight(float fraction) {
  return floorf(fraction * 256.0f + 0.5f) * 0x1p-8f;
}

template <class Scalar>
KILN_SHIM void sample(const Texture& texture, float x, float y, Scalar* numbers) {
  if (texture.normalized_coordinates) {
    x *= static_cast<float>(texture.width);
    y *= static_cast<float>(texture.height);
  }
  if (!texture.linear) {
    fetch(texture, static_cast<long>(floorf(in_range(x))), static_cast<long>(floorf(in_range(y))), numbers);
    return;
  }
  x = in_range(x - 0.5f);
  y = in_range(y - 0.5f);
  const float left = floorf(x), top = floorf(y);
  const float a = weight(x - left), b = weight(y - top);
  const long i = static_cast<long>(left), j = static_cast<long>(top);
  float corners[4][4];
  for (int corner = 0; corner < 4; ++corner) fetch(texture, i + corner % 2, j + corner / 2, corners[corner]);
  for (unsigned c = 0; c < texture.channels; ++c) {
    numbers[c] = static_cast<Scalar>((1 - a) * (1 - b) * corners[0][c] + a * (1 - b) * corners[1][c] +
                                     (1 - a) * b * corners[2][c] + a * b * corners[3][c]);
  }
}

/// Ends the launch where `T` is not what fetches of this texture give.
template <class T>
KILN_SHIM const Texture& texture_of(cudaTextureObject_t object, bool two_dimensions) {
  using Scalar = typename Fetched<T>::Scalar;
  constexpr bool kReal = static_cast<Scalar>(0.5) != static_cast<Scalar>(0);
  const Texture& texture = *reinterpret_cast<const Texture*>(object);
  const bool real = texture.format >= kF16 || texture.normalized_values;
  constexpr bool kSigned = static_cast<Scalar>(-1) < static_cast<Scalar>(0);
  const bool is_signed = texture.format >= kI8;
  const bool fits = real ? kReal && sizeof(Scalar) == sizeof(float)
                         : !kReal && sizeof(Scalar) == kBytesOf[texture.format] && kSigned == is_signed;
  if (!fits || Fetched<T>::kChannels != texture.channels)
    kiln_assert(false, "a fetch has the type of the texture's elements", "texture", 0);
  if (two_dimensions != (texture.height > 0))
    kiln_assert(false, "tex2D reads a texture of two dimensions, tex1Dfetch one of one", "texture", 0);
  return texture;
}

}  // namespace kiln::texture_detail

template <class T>
KILN_SHIM T tex2D(cudaTextureObject_t object, float x, float y) {
  using namespace kiln::texture_detail;
  T result;
  sample(texture_of<T>(object, true), x, y, reinterpret_cast<typename Fetched<T>::Scalar*>(&result));
  return result;
}
template <class T>
KILN_SHIM void tex2D(T* result, cudaTextureObject_t object, float x, float y) {
  *result = tex2D<T>(object, x, y);
}

/// An index outside of the texture reads 0.
template <class T>
KILN_SHIM T tex1Dfetch(cudaTextureObject_t object, int i) {
  using namespace kiln::texture_detail;
  using Scalar = typename Fetched<T>::Scalar;
  const Texture& texture = texture_of<T>(object, false);
  T result = {};
  if (i < 0 || static_cast<unsigned>(i) >= texture.width) return result;
  const char* element = static_cast<const char*>(texture.data) +
                        static_cast<unsigned long>(i) * texture.channels * kBytesOf[texture.format];
  for (unsigned c = 0; c < texture.channels; ++c)
    reinterpret_cast<Scalar*>(&result)[c] = number_at<Scalar>(texture, element, c);
  return result;
}
template <class T>
KILN_SHIM void tex1Dfetch(T* result, cudaTextureObject_t object, int i) {
  *result = tex1Dfetch<T>(object, i);
}
