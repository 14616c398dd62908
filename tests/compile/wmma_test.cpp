// nvcuda::wmma on the cpu: products of tiles of every type and shape against plain sums.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/small_float.h"
#include "specialize/ptx_words.h"
#include "support/cpu_kernels.h"
#include "support/hip_on_cpu.h"

namespace kiln::test {
namespace {

using Half = SmallFloat<HalfFormat>;
using Bfloat16 = SmallFloat<Bfloat16Format>;

struct Shape {
  int m, n, k;
};

/// Kernel `k` of a text: split at its barriers, as fibers, or as it is for HIP.
constexpr const char* kWays[] = {"fibers", "split", "hip"};
DeviceFunction& build(CpuKernels& kernels, const std::string& text, const std::string& way) {
  if (way == "hip") return kernels.build(hip_on_cpu(kernels, text));
  Specialization specialization = kernels.specialize(without_simple_ptx(text), "k");
  EXPECT_EQ(specialization.source_text.find("asm"), std::string::npos) << specialization.source_text;
  if (way == "fibers") specialization.options = {"-DKILN_FIBERS"};
  DeviceFunction& k = kernels.build(specialization);
  EXPECT_EQ(k.attributes().fibers_because.has_value(), way == "fibers")
      << k.attributes().fibers_because.value_or("");
  return k;
}

class Wmma : public ::testing::Test {
 protected:
  /// D = 2 (A B + C) of 3 tiles along k by two warps, of which each makes one of two tiles of a row.
  template <class In, class Out>
  void compare(const std::string& in, const std::string& fragment_type, const std::string& out, Shape s,
               bool a_by_rows, bool b_by_rows, double tolerance, const std::string& changed = "") {
    SCOPED_TRACE(in + " " + out + " " + std::to_string(s.m) + "x" + std::to_string(s.n) + "x" +
                 std::to_string(s.k) + (a_by_rows ? " rows" : " columns") +
                 (b_by_rows ? " rows" : " columns"));
    const int depth = 3 * s.k, width = 2 * s.n;
    std::vector<In> a(static_cast<std::size_t>(s.m * depth)), b(static_cast<std::size_t>(depth * width));
    std::vector<Out> c(static_cast<std::size_t>(s.m * width));
    const auto number = [](std::size_t i, std::size_t factor) {
      return static_cast<int>(i * factor % 17) - 8;
    };
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<In>(number(i, 5) + offset_);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<In>(number(i, 7) + offset_);
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = static_cast<Out>(number(i, 3));
    const std::string shape = std::to_string(s.m) + ", " + std::to_string(s.n) + ", " + std::to_string(s.k);
    const std::string a_layout = a_by_rows ? "row_major" : "col_major",
                      b_layout = b_by_rows ? "row_major" : "col_major";
    const std::string text =
        "#include <mma.h>\nusing namespace nvcuda;\n"
        "extern \"C\" __global__ void k(" +
        out + "* d, const " + in + "* a, const " + in + "* b, const " + out +
        "* c) {\n"
        "  const int M = " +
        std::to_string(s.m) + ", N = " + std::to_string(s.n) + ", K = " + std::to_string(s.k) +
        ", warp = threadIdx.x / 32;\n"
        "  wmma::fragment<wmma::matrix_a, " +
        shape + ", " + fragment_type + ", wmma::" + a_layout +
        "> fa;\n"
        "  wmma::fragment<wmma::matrix_b, " +
        shape + ", " + fragment_type + ", wmma::" + b_layout +
        "> fb;\n"
        "  wmma::fragment<wmma::accumulator, " +
        shape + ", " + out +
        "> sum, start;\n"
        "  wmma::fill_fragment(sum, 0);\n"
        "  for (int k = 0; k < 3 * K; k += K) {\n"
        "    wmma::load_matrix_sync(fa, " +
        (a_by_rows ? "a + k, 3 * K" : "a + k * M, M") +
        ");\n"
        "    wmma::load_matrix_sync(fb, " +
        (b_by_rows ? "b + k * 2 * N + warp * N, 2 * N" : "b + k + warp * N * 3 * K, 3 * K") + ");\n" +
        changed +
        "    wmma::mma_sync(sum, fa, fb, sum);\n  }\n"
        "  wmma::load_matrix_sync(start, c + warp * N * M, M, wmma::mem_col_major);\n"
        "  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = (sum.x[i] + start.x[i]) * " +
        out +
        "(2);\n"
        "  wmma::store_matrix_sync(d + warp * N, sum, 2 * N, wmma::mem_row_major);\n}\n";
    for (const char* way : kWays) {
      SCOPED_TRACE(way);
      DeviceFunction& k = build(kernels_, text, way);
      std::vector<Out> d(c.size(), static_cast<Out>(-1));
      kernels_.run(k, {{1, 1, 1}, {64, 1, 1}, 0}, d.data(), a.data(), b.data(), c.data());
      for (int row = 0; row < s.m; ++row) {
        for (int column = 0; column < width; ++column) {
          double sum = static_cast<double>(c[static_cast<std::size_t>(row + column * s.m)]);
          for (int i = 0; i < depth; ++i) {
            const auto x = static_cast<std::size_t>(a_by_rows ? row * depth + i : i * s.m + row);
            const auto y = static_cast<std::size_t>(b_by_rows ? i * width + column : column * depth + i);
            sum += static_cast<double>(a[x]) * static_cast<double>(b[y]);
          }
          const auto found = static_cast<double>(d[static_cast<std::size_t>(row * width + column)]);
          ASSERT_NEAR(found, 2 * sum, tolerance * (1 + std::abs(sum)))
              << "row " << row << ", column " << column;
        }
      }
    }
  }

