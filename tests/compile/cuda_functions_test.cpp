// CUDA's functions on the cpu give what they give on a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <cstring>

#include "support/cpu_kernels.h"

namespace kiln::test {
namespace {

using ::testing::ElementsAre;

class CudaFunctions : public ::testing::Test {
 protected:
  /// The values of expressions in one work-item.
  template <class V>
  std::vector<V> values(const std::string& type, const std::vector<std::string>& expressions,
                        const std::string& before = "", const std::string& statements = "") {
    std::string text = before + "extern \"C\" __global__ void k(" + type + "* out) {\n" + statements;
    for (std::size_t i = 0; i < expressions.size(); ++i)
      text += "  out[" + std::to_string(i) + "] = " + expressions[i] + ";\n";
    std::vector<V> out(expressions.size());
    kernels_.run(kernels_.build(text + "}\n", "k"), {{1, 1, 1}, {1, 1, 1}, 0}, out.data());
    return out;
  }
  std::vector<unsigned> words(const std::vector<std::string>& expressions) {
    return values<unsigned>("unsigned", expressions);
  }

  CpuKernels kernels_;
};

/// Numbers of all sizes, among them zeros, the largest and the smallest.
template <class V, class Word>
std::vector<V> numbers(unsigned long seed, std::size_t count) {
  constexpr int kMantissa = sizeof(V) == 4 ? 23 : 52;
  constexpr Word kSign = Word{1} << (8 * sizeof(Word) - 1);
  const auto bits_of = [](V value) {
    Word word = 0;
    std::memcpy(&word, &value, sizeof word);
    return word;
  };
  std::vector<V> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 6364136223846793005UL + 1442695040888963407UL;
    auto word = static_cast<Word>((seed ^ (seed >> 29)) * 0x9e3779b97f4a7c15UL >> (64 - 8 * sizeof(Word)));
    const Word sign = word & kSign;
    if (i % 4 == 0)  // near each other
      word = (word & ((Word{1} << kMantissa) - 1)) | sign |
             (bits_of(1) + (static_cast<Word>(i / 4 % 16) << kMantissa));
    if (i % 97 == 0) word = sign;
    if (i % 101 == 0) word = sign | bits_of(std::numeric_limits<V>::max());
    if (i % 103 == 0) word = sign | (word & 0xff);
    if (i % 107 == 0) word = sign | bits_of(INFINITY);
    std::memcpy(&result[i], &word, sizeof word);
  }
  return result;
}

/// What the processor gives in its own rounding mode.
template <class V, class F>
V rounded(int mode, V a, V b, V c, F operation) {
  const volatile V x = a, y = b, z = c;
  std::fesetround(mode);
  const volatile V result = operation(x, y, z);
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class V, class Word>
void check_directed_roundings(CpuKernels& kernels, const std::string& type, const std::string& letter) {
  constexpr std::size_t kCount = 20000;
  const std::vector<V> as = numbers<V, Word>(1, kCount), cs = numbers<V, Word>(3, kCount);
  std::vector<V> bs = numbers<V, Word>(2, kCount);
  for (std::size_t i = 0; i < kCount; i += 5) bs[i] = -as[i];
  using Operation = V (*)(const volatile V&, const volatile V&, const volatile V&);
  const std::string fma = sizeof(V) == 4 ? "__fmaf_" : "__fma_";
  const std::tuple<std::string, const char*, Operation> operations[] = {
      {"__" + letter + "add_", "(a, b)", [](auto& a, auto& b, auto&) -> V { return a + b; }},
      {"__" + letter + "sub_", "(a, b)", [](auto& a, auto& b, auto&) -> V { return a - b; }},
      {"__" + letter + "mul_", "(a, b)", [](auto& a, auto& b, auto&) -> V { return a * b; }},
      {"__" + letter + "div_", "(a, b)", [](auto& a, auto& b, auto&) -> V { return a / b; }},
      {"__" + letter + "rcp_", "(a)", [](auto& a, auto&, auto&) -> V { return V{1} / a; }},
      {"__" + letter + "sqrt_", "(a)", [](auto& a, auto&, auto&) -> V { return std::sqrt(V{a}); }},
      {fma, "(a, b, c)", [](auto& a, auto& b, auto& c) -> V { return std::fma(V{a}, V{b}, V{c}); }}};
  const std::pair<const char*, int> modes[] = {{"rd", FE_DOWNWARD}, {"ru", FE_UPWARD}, {"rz", FE_TOWARDZERO}};
  for (const auto& [name, arguments, operation] : operations) {
    for (const auto& [suffix, mode] : modes) {
      const std::string call = name + suffix + arguments;
      DeviceFunction& k = kernels.build(
          "extern \"C\" __global__ void k(" + type + "* out, const " + type + "* as, const " + type +
              "* bs, const " + type +
              "* cs, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
              "  if (i >= n) return;\n  const " +
              type + " a = as[i], b = bs[i], c = cs[i];\n  out[i] = " + call + ";\n  (void)b, (void)c;\n}\n",
          "k");
      std::vector<V> out(kCount);
      kernels.run(k, {{kCount / 128 + 1, 1, 1}, {128, 1, 1}, 0}, out.data(), as.data(), bs.data(), cs.data(),
                  static_cast<int>(kCount));
      int different = 0;
      for (std::size_t i = 0; i < kCount; ++i) {
        const V wanted = rounded(mode, as[i], bs[i], cs[i], operation);
        const bool same =
            (std::isnan(wanted) && std::isnan(out[i])) || std::memcmp(&wanted, &out[i], sizeof(V)) == 0;
        if (!same && different++ < 2)
          ADD_FAILURE() << call << std::hexfloat << " of " << as[i] << ", " << bs[i] << ", " << cs[i] << ": "
                        << out[i] << ", expected " << wanted;
      }
      EXPECT_EQ(different, 0) << call;
    }
  }
}

/// nvcc takes calls of such functions in constexpr functions; CUB before CUDA 13 has the masks of lanes.
TEST_F(CudaFunctions, OfBitsMayBeCalledInConstexprFunctions) {
  const std::string functions =
      "#include <cub/util_ptx.cuh>\n"
      "__host__ __device__ constexpr int zeros(unsigned x) { return __clz(static_cast<int>(x)); }\n"
      "__host__ __device__ constexpr int ones(unsigned long long x) { return __popcll(x) + __ffs(4); }\n";
  EXPECT_THAT(values<unsigned>("unsigned",
                               {"zeros(16)", "ones(7)", "cub::LaneMaskLt()", "cub::LaneMaskLe()",
                                "cub::LaneMaskGt()", "cub::LaneMaskGe()"},
                               functions),
              ElementsAre(27u, 6u, 0u, 1u, ~1u, ~0u));
}

/// `class __half;` stands in headers that programs include before CUDA's.
TEST_F(CudaFunctions, OfHalfMayBeDeclaredBeforeTheirHeader) {
  const std::string types =
      "class __half;\nstruct __nv_bfloat16;\ntemplate <class T> struct Bits;\n"
      "template <> struct Bits<__half> { static constexpr int value = 10; };\n"
      "template <> struct Bits<__nv_bfloat16> { static constexpr int value = 7; };\n"
      "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n";
  EXPECT_THAT(values<unsigned>("unsigned",
                               {"Bits<__half>::value", "Bits<__nv_bfloat16>::value",
                                "static_cast<unsigned>(__half2float(__float2half(3.0f)))"},
                               types),
              ElementsAre(10u, 7u, 3u));
}

TEST_F(CudaFunctions, ArithmeticOfFloatRoundsInEachDirection) {
  check_directed_roundings<float, std::uint32_t>(kernels_, "float", "f");
}

TEST_F(CudaFunctions, ArithmeticOfDoubleRoundsInEachDirection) {
  check_directed_roundings<double, std::uint64_t>(kernels_, "double", "d");
}

TEST_F(CudaFunctions, ConversionsRoundInEachDirection) {
  EXPECT_THAT(
      values<float>(
          "float", {"__int2float_rd(16777217)", "__int2float_ru(16777217)", "__int2float_rz(-16777219)",
                    "__uint2float_ru(0xffffffffu)", "__ll2float_rd(0x7fffffffffffffffll)",
                    "__ll2float_ru(-0x7fffffffffffffffll)", "__ull2float_rn(~0ull)", "__double2float_rd(0.1)",
                    "__double2float_ru(0.1)", "__double2float_rz(-1e300)", "__double2float_ru(1e-300)"}),
      ElementsAre(16777216.0F, 16777218.0F, -16777218.0F, 4294967296.0F, 0x1.fffffep62F, -0x1.fffffep62F,
                  0x1p64F, 0x1.999998p-4F, 0x1.99999ap-4F, -std::numeric_limits<float>::max(), 0x1p-149F));
  EXPECT_THAT(
      values<double>("double", {"__ll2double_rd(0x20000000000001ll)", "__ll2double_ru(0x20000000000001ll)",
                                "__ull2double_rz(~0ull)", "__ull2double_ru(~0ull)"}),
      ElementsAre(0x1p53, 0x1.0000000000001p53, 0x1.fffffffffffffp63, 0x1p64));
}

TEST_F(CudaFunctions, ConversionsToIntegersSaturate) {
  EXPECT_THAT(values<long long>("long long", {"__float2int_rz(-1.5f)",
                                              "__float2int_rd(-1.5f)",
                                              "__float2int_ru(1.25f)",
                                              "__float2int_rn(2.5f)",
                                              "__float2int_rz(3e9f)",
                                              "__float2int_rn(-3e9f)",
                                              "__float2int_rz(NAN)",
                                              "__float2uint_rz(-7.f)",
                                              "__float2uint_rz(5e9f)",
                                              "__float2ll_rz(1e30f)",
                                              "__float2ll_rz(NAN)",
                                              "__double2int_rz(-2.9)",
                                              "__double2int_rd(-2.1)",
                                              "__double2int_rz(1e10)",
                                              "__double2int_rz(NAN)",
                                              "__double2uint_ru(4294967294.5)",
                                              "__double2uint_rz(NAN)",
                                              "__double2ll_rn(-1e30)",
                                              "(long long)__double2ull_rz(18446744073709549568.0)",
                                              "(long long)__float2ull_rz(-1.f)"}),
              ElementsAre(-1, -2, 2, 2, 2147483647, -2147483648LL, 0, 0, 4294967295LL, 9223372036854775807LL,
                          std::numeric_limits<long long>::min(), -2, -3, 2147483647, -2147483648LL,
                          4294967295LL, 2147483648LL, std::numeric_limits<long long>::min(), -2048, 0));
}

TEST_F(CudaFunctions, IntegersAndBits) {
  EXPECT_THAT(words({"__hadd(-3, 0)",
                     "__rhadd(-3, 0)",
                     "__hadd(0x7fffffff, 0x7fffffff)",
                     "__uhadd(~0u, 1u)",
                     "__urhadd(~0u, ~1u)",
                     "umin(3u, ~0u)",
                     "umax(3u, ~0u)",
                     "llmin(-1ll, 1ll) == -1",
                     "ullmin(~0ull, 1ull)",
                     "llmax(-5ll, 7ll)",
                     "__usad(3u, 10u, 100u)",
                     "__sad(-3, 10, 100u)",
                     "__funnelshift_l(0x80000000u, 1u, 33u)",
                     "__funnelshift_lc(5u, 6u, 40u)",
                     "__funnelshift_r(3u, 1u, 1u)",
                     "__funnelshift_rc(5u, 6u, 32u)",
                     "__fns(0xf0u, 0u, 2)",
                     "__fns(0xf0u, 6u, -2)",
                     "__fns(0xf0u, 5u, 0)",
                     "__fns(0xf0u, 0u, 5)",
                     "__byte_perm(0x03020100u, 0x07060504u, 0x7531u)",
                     "__brev(1u)",
                     "__ffsll(1ll << 40)",
                     "__popcll(~0ull)"}),
              ElementsAre(-2U, -1U, 0x7fffffffU, 0x80000000U, 0xffffffffU, 3U, ~0U, 1U, 1U, 7U, 107U, 113U,
                          3U, 5U, 0x80000001U, 6U, 5U, 5U, 5U, ~0U, 0x07050301U, 0x80000000U, 41U, 64U));
  EXPECT_THAT(words({"__dp4a(0x01ff02fe, 0x7f808182, 10)", "__dp4a(0x01ff02feu, 0x7f808182u, 10u)",
                     "__dp2a_lo((int)0xfffe0003, 0x0506ff07, 1)", "__dp2a_hi(0xfffe0003u, 0x05060708u, 1u)",
                     "__dp4a(make_char4(1, -2, 3, -4), make_char4(5, 6, 7, 8), 0)",
                     "__dp2a_lo(make_short2(-300, 2), make_char4(3, -4, 5, 6), 0)"}),
              // bytes from the low end: fe 02 ff 01 with 82 81 80 7f
              ElementsAre(static_cast<unsigned>(-2 * -126 + 2 * -127 + -1 * -128 + 1 * 127 + 10),
                          254U * 130U + 2U * 129U + 255U * 128U + 127U + 10U,
                          static_cast<unsigned>(3 * 7 + -2 * -1 + 1), 3U * 6U + 65534U * 5U + 1U,
                          static_cast<unsigned>(5 - 12 + 21 - 32), static_cast<unsigned>(-908)));
}

/// Each function of words, against the integers one by one.
TEST_F(CudaFunctions, IntegersInAWord) {
  const unsigned pairs[][2] = {{0x7f80ff01U, 0x01ff80feU},
                               {0x80808080U, 0x7f7f8080U},
                               {0x00010203U, 0x03020100U},
                               {0xffff0000U, 0x0001ffffU},
                               {0x12345678U, 0x9abcdef0U}};
  using Lane = int (*)(int, int);
  struct Function {
    const char* name;
    bool is_signed;
    Lane of_lane;
    bool saturates = false;
    bool sums = false;
  };
  const auto difference = [](int a, int b) { return a > b ? a - b : b - a; };
  const Function functions[] = {
      {"add", true, [](int a, int b) { return a + b; }},
      {"sub", true, [](int a, int b) { return a - b; }},
      {"addss", true, [](int a, int b) { return a + b; }, true},
      {"addus", false, [](int a, int b) { return a + b; }, true},
      {"subss", true, [](int a, int b) { return a - b; }, true},
      {"subus", false, [](int a, int b) { return a - b; }, true},
      {"abs", true, [](int a, int) { return std::abs(a); }},
      {"absss", true, [](int a, int) { return std::abs(a); }, true},
      {"neg", true, [](int a, int) { return -a; }},
      {"negss", true, [](int a, int) { return -a; }, true},
      {"absdiffs", true, difference},
      {"absdiffu", false, difference},
      {"avgs", true, [](int a, int b) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; }},
      {"avgu", false, [](int a, int b) { return (a + b + 1) / 2; }},
      {"haddu", false, [](int a, int b) { return (a + b) / 2; }},
      {"maxs", true, [](int a, int b) { return std::max(a, b); }},
      {"maxu", false, [](int a, int b) { return std::max(a, b); }},
      {"mins", true, [](int a, int b) { return std::min(a, b); }},
      {"minu", false, [](int a, int b) { return std::min(a, b); }},
      {"sads", true, difference, false, true},
      {"sadu", false, difference, false, true},
      {"seteq", true, [](int a, int b) { return a == b ? 1 : 0; }},
      {"setne", true, [](int a, int b) { return a != b ? 1 : 0; }},
      {"setlts", true, [](int a, int b) { return a < b ? 1 : 0; }},
      {"setltu", false, [](int a, int b) { return a < b ? 1 : 0; }},
      {"setges", true, [](int a, int b) { return a >= b ? 1 : 0; }},
      {"setgeu", false, [](int a, int b) { return a >= b ? 1 : 0; }},
      {"cmpeq", true, [](int a, int b) { return a == b ? -1 : 0; }},
      {"cmpne", true, [](int a, int b) { return a != b ? -1 : 0; }},
      {"cmpgts", true, [](int a, int b) { return a > b ? -1 : 0; }},
      {"cmpgtu", false, [](int a, int b) { return a > b ? -1 : 0; }},
      {"cmples", true, [](int a, int b) { return a <= b ? -1 : 0; }},
      {"cmpleu", false, [](int a, int b) { return a <= b ? -1 : 0; }}};
  std::vector<std::string> calls;
  std::vector<unsigned> wanted;
  for (const int lanes : {2, 4}) {
    const int bits = 32 / lanes;
    for (const Function& function : functions) {
      const std::string name = function.name;
      const bool unary = name.starts_with("neg") || name == "abs" || name == "absss";
      for (const auto& [a, b] : pairs) {
        calls.push_back("__v" + name + std::to_string(lanes) + "(" + std::to_string(a) + "u" +
                        (unary ? ")" : ", " + std::to_string(b) + "u)"));
        unsigned result = 0;
        for (int lane = 0; lane < lanes; ++lane) {
          const unsigned mask = (1U << bits) - 1;
          const auto of = [&](unsigned word) {
            const auto value = static_cast<int>(word >> (lane * bits) & mask);
            return function.is_signed && value >= 1 << (bits - 1) ? value - (1 << bits) : value;
          };
          int value = function.of_lane(of(a), of(b));
          const int low = function.is_signed ? -(1 << (bits - 1)) : 0;
          if (function.saturates) value = std::clamp(value, low, low + static_cast<int>(mask));
          if (function.sums)
            result += static_cast<unsigned>(value);
          else
            result |= (static_cast<unsigned>(value) & mask) << (lane * bits);
        }
        wanted.push_back(result);
      }
    }
  }
  const std::vector<unsigned> found = words(calls);
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(found[i], wanted[i]) << calls[i];
  EXPECT_THAT(words({"__viaddmax_s32(5, -9, -3)", "__viaddmax_s32_relu(5, -9, -3)", "__vimax3_s32(1, 9, 4)",
                     "__vimin3_u32(7u, ~0u, 8u)", "__vimin3_s16x2(0x00050005u, 0xffff0006u, 0x00010004u)",
                     "__viaddmin_u16x2(0x00010002u, 0x00030004u, 0x00050001u)", "__vimax_s32_relu(-1, -2)"}),
              ElementsAre(-3U, 0U, 9U, 7U, 0xffff0004U, 0x00040001U, 0U));
}

TEST_F(CudaFunctions, LargerAndSmallerIntegersWithWhichItIs) {
  const std::string before =
      "__device__ unsigned chosen() {\n  bool high, low;\n"
      "  const unsigned most = __vibmax_s16x2(0x0001fffeu, 0xffff0003u, &high, &low);\n"
      "  return most + 2 * high + 4 * low;\n}\n"
      "__device__ int smaller(int a, int b) {\n  bool first;\n  return 10 * __vibmin_s32(a, b, &first) + "
      "first;\n}\n";
  EXPECT_THAT(values<unsigned>("unsigned", {"chosen()", "smaller(3, 3)", "smaller(4, 3)"}, before),
              ElementsAre(0x00010003U + 2, 31U, 30U));
}

/// To 40 digits by mpmath; in units of the last place.
TEST_F(CudaFunctions, SpecialFunctions) {
  const std::tuple<const char*, double, double> cases[] = {
      {"erfinv(0.5)", 0.47693627620446987338, 2},
      {"erfinv(-0.999)", -2.3267537655135244939, 4},
      {"erfinv(1e-10)", 8.8622692545275801366e-11, 1},
      {"erfcinv(1e-100)", 15.065574702592645704, 2},
      {"erfcinv(1.5)", -0.47693627620446987338, 2},
      {"erfcinv(0.9)", 0.08885599049425766718, 2},
      {"normcdfinv(0.975)", 1.9599639845400542355, 4},
      {"normcdfinv(1e-20)", -9.2623400897984075804, 2},
      {"normcdf(-10.0)", 7.6198530241605260660e-24, 64},
      {"erfcx(0.5)", 0.61569034419292587487, 4},
      {"erfcx(9.5)", 0.059064678352563890854, 8},
      {"erfcx(30.0)", 0.018795888861416751497, 2},
      {"erfcx(-2.0)", 108.94090438997797241, 4},
      {"cyl_bessel_i0(0.5)", 1.0634833707413235693, 2},
      {"cyl_bessel_i0(20.0)", 43558282.559553533272, 8},
      {"cyl_bessel_i0(100.0)", 1.0737517071310738235e42, 64},
      {"cyl_bessel_i1(-3.0)", -3.9533702174026093965, 4},
      {"cyl_bessel_i1(50.0)", 2.9030785901035567968e20, 64},
      {"j0(2.0)", 0.22389077914123566805, 4},
      {"jn(3, 2.0)", 0.12894324947440205110, 4},
      {"y1(2.0)", -0.10703243154093754689, 4},
      {"sinpi(0.25)", 0.70710678118654752440, 1},
      {"cospi(1e15 + 0.5)", 0.0, 0},
      {"rcbrt(27.0)", 1.0 / 3.0, 1},
      {"rhypot(3.0, 4.0)", 0.2, 1},
      {"norm3d(1e200, 2e200, 2e200)", 3e200, 1},
      {"norm4d(1e-200, 1e-200, 1e-200, 1e-200)", 2e-200, 1},
      {"rnorm4d(1.0, 1.0, 1.0, 1.0)", 0.5, 0},
      {"norm(3, three)", 7.0, 0},
      {"rsqrt(16.0)", 0.25, 0},
      {"erfinv(1.0)", INFINITY, 0},
      {"erfcinv(2.0)", -INFINITY, 0}};
  std::vector<std::string> calls;
  for (const auto& [call, value, units] : cases) calls.emplace_back(call);
  const std::vector<double> found =
      values<double>("double", calls, "__device__ double three[3] = {2.0, 3.0, 6.0};\n");
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& [call, value, units] = cases[i];
    const double unit = std::nextafter(std::fabs(value), INFINITY) - std::fabs(value);
    if (std::isinf(value))
      EXPECT_EQ(found[i], value) << call;
    else
      EXPECT_NEAR(found[i], value, units * unit) << call;
  }
  EXPECT_THAT(
      values<float>("float",
                    {"erfinvf(0.5f)", "erfcinv(1.5f)", "normcdfinvf(0.96875f)", "cyl_bessel_i0f(0.5f)",
                     "norm3df(1e30f, 2e30f, 2e30f)", "erfcxf(0.5f)", "rnorm3df(2.f, 3.f, 6.f)"}),
      ElementsAre(0.476936276F, -0.476936276F, 1.86273187F, 1.06348337F, 3 * 1e30F, 0.615690344F, 1.0F / 7));
}

