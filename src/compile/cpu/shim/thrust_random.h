// <thrust/random.h> for a host compiler: the linear congruential engines, of which the default is one, and
// the distributions, with the values that they have on a device.
#pragma once

#include "kiln/thrust.h"

namespace thrust {
namespace random {

/// x -> (a x + c) mod m; m is 0 for 2^bits.
template <class UInt, UInt a, UInt c, UInt m>
class linear_congruential_engine {
 public:
  using result_type = UInt;
  static constexpr UInt multiplier = a, increment = c, modulus = m;
  static constexpr UInt min = c == 0 ? 1 : 0, max = m - 1, default_seed = 1;

  explicit linear_congruential_engine(UInt value = default_seed) { seed(value); }
  void seed(UInt value = default_seed) {
    x_ = reduced(value);
    if (reduced(c) == 0 && x_ == 0) x_ = reduced(1);
  }
  UInt operator()() {
    x_ = step(x_, a, c);
    return x_;
  }
  /// `count` steps are one step with other constants, found by squaring.
  void discard(unsigned long long count) {
    UInt factor = a, shift = c, all_factor = 1, all_shift = 0;
    for (; count > 0; count /= 2) {
      if (count % 2 != 0) {
        all_shift = step(all_shift, factor, shift);
        all_factor = step(all_factor, factor, 0);
      }
      shift = step(shift, factor, shift);
      factor = step(factor, factor, 0);
    }
    x_ = step(x_, all_factor, all_shift);
  }
  friend bool operator==(const linear_congruential_engine& a_, const linear_congruential_engine& b_) {
    return a_.x_ == b_.x_;
  }
  friend bool operator!=(const linear_congruential_engine& a_, const linear_congruential_engine& b_) {
    return a_.x_ != b_.x_;
  }

 private:
  using Wide = unsigned __int128;
  static constexpr Wide kModulus = m == 0 ? Wide(1) << (8 * sizeof(UInt)) : Wide(m);
  static UInt reduced(UInt value) { return static_cast<UInt>(Wide(value) % kModulus); }
  static UInt step(UInt x, UInt factor, UInt shift) {
    if constexpr (sizeof(UInt) <= 4 && m != 0)
      return static_cast<UInt>((static_cast<unsigned long long>(factor) * x + shift) % m);
    else
      return static_cast<UInt>((Wide(factor) * x + shift) % kModulus);
  }
  UInt x_ = 0;
};

using minstd_rand0 = linear_congruential_engine<unsigned, 16807, 0, 2147483647>;
using minstd_rand = linear_congruential_engine<unsigned, 48271, 0, 2147483647>;
using default_random_engine = minstd_rand;

template <class Real = double>
class uniform_real_distribution {
 public:
  using result_type = Real;
  using param_type = thrust::pair<Real, Real>;
  explicit uniform_real_distribution(Real a = 0, Real b = 1) : range_(a, b) {}
  explicit uniform_real_distribution(const param_type& range) : range_(range) {}
  void reset() {}
  template <class Engine>
  Real operator()(Engine& engine) {
    return (*this)(engine, range_);
  }
  template <class Engine>
  Real operator()(Engine& engine, const param_type& range) {
    Real value = static_cast<Real>(engine() - Engine::min);
    value /= Real(1) + static_cast<Real>(Engine::max - Engine::min);
    return value * (range.second - range.first) + range.first;
  }
  Real a() const { return range_.first; }
  Real b() const { return range_.second; }
  param_type param() const { return range_; }
  void param(const param_type& range) { range_ = range; }

 private:
  param_type range_;
};

template <class Int = int>
class uniform_int_distribution {
 public:
  using result_type = Int;
  using param_type = thrust::pair<Int, Int>;
  explicit uniform_int_distribution(Int a = 0, Int b = ::std::numeric_limits<Int>::max()) : range_(a, b) {}
  explicit uniform_int_distribution(const param_type& range) : range_(range) {}
  void reset() {}
  template <class Engine>
  Int operator()(Engine& engine) {
    return (*this)(engine, range_);
  }
  template <class Engine>
  Int operator()(Engine& engine, const param_type& range) {
    uniform_real_distribution<double> real(static_cast<double>(range.first),
                                           static_cast<double>(range.second) + 1.0);
    return static_cast<Int>(real(engine));
  }
  Int a() const { return range_.first; }
  Int b() const { return range_.second; }
  param_type param() const { return range_; }
  void param(const param_type& range) { range_ = range; }

 private:
  param_type range_;
};

/// By the inverse of the error function, as on a device.
template <class Real = double>
class normal_distribution {
 public:
  using result_type = Real;
  using param_type = thrust::pair<Real, Real>;
  explicit normal_distribution(Real mean = 0, Real deviation = 1) : shape_(mean, deviation) {}
  explicit normal_distribution(const param_type& shape) : shape_(shape) {}
  void reset() {}
  template <class Engine>
  Real operator()(Engine& engine) {
    return (*this)(engine, shape_);
  }
  template <class Engine>
  Real operator()(Engine& engine, const param_type& shape) {
    using UInt = typename Engine::result_type;
    constexpr UInt kRange = Engine::max - Engine::min;
    constexpr Real kStep = static_cast<Real>(1.0 / static_cast<double>(kRange));
    Real root = static_cast<Real>(-1.4142135623730950488);  // of 2, for the left half
    UInt number = engine() - Engine::min;
    if (number > kRange / 2) {
      number = kRange - number;
      root = -root;
    }
    const Real half = static_cast<Real>(number) * kStep + kStep / 2;
    return shape.first + shape.second * root * erfcinv(2 * half);
  }
  Real mean() const { return shape_.first; }
  Real stddev() const { return shape_.second; }
  param_type param() const { return shape_; }
  void param(const param_type& shape) { shape_ = shape; }

 private:
  param_type shape_;
};

}  // namespace random

using random::default_random_engine;
using random::linear_congruential_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::uniform_int_distribution;
using random::uniform_real_distribution;
}  // namespace thrust
