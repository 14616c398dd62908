// For <helper_math.h> of CUDA's samples, which many programs include and few carry: operators of vectors,
// their products, lengths and limits, and vectors made of numbers and of other vectors. A text's own
// functions win where they are no templates. For the cpu and for cuda.
#ifndef KILN_HELPER_MATH
#define KILN_HELPER_MATH

#include <kiln/hip_vectors.h>

// Element by element: `x` of one vector, `x` and `y` of two.
#define KILN_EACH(name, expression)                                  \
  template <class V, class S = kiln_hip::Scalar<V>>                  \
  KILN_HIP_FUNCTION V name(V v) {                                    \
    const auto one = [](S x) { return static_cast<S>(expression); }; \
    v.x = one(v.x);                                                  \
    if constexpr (kiln_hip::Vector<V>::kCount > 1) v.y = one(v.y);   \
    if constexpr (kiln_hip::Vector<V>::kCount > 2) v.z = one(v.z);   \
    if constexpr (kiln_hip::Vector<V>::kCount > 3) v.w = one(v.w);   \
    return v;                                                        \
  }
#define KILN_EACH_OF_TWO(name, expression)                                \
  template <class V, class S = kiln_hip::Scalar<V>>                       \
  KILN_HIP_FUNCTION V name(V v, const V& b) {                             \
    const auto one = [](S x, S y) { return static_cast<S>(expression); }; \
    v.x = one(v.x, b.x);                                                  \
    if constexpr (kiln_hip::Vector<V>::kCount > 1) v.y = one(v.y, b.y);   \
    if constexpr (kiln_hip::Vector<V>::kCount > 2) v.z = one(v.z, b.z);   \
    if constexpr (kiln_hip::Vector<V>::kCount > 3) v.w = one(v.w, b.w);   \
    return v;                                                             \
  }
KILN_EACH(floorf, floor(x))
KILN_EACH(fracf, x - floor(x))
KILN_EACH(fabs, x < 0 ? -x : x)
KILN_EACH(abs, x < 0 ? -x : x)
KILN_EACH_OF_TWO(fminf, x < y ? x : y)
KILN_EACH_OF_TWO(fmaxf, x > y ? x : y)
KILN_EACH_OF_TWO(min, x < y ? x : y)
KILN_EACH_OF_TWO(max, x > y ? x : y)
KILN_EACH_OF_TWO(fmodf, fmod(x, y))
#undef KILN_EACH
#undef KILN_EACH_OF_TWO

KILN_HIP_FUNCTION float fracf(float x) {
  return x - floorf(x);
}
KILN_HIP_FUNCTION float lerp(float a, float b, float t) {
  return a + t * (b - a);
}
KILN_HIP_FUNCTION float clamp(float x, float low, float high) {
  return fmaxf(low, fminf(x, high));
}
KILN_HIP_FUNCTION int clamp(int x, int low, int high) {
  return max(low, min(x, high));
}
KILN_HIP_FUNCTION unsigned int clamp(unsigned int x, unsigned int low, unsigned int high) {
  return max(low, min(x, high));
}
KILN_HIP_FUNCTION float smoothstep(float a, float b, float x) {
  const float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
  return y * y * (3.0f - 2.0f * y);
}