  CpuKernels kernels_;
  double offset_ = 0;
};

constexpr Shape kLarge[] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}};

TEST_F(Wmma, HalfInAllShapesAndLayouts) {
  compare<Half, float>("half", "half", "float", kLarge[0], true, true, 0);
  compare<Half, float>("half", "half", "float", kLarge[0], false, true, 0);
  compare<Half, float>("half", "half", "float", kLarge[1], true, false, 0);
  compare<Half, float>("half", "half", "float", kLarge[2], false, false, 0);
  compare<Half, Half>("half", "half", "half", {16, 16, 16}, true, false, 1e-2);
}

TEST_F(Wmma, Bfloat16) {
  for (const Shape shape : kLarge)
    compare<Bfloat16, float>("__nv_bfloat16", "__nv_bfloat16", "float", shape, true, false, 0);
}

TEST_F(Wmma, Tf32) {
  offset_ = 0.3125;
  compare<float, float>(
      "float", "wmma::precision::tf32", "float", {16, 16, 8}, true, true, 1e-6,
      "    for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);\n");
}

TEST_F(Wmma, Integers) {
  for (const Shape shape : kLarge) {
    compare<signed char, int>("signed char", "signed char", "int", shape, true, true, 0);
    offset_ = 8;
    compare<unsigned char, int>("unsigned char", "unsigned char", "int", shape, false, true, 0);
    offset_ = 0;
  }
}

TEST_F(Wmma, Double) {
  offset_ = 0.1;
  for (const bool rows : {true, false})
    compare<double, double>("double", "double", "double", {8, 8, 4}, rows, rows, 1e-13);
}

/// tf32 keeps 10 digits; ties go away from 0.
TEST_F(Wmma, RoundingToTf32) {
  float out[4] = {};
  kernels_.run(
      kernels_.build("#include <mma.h>\nextern \"C\" __global__ void k(float* out) {\n"
                     "  for (int i = 0; i < 4; ++i) out[i] = nvcuda::wmma::__float_to_tf32(out[i]);\n}\n",
                     "k"),
      {{1, 1, 1}, {1, 1, 1}, 0},
      (out[0] = 1 + 0x1p-11F, out[1] = -1 - 0x1p-11F, out[2] = 1 + 0x1p-12F, out[3] = INFINITY,
       static_cast<float*>(out)));
  EXPECT_THAT(out, ::testing::ElementsAre(1 + 0x1p-10F, -1 - 0x1p-10F, 1.0F, INFINITY));
}

