// Half and bfloat16 on the cpu: each function gives the number that exact arithmetic, rounded once, gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "base/small_float.h"
#include "support/cpu_kernels.h"

namespace kiln::test {
namespace {

/// `text` with @ as the word of a type in CUDA's names and T, P as its number and its pair.
std::string of_type(std::string text, bool half) {
  const auto replace = [&](const std::string& what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
      text.replace(at, what.size(), by);
  };
  replace("@", half ? "half" : "bfloat16");
  replace("TYPE", half ? "FP16" : "BF16");
  const std::string header =
      half ? "#include <cuda_fp16.h>\nusing T = __half; using P = __half2;\n"
           : "#include <cuda_bf16.h>\nusing T = __nv_bfloat16; using P = __nv_bfloat162;\n";
  return header + text;
}

bool same(unsigned short a, unsigned short b, unsigned int top) {
  return a == b || ((a & 0x7fffu) > top && (b & 0x7fffu) > top);  // NaN
}

template <class Format>
class SmallFloatKernels : public ::testing::Test {
 protected:
  using Value = SmallFloat<Format>;
  static constexpr bool kHalf = Format::kExponent == 5;
  static constexpr std::size_t kCount = 1 << 16;

  SmallFloatKernels() : a_(kCount), b_(kCount), c_(kCount) {
    unsigned long state = 12345;
    const auto next = [&] { return (state = state * 6364136223846793005UL + 1442695040888963407UL) >> 33; };
    for (std::size_t i = 0; i < kCount; ++i) {
      a_[i] = static_cast<unsigned short>(i);
      b_[i] = static_cast<unsigned short>(next());
      // Half of the numbers are near each other, so that sums lose digits.
      if (i % 2 == 0) b_[i] = static_cast<unsigned short>((a_[i] ^ 0x8000u) + next() % 64);
      c_[i] = static_cast<unsigned short>(next());
      if (i % 3 == 0) c_[i] = Value(-static_cast<double>(value(a_[i])) * value(b_[i])).bits;
    }
  }

  static float value(unsigned short bits) { return Value::of_bits(bits); }

  /// out[i] = bits of `expression` of the numbers a, b and c.
  void run(const std::string& expression, std::vector<unsigned short>& out, const std::string& options = "") {
    Specialization specialization = kernels_.specialize(
        of_type("extern \"C\" __global__ void k(T* out, const T* as, const T* bs, const T* cs, int n) {\n"
                "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
                "  const T a = as[i], b = bs[i], c = cs[i];\n  static_cast<void>(b), static_cast<void>(c);\n"
                "  out[i] = " +
                    expression + ";\n}\n",
                kHalf),
        "k");
    specialization.fast_math = options == "fast";
    DeviceFunction& k = kernels_.build(specialization);
    out.assign(kCount, 0);
    kernels_.run(k, {{kCount / 256, 1, 1}, {256, 1, 1}, 0}, out.data(), a_.data(), b_.data(), c_.data(),
                 static_cast<int>(kCount));
  }

  using Exact = std::function<Value(double, double, double)>;
  void expect(const std::string& expression, const Exact& exact, const std::string& options = "") {
    SCOPED_TRACE(expression);
    std::vector<unsigned short> out;
    run(expression, out, options);
    int different = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      const Value wanted = exact(value(a_[i]), value(b_[i]), value(c_[i]));
      if (same(out[i], wanted.bits, Value::kTop)) continue;
      // A product of bfloat16 among the numbers below 2^-126 may be rounded twice.
      if (!kHalf && expression == "a * b" && (wanted.bits & 0x7fffu) <= 0x80 &&
          std::abs(out[i] - wanted.bits) <= 1)
        continue;
      if (different++ < 3)
        ADD_FAILURE() << std::hex << "a " << a_[i] << ", b " << b_[i] << ", c " << c_[i] << ": " << out[i]
                      << ", expected " << wanted.bits;
    }
    EXPECT_EQ(different, 0);
  }

