// `asm` of PTX on the cpu, run: numbers of 16 and 8 bits, parts of registers, lanes, integers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>

#include "base/small_float.h"
#include "compile/hip/hiprtc_compiler.h"
#include "device/hip/code_object.h"
#include "kiln/error.h"
#include "specialize/ptx_words.h"
#include "support/compile_result.h"
#include "support/cpu_kernels.h"
#include "support/hip_on_cpu.h"
#include "support/recording_log.h"

namespace kiln::test {
namespace {

using Word = std::uint32_t;
using Long = std::uint64_t;

constexpr int kItems = 64;

/// Numbers that meet limits and signs, different for each operand and work-item.
Long input(int item, int operand) {
  Long state = static_cast<Long>(item * 3 + operand + 1) * 0x9e3779b97f4a7c15ULL;
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ULL;
  state ^= state >> 27;
  return item % 16 == 15 ? ~Long{0} : item % 16 == 14 ? 0 : state;
}

/// Halves in each half of a word, so that pairs have numbers and not NaN: magnitudes from 2^-7 to 2^7.
Word numbers(Word bits, int exponents, int digits, int bias) {
  const auto one = [&](Word part) {
    const Word exponent = static_cast<Word>(bias) - 7 + (part >> digits & 15u);
    return (part & 0x8000u) | (exponent & ((1u << exponents) - 1u)) << digits |
           (part & ((1u << digits) - 1u));
  };
  return one(bits >> 16) << 16 | one(bits & 0xffffu);
}

float real(int item, int operand) {
  const auto bits = static_cast<Word>(input(item, operand));
  return static_cast<float>(static_cast<std::int32_t>(bits)) / 65536.0F;
}

using Results = std::vector<Long>;  ///< of each work-item

/// Many statements in one kernel, which computes each one by itself.
class Batch {
 public:
  /// What the work-items compute that run `body` with the words a, b, c, the words of 64 bits A, B, C and the
  /// real numbers x, y; it sets r, h, f, or R of 64 bits. It is empty until `run`.
  const Results& add(const std::string& body, const std::function<Word(Word)>& word = {}) {
    cases_.push_back({body, word, {}});
    return cases_.back().results;
  }

  /// The kernel with PTX as it is.
  [[nodiscard]] std::string text() const {
    std::string all =
        "extern \"C\" __global__ void k(unsigned long long* out, const unsigned* words, const unsigned long "
        "long* longs, const float* reals) {\n  const int i = threadIdx.x;\n";
    for (std::size_t at = 0; at < cases_.size(); ++at) {
      const std::string words = "words[" + std::to_string(3 * kItems * at) + " + 3 * i + ";
      all +=
          "  {\n  unsigned a = " + words + "0], b = " + words + "1], c = " + words + "2], r = 0;\n" +
          "  unsigned long long A = longs[3 * i], B = longs[3 * i + 1], C = longs[3 * i + 2], R = 0;\n"
          "  float x = reals[3 * i], y = reals[3 * i + 1], f = 0;\n  unsigned short h = 0, g = a & 0xffff;\n"
          "  (void)A; (void)B; (void)C; (void)R; (void)b; (void)c; (void)x; (void)y; (void)f; (void)h; "
          "(void)g;\n" +
          cases_[at].body + "\n  out[" + std::to_string(kItems * at) +
          " + i] = R | r | h | __float_as_uint(f);\n  }\n";
    }
    return all + "}\n";
  }

  /// Runs the text, translated in some way, on the cpu.
  void run(CpuKernels& kernels, const Specialization& translated) {
    EXPECT_EQ(translated.source_text.find("asm"), std::string::npos) << translated.source_text;
    std::vector<Word> words;
    std::vector<Long> longs;
    std::vector<float> reals;
    for (const Case& one : cases_) {
      for (int i = 0; i < kItems; ++i) {
        for (int operand = 0; operand < 3; ++operand) {
          const auto bits = static_cast<Word>(input(i, operand));
          words.push_back(one.word ? one.word(bits) : bits);
        }
      }
    }
    for (int i = 0; i < kItems; ++i) {
      for (int operand = 0; operand < 3; ++operand) {
        longs.push_back(input(i, operand));
        reals.push_back(real(i, operand));
      }
    }
    DeviceFunction& k = kernels.build(translated);
    std::vector<Long> out(kItems * cases_.size());
    kernels.run(k, {{1, 1, 1}, {kItems, 1, 1}, 0}, out.data(), words.data(), longs.data(), reals.data());
    for (std::size_t at = 0; at < cases_.size(); ++at) {
      const auto first = out.begin() + static_cast<std::ptrdiff_t>(kItems * at);
      cases_[at].results.assign(first, first + kItems);
    }
  }