TEST_F(CudaFunctions, ClocksCountTheSame) {
  const std::string before =
      "#include <time.h>\n__device__ int ordered() {\n  const long long a = clock64();\n"
      "  const clock_t b = clock();\n  const long long c = clock64();\n  return a <= b && b <= c;\n}\n";
  EXPECT_THAT(values<int>("int", {"ordered()"}, before), ElementsAre(1));
}

TEST_F(CudaFunctions, TrapFailsTheLaunch) {
  DeviceFunction& k = kernels_.build(
      "extern \"C\" __global__ void k(int* a) {\n  if (a[threadIdx.x] < 0) __trap();\n  __prof_trigger(1);\n"
      "  __nanosleep(20);\n}\n",
      "k");
  std::vector<int> a(64, 1);
  kernels_.run(k, {{1, 1, 1}, {64, 1, 1}, 0}, a.data());
  a[40] = -1;
  EXPECT_THAT(
      [&] {
        kernels_.run(k, {{1, 1, 1}, {64, 1, 1}, 0}, a.data());
      },
      ::testing::ThrowsMessage<std::exception>(::testing::HasSubstr("the kernel calls __trap")));
}

/// As nvcc has them in a pass for a device.
TEST_F(CudaFunctions, MacrosOfTheCompiler) {
  const std::string before =
      "#include <cuda.h>\n#include <math_constants.h>\n"
      "#ifdef __CUDACC__\n#define HD __host__ __device__\n#endif\n"
      "HD int branch() {\n#ifdef __CUDA_ARCH__\n  return __CUDA_ARCH__;\n#else\n  return 1;\n#endif\n}\n"
      "#if CUDART_VERSION < 9000\n#error old\n#endif\n";
  EXPECT_THAT(values<int>("int",
                          {"branch()", "CUDART_VERSION", "CUDA_VERSION == CUDART_VERSION",
                           "__CUDACC_VER_MAJOR__", "INT_MAX", "CUDART_TWO_TO_23_F"},
                          before),
              ElementsAre(700, 12060, 1, 12, 2147483647, 8388608));
}