template <class V>
KILN_HIP_FUNCTION V lerp(const V& a, const V& b, kiln_hip::Scalar<V> t) {
  return a + kiln_hip::filled<V>(t) * (b - a);
}
template <class V, class = kiln_hip::Scalar<V>>
KILN_HIP_FUNCTION V clamp(const V& v, const V& low, const V& high) {
  return max(low, min(v, high));
}
template <class V>
KILN_HIP_FUNCTION V clamp(const V& v, kiln_hip::Scalar<V> low, kiln_hip::Scalar<V> high) {
  return clamp(v, kiln_hip::filled<V>(low), kiln_hip::filled<V>(high));
}
template <class V, class = kiln_hip::Scalar<V>>
KILN_HIP_FUNCTION V smoothstep(const V& a, const V& b, const V& x) {
  const V y = clamp((x - a) / (b - a), 0, 1);
  return y * y * (kiln_hip::filled<V>(3) - kiln_hip::filled<V>(2) * y);
}
template <class V>
KILN_HIP_FUNCTION kiln_hip::Scalar<V> dot(const V& a, const V& b) {
  kiln_hip::Scalar<V> sum = a.x * b.x;
  if constexpr (kiln_hip::Vector<V>::kCount > 1) sum += a.y * b.y;
  if constexpr (kiln_hip::Vector<V>::kCount > 2) sum += a.z * b.z;
  if constexpr (kiln_hip::Vector<V>::kCount > 3) sum += a.w * b.w;
  return sum;
}
template <class V>
KILN_HIP_FUNCTION kiln_hip::Scalar<V> length(const V& v) {
  return sqrt(dot(v, v));
}
template <class V, class = kiln_hip::Scalar<V>>
KILN_HIP_FUNCTION V normalize(const V& v) {
  return v * rsqrt(dot(v, v));
}
template <class V, class = kiln_hip::Scalar<V>>
KILN_HIP_FUNCTION V reflect(const V& i, const V& n) {
  return i - kiln_hip::filled<V>(2) * n * dot(n, i);
}
KILN_HIP_FUNCTION float3 cross(const float3& a, const float3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

#define KILN_MAKE(make, V, S)                           \
  KILN_HIP_FUNCTION V##2 make##2(S s) {                 \
    return {s, s};                                      \
  }                                                     \
  KILN_HIP_FUNCTION V##2 make##2(const V##3 & v) {      \
    return {v.x, v.y};                                  \
  }                                                     \
  KILN_HIP_FUNCTION V##2 make##2(const V##4 & v) {      \
    return {v.x, v.y};                                  \
  }                                                     \
  KILN_HIP_FUNCTION V##3 make##3(S s) {                 \
    return {s, s, s};                                   \
  }                                                     \
  KILN_HIP_FUNCTION V##3 make##3(const V##2 & v) {      \
    return {v.x, v.y, 0};                               \
  }                                                     \
  KILN_HIP_FUNCTION V##3 make##3(const V##2 & v, S z) { \
    return {v.x, v.y, z};                               \
  }                                                     \
  KILN_HIP_FUNCTION V##3 make##3(const V##4 & v) {      \
    return {v.x, v.y, v.z};                             \
  }                                                     \
  KILN_HIP_FUNCTION V##4 make##4(S s) {                 \
    return {s, s, s, s};                                \
  }                                                     \
  KILN_HIP_FUNCTION V##4 make##4(const V##3 & v) {      \
    return {v.x, v.y, v.z, 0};                          \
  }                                                     \
  KILN_HIP_FUNCTION V##4 make##4(const V##3 & v, S w) { \
    return {v.x, v.y, v.z, w};                          \
  }
#define KILN_CONVERT(make, V, S, From)                                                           \
  KILN_HIP_FUNCTION V##2 make##2(const From##2 & v) {                                            \
    return {static_cast<S>(v.x), static_cast<S>(v.y)};                                           \
  }                                                                                              \
  KILN_HIP_FUNCTION V##3 make##3(const From##3 & v) {                                            \
    return {static_cast<S>(v.x), static_cast<S>(v.y), static_cast<S>(v.z)};                      \
  }                                                                                              \
  KILN_HIP_FUNCTION V##4 make##4(const From##4 & v) {                                            \
    return {static_cast<S>(v.x), static_cast<S>(v.y), static_cast<S>(v.z), static_cast<S>(v.w)}; \
  }
KILN_MAKE(make_float, float, float)
KILN_MAKE(make_int, int, int)
KILN_MAKE(make_uint, uint, unsigned int)
KILN_CONVERT(make_float, float, float, int)
KILN_CONVERT(make_float, float, float, uint)
KILN_CONVERT(make_int, int, int, uint)
KILN_CONVERT(make_int, int, int, float)
KILN_CONVERT(make_uint, uint, unsigned int, int)
#undef KILN_MAKE
#undef KILN_CONVERT

#endif