/// Sums of int8 that an int does not hold are the largest int, if a kernel asks for that.
TEST_F(Wmma, SaturatedSums) {
  const std::string text = R"(#include <mma.h>
using namespace nvcuda::wmma;
extern "C" __global__ void k(int* d) {
  fragment<matrix_a, 16, 16, 16, signed char, row_major> a;
  fragment<matrix_b, 16, 16, 16, signed char, col_major> b;
  fragment<accumulator, 16, 16, 16, int> c;
  fill_fragment(a, 100);
  fill_fragment(b, 100);
  fill_fragment(c, 2147483000);
  mma_sync(c, a, b, c, true);
  store_matrix_sync(d, c, 16, mem_row_major);
})";
  for (const char* way : kWays) {
    SCOPED_TRACE(way);
    std::vector<int> d(256);
    kernels_.run(build(kernels_, text, way), {{1, 1, 1}, {32, 1, 1}, 0}, d.data());
    EXPECT_THAT(d, ::testing::Each(2147483647));
  }
}

/// Half of a warp cannot multiply. The message names what the text has: nvcuda::wmma, or an instruction.
TEST_F(Wmma, PartOfAWarpIsAFault) {
  const std::pair<std::string, std::string> cases[] = {
      {"nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> c;\n"
       "  nvcuda::wmma::fill_fragment(c, 0);\n"
       "  nvcuda::wmma::store_matrix_sync(d, c, 16, nvcuda::wmma::mem_row_major);\n",
       "all 32 lanes of a warp call nvcuda::wmma together"},
      {"float c[4] = {};\n  unsigned a = 0;\n"
       "  asm(\"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4}, {%4}, {%0, "
       "%1, %2, "
       "%3};\"\n      : \"+f\"(c[0]), \"+f\"(c[1]), \"+f\"(c[2]), \"+f\"(c[3]) : \"r\"(a));\n  d[0] = "
       "c[0];\n",
       "all 32 lanes of a warp run `mma` together"},
      {"__shared__ float s[256];\n  unsigned r, at = (unsigned)__cvta_generic_to_shared(s);\n"
       "  asm volatile(\"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];\" : \"=r\"(r) : \"r\"(at));\n"
       "  d[0] = r;\n",
       "all 32 lanes of a warp run `ldmatrix` or `stmatrix` together"}};
  for (const auto& [body, message] : cases) {
    for (const bool fibers : {true, false}) {
      const std::string text = without_simple_ptx(
          "#include <mma.h>\nextern \"C\" __global__ void k(float* d) {\n  " + body + "}\n");
      Specialization specialization = kernels_.specialize(text, "k");
      if (fibers) specialization.options = {"-DKILN_FIBERS"};
      DeviceFunction& k = kernels_.build(specialization);
      std::vector<float> d(256);
      try {
        kernels_.run(k, {{1, 1, 1}, {16, 1, 1}, 0}, d.data());
        ADD_FAILURE() << "no fault: " << message;
      } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr(message));
      }
    }
  }
}

/// A shape of `mma` with the places of its elements by the tables of the PTX ISA: for register i of lane
/// 4 g + t, where a register of small numbers holds several, i counts these.
struct PtxShape {
  const char* types;                  ///< of d, a, b and c
  const char *in, *out, *word, *sum;  ///< types in memory, and of registers; of b, `in_b` if that is another
  int m, n, k, packed, sums;          ///< numbers in a register
  const char *a_row, *a_column, *b_row, *b_column;
  const char* in_b = nullptr;
};

constexpr const char *kLow = "g", *kHigh8 = "i % 2 == 0 ? g : g + 8",
                     *kPair8 = "i < 2 || (i >= 4 && i < 6) ? g : g + 8", *kPair16 = "i % 4 < 2 ? g : g + 8",
                     *kFour = "i % 8 < 4 ? g : g + 8", *kQuad = "t * 4 + (i & 3)",
                     *kQuads = "t * 4 + (i & 3) + (i >= 8 ? 16 : 0)",
                     *kQuadsOfB = "t * 4 + (i & 3) + (i >= 4 ? 16 : 0)";