 private:
  struct Case {
    std::string body;
    std::function<Word(Word)> word;
    Results results;
  };
  std::deque<Case> cases_;
};

class PtxKernels : public ::testing::Test {
 protected:
  void run(Batch& batch) { batch.run(kernels_, kernels_.specialize(without_simple_ptx(batch.text()), "k")); }

  CpuKernels kernels_;
};

/// By the cpu's translation; by that for HIP, whose functions of namespace kiln_cuda are compiled for the cpu
/// here; and that one compiled with the machine's hipRTC, where nothing is run.
class PtxOfBackend : public PtxKernels, public ::testing::WithParamInterface<std::string> {
 protected:
  /// Whether there are results.
  bool run(Batch& batch) {
    if (GetParam() == "cpu") {
      PtxKernels::run(batch);
      return true;
    }
    if (GetParam() == "hip") {
      batch.run(kernels_, hip_on_cpu(kernels_, batch.text()));
      return true;
    }
    compile_for_gpu(kernels_.specialize(ptx_as_hip(batch.text(), "kernel.cu"), "k"));
    return false;
  }

 private:
  void compile_for_gpu(Specialization one) {
    RecordingLog log;
    const auto hiprtc = make_hiprtc_compiler({hip_places("", ""), "", ""}, kernels_.files(), log);
    try {
      static_cast<void>(hiprtc->identity());
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
    one.target = {"hip", GetParam(), wavefront_size(GetParam())};
    EXPECT_EQ(code_of(hiprtc->compile(one)).lowered_names.at("k"), "k");
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, PtxOfBackend, ::testing::Values("cpu", "hip", "gfx90a"),
                         [](const auto& variant) { return variant.param; });

template <class Format>
float of(Word bits) {
  return static_cast<float>(SmallFloat<Format>::of_bits(bits & 0xffffu));
}
template <class Format>
Word bits_of(double value) {
  return SmallFloat<Format>(value).bits;
}

TEST_F(PtxKernels, NumbersOf16BitsAndPairsOfThem) {
  struct Case {
    const char* instruction;
    std::function<double(double, double, double)> exact;
    int operands;
  };
  const std::vector<Case> cases = {
      {"add.rn", [](double a, double b, double) { return a + b; }, 2},
      {"sub", [](double a, double b, double) { return a - b; }, 2},
      {"mul.rn", [](double a, double b, double) { return a * b; }, 2},
      {"fma.rn", [](double a, double b, double c) { return a * b + c; }, 3},
      {"fma.rn.relu", [](double a, double b, double c) { return a * b + c > 0 ? a * b + c : 0; }, 3},
      {"min", [](double a, double b, double) { return a < b ? a : b; }, 2},
      {"max.NaN", [](double a, double b, double) { return a > b ? a : b; }, 2},
      {"neg", [](double a, double, double) { return -a; }, 1},
      {"abs", [](double a, double, double) { return a < 0 ? -a : a; }, 1}};
  Batch batch;
  std::vector<std::function<void()>> checks;
  const auto add = [&](const Case& one, const std::string& type, const auto& number, const auto& small,
                       const std::function<Word(Word)>& word) {
    const std::string operands = one.operands == 3 ? ", %2, %3" : one.operands == 2 ? ", %2" : "";
    const Results& pairs =
        batch.add("asm volatile(\"" + std::string(one.instruction) + "." + type + "x2 %0, %1" + operands +
                      ";\" : \"=r\"(r) : \"r\"(a), \"r\"(b), \"r\"(c));",
                  word);
    const Results& halves =
        batch.add("asm(\"{" + std::string(one.instruction) + "." + type + " %0, %1" + operands +
                      ";}\\n\" : \"=h\"(h) : \"h\"(g), \"h\"((unsigned short)b), \"h\"((unsigned short)c));",
                  word);
    checks.emplace_back([&one, type, number, small, word, &pairs, &halves] {
      SCOPED_TRACE(one.instruction + ("." + type));
      for (int i = 0; i < kItems; ++i) {
        Word operand[3];
        for (int k = 0; k < 3; ++k) operand[k] = word(static_cast<Word>(input(i, k)));
        const auto part = [&](int shift) {
          return small(one.exact(number(operand[0] >> shift), number(operand[1] >> shift),
                                 number(operand[2] >> shift)));
        };
        const auto at = static_cast<std::size_t>(i);
        EXPECT_EQ(pairs[at], part(16) << 16 | part(0));
        EXPECT_EQ(halves[at], part(0));
      }
    });
  };
  for (const Case& one : cases) {
    add(one, "f16", of<HalfFormat>, bits_of<HalfFormat>, [](Word x) { return numbers(x, 5, 10, 15); });
    add(one, "bf16", of<Bfloat16Format>, bits_of<Bfloat16Format>,
        [](Word x) { return numbers(x, 8, 7, 127); });
  }
  run(batch);
  for (const auto& check : checks) check();
}

TEST_F(PtxKernels, FunctionsAndLimitsOfNumbersOf16Bits) {
  const auto limited = [](double x) { return x > 1 ? 1.0 : x > 0 ? x : 0.0; };
  struct Case {
    const char* instruction;
    std::function<double(double, double, double)> exact;
    int operands;
  };
  const std::vector<Case> cases = {
      {"add.sat.f16", [&](double a, double b, double) { return limited(a + b); }, 2},
      {"sub.sat.f16", [&](double a, double b, double) { return limited(a - b); }, 2},
      {"mul.sat.f16", [&](double a, double b, double) { return limited(a * b); }, 2},
      {"fma.rn.sat.f16", [&](double a, double b, double c) { return limited(a * b + c); }, 3},
      {"ex2.approx.f16", [](double a, double, double) { return std::exp2(a); }, 1},
      {"tanh.approx.f16", [](double a, double, double) { return std::tanh(a); }, 1}};
  const auto word = [](Word bits) { return numbers(bits & 0xbfffbfffU, 5, 10, 15); };
  Batch batch;
  std::vector<const Results*> halves, pairs;
  for (const Case& one : cases) {
    const std::string operands = one.operands == 3 ? ", %2, %3" : one.operands == 2 ? ", %2" : "";
    halves.push_back(
        &batch.add("asm(\"" + std::string(one.instruction) + " %0, %1" + operands +
                       ";\" : \"=h\"(h) : \"h\"(g), \"h\"((unsigned short)b), \"h\"((unsigned short)c));",
                   word));
    pairs.push_back(&batch.add("asm(\"" + std::string(one.instruction) + "x2 %0, %1" + operands +
                                   ";\" : \"=r\"(r) : \"r\"(a), \"r\"(b), \"r\"(c));",
                               word));
  }
  run(batch);
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const Case& one = cases[n];
    SCOPED_TRACE(one.instruction);
    for (int i = 0; i < kItems; ++i) {
      double operand[3];
      for (int k = 0; k < 3; ++k) operand[k] = of<HalfFormat>(word(static_cast<Word>(input(i, k))));
      const Word expected = bits_of<HalfFormat>(one.exact(operand[0], operand[1], operand[2]));
      const auto at = static_cast<std::size_t>(i);
      // Of functions the last bit may differ: they are rounded from float.
      const auto got = static_cast<Word>((*halves[n])[at]);
      EXPECT_LE(got > expected ? got - expected : expected - got, one.operands == 1 ? 1U : 0U) << i;
      EXPECT_EQ((*pairs[n])[at] & 0xffff, got) << i;
    }
  }
}

TEST_F(PtxKernels, ConversionsOfNumbersOf16Bits) {
  Batch batch;
  const auto half = [](double x) { return bits_of<HalfFormat>(x); };
  const auto brain = [](double x) { return bits_of<Bfloat16Format>(x); };
  const Results& halves = batch.add("asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(x));");
  const Results& brains = batch.add("asm(\"{  cvt.rn.bf16.f32 %0, %1;}\\n\" : \"=h\"(h) : \"f\"(x));");
  const Results& pairs = batch.add("asm(\"cvt.rn.f16x2.f32 %0, %1, %2;\" : \"=r\"(r) : \"f\"(x), \"f\"(y));");
  const Results& limited =
      batch.add("asm(\"cvt.rn.relu.bf16x2.f32 %0, %1, %2;\" : \"=r\"(r) : \"f\"(x), \"f\"(y));");
  const Results& back = batch.add(
      "asm(\"{ .reg .f16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, high; }\" : \"=f\"(f) : "
      "\"r\"(a));",
      [](Word w) { return numbers(w, 5, 10, 15); });
  const Results& cut = batch.add("asm(\"cvt.rz.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(x));");
  const Results& whole = batch.add("asm(\"cvt.rzi.s32.f16 %0, %1;\" : \"=r\"(r) : \"h\"(g));",
                                   [](Word w) { return numbers(w, 5, 10, 15); });
  const Results& of_whole = batch.add("asm(\"cvt.rn.f16.s32 %0, %1;\" : \"=h\"(h) : \"r\"((int)a >> 20));");
  run(batch);
  for (int i = 0; i < kItems; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double x = real(i, 0), y = real(i, 1);
    EXPECT_EQ(halves[at], half(x));
    EXPECT_EQ(brains[at], brain(x));
    EXPECT_EQ(pairs[at], half(x) << 16 | half(y));
    EXPECT_EQ(limited[at], brain(x > 0 ? x : 0) << 16 | brain(y > 0 ? y : 0));
    const Word word = numbers(static_cast<Word>(input(i, 0)), 5, 10, 15);
    EXPECT_EQ(std::bit_cast<float>(static_cast<Word>(back[at])), of<HalfFormat>(word >> 16));
    // Towards zero: the nearest one, or its neighbour.
    const Word nearest = half(x);
    const bool above = std::abs(of<HalfFormat>(nearest)) > std::abs(x);
    EXPECT_EQ(cut[at], above ? nearest - 1 : nearest);
    EXPECT_EQ(static_cast<std::int32_t>(whole[at]), static_cast<std::int32_t>(of<HalfFormat>(word)));
    EXPECT_EQ(of_whole[at], half(static_cast<std::int32_t>(input(i, 0)) >> 20));
  }
}

TEST_F(PtxKernels, NumbersOf8Bits) {
  Batch batch;
  // 1.5 and -448 exactly, 1000 limited: e4m3 has 3 bits behind the point, e5m2 2.
  const Results& made = batch.add(
      "asm(\"cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;\" : \"=h\"(h) : \"f\"(i % 2 ? 1000.0f : 1.5f), "
      "\"f\"(-448.0f));");
  const Results& wide =
      batch.add("asm(\"cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;\" : \"=h\"(h) : \"f\"(1.5f), \"f\"(-1e9f));");
  const Results& back =
      batch.add("asm(\"{cvt.rn.f16x2.e4m3x2 %0, %1;}\" : \"=r\"(r) : \"h\"((unsigned short)0x3cfe));");
  const Results& pairs =
      batch.add("asm(\"cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;\" : \"=h\"(h) : \"r\"(0x3e00df00u));");
  run(batch);
  EXPECT_EQ(made[0], 0x3cfeU);
  EXPECT_EQ(made[1], 0x7efeU);
  EXPECT_EQ(wide[0], 0x3efbU);
  EXPECT_EQ(back[0], bits_of<HalfFormat>(1.5) << 16 | bits_of<HalfFormat>(-448));
  EXPECT_EQ(pairs[0], 0x3cfeU);
}

TEST_F(PtxKernels, AtomicsOfPairs) {
  const std::string text = without_simple_ptx(R"(#include <cuda_fp16.h>
extern "C" __global__ void k(__half2* sum, unsigned short* before) {
  const unsigned one = 0x40003c00u;  // 1 and 2
  asm volatile("red.global.add.noftz.f16x2 [%0], %1;" :: "l"(sum), "r"(one) : "memory");
  asm volatile("atom.global.add.noftz.f16 %0, [%1], %2;" : "=h"(before[threadIdx.x]) : "l"(sum + 1), "h"((unsigned short)one));
})");
  ASSERT_EQ(text.find("asm"), std::string::npos) << text;
  DeviceFunction& k = kernels_.build(text, "k");
  std::vector<Word> sum(2);
  std::vector<std::uint16_t> before(kItems);
  kernels_.run(k, {{1, 1, 1}, {kItems, 1, 1}, 0}, sum.data(), before.data());
  EXPECT_EQ(sum[0], bits_of<HalfFormat>(2 * kItems) << 16 | bits_of<HalfFormat>(kItems));
  EXPECT_EQ(sum[1], bits_of<HalfFormat>(kItems));
  float total = 0;
  for (const std::uint16_t one : before) total += of<HalfFormat>(one);
  EXPECT_EQ(total, kItems * (kItems - 1) / 2);
}

TEST_P(PtxOfBackend, PartsOfRegisters) {
  Batch batch;
  const Results& swapped = batch.add(
      "asm(\"{ .reg .b16 l, h; mov.b32 {l, h}, %1; mov.b32 %0, {h, l}; }\" : \"=r\"(r) : \"r\"(a));");
  const Results& high = batch.add("asm(\"mov.b32 {_, %0}, %1;\" : \"=h\"(h) : \"r\"(a));");
  const Results& four = batch.add(
      "asm(\"{ .reg .b16 p, q, s, t; mov.b64 {p, q, s, t}, %1; mov.b64 %0, {t, s, q, p}; }\" : \"=l\"(R) "
      ": \"l\"(A));");
  const Results& real_halves = batch.add("asm(\"mov.b64 %0, {%1, %2};\" : \"=l\"(R) : \"f\"(x), \"f\"(y));");
  const Results& constant =
      batch.add("asm(\"{.reg .b32 k; mov.b32 k, 0x3f803f80U; xor.b32 %0, %1, k;}\" : \"=r\"(r) : \"r\"(a));");
  if (!run(batch)) return;
  for (int i = 0; i < kItems; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto a = static_cast<Word>(input(i, 0));
    const Long wide = input(i, 0);
    EXPECT_EQ(swapped[at], (a << 16 | a >> 16));
    EXPECT_EQ(high[at], a >> 16);
    EXPECT_EQ(four[at], wide << 48 | (wide >> 16 & 0xffff) << 32 | (wide >> 32 & 0xffff) << 16 | wide >> 48);
    EXPECT_EQ(real_halves[at], Long{std::bit_cast<Word>(real(i, 1))} << 32 | std::bit_cast<Word>(real(i, 0)));
    EXPECT_EQ(constant[at], a ^ 0x3f803f80U);
  }
}

TEST_P(PtxOfBackend, Integers) {
  __extension__ using Wide = unsigned __int128;
  __extension__ using SignedWide = __int128;
  struct Case {
    const char* statement;
    std::function<Long(Long, Long, Long)> exact;
  };
  const auto word = [](Long x) { return static_cast<std::int32_t>(x); };
  const std::vector<Case> cases = {
      {"asm(\"bfe.u64 %0, %1, %2, 13;\" : \"=l\"(R) : \"l\"(A), \"r\"((unsigned)(B & 63)));",
       [](Long a, Long b, Long) { return a >> (b & 63) & 0x1fff; }},
      {"asm(\"bfi.b64 %0, %1, %2, 20, 9;\" : \"=l\"(R) : \"l\"(A), \"l\"(B));",
       [](Long a, Long b, Long) { return (b & ~(0x1ffULL << 20)) | (a & 0x1ff) << 20; }},
      {"asm(\"bfind.u64 %0, %1;\" : \"=r\"(r) : \"l\"(A));",
       [](Long a, Long, Long) { return Long{a == 0 ? ~0U : static_cast<Word>(std::bit_width(a)) - 1}; }},
      {"asm(\"mad.hi.u64 %0, %1, %2, %3;\" : \"=l\"(R) : \"l\"(A), \"l\"(B), \"l\"(C));",
       [](Long a, Long b, Long c) { return static_cast<Long>(static_cast<Wide>(a) * b >> 64) + c; }},
      {"asm(\"add.cc.u64 %0, %1, %2; madc.hi.s64 %0, %1, %2, %3;\" : \"=&l\"(R) : \"l\"(A), \"l\"(B), "
       "\"l\"(C));",
       [](Long a, Long b, Long c) {
         const SignedWide product =
             static_cast<SignedWide>(static_cast<std::int64_t>(a)) * static_cast<std::int64_t>(b);
         return static_cast<Long>(product >> 64) + c + (a + b < a ? 1 : 0);
       }},
      {"asm(\"mul.wide.s16 %0, %1, %2;\" : \"=r\"(r) : \"h\"((short)a), \"h\"((short)b));",
       [](Long a, Long b, Long) {
         return Long{static_cast<Word>(static_cast<std::int16_t>(a) * static_cast<std::int16_t>(b))};
       }},
      {"asm(\"cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;\" : \"=r\"(r) : \"r\"((int)a >> 20), \"r\"((int)b >> "
       "20), "
       "\"r\"(c));",
       [&](Long a, Long b, Long c) {
         const auto limited = [&](Long x) {
           return static_cast<Word>(std::min(std::max(word(x) >> 20, 0), 255));
         };
         return Long{static_cast<Word>(c) << 16 | limited(a) << 8 | limited(b)};
       }},
      {"asm(\"cvt.pack.sat.s16.s32 %0, %1, %2;\" : \"=r\"(r) : \"r\"((int)a >> 8), \"r\"((int)b >> 8));",
       [&](Long a, Long b, Long) {
         const auto limited = [&](Long x) {
           return static_cast<Word>(std::min(std::max(word(x) >> 8, -32768), 32767)) & 0xffffU;
         };
         return Long{limited(a) << 16 | limited(b)};
       }},
      {"asm(\"vmax.s32.s32.s32.min %0, %1, %2, %3;\" : \"=r\"(r) : \"r\"(a), \"r\"(b), \"r\"(c));",
       [&](Long a, Long b, Long c) {
         return Long{static_cast<Word>(std::min(std::max(word(a), word(b)), word(c)))};
       }},
      {"asm(\"bfe.s64 %0, %1, 21, 13;\" : \"=l\"(R) : \"l\"(A));",
       [](Long a, Long, Long) {
         return static_cast<Long>(static_cast<std::int64_t>(a << (64 - 34)) >> (64 - 13));
       }},
      {"asm(\"bfe.s32 %0, %1, 30, 13;\" : \"=r\"(r) : \"r\"(a));",  // goes on with the sign
       [&](Long a, Long, Long) { return Long{static_cast<Word>(word(a) >> 30)}; }},
      {"asm(\"bfind.s64 %0, %1;\" : \"=r\"(r) : \"l\"(A));",
       [](Long a, Long, Long) {
         const Long other = static_cast<std::int64_t>(a) < 0 ? ~a : a;
         return Long{other == 0 ? ~0U : static_cast<Word>(std::bit_width(other)) - 1};
       }},
      {"asm(\"bfind.shiftamt.u32 %0, %1;\" : \"=r\"(r) : \"r\"(a));",
       [](Long a, Long, Long) {
         const auto bits = static_cast<Word>(a);
         return Long{bits == 0 ? ~0U : static_cast<Word>(std::countl_zero(bits))};
       }},
      {"asm(\"add.sat.s32 %0, %1, %2;\" : \"=r\"(r) : \"r\"(a), \"r\"(b));",
       [&](Long a, Long b, Long) {
         const std::int64_t sum = std::int64_t{word(a)} + word(b);
         return Long{static_cast<Word>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX))};
       }},
      {"asm(\"sub.sat.s32 %0, %1, %2;\" : \"=r\"(r) : \"r\"(a), \"r\"(b));",
       [&](Long a, Long b, Long) {
         const std::int64_t sum = std::int64_t{word(a)} - word(b);
         return Long{static_cast<Word>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX))};
       }},
      // Sums and products wrap, also those with a sign.
      {"asm(\"mad.lo.s32 %0, %1, %2, %3;\" : \"=r\"(r) : \"r\"(a), \"r\"(b), \"r\"(c));",
       [](Long a, Long b, Long c) { return Long{static_cast<Word>(a * b + c)}; }},
      {"asm(\"{ .reg .s32 t; add.s32 t, %1, %2; sub.s32 %0, t, %3; }\" : \"=r\"(r) : \"r\"((int)a), "
       "\"r\"((int)b), \"r\"((int)c));",
       [](Long a, Long b, Long c) { return Long{static_cast<Word>(a + b - c)}; }},
      // A carry that another statement takes.
      {"asm(\"add.cc.u32 %0, %1, %2;\" : \"=r\"(r) : \"r\"(a), \"r\"(b)); asm(\"addc.u32 %0, %1, 0;\" : "
       "\"=r\"(r) "
       ": \"r\"(c));",
       [](Long a, Long b, Long c) {
         const auto low = static_cast<Word>(a), sum = static_cast<Word>(a + b);
         return Long{static_cast<Word>(c + (sum < low ? 1 : 0))};
       }},
      {"asm(\"{ sub.cc.u64 %0, %1, %2; subc.u64 %0, %3, 0; }\" : \"=&l\"(R) : \"l\"(A), \"l\"(B), \"l\"(C));",
       [](Long a, Long b, Long c) { return c - (a < b ? 1 : 0); }},
      {"asm(\"prmt.b32 %0, %1, %2, 0xb174;\" : \"=r\"(r) : \"r\"(a), \"r\"(b));",
       [](Long a, Long b, Long) {
         const auto sign = static_cast<Word>(static_cast<std::int8_t>(a >> 24) >> 7);
         return Long{(b & 0xff) | (b >> 24 & 0xff) << 8 | (a >> 8 & 0xff) << 16 | (sign & 0xffU) << 24};
       }},
      {"asm(\"lop3.b32 %0, %1, %2, %3, 0x96;\" : \"=r\"(r) : \"r\"(a), \"r\"(b), \"r\"(c));",
       [](Long a, Long b, Long c) { return (a ^ b ^ c) & 0xffffffffU; }},
      {"asm(\"shf.l.clamp.b32 %0, %1, %2, %3;\" : \"=r\"(r) : \"r\"(a), \"r\"(b), \"r\"(c & 63));",
       [](Long a, Long b, Long c) {
         const Word shift = std::min<Word>(static_cast<Word>(c & 63), 32);
         return ((b & 0xffffffffU) << 32 | (a & 0xffffffffU)) << shift >> 32 & 0xffffffffU;
       }},
      {"asm(\"vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;\" : \"=r\"(r) : \"r\"(a), \"r\"(b), \"r\"(c));",
       [](Long a, Long b, Long c) {
         Word sum = static_cast<Word>(c);
         for (int shift = 0; shift < 32; shift += 8) {
           const int x = static_cast<int>(a >> shift & 0xff), y = static_cast<int>(b >> shift & 0xff);
           sum += static_cast<Word>(std::abs(x - y));
         }
         return Long{sum};
       }},
      {"asm(\"dp4a.s32.s32 %0, %1, %2, %3;\" : \"=r\"(r) : \"r\"(a), \"r\"(b), \"r\"(c));",
       [](Long a, Long b, Long c) {
         Word sum = static_cast<Word>(c);
         for (int shift = 0; shift < 32; shift += 8)
           sum +=
               static_cast<Word>(static_cast<std::int8_t>(a >> shift) * static_cast<std::int8_t>(b >> shift));
         return Long{sum};
       }},
      {"asm(\"mul.lo.s64 %0, %1, %2;\" : \"=l\"(R) : \"l\"(A), \"l\"(B));",
       [](Long a, Long b, Long) { return a * b; }},
      {"asm(\"mul.lo.u16 %0, %1, %2;\" : \"=h\"(h) : \"h\"(g), \"h\"((unsigned short)b));",
       [](Long a, Long b, Long) { return a * b & 0xffff; }}};
  Batch batch;
  std::vector<const Results*> results;
  for (const Case& one : cases) results.push_back(&batch.add(one.statement));
  if (!run(batch)) return;
  for (std::size_t n = 0; n < cases.size(); ++n) {
    SCOPED_TRACE(cases[n].statement);
    for (int i = 0; i < kItems; ++i)
      EXPECT_EQ(results[n]->at(static_cast<std::size_t>(i)),
                cases[n].exact(input(i, 0), input(i, 1), input(i, 2)))
          << i;
  }
}