  CpuKernels kernels_;
  std::vector<unsigned short> a_, b_, c_;
};

using Formats = ::testing::Types<HalfFormat, Bfloat16Format>;
TYPED_TEST_SUITE(SmallFloatKernels, Formats);

/// p + c, rounded once: where a `double` does not hold the sum, its error decides between neighbours.
template <class Format>
SmallFloat<Format> fused(double p, double c) {
  const double sum = p + c;
  const double part = sum - p;
  const double error = (p - (sum - part)) + (c - part);
  if (std::isnan(sum) || std::isinf(sum) || error == 0) return sum;
  return std::nextafter(sum, error > 0 ? INFINITY : -INFINITY);  // on the right side of each tie
}

TYPED_TEST(SmallFloatKernels, ArithmeticIsRoundedOnce) {
  using Number = SmallFloat<TypeParam>;
  const auto clamped = [](double x) { return x > 0 ? std::min(x, 1.0) : 0.0; };
  this->expect("a + b", [](double a, double b, double) { return Number(a + b); });
  this->expect("a - b", [](double a, double b, double) { return Number(a - b); });
  this->expect("a * b", [](double a, double b, double) { return Number(a * b); });
  this->expect("a / b", [](double a, double b, double) { return Number(a / b); });
  this->expect("__hsub_rn(__hadd_rn(a, b), c)", [](double a, double b, double c) {
    return Number(static_cast<double>(static_cast<float>(Number(a + b))) - c);
  });
  this->expect("__hadd_sat(a, b)",
               [&](double a, double b, double) { return Number(clamped(Number(a + b))); });
  this->expect("__hmul_sat(a, b)",
               [&](double a, double b, double) { return Number(clamped(Number(a * b))); });
  this->expect("hsqrt(a)", [](double a, double, double) { return Number(std::sqrt(a)); });
  this->expect("hrcp(a)", [](double a, double, double) { return Number(1 / a); });
  this->expect("hrint(a)", [](double a, double, double) { return Number(std::rint(a)); });
  this->expect("hfloor(a)", [](double a, double, double) { return Number(std::floor(a)); });
  this->expect("__habs(-a)", [](double a, double, double) { return Number(std::fabs(a)); });
}

TYPED_TEST(SmallFloatKernels, FusedOperationsAreRoundedOnce) {
  const auto exact = [](double a, double b, double c) { return fused<TypeParam>(a * b, c); };
  this->expect("__hfma(a, b, c)", exact);
  this->expect("__high2@(__hfma2(P(b, a), P(c, b), P(a, c)))", exact);
  this->expect("__hfma_relu(a, b, c)", [&](double a, double b, double c) {
    const float sum = exact(a, b, c);
    return SmallFloat<TypeParam>(std::isnan(sum) ? NAN : sum > 0 ? sum : 0.0F);
  });
  this->expect("__hcmadd(P(2, 3), P(5, -7), P(1, 0.5f)).x + 64 * __hcmadd(P(2, 3), P(5, -7), P(1, 0.5f)).y",
               [](double, double, double) { return SmallFloat<TypeParam>(32 + 64 * 1.5); });
  // Halfway between two numbers, and a little beside.
  this->expect(
      "__hfma(T(1.5f), T(1 + 3 * (sizeof(T) == 2 && T(257) == T(256) ? 0x1p-7f : 0x1p-10f)), "
      "__ushort_as_@(1))",
      [](double, double, double) {
        const double step = TypeParam::kMantissa == 7 ? 0x1p-7 : 0x1p-10;
        return SmallFloat<TypeParam>(1.5 + 5 * step);
      });
}

/// Fast math is of the text's own arithmetic.
TYPED_TEST(SmallFloatKernels, FusedOperationsAreRoundedOnceWithFastMath) {
  this->expect(
      "__hisnan(a) || __hisinf(a) || __hisnan(b) || __hisinf(b) || __hisnan(c) || __hisinf(c) ? T(0) : "
      "__hfma(a, b, c)",
      [](double a, double b, double c) {
        const bool finite = std::isfinite(a) && std::isfinite(b) && std::isfinite(c);
        return finite ? fused<TypeParam>(a * b, c) : SmallFloat<TypeParam>(0);
      },
      "fast");
}

TYPED_TEST(SmallFloatKernels, MaximaAndMinimaOfNumbersZerosAndNan) {
  using Number = SmallFloat<TypeParam>;
  const auto larger = [](double a, double b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
  };
  this->expect("__hmax(a, b)", [&](double a, double b, double) { return Number(larger(a, b)); });
  this->expect("__hmin(a, b)", [&](double a, double b, double) { return Number(-larger(-a, -b)); });
  this->expect("__hmax_nan(a, c)", [&](double a, double, double c) {
    return Number(std::isnan(a) || std::isnan(c) ? NAN : larger(a, c));
  });
  this->expect("__low2@(__hmin2_nan(P(a, b), P(c, b)))", [&](double a, double, double c) {
    return Number(std::isnan(a) || std::isnan(c) ? NAN : -larger(-a, -c));
  });
}

TYPED_TEST(SmallFloatKernels, FunctionsAreTheFloatsFunctionsRounded) {
  using Number = SmallFloat<TypeParam>;
  const std::pair<const char*, float (*)(float)> functions[] = {
      {"sin", std::sin},   {"cos", std::cos},    {"exp", std::exp},     {"exp2", std::exp2},
      {"log", std::log},   {"log2", std::log2},  {"log10", std::log10}, {"tanh", std::tanh},
      {"ceil", std::ceil}, {"trunc", std::trunc}};
  for (const auto& [name, function] : functions) {
    const auto exact = [function = function](double a, double, double) {
      return Number(function(static_cast<float>(a)));
    };
    this->expect(std::string("h") + name + "(a)", exact);
    this->expect(std::string("h2") + name + "(P(b, a)).y", exact);
  }
  this->expect("hrsqrt(a)", [](double a, double, double) { return Number(1 / std::sqrt(a)); });
}

TYPED_TEST(SmallFloatKernels, Comparisons) {
  using Number = SmallFloat<TypeParam>;
  const std::pair<const char*, bool (*)(double, double)> relations[] = {{"eq", [](double a, double b) { return a == b; }},
                                                                        {"ne", [](double a, double b) { return a < b || a > b; }},
                                                                        {"lt", [](double a, double b) { return a < b; }},
                                                                        {"le", [](double a, double b) { return a <= b; }},
                                                                        {"gt", [](double a, double b) { return a > b; }},
                                                                        {"ge", [](double a, double b) { return a >= b; }}};
  for (const auto& [name, of_numbers] : relations) {
    const auto relation = of_numbers;  // clang 14 captures no structured binding
    const auto number = [](bool yes) { return Number(yes ? 1 : 0); };
    const auto unordered = [relation](double a, double b) {
      return std::isnan(a) || std::isnan(b) || relation(a, b);
    };
    const std::string h = std::string("__h") + name, hb = std::string("__hb") + name;
    this->expect(h + "(a, b)", [&](double a, double b, double) { return number(relation(a, b)); });
    this->expect(h + "u(a, b)", [&](double a, double b, double) { return number(unordered(a, b)); });
    this->expect(h + "2(P(b, a), P(c, b)).y",
                 [&](double a, double b, double) { return number(relation(a, b)); });
    this->expect(hb + "u2(P(a, b), P(c, c))",
                 [&](double a, double b, double c) { return number(unordered(a, c) && unordered(b, c)); });
    this->expect("__ushort_as_@(static_cast<unsigned short>(" + h + "2_mask(P(a, b), P(b, a)) & 0xffffu))",
                 [&](double a, double b, double) { return Number::of_bits(relation(a, b) ? 0xffff : 0); });
  }
  this->expect("(a == b) + 2 * (a != b) + 4 * (a < b) + 8 * (P(a, b) == P(c, b))",
               [](double a, double b, double c) {
                 return Number((a == b) + 2 * (a != b) + 4 * (a < b) + 8 * (a == c && b == b));
               });
  this->expect("__hisinf(a) + 4 * __hisnan(a)", [](double a, double, double) {
    return Number((std::isinf(a) ? (a > 0 ? 1 : -1) : 0) + (std::isnan(a) ? 4 : 0));
  });
}

/// A number next to `value` in a direction, found by stepping through all of them.
template <class Format>
unsigned short beside(double value, bool up, bool down) {
  SmallFloat<Format> n(value);
  if (std::isnan(value)) return n.bits;
  const auto as_double = [&] { return static_cast<double>(static_cast<float>(n)); };
  while ((up && as_double() < value) || (down && as_double() > value)) {
    const bool grows = up == (n.bits < 0x8000);
    if (!grows && (n.bits & 0x7fff) == 0)
      return grows ? n.bits : static_cast<unsigned short>(n.bits ^ 0x8000u);
    n = SmallFloat<Format>::of_bits(grows ? n.bits + 1u : n.bits - 1u);
  }
  return n.bits;
}

TYPED_TEST(SmallFloatKernels, ConversionsInAllDirections) {
  constexpr std::size_t kRows = 8;
  DeviceFunction& k = this->kernels_.build(
      of_type("extern \"C\" __global__ void k(T* out, const double* values, int n) {\n"
              "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
              "  const float f = static_cast<float>(values[i]);\n"
              "  const long long l = __double2ll_rz(values[i]);\n"
              "  out[8 * i] = __float2@_rn(f);\n  out[8 * i + 1] = __float2@_rz(f);\n"
              "  out[8 * i + 2] = __float2@_rd(f);\n  out[8 * i + 3] = __float2@_ru(f);\n"
              "  out[8 * i + 4] = __double2@(values[i]);\n  out[8 * i + 5] = __ll2@_rn(l);\n"
              "  out[8 * i + 6] = __ll2@_rd(l);\n"
              "  out[8 * i + 7] = __int2@_rz(static_cast<int>(l % 100000));\n}\n",
              this->kHalf),
      "k");
  std::vector<double> values;
  unsigned long state = 99;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    values.push_back(
        std::ldexp(static_cast<double>(static_cast<long>(state)), static_cast<int>(state % 83) - 80));
  }
  for (const double special : {0.0, -0.0, 65519.0, 65520.0, -65536.0, 0x1p-25, -0x1p-26, 0x1p62 + 0x1p54,
                               2049.0, 257.0, 3e38, 1e300, -1e-300, static_cast<double>(INFINITY), 99999.0})
    values.push_back(special);
  std::vector<unsigned short> out(kRows * values.size());
  this->kernels_.run(k, {{static_cast<unsigned>(values.size() / 256 + 1), 1, 1}, {256, 1, 1}, 0}, out.data(),
                     values.data(), static_cast<int>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double v = values[i], f = static_cast<float>(v);
    const auto whole = std::fabs(v) < 0x1p63 ? static_cast<long long>(v)
                       : v > 0               ? std::numeric_limits<long long>::max()
                                             : std::numeric_limits<long long>::min();
    // 64 bits of a `double` that holds them, as it does of numbers below 2^53; else it has an odd end.
    double wide = static_cast<double>(whole);
    const auto back = static_cast<__int128>(wide);
    if (back != whole) wide = std::nextafter(wide, back > whole ? -INFINITY : INFINITY);
    const auto small = static_cast<double>(static_cast<int>(whole % 100000));
    const unsigned short wanted[kRows] = {
        SmallFloat<TypeParam>(f).bits,        beside<TypeParam>(f, f<0, f> 0),
        beside<TypeParam>(f, false, true),    beside<TypeParam>(f, true, false),
        SmallFloat<TypeParam>(v).bits,        SmallFloat<TypeParam>(wide).bits,
        beside<TypeParam>(wide, false, true), beside<TypeParam>(small, small<0, small> 0)};
    for (std::size_t row = 0; row < kRows; ++row)
      ASSERT_EQ(out[kRows * i + row], wanted[row]) << "row " << row << " of " << std::hexfloat << v;
  }
}