TEST_F(CudaFunctions, AtomicsOfFurtherTypes) {
  const std::string text =
      "extern \"C\" __global__ void k(unsigned long* a, long* b, float2* c) {\n"
      "  atomicAdd(a, 2ul);\n  atomicMin(b, -(long)threadIdx.x);\n  atomicAdd(c, make_float2(1, 2));\n"
      "  atomicOr_block((unsigned*)(a + 1), 1u << threadIdx.x);\n}\n";
  unsigned long a[2] = {};
  long b = 5;
  float c[2] = {};
  kernels_.run(kernels_.build(text, "k"), {{3, 1, 1}, {32, 1, 1}, 0}, &a[0], &b, &c[0]);
  EXPECT_EQ(a[0], 192U);
  EXPECT_EQ(a[1], 0xffffffffU);
  EXPECT_EQ(b, -31);
  EXPECT_THAT(c, ElementsAre(96.0F, 192.0F));
}

TEST_F(CudaFunctions, ATextMayDefineAtomicsOfTheSystemItself) {
  const std::string text =
      "template <class T> __device__ T atomicAdd(T* address, T value) { return *address += value; }\n"
      "template <class T> __device__ T atomicAdd_system(T* address, T value) { return *address += 2 * value; "
      "}\n"
      "extern \"C\" __global__ void k(int* a) { atomicAdd_system(a, 3); atomicOr_system(a + 1, 4); }\n";
  int a[2] = {1, 1};
  kernels_.run(kernels_.build(text, "k"), {{1, 1, 1}, {1, 1, 1}, 0}, &a[0]);
  EXPECT_THAT(a, ElementsAre(7, 5));
}

