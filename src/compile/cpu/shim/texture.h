// Texture fetches and surfaces for a host compiler. Sampling follows the CUDA C++ Programming Guide,
// appendix "Texture Fetching": the nearest element is that of floor(x); linear filtering weighs the elements
// around x - 0.5, with weights of 8 bits after the point. Rounding of the weights is not documented; here it
// is to the nearest.
#pragma once

#include "kiln/small_float.h"

typedef unsigned long long cudaTextureObject_t;
typedef cudaTextureObject_t CUtexObject;
typedef unsigned long long cudaSurfaceObject_t;
typedef cudaSurfaceObject_t CUsurfObject;
/// What an access outside of a surface does: nothing (it reads 0), that of the edge, or it ends the launch.
enum cudaSurfaceBoundaryMode {
  cudaBoundaryModeZero = 0,
  cudaBoundaryModeClamp = 1,
  cudaBoundaryModeTrap = 2
};

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

/// The bytes of an element of a texture or surface.
KILN_SHIM long element_bytes(const Texture& texture) {
  return static_cast<long>(texture.channels * kBytesOf[texture.format]);
}
KILN_SHIM char* element_at(const Texture& texture, const long* place) {
  return static_cast<char*>(texture.data) +
         (place[2] * static_cast<long>(texture.extents[1]) + place[1]) * static_cast<long>(texture.pitch) +
         place[0] * element_bytes(texture);
}

template <class Scalar>
KILN_SHIM void fetch(const Texture& texture, const long* at, Scalar* numbers) {
  long place[3];
  bool outside = false;
  for (int axis = 0; axis < 3; ++axis) {
    place[axis] = element_of(at[axis], texture.extents[axis], texture.address[axis]);
    outside = outside || place[axis] < 0;
  }
  for (unsigned i = 0; i < texture.channels; ++i)
    numbers[i] = outside ? Scalar() : number_at<Scalar>(texture, element_at(texture, place), i);
}

/// The part after the point, as a weight.
KILN_SHIM float weight(float fraction) {
  return floorf(fraction * 256.0f + 0.5f) * 0x1p-8f;
}

/// A layer is named by its number; the other dimensions are sampled.
KILN_SHIM long layer_of(const Texture& texture, int layer) {
  const long last = static_cast<long>(texture.extents[texture.dimensions - 1]) - 1;
  return layer < 0 ? 0 : layer > last ? last : layer;
}

/// `Dimensions` without that of layers, which is the next one.
template <int Dimensions, class Scalar>
KILN_SHIM void sample(const Texture& texture, const float* coordinates, int layer, Scalar* numbers) {
  float x[Dimensions];
  long place[3] = {0, 0, 0};
  if (texture.layers) place[Dimensions < 3 ? Dimensions : 0] = layer_of(texture, layer);
  for (int axis = 0; axis < Dimensions; ++axis) {
    x[axis] = coordinates[axis];
    if (texture.normalized_coordinates) x[axis] *= static_cast<float>(texture.extents[axis]);
    if (!texture.linear) place[axis] = static_cast<long>(floorf(in_range(x[axis])));
  }
  if (!texture.linear) {
    fetch(texture, place, numbers);
    return;
  }
  float part[Dimensions];
  long low[Dimensions];
  for (int axis = 0; axis < Dimensions; ++axis) {
    const float shifted = in_range(x[axis] - 0.5f), left = floorf(shifted);
    part[axis] = weight(shifted - left);
    low[axis] = static_cast<long>(left);
  }
  float sums[4] = {0, 0, 0, 0};
  for (int corner = 0; corner < 1 << Dimensions; ++corner) {
    float of_corner = 1, values[4];
    for (int axis = 0; axis < Dimensions; ++axis) {
      const int upper = corner >> axis & 1;
      of_corner *= upper != 0 ? part[axis] : 1 - part[axis];
      place[axis] = low[axis] + upper;
    }
    fetch(texture, place, values);
    for (unsigned c = 0; c < texture.channels; ++c) sums[c] += of_corner * values[c];
  }
  for (unsigned c = 0; c < texture.channels; ++c) numbers[c] = static_cast<Scalar>(sums[c]);
}