TEST_P(PtxOfBackend, LanesOfAWarp) {
  Batch batch;
  // Segments of 8 lanes: the upper bits of the limits are 32 - 8, the lower ones 31, and 0 for `up`.
  const std::string found =
      "asm volatile(\"{ .reg .pred p; shfl.sync.WAY.b32 %0|p, %1, 3, LIMITS, 0xffffffff; @!p mov.b32 %0, 77; "
      "}\" "
      ": \"=r\"(r) : \"r\"((unsigned)i));";
  const auto shuffled = [&](const std::string& way, const std::string& limits) -> const Results& {
    std::string text = found;
    text.replace(text.find("WAY"), 3, way);
    text.replace(text.find("LIMITS"), 6, limits);
    return batch.add(text);
  };
  const Results &down = shuffled("down", "0x181f"), &up = shuffled("up", "0x1800"),
                &bfly = shuffled("bfly", "0x181f"), &idx = shuffled("idx", "0x181f");
  const Results& real_one = batch.add(
      "asm(\"shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;\" : \"=f\"(f) : \"f\"(x), \"r\"(16));");
  const Results& ballot = batch.add(
      "asm(\"{ .reg .pred p; setp.gt.s32 p, %1, 40; vote.sync.ballot.b32 %0, p, 0xffffffff; }\" : "
      "\"=r\"(r) : \"r\"(i));");
  const Results& any = batch.add(
      "asm(\"{ .reg .pred p, q; setp.gt.s32 p, %1, 40; vote.sync.any.pred q, p, 0xffffffff; selp.b32 %0, "
      "5, 6, q; }\" "
      ": \"=r\"(r) : \"r\"(i));");
  const Results& all = batch.add(
      "asm(\"{ .reg .pred p, q; setp.gt.s32 p, %1, 31; vote.sync.all.pred q, p, 0xffffffff; selp.b32 %0, 5, "
      "6, q; }\" : \"=r\"(r) : \"r\"(i));");
  const Results& leader = batch.add(
      "asm volatile(\"{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.b32 %0, 1, 0, p; }\" : \"=r\"(r));");
  const Results& same =
      batch.add("asm(\"match.any.sync.b32 %0, %1, 0xffffffff;\" : \"=r\"(r) : \"r\"(i % 4));");
  const Results& same_wide = batch.add(
      "asm(\"match.any.sync.b64 %0, %1, 0xffffffff;\" : \"=r\"(r) : \"l\"((unsigned long long)(i % 4) << "
      "40));");
  const auto whole_block = [&](const std::string& function, const std::string& limit) -> const Results& {
    return batch.add("asm volatile(\"{ .reg .pred p, q; setp.lt.s32 p, %1, " + limit + "; bar.red." +
                     function + ".pred q, 0, p; selp.b32 %0, 5, 6, q; }\" : \"=r\"(r) : \"r\"(i));");
  };
  const Results &each = whole_block("and", "64"), &not_each = whole_block("and", "63"),
                &some = whole_block("or", "1"), &none = whole_block("or", "0");
  const Results& count = batch.add(
      "asm volatile(\"{ .reg .pred p; setp.lt.s32 p, %1, 40; bar.red.popc.u32 %0, 0, p; }\" : \"=r\"(r) "
      ": \"r\"(i));");
  if (!run(batch)) return;
  for (int i = 0; i < kItems; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const int lane = i % 8;
    EXPECT_EQ(down[at], static_cast<Long>(lane + 3 < 8 ? i + 3 : 77));
    EXPECT_EQ(up[at], static_cast<Long>(lane >= 3 ? i - 3 : 77));
    EXPECT_EQ(bfly[at], static_cast<Long>(i ^ 3));
    EXPECT_EQ(idx[at], static_cast<Long>(i - lane + 3));
    EXPECT_EQ(std::bit_cast<float>(static_cast<Word>(real_one[at])), real(i ^ 16, 0));
    EXPECT_EQ(ballot[at], i < 32 ? 0U : ~0U << 9);
    EXPECT_EQ(any[at], i < 32 ? 6U : 5U);
    EXPECT_EQ(all[at], i < 32 ? 6U : 5U);
    EXPECT_EQ(leader[at], i % 32 == 0 ? 1U : 0U);
    EXPECT_EQ(same[at], 0x11111111U << (i % 4));
    EXPECT_EQ(same_wide[at], same[at]);
    EXPECT_EQ(each[at], 5U);
    EXPECT_EQ(not_each[at], 6U);
    EXPECT_EQ(some[at], 5U);
    EXPECT_EQ(none[at], 6U);
    EXPECT_EQ(count[at], 40U);
  }
}