/// Texts for GPUs before sm_60 define the sum of doubles; without that definition Kiln's has to be there.
TEST_F(CudaFunctions, LaunchesWaitForTheOneBefore) {
  EXPECT_THAT(
      values<int>("int", {"(cudaGridDependencySynchronize(), cudaTriggerProgrammaticLaunchCompletion(), 3)"}),
      ElementsAre(3));
}

TEST_F(CudaFunctions, OfFloatAreInStdToo) {
  for (const char* before : {"", "#include <cmath>\nusing namespace std;\n"}) {
    EXPECT_THAT(values<float>("float",
                              {"std::sqrtf(4.0f)", "std::fmaxf(1.0f, 2.0f)", "std::cosf(0.0f)",
                               "std::fmaf(2.0f, 3.0f, 4.0f)", "sqrtf(9.0f) + fabsf(-1.0f)"},
                              before),
                ElementsAre(2, 2, 1, 10, 4));
  }
}

TEST_F(CudaFunctions, ATextsOwnAtomicSumOfDoublesGoesBeforeKilns) {
  const std::string own =
      "__device__ double atomicAdd(double* address, double value) {\n"
      "  const double old = *address;\n  *address += 2 * value;\n  return old;\n}\n";
  const std::string text =
      "extern \"C\" __global__ void k(double* a) {\n"
      "  atomicAdd(a, 1.5);\n  atomicAdd(&a[1], 2);\n  a[2] = atomicAdd(a, 0.25f);\n}\n";
  for (const bool defines : {false, true}) {
    double a[3] = {};
    kernels_.run(kernels_.build((defines ? own : "") + text, "k"), {{1, 1, 1}, {1, 1, 1}, 0}, &a[0]);
    const double times = defines ? 2 : 1;
    EXPECT_THAT(a, ElementsAre(times * 1.75, times * 2, times * 1.5));
  }
}