/// Ends the launch where `T` is not what fetches of this texture give.
template <class T>
KILN_SHIM const Texture& texture_of(cudaTextureObject_t object, unsigned dimensions, bool layers) {
  using Scalar = typename Fetched<T>::Scalar;
  constexpr bool kReal = static_cast<Scalar>(0.5) != static_cast<Scalar>(0);
  const Texture& texture = *reinterpret_cast<const Texture*>(object);
  const bool real = texture.format >= kF16 || texture.normalized_values;
  constexpr bool kSigned = static_cast<Scalar>(-1) < static_cast<Scalar>(0);
  const bool is_signed = texture.format >= kI8;
  const bool fits = real ? kReal && sizeof(Scalar) == sizeof(float)
                         : !kReal && sizeof(Scalar) == kBytesOf[texture.format] && kSigned == is_signed;
  if (!fits || Fetched<T>::kChannels != texture.channels || texture.surface)
    kiln_assert(false, "a fetch has the type of the texture's elements", "texture", 0);
  if (dimensions != texture.dimensions || layers != texture.layers)
    kiln_assert(false,
                "a fetch has the texture's dimensions: tex1Dfetch and tex1D one, tex2D two, tex3D three; "
                "layers one more",
                "texture", 0);
  return texture;
}

template <class T, int Dimensions>
KILN_SHIM T sampled(cudaTextureObject_t object, bool layers, int layer, float x, float y = 0, float z = 0) {
  const float coordinates[3] = {x, y, z};
  const Texture& texture = texture_of<T>(object, Dimensions + (layers ? 1 : 0), layers);
  T result;
  sample<Dimensions>(texture, coordinates, layer, reinterpret_cast<typename Fetched<T>::Scalar*>(&result));
  return result;
}

/// The place of an access to a surface by bytes along x; null: there is nothing.
template <class T>
KILN_SHIM char* surface_place(cudaSurfaceObject_t object, unsigned dimensions, bool layers, int bytes, long y,
                              long z, cudaSurfaceBoundaryMode mode) {
  const Texture& surface = *reinterpret_cast<const Texture*>(object);
  const long size = element_bytes(surface);
  if (!surface.surface || dimensions != surface.dimensions || layers != surface.layers)
    kiln_assert(false, "an access to a surface has its dimensions", "surface", 0);
  if (static_cast<long>(sizeof(T)) != size || bytes % size != 0)
    kiln_assert(false, "an access to a surface is of one of its elements; x is in bytes", "surface", 0);
  long place[3] = {bytes / size, y, z};
  for (unsigned axis = 0; axis < 3; ++axis) {
    const long last = static_cast<long>(surface.extents[axis]) - 1;
    if (place[axis] >= 0 && place[axis] <= last) continue;
    if (mode == cudaBoundaryModeZero) return nullptr;
    if (mode == cudaBoundaryModeTrap) {
      kiln_assert(false, "an access to a surface is inside of it", "surface", 0);
      return nullptr;
    }
    place[axis] = place[axis] < 0 ? 0 : last;
  }
  return element_at(surface, place);
}
template <class T>
KILN_SHIM T read_surface(const char* place) {
  T value = {};
  if (place != nullptr) __builtin_memcpy(&value, place, sizeof(T));
  return value;
}
template <class T>
KILN_SHIM void write_surface(char* place, const T& value) {
  if (place != nullptr) __builtin_memcpy(place, &value, sizeof(T));
}

}  // namespace kiln::texture_detail

/// A fetch, and its form that takes the address of the result. Brackets hold the parameters and the
/// arguments.
#define KILN_FETCH(name, parameters, dimensions, layers, layer, ...)                            \
  template <class T>                                                                            \
  KILN_SHIM T name(cudaTextureObject_t object KILN_EACH parameters) {                           \
    return kiln::texture_detail::sampled<T, dimensions>(object, layers, layer, __VA_ARGS__);    \
  }                                                                                             \
  template <class T>                                                                            \
  KILN_SHIM void name(T* result, cudaTextureObject_t object KILN_EACH parameters) {             \
    *result = kiln::texture_detail::sampled<T, dimensions>(object, layers, layer, __VA_ARGS__); \
  }
#define KILN_EACH(...) , __VA_ARGS__
KILN_FETCH(tex1D, (float x), 1, false, 0, x)
KILN_FETCH(tex2D, (float x, float y), 2, false, 0, x, y)
KILN_FETCH(tex3D, (float x, float y, float z), 3, false, 0, x, y, z)
KILN_FETCH(tex1DLayered, (float x, int layer), 1, true, layer, x)
KILN_FETCH(tex2DLayered, (float x, float y, int layer), 2, true, layer, x, y)
// A texture of Kiln's has one level.
KILN_FETCH(tex1DLod, (float x, float), 1, false, 0, x)
KILN_FETCH(tex2DLod, (float x, float y, float), 2, false, 0, x, y)
KILN_FETCH(tex3DLod, (float x, float y, float z, float), 3, false, 0, x, y, z)
KILN_FETCH(tex1DGrad, (float x, float, float), 1, false, 0, x)
KILN_FETCH(tex2DGrad, (float x, float y, float2, float2), 2, false, 0, x, y)
KILN_FETCH(tex3DGrad, (float x, float y, float z, float4, float4), 3, false, 0, x, y, z)
KILN_FETCH(tex1DLayeredLod, (float x, int layer, float), 1, true, layer, x)
KILN_FETCH(tex2DLayeredLod, (float x, float y, int layer, float), 2, true, layer, x, y)
KILN_FETCH(tex1DLayeredGrad, (float x, int layer, float, float), 1, true, layer, x)
KILN_FETCH(tex2DLayeredGrad, (float x, float y, int layer, float2, float2), 2, true, layer, x, y)
#undef KILN_FETCH