TYPED_TEST(SmallFloatKernels, ConversionsToIntegersSaturate) {
  DeviceFunction& k = this->kernels_.build(
      of_type("extern \"C\" __global__ void k(long long* out, const T* as) {\n"
              "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  const T a = as[i];\n"
              "  out[8 * i] = __@2int_rn(a);\n  out[8 * i + 1] = __@2int_rz(a);\n"
              "  out[8 * i + 2] = __@2int_rd(a);\n  out[8 * i + 3] = __@2uint_ru(a);\n"
              "  out[8 * i + 4] = __@2short_rz(a);\n  out[8 * i + 5] = __@2ll_rn(a);\n"
              "  out[8 * i + 6] = __@2uchar_rz(a);\n  out[8 * i + 7] = static_cast<int>(__@2ull_rz(a) >> "
              "40);\n}\n",
              this->kHalf),
      "k");
  std::vector<long long> out(8 * this->kCount);
  this->kernels_.run(k, {{this->kCount / 256, 1, 1}, {256, 1, 1}, 0}, out.data(), this->a_.data());
  for (std::size_t i = 0; i < this->kCount; ++i) {
    const double a = this->value(this->a_[i]);
    const auto into = [&](double whole, double low, double high, long long nan) {
      if (std::isnan(a)) return nan;
      return whole >= high ? static_cast<long long>(high - 1) : static_cast<long long>(std::max(whole, low));
    };
    const bool large = a >= 0x1p63;
    const long long ll = std::isnan(a) ? std::numeric_limits<long long>::min()
                         : large       ? std::numeric_limits<long long>::max()
                                       : static_cast<long long>(std::max(std::rint(a), -0x1p63));
    const unsigned long long ull = std::isnan(a)       ? 1ULL << 63
                                   : a >= 0x1p64       ? ~0ULL
                                   : std::trunc(a) < 1 ? 0
                                                       : static_cast<unsigned long long>(a);
    const long long wanted[8] = {
        into(std::rint(a), -0x1p31, 0x1p31, 0),  into(std::trunc(a), -0x1p31, 0x1p31, 0),
        into(std::floor(a), -0x1p31, 0x1p31, 0), into(std::ceil(a), 0, 0x1p32, 0),
        into(std::trunc(a), -32768, 32768, 0),   ll,
        into(std::trunc(a), 0, 256, 0),          static_cast<int>(ull >> 40)};
    for (std::size_t row = 0; row < 8; ++row)
      ASSERT_EQ(out[8 * i + row], wanted[row]) << "row " << row << " of " << a;
  }
}