/// By themselves and beside the standard library's, whose names they share.
TEST_F(CudaFunctions, RelationsAndKindsOfReals) {
  for (const char* const header : {"", "#include <cmath>\n", "#include <math.h>\n"}) {
    EXPECT_THAT(
        values<int>("int",
                    {"isgreater(2.0f, 1.0f) + 10 * isgreater(1.0f, NAN)", "isgreaterequal(2.0, 2.0)",
                     "isless(1.0f, 2.0) + 10 * isless(2.0, 1.0f)", "islessequal(3.0f, 2.0f)",
                     "islessgreater(1.0f, 2.0f) + 10 * islessgreater(NAN, 1.0f)",
                     "isunordered(NAN, 1.0f) + 10 * isunordered(1.0, 2.0)",
                     "isnormal(1.0f) + 10 * isnormal(1e-40f) + 100 * isnormal(0.0)",
                     "fpclassify(1.0f) == fpclassify(-3.0) && fpclassify(0.0f) != fpclassify(1e-40f)",
                     "(__isnan(0.0) != 0) + 10 * (__isnanf(NAN) != 0) + 100 * (__isinff(-INFINITY) != 0)",
                     "(__finitef(1.0f) != 0) + 10 * (__finite(INFINITY) != 0) + 100 * __signbitf(-0.0f)",
                     "__signbit(-2.5) + 10 * __signbit(0.0) + 100 * __signbitf(-INFINITY)",
                     "nexttoward(1.0, 2.0L) > 1.0", "static_cast<int>(fdivide(7.0, 2.0) * 2)"},
                    header),
        ElementsAre(1, 1, 1, 0, 1, 1, 1, 1, 110, 101, 101, 1, 7))
        << header;
  }
  EXPECT_THAT(values<int>("int", {"fpclassify(NAN) == FP_NAN", "fpclassify(1e-40f) == FP_SUBNORMAL",
                                  "fpclassify(-INFINITY) == FP_INFINITE"}),
              ElementsAre(1, 1, 1));
}