const PtxShape kPtxShapes[] = {
    {"f32.f16.f16.f32", "half", "float", "unsigned", "float", 16, 8, 16, 2, 1, kPair16,
     "t * 2 + (i & 1) + (i >= 4 ? 8 : 0)", "t * 2 + (i & 1) + (i >= 2 ? 8 : 0)", "g"},
    {"f32.f16.f16.f32", "half", "float", "unsigned", "float", 16, 8, 8, 2, 1, kPair8, "t * 2 + (i & 1)",
     "t * 2 + i", "g"},
    {"f16.f16.f16.f16", "half", "half", "unsigned", "unsigned", 16, 8, 16, 2, 2, kPair16,
     "t * 2 + (i & 1) + (i >= 4 ? 8 : 0)", "t * 2 + (i & 1) + (i >= 2 ? 8 : 0)", "g"},
    {"f32.bf16.bf16.f32", "__nv_bfloat16", "float", "unsigned", "float", 16, 8, 16, 2, 1, kPair16,
     "t * 2 + (i & 1) + (i >= 4 ? 8 : 0)", "t * 2 + (i & 1) + (i >= 2 ? 8 : 0)", "g"},
    {"f32.bf16.bf16.f32", "__nv_bfloat16", "float", "unsigned", "float", 16, 8, 8, 2, 1, kPair8,
     "t * 2 + (i & 1)", "t * 2 + i", "g"},
    {"f32.tf32.tf32.f32", "float", "float", "unsigned", "float", 16, 8, 8, 1, 1, kHigh8, "i < 2 ? t : t + 4",
     "i == 0 ? t : t + 4", "g"},
    {"f32.tf32.tf32.f32", "float", "float", "unsigned", "float", 16, 8, 4, 1, 1, kHigh8, "t", "t", "g"},
    {"f64.f64.f64.f64", "double", "double", "double", "double", 8, 8, 4, 1, 1, kLow, "t", "t", "g"},
    {"f64.f64.f64.f64", "double", "double", "double", "double", 16, 8, 4, 1, 1, kHigh8, "t", "t", "g"},
    {"f64.f64.f64.f64", "double", "double", "double", "double", 16, 8, 8, 1, 1, kHigh8, "i < 2 ? t : t + 4",
     "i == 0 ? t : t + 4", "g"},
    {"f64.f64.f64.f64", "double", "double", "double", "double", 16, 8, 16, 1, 1, kHigh8,
     "i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t", "i * 4 + t", "g"},
    {"s32.s8.s8.s32", "signed char", "int", "unsigned", "int", 16, 8, 32, 4, 1, kFour, kQuads, kQuadsOfB,
     "g"},
    {"s32.s8.s8.s32", "signed char", "int", "unsigned", "int", 16, 8, 16, 4, 1, kFour, kQuad, kQuad, "g"},
    {"s32.s8.s8.s32", "signed char", "int", "unsigned", "int", 8, 8, 16, 4, 1, kLow, kQuad, kQuad, "g"},
    {"s32.u8.u8.s32", "unsigned char", "int", "unsigned", "int", 8, 8, 16, 4, 1, kLow, kQuad, kQuad, "g"},
    {"s32.s8.u8.s32", "signed char", "int", "unsigned", "int", 16, 8, 32, 4, 1, kFour, kQuads, kQuadsOfB, "g",
     "unsigned char"},
    {"s32.u8.s8.s32", "unsigned char", "int", "unsigned", "int", 16, 8, 16, 4, 1, kFour, kQuad, kQuad, "g",
     "signed char"},
    {"satfinite.s32.s8.s8.s32", "signed char", "int", "unsigned", "int", 16, 8, 32, 4, 1, kFour, kQuads,
     kQuadsOfB, "g"},
    {"satfinite.s32.u8.u8.s32", "unsigned char", "int", "unsigned", "int", 8, 8, 16, 4, 1, kLow, kQuad, kQuad,
     "g"}};