/// What is left: names, pairs, shuffles, atomic additions, constants.
TYPED_TEST(SmallFloatKernels, PairsOperatorsConstantsShufflesAndAtomics) {
  for (const char* option : {"-O3", "-DKILN_FIBERS"}) {
    SCOPED_TRACE(option);
    Specialization specialization = this->kernels_.specialize(
        of_type("__device__ T doubled(T x) { return x + x; }\n"
                "extern \"C\" __global__ void k(float* out, const T* in, T* sum, P* sums) {\n"
                "  __shared__ P s[32];\n"
                "  const int i = threadIdx.x;\n"
                "  T a = __ldg(in + i);\n"
                "  P p = make_@2(a, __float2@(2.0f));\n"
                "  p += __float22@2_rn(make_float2(1.0f, 1.0f));\n"
                "  s[i] = __lowhigh2highlow(p);\n"
                "  __syncthreads();\n"
                "  const P q = s[31 - i];\n"
                "  T up = __shfl_up_sync(~0u, a, 1);\n"
                "  P other = __shfl_xor_sync(~0u, q, 3);\n"
                "  ++a; a++; --a; a += 0.5f; a *= 2;\n"
                "  out[8 * i] = a;\n"
                "  out[8 * i + 1] = __low2float(q);\n"
                "  out[8 * i + 2] = __@22float2(q).y;\n"
                "  out[8 * i + 3] = up;\n"
                "  out[8 * i + 4] = __high2float(other);\n"
                "  out[8 * i + 5] = __high2float(__lows2@2(q, other)) + __@2float(__high2@2(q).x);\n"
                "  out[8 * i + 6] = __hsub(doubled(a), -1.0f);\n"
                "  out[8 * i + 7] = __@2float(-CUDART_MAX_NORMAL_TYPE * CUDART_ONE_TYPE) + "
                "(float)CUDART_ZERO_TYPE;\n"
                "  atomicAdd(sum, T(1));\n"
                "  atomicAdd(sums, P(1, 0.5f));\n"
                "  if (CUDART_INF_TYPE > CUDART_ZERO_TYPE && !(CUDART_NAN_TYPE == CUDART_NAN_TYPE) && P(1, "
                "2) != P(1, 2))\n"
                "    out[0] = -1;\n"
                "}\n",
                this->kHalf),
        "k");
    specialization.options = {option};
    std::vector<unsigned short> in(32);
    for (std::size_t i = 0; i < 32; ++i) in[i] = SmallFloat<TypeParam>(static_cast<int>(i)).bits;
    std::vector<float> out(256);
    std::vector<unsigned short> sum(2);
    std::vector<unsigned int> sums(1);
    this->kernels_.run(this->kernels_.build(specialization), {{2, 1, 1}, {32, 1, 1}, 0}, out.data(),
                       in.data(), sum.data(), sums.data());
    const float most = SmallFloat<TypeParam>::of_bits(SmallFloat<TypeParam>::kLargest);
    for (std::size_t i = 0; i < 32; ++i) {
      const auto x = static_cast<float>(i);
      const float q = 31 - x + 1, other = 31 - static_cast<float>(i ^ 3) + 1;
      EXPECT_THAT(std::vector<float>(out.begin() + 8 * static_cast<long>(i),
                                     out.begin() + 8 * static_cast<long>(i) + 8),
                  ::testing::ElementsAre(2 * x + 3, 3.0F, q, i == 0 ? 0.0F : x - 1, other, 3.0F + q,
                                         2 * (2 * x + 3) + 1, -most))
          << i;
    }
    EXPECT_EQ(this->value(sum[0]), 64.0F);
    EXPECT_EQ(sum[1], 0);
    EXPECT_EQ(this->value(static_cast<unsigned short>(sums[0] & 0xffffU)), 64.0F);
    EXPECT_EQ(this->value(static_cast<unsigned short>(sums[0] >> 16)), 32.0F);
  }
}

