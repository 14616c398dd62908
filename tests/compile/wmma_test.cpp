// nvcuda::wmma on the cpu: products of tiles of every type and shape against plain sums.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/small_float.h"
#include "support/cpu_kernels.h"

namespace kiln::test {
namespace {

using Half = SmallFloat<HalfFormat>;
using Bfloat16 = SmallFloat<Bfloat16Format>;

struct Shape {
  int m, n, k;
};

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
    for (const bool fibers : {true, false}) {
      SCOPED_TRACE(fibers ? "fibers" : "split");
      Specialization specialization = kernels_.specialize(text, "k");
      if (fibers) specialization.options = {"-DKILN_FIBERS"};
      DeviceFunction& k = kernels_.build(specialization);
      EXPECT_EQ(k.attributes().fibers_because.has_value(), fibers)
          << k.attributes().fibers_because.value_or("");
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
  std::vector<int> d(256);
  kernels_.run(kernels_.build(R"(#include <mma.h>
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
})",
                              "k"),
               {{1, 1, 1}, {32, 1, 1}, 0}, d.data());
  EXPECT_THAT(d, ::testing::Each(2147483647));
}

/// Half of a warp cannot multiply.
TEST_F(Wmma, PartOfAWarpIsAFault) {
  DeviceFunction& k = kernels_.build(R"(#include <mma.h>
extern "C" __global__ void k(float* d) {
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> c;
  nvcuda::wmma::fill_fragment(c, 0);
  nvcuda::wmma::store_matrix_sync(d, c, 16, nvcuda::wmma::mem_row_major);
})",
                                     "k");
  std::vector<float> d(256);
  try {
    kernels_.run(k, {{1, 1, 1}, {16, 1, 1}, 0}, d.data());
    FAIL() << "no fault";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("all 32 lanes of a warp call nvcuda::wmma together"));
  }
}

}  // namespace
}  // namespace kiln::test