/// One component of the four elements that a linear filter weighs: of (0, 1), (1, 1), (1, 0), (0, 0).
template <class T>
KILN_SHIM T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0) {
  using namespace kiln::texture_detail;
  using Scalar = typename Fetched<T>::Scalar;
  const Texture& texture = *reinterpret_cast<const Texture*>(object);
  if (texture.dimensions != 2 || texture.layers || Fetched<T>::kChannels != 4 || component < 0 ||
      static_cast<unsigned>(component) >= texture.channels)
    kiln_assert(false, "tex2Dgather gives four elements' component of a texture of two dimensions", "texture",
                0);
  if (texture.normalized_coordinates) {
    x *= static_cast<float>(texture.extents[0]);
    y *= static_cast<float>(texture.extents[1]);
  }
  const long i = static_cast<long>(floorf(in_range(x - 0.5f))),
             j = static_cast<long>(floorf(in_range(y - 0.5f)));
  const long corners[4][3] = {{i, j + 1, 0}, {i + 1, j + 1, 0}, {i + 1, j, 0}, {i, j, 0}};
  T result;
  for (int c = 0; c < 4; ++c) {
    Scalar numbers[4];
    fetch(texture, corners[c], numbers);
    reinterpret_cast<Scalar*>(&result)[c] = numbers[component];
  }
  return result;
}

/// An index outside of the texture reads 0.
template <class T>
KILN_SHIM T tex1Dfetch(cudaTextureObject_t object, int i) {
  using namespace kiln::texture_detail;
  using Scalar = typename Fetched<T>::Scalar;
  const Texture& texture = texture_of<T>(object, 1, false);
  T result = {};
  if (i < 0 || static_cast<unsigned>(i) >= texture.extents[0]) return result;
  const char* element = static_cast<const char*>(texture.data) + i * element_bytes(texture);
  for (unsigned c = 0; c < texture.channels; ++c)
    reinterpret_cast<Scalar*>(&result)[c] = number_at<Scalar>(texture, element, c);
  return result;
}
template <class T>
KILN_SHIM void tex1Dfetch(T* result, cudaTextureObject_t object, int i) {
  *result = tex1Dfetch<T>(object, i);
}

/// Reads and writes of a surface; x counts bytes. Brackets hold the further coordinates, as parameters and as
/// arguments.
#define KILN_SURFACE(name, parameters, arguments, dimensions, layers, y, z)                     \
  template <class T>                                                                            \
  KILN_SHIM T name##read(cudaSurfaceObject_t surface, int x KILN_REST parameters,               \
                         cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                 \
    using namespace kiln::texture_detail;                                                       \
    return read_surface<T>(surface_place<T>(surface, dimensions, layers, x, y, z, mode));       \
  }                                                                                             \
  template <class T>                                                                            \
  KILN_SHIM void name##read(T* result, cudaSurfaceObject_t surface, int x KILN_REST parameters, \
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {              \
    *result = name##read<T>(surface, x KILN_REST arguments, mode);                              \
  }                                                                                             \
  template <class T>                                                                            \
  KILN_SHIM void name##write(T value, cudaSurfaceObject_t surface, int x KILN_REST parameters,  \
                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {             \
    using namespace kiln::texture_detail;                                                       \
    write_surface(surface_place<T>(surface, dimensions, layers, x, y, z, mode), value);         \
  }
#define KILN_REST(...) __VA_ARGS__
#define KILN_COMMA ,
KILN_SURFACE(surf1D, (), (), 1, false, 0, 0)
KILN_SURFACE(surf2D, (KILN_COMMA int y), (KILN_COMMA y), 2, false, y, 0)
KILN_SURFACE(surf3D, (KILN_COMMA int y KILN_COMMA int z), (KILN_COMMA y KILN_COMMA z), 3, false, y, z)
KILN_SURFACE(surf1DLayered, (KILN_COMMA int layer), (KILN_COMMA layer), 2, true, layer, 0)
KILN_SURFACE(surf2DLayered, (KILN_COMMA int y KILN_COMMA int layer), (KILN_COMMA y KILN_COMMA layer), 3, true,
             y, layer)
#undef KILN_SURFACE
#undef KILN_REST
#undef KILN_COMMA
#undef KILN_EACH