/// As on a GPU, where the conversion has limits. (An H200 gave these numbers.)
TEST(SmallFloatKernels, CastsToIntegersHaveLimits) {
  CpuKernels kernels;
  DeviceFunction& k = kernels.build(
      "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
      "template <class T> __device__ void casts(int* out, const float* in) {\n"
      "  out[0] = (unsigned)T(in[0]) + 7;\n  out[1] = (unsigned char)T(in[1]);\n"
      "  out[2] = (short)T(in[2]);\n  out[3] = static_cast<signed char>(T(in[3]));\n"
      "  out[4] = int(T(in[4]));\n  out[5] = (long long)T(in[5]) > 0;\n  out[6] = (int)T(in[6]);\n}\n"
      "extern \"C\" __global__ void k(int* out, const float* in) {\n"
      "  casts<__half>(out, in);\n  casts<__nv_bfloat16>(out + 7, in);\n}\n",
      "k");
  std::vector<int> out(14);
  const std::vector<float> in = {-2, 300, 40000, -200, INFINITY, INFINITY, -5.75F};
  kernels.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, out.data(), in.data());
  EXPECT_THAT(out, ::testing::ElementsAre(7, 255, 32767, -128, 2147483647, 1, -5,  //
                                          7, 255, 32767, -128, 2147483647, 1, -5));
}