/// "{%0, %1}" with the numbers from `first`.
std::string numbered(int first, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i > 0 ? ", %" : "%") + std::to_string(first + i);
  return text + "}";
}

class PtxProducts : public ::testing::Test {
 protected:
  static std::string text_of(const PtxShape& s) {
    const int as = s.m * s.k / 32, bs = s.n * s.k / 32, cs = s.m * s.n / 32;
    const int a_words = as / s.packed, b_words = bs / s.packed, c_words = cs / s.sums;
    const std::string letter = std::string(s.sum) == "float"    ? "f"
                               : std::string(s.sum) == "double" ? "d"
                                                                : "r";
    const std::string from = std::string(s.word) == "double" ? "d" : "r", in_b = s.in_b ? s.in_b : s.in;
    const auto operands = [](const std::string& constraint, const std::string& name, int count) {
      std::string text;
      for (int i = 0; i < count; ++i)
        text += (i > 0 ? ", \"" : "\"") + constraint + "\"(" + name + "[" + std::to_string(i) + "])";
      return text;
    };
    const auto n = [](int x) { return std::to_string(x); };
    const auto m = n(s.m), width = n(s.n), depth = n(s.k);
    return "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
           "#define MMA(d, a, b) asm volatile(\"mma.sync.aligned.m" +
           m + "n" + width + "k" + depth + ".row.col." + s.types + " \" \\\n  \"" + numbered(0, c_words) +
           ", " + numbered(c_words, a_words) + ", " + numbered(c_words + a_words, b_words) + ", " +
           numbered(0, c_words) + ";\\n\" \\\n  : " + operands("+" + letter, "d", c_words) + " : " +
           operands(from, "a", a_words) + ", " + operands(from, "b", b_words) +
           ")\n"
           "extern \"C\" __global__ void k(" +
           s.out + "* d, const " + s.in + "* a, const " + in_b + "* b, const " + s.out +
           "* c) {\n"
           "  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;\n"
           "  a += threadIdx.x / 32 * " +
           n(s.m * s.k) + ";\n  d += threadIdx.x / 32 * " + n(s.m * s.n) + ";\n  union { " + s.word +
           " words[" + n(a_words) + "]; " + s.in + " x[" + n(as) +
           "]; } fa;\n"
           "  union { " +
           s.word + " words[" + n(b_words) + "]; " + in_b + " x[" + n(bs) +
           "]; } fb;\n"
           "  union { " +
           s.sum + " words[" + n(c_words) + "]; " + s.out + " x[" + n(cs) +
           "]; } fc;\n"
           "  for (int i = 0; i < " +
           n(as) + "; ++i) fa.x[i] = a[(" + s.a_row + ") * " + depth + " + (" + s.a_column +
           ")];\n"
           "  for (int i = 0; i < " +
           n(bs) + "; ++i) fb.x[i] = b[(" + s.b_row + ") * " + width + " + (" + s.b_column +
           ")];\n"
           "  for (int i = 0; i < " +
           n(cs) + "; ++i) fc.x[i] = c[(g + i / 2 * 8) * " + width +
           " + t * 2 + (i & 1)];\n"
           "  MMA(fc.words, fa.words, fb.words);\n"
           "  for (int i = 0; i < " +
           n(cs) + "; ++i) d[(g + i / 2 * 8) * " + width + " + t * 2 + (i & 1)] = fc.x[i];\n}\n";
  }