/// nvcc includes the headers by itself.
TEST_F(CudaFunctions, NamesOfStdNeedNoHeader) {
  EXPECT_THAT(
      values<double>("double", {"std::sqrt(16.0f) + std::pow(2.0, 3.0)", "std::abs(-2.5f) + std::floor(1.5)",
                                "std::isnan(NAN) + 2 * std::isgreater(2.0f, 1.0f)",
                                "std::max(2, 3) + std::min(1.5, 2.5)",
                                "std::numeric_limits<float>::infinity() > std::numeric_limits<float>::max()",
                                "std::fma(2.0, 3.0, 4.0) + std::copysign(1.0, -0.0)"}),
      ElementsAre(12, 3.5, 3, 4.5, 1, 9));
  EXPECT_THAT(
      values<int>(
          "int", {"a", "b"}, "",
          "int a = 1, b = 2;\nstd::swap(a, b);\nauto c = std::make_pair(3, std::move(b));\na += c.second;"),
      ElementsAre(3, 1));
}

TEST_F(CudaFunctions, BuiltInFunctionsOfClang) {
  EXPECT_THAT(
      words({"__builtin_rotateleft32(0x80000001u, 4)", "__builtin_rotateright32(0x80000001u, 4)",
             "__builtin_rotateleft32(5u, 32)", "__builtin_rotateleft8((unsigned char)0x81, 1)",
             "__builtin_rotateright16((unsigned short)0x8001, 1)",
             "(unsigned)(__builtin_rotateleft64(0x123456789abcdef0ull, 20) >> 32)",
             "__builtin_bitreverse32(1u)", "(unsigned)(__builtin_bitreverse64(2ull) >> 32)",
             "__nv_bswap32(0x01020304u)", "__nv_bswap16((unsigned short)0x0102)"}),
      ElementsAre(0x18, 0x18000000, 5, 3, 0xc000, 0x6789abcd, 0x80000000, 0x40000000, 0x04030201, 0x0201));
  EXPECT_THAT(
      values<double>("double", {"__builtin_elementwise_max(2, 3)", "__builtin_elementwise_min(2u, 3u)",
                                "__builtin_elementwise_max(NAN, 1.5f)", "__builtin_elementwise_abs(-2)",
                                "__builtin_elementwise_abs(-2.5)", "__builtin_elementwise_floor(-2.5f)",
                                "__builtin_elementwise_ceil(2.25)"}),
      ElementsAre(3, 2, 1.5, 2, 2.5, -3, 3));
}