/// Too large numbers with and without saturation, pairs and fours.
TEST(Fp8Kernels, Conversions) {
  CpuKernels kernels;
  DeviceFunction& k = kernels.build(
      "#include <cuda_fp8.h>\nextern \"C\" __global__ void k(unsigned* bits, float* values) {\n"
      "  bits[0] = __nv_cvt_float_to_fp8(464.0f, __NV_NOSAT, __NV_E4M3);\n"
      "  bits[1] = __nv_cvt_float_to_fp8(464.1f, __NV_NOSAT, __NV_E4M3);\n"
      "  bits[2] = __nv_cvt_float_to_fp8(-1e9f, __NV_SATFINITE, __NV_E4M3);\n"
      "  bits[3] = __nv_cvt_float_to_fp8(-61440.0f, __NV_NOSAT, __NV_E5M2);\n"
      "  bits[4] = __nv_cvt_float2_to_fp8x2(make_float2(1.0f, -2.0f), __NV_SATFINITE, __NV_E4M3);\n"
      "  bits[5] = __nv_fp8x4_e5m2(make_float4(1.0f, 2.0f, 0.5f, -4.0f)).__x;\n"
      "  bits[6] = __nv_fp8_e4m3(__float2half(0.3f)).__x;\n"
      "  bits[7] = __nv_cvt_fp8_to_halfraw(0x38, __NV_E4M3).x;\n"
      "  const float nan = __uint_as_float(0xffc00000u);\n"
      "  bits[8] = __nv_cvt_float_to_fp8(nan, __NV_SATFINITE, __NV_E5M2);\n"
      "  bits[9] = __nv_cvt_double_to_fp8(nan, __NV_SATFINITE, __NV_E5M2);\n"
      "  const float4 four = (float4)__nv_fp8x4_e4m3(make_float4(1.1f, -448.0f, 3.0f, 500.0f));\n"
      "  values[0] = four.x;\n  values[1] = four.y;\n  values[2] = four.z;\n  values[3] = four.w;\n"
      "  values[4] = float(__nv_fp8_e5m2(3.3f));\n}\n",
      "k");
  std::vector<unsigned> bits(10);
  std::vector<float> values(5);
  kernels.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, bits.data(), values.data());
  EXPECT_THAT(bits, ::testing::ElementsAre(0x7eU, 0x7fU, 0xfeU, 0xfcU, 0xc038U, 0xc438403cU, 0x2aU, 0x3c00U,
                                           0x7fU, 0x7eU));
  EXPECT_THAT(values, ::testing::ElementsAre(1.125F, -448.0F, 3.0F, 448.0F, 3.5F));
}