  /// `least`: the smallest factors of a and b.
  template <class A, class B, class Out>
  void compare(const PtxShape& s, int least, int least_of_b) {
    SCOPED_TRACE(std::string(s.types) + " " + std::to_string(s.m) + "x" + std::to_string(s.n) + "x" +
                 std::to_string(s.k));
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    const bool limited = std::string(s.types).starts_with("satfinite");
    constexpr int kNearlyMost = 0x7fffffff - 40;
    std::vector<A> a(at(2 * s.m * s.k));
    std::vector<B> b(at(s.n * s.k));
    std::vector<Out> c(at(s.m * s.n)), d(at(2 * s.m * s.n));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<A>(static_cast<int>(i * i % 13) + least);
    for (std::size_t i = 0; i < b.size(); ++i)
      b[i] = static_cast<B>(static_cast<int>(i * i % 11) + least_of_b);
    for (std::size_t i = 0; i < c.size(); ++i) {
      const int sign = i % 3 == 0 ? -1 : 1;
      c[i] = static_cast<Out>(limited ? sign * kNearlyMost : static_cast<int>(i % 7));
    }
    for (const char* way : kWays) {
      SCOPED_TRACE(way);
      DeviceFunction& k = build(kernels_, text_of(s), way);
      kernels_.run(k, {{1, 1, 1}, {64, 1, 1}, 0}, d.data(), a.data(), b.data(), c.data());
      for (int warp = 0; warp < 2; ++warp) {
        for (int row = 0; row < s.m; ++row) {
          for (int column = 0; column < s.n; ++column) {
            auto sum = static_cast<double>(c[at(row * s.n + column)]);
            for (int i = 0; i < s.k; ++i)
              sum += static_cast<double>(a[at((warp * s.m + row) * s.k + i)]) *
                     static_cast<double>(b[at(i * s.n + column)]);
            if (limited) sum = std::clamp(sum, -2147483648.0, 2147483647.0);
            ASSERT_EQ(static_cast<double>(d[at((warp * s.m + row) * s.n + column)]), sum)
                << "warp " << warp << ", row " << row << ", column " << column;
          }
        }
      }
    }
  }

  CpuKernels kernels_;
};

TEST_F(PtxProducts, EachShapeAndType) {
  for (const PtxShape& s : kPtxShapes) {
    const std::string in = s.in, in_b = s.in_b ? s.in_b : s.in, out = s.out;
    using Byte = unsigned char;
    if (in == "half" && out == "half") compare<Half, Half, Half>(s, -6, -6);
    if (in == "half" && out == "float") compare<Half, Half, float>(s, -6, -6);
    if (in == "__nv_bfloat16") compare<Bfloat16, Bfloat16, float>(s, -6, -6);
    if (in == "float") compare<float, float, float>(s, -6, -6);
    if (in == "double") compare<double, double, double>(s, -6, -6);
    if (in == "signed char" && in_b == in) compare<signed char, signed char, int>(s, -6, -6);
    if (in == "unsigned char" && in_b == in) compare<Byte, Byte, int>(s, 240, 240);
    if (in == "signed char" && in_b != in) compare<signed char, Byte, int>(s, -6, 240);
    if (in == "unsigned char" && in_b != in) compare<Byte, signed char, int>(s, 240, -6);
  }
}

/// movmatrix turns an 8 x 8 matrix of the warp's lanes; its target may be its source.
TEST_F(PtxProducts, TransposedMatrixOfRegisters) {
  const std::string text = R"(
extern "C" __global__ void k(unsigned* d) {
  unsigned r = (threadIdx.x * 2) | (threadIdx.x * 2 + 1) << 16, turned[2] = {0, 0};
  int i = 0;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned[0]) : "r"(r + i++));
  asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(r));
  d[threadIdx.x * 2] = turned[0];
  d[threadIdx.x * 2 + 1] = r + (i - 1);
})";
  for (const char* way : kWays) {
    SCOPED_TRACE(way);
    DeviceFunction& k = build(kernels_, text, way);
    std::vector<unsigned> d(128);
    kernels_.run(k, {{1, 1, 1}, {64, 1, 1}, 0}, d.data());
    for (unsigned lane = 0; lane < 64; ++lane) {
      const unsigned row = lane % 32 / 4, column = lane % 4 * 2, first = lane / 32 * 64;
      const unsigned expected = (first + column * 8 + row) | (first + (column + 1) * 8 + row) << 16;
      EXPECT_EQ(d[lane * 2], expected) << lane;
      EXPECT_EQ(d[lane * 2 + 1], expected) << lane;
    }
  }
}