/// The alignments of CUDA 13.
TEST_F(CudaFunctions, VectorsOfFourWideNumbers) {
  const std::string before =
      "__device__ double sum(double4_16a a, double4_32a b) {\n"
      "  return a.x + 2 * a.w + 4 * b.y + 8 * b.z;\n}\n";
  EXPECT_THAT(values<double>("double",
                             {"sum(make_double4_16a(1, 0, 0, 3), make_double4_32a(0, 5, 7, 0))",
                              "alignof(double4_32a) + 100 * alignof(longlong4_16a) + sizeof(ulong4_32a)"},
                             before),
              ElementsAre(1 + 6 + 20 + 56, 32 + 1600 + 32));
}

TEST_F(CudaFunctions, FunctionOfNvstdHoldsWhatItCalls) {
  const std::string before = R"(#include <nvfunctional>
__device__ int twice(int x) { return 2 * x; }
struct Counted {  // copied by its constructor, and too large to lie inside
  static inline int objects = 0;
  int values[16];
  __device__ explicit Counted(int x) { for (int& value : values) value = x; ++objects; }
  __device__ Counted(const Counted& other) { for (int i = 0; i < 16; ++i) values[i] = other.values[i]; ++objects; }
  __device__ ~Counted() { --objects; }
  __device__ int operator()(int x) { return values[15]++ + x; }
};
__device__ int apply(const nvstd::function<int(int)>& f, int x) { return f ? f(x) : -1; }
)";
  const std::string statements = R"(
  const int base = 40;
  nvstd::function<int(int)> empty, pointer = twice, lambda = [=](int x) { return base + x; };
  int changed = 0;
  nvstd::function<void(int&)> change = [&](int& x) { x = 7; ++changed; };
  int written = 0;
  change(written);
  int counts[3];
  {
    nvstd::function<int(int)> large = Counted(5), copy = large;
    counts[0] = large(1) * 100 + large(1) * 10 + copy(1);  // each has its own object
    nvstd::function<int(int)> moved = static_cast<nvstd::function<int(int)>&&>(large);
    counts[1] = apply(moved, 1) * 10 + (large == nullptr);
    swap(moved, pointer);
    counts[2] = pointer(0) * 10 + moved(4);
    pointer = nullptr;
    lambda = moved;
  }
)";
  EXPECT_THAT(values<int>("int",
                          {"apply(empty, 1)", "apply(pointer, 1)", "lambda(8)", "written + changed",
                           "counts[0]", "counts[1]", "counts[2]", "Counted::objects"},
                          before, statements),
              ElementsAre(-1, -1, 16, 8, 676, 81, 88, 0));
}

}  // namespace
}  // namespace kiln::test