/// Numbers that integers cannot hold are limited, and a direction of rounding is exact.
TEST_P(PtxOfBackend, ConversionsAndDirectionsOfRounding) {
  Batch batch;
  const Results &whole = batch.add("asm(\"cvt.rni.s32.f32 %0, %1;\" : \"=r\"(r) : \"f\"(x * 1e6f));"),
                &byte = batch.add("asm(\"cvt.rzi.sat.u8.f32 %0, %1;\" : \"=r\"(r) : \"f\"(x));"),
                &wide = batch.add("asm(\"cvt.rmi.s64.f32 %0, %1;\" : \"=l\"(R) : \"f\"(x * 1e18f));"),
                &down =
                    batch.add("asm(\"add.rm.f32 %0, %1, %2;\" : \"=f\"(f) : \"f\"(x), \"f\"(y * 1e-7f));"),
                &zero = batch.add("asm(\"mul.rz.f32 %0, %1, %2;\" : \"=f\"(f) : \"f\"(x), \"f\"(y));"),
                &above = batch.add("asm(\"cvt.rz.f32.u32 %0, %1;\" : \"=f\"(f) : \"r\"(a));"),
                &limited = batch.add("asm(\"add.sat.f32 %0, %1, %2;\" : \"=f\"(f) : \"f\"(x), \"f\"(y));"),
                &short_float = batch.add("asm(\"cvt.rna.tf32.f32 %0, %1;\" : \"=r\"(r) : \"f\"(x));");
  if (!run(batch)) return;
  const auto float_of = [](Long bits) { return std::bit_cast<float>(static_cast<Word>(bits)); };
  const auto below = [](double exact) {
    const auto near = static_cast<float>(exact);
    return near > exact ? std::nextafter(near, -INFINITY) : near;
  };
  for (int i = 0; i < kItems; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const float x = real(i, 0), y = real(i, 1);
    // 10 binary digits behind the first one, as of integers.
    const int exponent = x == 0 ? 0 : std::ilogb(x);
    EXPECT_EQ(float_of(short_float[at]), std::ldexp(std::round(std::ldexp(x, 10 - exponent)), exponent - 10));
    const double scaled = std::nearbyint(static_cast<double>(x * 1e6F));
    EXPECT_EQ(static_cast<std::int32_t>(whole[at]),
              static_cast<std::int32_t>(std::clamp(scaled, -2147483648.0, 2147483647.0)));
    EXPECT_EQ(byte[at], static_cast<Long>(std::clamp(std::trunc(x), 0.0F, 255.0F)));
    const float far = std::floor(x * 1e18F);
    EXPECT_EQ(static_cast<std::int64_t>(wide[at]), far >= 9223372036854775808.0F ? INT64_MAX
                                                   : far <= -9223372036854775808.0F
                                                       ? INT64_MIN
                                                       : static_cast<std::int64_t>(far));
    EXPECT_EQ(float_of(down[at]), below(double{x} + double{y * 1e-7F}));
    const double product = double{x} * y;
    EXPECT_EQ(float_of(zero[at]), product < 0 ? -below(-product) : below(product));
    EXPECT_EQ(float_of(above[at]), below(static_cast<Word>(input(i, 0))));
    EXPECT_EQ(float_of(limited[at]), std::clamp(x + y, 0.0F, 1.0F));
  }
}

TEST_F(PtxKernels, SizeOfDynamicSharedMemory) {
  DeviceFunction& k = kernels_.build(
      without_simple_ptx(
          "extern \"C\" __global__ void k(unsigned* out) {\n  extern __shared__ int s[];\n  s[threadIdx.x] "
          "= 1;\n  asm volatile(\"mov.u32 %0, %dynamic_smem_size;\" : \"=r\"(out[threadIdx.x]));\n}\n"),
      "k");
  std::vector<Word> out(2);
  kernels_.run(k, {{1, 1, 1}, {2, 1, 1}, 1024}, out.data());
  EXPECT_EQ(out[1], 1024U);
}

}  // namespace
}  // namespace kiln::test