/// Copies by cp.async with zeros behind the end, ldmatrix of rows and columns, and a product.
TEST_F(PtxProducts, AsyncCopiesAndMatricesOfSharedMemory) {
  const std::string text = R"(#include <cuda_fp16.h>
#include <stdint.h>
#define LDMATRIX_X4(R0, R1, R2, R3, addr) \
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];\n" \
               : "=r"(R0), "=r"(R1), "=r"(R2), "=r"(R3) : "r"(addr))
extern "C" __global__ void k(float* d, const half* a, const half* b, int rows) {
  __shared__ half sa[16 * 16];
  extern __shared__ half sb[];
  const int lane = threadIdx.x;
  uint32_t to = __cvta_generic_to_shared(&sa[lane / 2 * 16 + lane % 2 * 8]);
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2, %3;\n" ::"r"(to),
               "l"(a + lane * 8), "n"(16), "r"(lane / 2 < rows ? 16 : 0));
  if (lane < 16) {
    uint32_t at;
    asm("{ .reg .u64 p; cvta.to.shared.u64 p, %1; cvt.u32.u64 %0, p; }" : "=r"(at) : "l"(&sb[lane * 8]));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(at), "l"(b + lane * 8));
  }
  asm volatile("cp.async.commit_group;\n" ::);
  asm volatile("cp.async.wait_group %0;\n" ::"n"(0));
  __syncthreads();
  uint32_t fa[4], fb[2];
  float c[4] = {0.f, 0.f, 0.f, 0.f};
  LDMATRIX_X4(fa[0], fa[1], fa[2], fa[3],
              static_cast<uint32_t>(__cvta_generic_to_shared(&sa[lane % 16 * 16 + lane / 16 * 8])));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(fb[0]), "=r"(fb[1])
               : "r"((uint32_t)__cvta_generic_to_shared(&sb[lane % 16 * 8])));
  uint32_t by_pointer[2];
#define LOAD(at) { asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.b16 {%0, %1}, [%2];" \
                                : "=r"(by_pointer[0]), "=r"(by_pointer[1]) : "l"(at)); }
  LOAD(sb + lane % 16 * 8)
  if (by_pointer[0] != fb[0] || by_pointer[1] != fb[1]) c[0] = 1e9f;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
               "{%10,%11,%12,%13};" : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])
               : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]),
                 "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
  for (int i = 0; i < 4; ++i) d[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = c[i];
  __syncthreads();
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::
               "r"((uint32_t)__cvta_generic_to_shared(&sa[lane % 16 * 16 + lane / 16 * 8])),
               "r"(fa[0]), "r"(fa[2]), "r"(fa[1]), "r"(fa[3]));
  __syncthreads();
  for (int i = 0; i < 8; ++i) d[128 + lane * 8 + i] = __half2float(sa[lane * 8 + i]);
})";
  std::vector<Half> a(256), b(128);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<Half>(static_cast<int>(i * i % 13) - 6);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<Half>(static_cast<int>(i * i % 11) - 5);
  for (const char* way : kWays) {
    SCOPED_TRACE(way);
    DeviceFunction& k = build(kernels_, text, way);
    std::vector<float> d(384, -1);
    const int rows = 11;
    kernels_.run(k, {{1, 1, 1}, {32, 1, 1}, 256}, d.data(), a.data(), b.data(), rows);
    const auto of_a = [&](std::size_t row, std::size_t i) {
      return row < 11 ? static_cast<float>(a[row * 16 + i]) : 0.0F;
    };
    for (std::size_t row = 0; row < 16; ++row) {
      for (std::size_t column = 0; column < 8; ++column) {
        float sum = 0;
        for (std::size_t i = 0; i < 16; ++i) sum += of_a(row, i) * static_cast<float>(b[i * 8 + column]);
        ASSERT_EQ(d[row * 8 + column], sum) << row << ", " << column;
      }
      // The two matrices off the diagonal have changed places.
      for (std::size_t i = 0; i < 16; ++i) {
        const bool swaps = (row < 8) != (i < 8);
        ASSERT_EQ(d[128 + row * 16 + i], swaps ? of_a((row + 8) % 16, (i + 8) % 16) : of_a(row, i)) << row;
      }
    }
  }
}

}  // namespace
}  // namespace kiln::test
