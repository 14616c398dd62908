// cuda::std for a host compiler: the standard library's names, and what C++17's has not.
#pragma once

#include <type_traits>
#if __has_include(<bits/refwrap.h>)
#include <bits/refwrap.h>  // std::ref, without the rest of <functional>
#else
#include <functional>
#endif

#include "kiln/cuda_functional.h"

namespace cuda {
namespace std {
using namespace ::std;

// What C++17's <type_traits>, <functional> and <numbers> lack.
template <class T>
using remove_cvref_t = ::std::remove_cv_t<::std::remove_reference_t<T>>;
struct identity {
  template <class T>
  constexpr T&& operator()(T&& value) const {
    return static_cast<T&&>(value);
  }
};
template <class F, class... A>
constexpr auto invoke(F&& f, A&&... arguments)
    -> decltype(static_cast<F&&>(f)(static_cast<A&&>(arguments)...)) {
  return static_cast<F&&>(f)(static_cast<A&&>(arguments)...);
}
namespace numbers {
template <class T>
inline constexpr T pi_v = static_cast<T>(3.14159265358979323846);
template <class T>
inline constexpr T e_v = static_cast<T>(2.71828182845904523536);
template <class T>
inline constexpr T sqrt2_v = static_cast<T>(1.41421356237309504880);
template <class T>
inline constexpr T ln2_v = static_cast<T>(0.69314718055994530942);
template <class T>
inline constexpr T inv_pi_v = static_cast<T>(0.31830988618379067154);
inline constexpr double pi = pi_v<double>, e = e_v<double>, sqrt2 = sqrt2_v<double>, ln2 = ln2_v<double>,
                        inv_pi = inv_pi_v<double>;
}  // namespace numbers

// <cuda/std/bit>
template <class T>
constexpr int popcount(T x) {
  return __builtin_popcountll(static_cast<unsigned long long>(x));
}
template <class T>
constexpr int countl_zero(T x) {
  constexpr int kBits = 8 * sizeof(T);
  return x == 0 ? kBits : __builtin_clzll(static_cast<unsigned long long>(x)) - (64 - kBits);
}
template <class T>
constexpr int countr_zero(T x) {
  return x == 0 ? 8 * static_cast<int>(sizeof(T)) : __builtin_ctzll(static_cast<unsigned long long>(x));
}
template <class T>
constexpr int countl_one(T x) {
  return std::countl_zero(static_cast<T>(~x));
}
template <class T>
constexpr int countr_one(T x) {
  return std::countr_zero(static_cast<T>(~x));
}
template <class T>
constexpr int bit_width(T x) {
  return 8 * static_cast<int>(sizeof(T)) - std::countl_zero(x);
}
template <class T>
constexpr bool has_single_bit(T x) {
  return x != 0 && (x & (x - 1)) == 0;
}
template <class T>
constexpr T bit_floor(T x) {
  return x == 0 ? T(0) : static_cast<T>(T(1) << (std::bit_width(x) - 1));
}
template <class T>
constexpr T bit_ceil(T x) {
  return x <= 1 ? T(1) : static_cast<T>(T(1) << std::bit_width(static_cast<T>(x - 1)));
}
template <class T>
constexpr T rotl(T x, int by) {
  constexpr unsigned kBits = 8 * sizeof(T);
  const unsigned n = static_cast<unsigned>(by) % kBits;
  return n == 0 ? x : static_cast<T>(static_cast<T>(x << n) | static_cast<T>(x >> (kBits - n)));
}
template <class T>
constexpr T rotr(T x, int by) {
  return std::rotl(x, -by);
}
template <class To, class From>
constexpr To bit_cast(const From& from) {
  return __builtin_bit_cast(To, from);
}

// <cuda/std/span>
inline constexpr size_t dynamic_extent = static_cast<size_t>(-1);
template <class T, size_t Extent = dynamic_extent>
class span {
 public:
  using element_type = T;
  using value_type = remove_cv_t<T>;
  using size_type = size_t;
  using iterator = T*;
  constexpr span() = default;
  constexpr span(T* first, size_t count) : first_(first), count_(count) {}
  template <size_t N>
  constexpr span(T (&array)[N]) : first_(array), count_(N) {}
  template <class Other, size_t N>
  constexpr span(const span<Other, N>& other) : first_(other.data()), count_(other.size()) {}
  template <class Container, class = decltype(static_cast<T*>(::std::declval<Container&>().data()))>
  constexpr span(Container& container) : first_(container.data()), count_(container.size()) {}
  constexpr T* data() const { return first_; }
  constexpr size_t size() const { return count_; }
  constexpr size_t size_bytes() const { return count_ * sizeof(T); }
  constexpr bool empty() const { return count_ == 0; }
  constexpr T& operator[](size_t i) const { return first_[i]; }
  constexpr T& front() const { return first_[0]; }
  constexpr T& back() const { return first_[count_ - 1]; }
  constexpr T* begin() const { return first_; }
  constexpr T* end() const { return first_ + count_; }
  constexpr span<T> first(size_t count) const { return {first_, count}; }
  constexpr span<T> last(size_t count) const { return {first_ + count_ - count, count}; }
  constexpr span<T> subspan(size_t offset, size_t count = dynamic_extent) const {
    return {first_ + offset, count == dynamic_extent ? count_ - offset : count};
  }

 private:
  T* first_ = nullptr;
  size_t count_ = 0;
};
}  // namespace std

/// <cuda/functional>: a function whose result has the type R.
template <class R, class F>
class kiln_returning {
 public:
  constexpr explicit kiln_returning(F f) : f_(static_cast<F&&>(f)) {}
  template <class... A>
  constexpr R operator()(A&&... arguments) const {
    return f_(static_cast<A&&>(arguments)...);
  }

 private:
  F f_;
};
template <class R, class F>
constexpr kiln_returning<R, F> proclaim_return_type(F f) {
  return kiln_returning<R, F>(static_cast<F&&>(f));
}
}  // namespace cuda
