// <thrust/random.h> for a host compiler: the engines and the distributions, with the values that they have on
// a device.
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

/// A shift register of the `k` high ones of `w` bits, with feedback from bit `q`; `s` bits are made at a
/// time.
template <class UInt, unsigned long w, unsigned long k, unsigned long q, unsigned long s>
class linear_feedback_shift_engine {
 public:
  using result_type = UInt;
  static constexpr UInt min = 0, max = static_cast<UInt>(~UInt(0)) >> (8 * sizeof(UInt) - w);
  static constexpr UInt default_seed = 341;

  explicit linear_feedback_shift_engine(UInt value = default_seed) : x_(value) {}
  void seed(UInt value = default_seed) { x_ = value; }
  UInt operator()() {
    const UInt made = (((x_ << q) ^ x_) & max) >> (k - s);
    x_ = ((x_ & (~UInt(0) << (w - k)) & max) << s) ^ made;
    return x_;
  }
  void discard(unsigned long long count) {
    for (; count > 0; --count) (*this)();
  }

 private:
  UInt x_;
};

/// The exclusive or of two engines' numbers, shifted to the left by `s1` and `s2` bits.
template <class E1, unsigned long s1, class E2, unsigned long s2 = 0>
class xor_combine_engine {
 public:
  using result_type = typename E1::result_type;
  static constexpr result_type min = 0;
  /// All bits up to the highest one that a number can have.
  static constexpr result_type max = [] {
    result_type all = ((E1::max - E1::min) << s1) | ((E2::max - E2::min) << s2);
    for (unsigned shift = 1; shift < 8 * sizeof(result_type); shift *= 2) all |= all >> shift;
    return all;
  }();

  xor_combine_engine() = default;
  xor_combine_engine(const E1& first, const E2& second) : first_(first), second_(second) {}
  xor_combine_engine(result_type value) : first_(value), second_(value) {}
  void seed() {
    first_.seed();
    second_.seed();
  }
  void seed(result_type value) {
    first_.seed(value);
    second_.seed(value);
  }
  result_type operator()() {
    return (static_cast<result_type>(first_() - E1::min) << s1) ^
           (static_cast<result_type>(second_() - E2::min) << s2);
  }
  void discard(unsigned long long count) {
    for (; count > 0; --count) (*this)();
  }

 private:
  E1 first_;
  E2 second_;
};

/// x(n) = x(n - short) - x(n - long) - carry, modulo 2^w.
template <class UInt, unsigned long w, unsigned long short_, unsigned long long_>
class subtract_with_carry_engine {
 public:
  using result_type = UInt;
  static constexpr UInt modulus = UInt(1) << w, min = 0, max = modulus - 1, default_seed = 19780503;

  explicit subtract_with_carry_engine(UInt value = default_seed) { seed(value); }
  void seed(UInt value = default_seed) {
    linear_congruential_engine<UInt, 40014, 0, 2147483563> start(value == 0 ? default_seed : value);
    for (UInt& x : x_) x = start() % modulus;
    carry_ = x_[long_ - 1] == 0 ? 1 : 0;
    at_ = 0;
  }
  UInt operator()() {
    const UInt early = x_[at_ >= short_ ? at_ - short_ : at_ + long_ - short_], late = x_[at_] + carry_;
    carry_ = early >= late ? 0 : 1;
    const UInt x = carry_ == 0 ? early - late : modulus - late + early;
    x_[at_] = x;
    at_ = at_ + 1 == long_ ? 0 : at_ + 1;
    return x;
  }
  void discard(unsigned long long count) {
    for (; count > 0; --count) (*this)();
  }

 private:
  UInt x_[long_];
  UInt carry_;
  unsigned long at_;
};

/// Of each `p` numbers of an engine the first `r`.
template <class Engine, unsigned long p, unsigned long r>
class discard_block_engine {
 public:
  using result_type = typename Engine::result_type;
  static constexpr result_type min = Engine::min, max = Engine::max;

  discard_block_engine() = default;
  explicit discard_block_engine(const Engine& engine) : engine_(engine) {}
  explicit discard_block_engine(result_type value) : engine_(value) {}
  void seed() {
    engine_.seed();
    used_ = 0;
  }
  void seed(result_type value) {
    engine_.seed(value);
    used_ = 0;
  }
  result_type operator()() {
    if (used_ >= r) {
      engine_.discard(p - used_);
      used_ = 0;
    }
    ++used_;
    return engine_();
  }
  void discard(unsigned long long count) {
    for (; count > 0; --count) (*this)();
  }

 private:
  Engine engine_;
  unsigned long used_ = 0;
};

using taus88 =
    xor_combine_engine<linear_feedback_shift_engine<unsigned, 32, 31, 13, 12>, 0,
                       xor_combine_engine<linear_feedback_shift_engine<unsigned, 32, 29, 2, 4>, 0,
                                          linear_feedback_shift_engine<unsigned, 32, 28, 3, 17>, 0>,
                       0>;
using ranlux24_base = subtract_with_carry_engine<unsigned, 24, 10, 24>;
using ranlux48_base = subtract_with_carry_engine<unsigned long, 48, 5, 12>;
using ranlux24 = discard_block_engine<ranlux24_base, 223, 23>;
using ranlux48 = discard_block_engine<ranlux48_base, 389, 11>;

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
using random::discard_block_engine;
using random::linear_congruential_engine;
using random::linear_feedback_shift_engine;
using random::minstd_rand;
using random::minstd_rand0;
using random::normal_distribution;
using random::ranlux24;
using random::ranlux24_base;
using random::ranlux48;
using random::ranlux48_base;
using random::subtract_with_carry_engine;
using random::taus88;
using random::uniform_int_distribution;
using random::uniform_real_distribution;
using random::xor_combine_engine;
}  // namespace thrust