/// Ties to even, towards zero, too large numbers, NaN, pairs and fours of cuda_fp4.h and cuda_fp6.h.
TEST(Fp4Kernels, Conversions) {
  CpuKernels kernels;
  DeviceFunction& k = kernels.build(
      "#include <cuda_fp4.h>\n#include <cuda_fp6.h>\n"
      "extern \"C\" __global__ void k(unsigned* bits, float* values) {\n"
      "  bits[0] = __nv_cvt_float_to_fp4(2.5f, __NV_E2M1, cudaRoundNearest);\n"
      "  bits[1] = __nv_cvt_float_to_fp4(2.9f, __NV_E2M1, cudaRoundZero);\n"
      "  bits[2] = __nv_cvt_double_to_fp4(-0.25, __NV_E2M1, cudaRoundNearest);\n"
      "  bits[3] = __nv_cvt_float_to_fp4(-1e9f, __NV_E2M1, cudaRoundNearest);\n"
      "  bits[4] = __nv_cvt_float_to_fp4(__uint_as_float(0xffc00000u), __NV_E2M1, cudaRoundNearest);\n"
      "  bits[5] = __nv_fp4x4_e2m1(make_float4(1.0f, -2.0f, 0.5f, 6.0f)).__x;\n"
      "  bits[6] = __nv_fp6_e2m3(1.3f).__x;\n"
      "  bits[7] = __nv_cvt_float2_to_fp6x2(make_float2(1.0f, -1.0f), __NV_E3M2, cudaRoundNearest);\n"
      "  bits[8] = __nv_fp6_e3m2(-0.0625).__x;\n"
      "  bits[9] = __nv_cvt_fp4_to_halfraw(0x3, __NV_E2M1).x;\n"
      "  const float4 four = (float4)__nv_fp4x4_e2m1(make_float4(3.4f, -5.0f, 0.2f, 100.0f));\n"
      "  values[0] = four.x;\n  values[1] = four.y;\n  values[2] = four.z;\n  values[3] = four.w;\n"
      "  values[4] = float(__nv_fp6_e3m2(27.0f));\n}\n",
      "k");
  std::vector<unsigned> bits(10);
  std::vector<float> values(5);
  kernels.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, bits.data(), values.data());
  EXPECT_THAT(bits,
              ::testing::ElementsAre(0x4U, 0x4U, 0x8U, 0xfU, 0x7U, 0x71c2U, 0xaU, 0x2c0cU, 0x21U, 0x3e00U));
  EXPECT_THAT(values, ::testing::ElementsAre(3.0F, -4.0F, 0.0F, 6.0F, 28.0F));
}

/// Towards zero, and no negative numbers without a sign.
TEST(Fp4Kernels, AreIntegers) {
  CpuKernels kernels;
  DeviceFunction& k = kernels.build(
      "#include <cuda_fp4.h>\n#include <cuda_fp6.h>\n"
      "extern \"C\" __global__ void k(int* numbers) {\n"
      "  const __nv_fp4_e2m1 a(-1.5f), zero(-0.0f);\n  const __nv_fp6_e2m3 b(3.75f);\n"
      "  numbers[0] = (int)a;\n  numbers[1] = static_cast<unsigned char>(a);\n"
      "  numbers[2] = (long long)b + (signed char)a;\n"
      "  numbers[3] = zero ? 7 : 8;\n  numbers[4] = bool(b);\n}\n",
      "k");
  std::vector<int> numbers(5);
  kernels.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, numbers.data());
  EXPECT_THAT(numbers, ::testing::ElementsAre(-1, 0, 2, 8, 1));
}

}  // namespace
}  // namespace kiln::test
