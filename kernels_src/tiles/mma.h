#pragma once

#include "copy.h"
#include "fragments.h"

// NVIDIA's matrix instructions of a warp, from sm_80 on (e4m3 from sm_89 on): PTX ISA, mma.sync and ldmatrix.
// A fragment of A is 16 rows x 32 bytes, one of B 8 columns x 32 bytes; sums are 16 x 8. In double 8 rows, 4
// deep, 8 x 8.

namespace tiles {
namespace detail {

struct Fragment {
  unsigned word[4];
};

/// Four matrices of 8 lines of 16 bytes; a lane gives the address of its line.
template <bool Transposed>
KILN_DEVICE Fragment load_matrices(const void* line) {
  Fragment f;
  const unsigned address = unsigned(__cvta_generic_to_shared(line));
  if constexpr (Transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(f.word[0]), "=r"(f.word[1]), "=r"(f.word[2]), "=r"(f.word[3])
                 : "r"(address));
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(f.word[0]), "=r"(f.word[1]), "=r"(f.word[2]), "=r"(f.word[3])
                 : "r"(address));
  }
  return f;
}

#define TILES_MMA(name, instruction)                                                                  \
  KILN_DEVICE static void name(float(&c)[4], const Fragment& a, unsigned b0, unsigned b1) {           \
    asm volatile(instruction " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"       \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                     \
                 : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(b0), "r"(b1)); \
  }
template <class E>
struct Instruction;
template <>
struct Instruction<float> {  // rounds to tf32: 10 bits of fraction
  KILN_DEVICE static unsigned rounded(unsigned word) {
    unsigned result;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(result) : "f"(__uint_as_float(word)));
    return result;
  }
  TILES_MMA(multiply, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
};
#ifdef __CUDA_FP16_TYPES_EXIST__
template <>
struct Instruction<__half> {
  KILN_DEVICE static unsigned rounded(unsigned word) { return word; }
  TILES_MMA(multiply, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32")
};
#endif
#ifdef __CUDA_BF16_TYPES_EXIST__
template <>
struct Instruction<__nv_bfloat16> {
  KILN_DEVICE static unsigned rounded(unsigned word) { return word; }
  TILES_MMA(multiply, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
};
#endif
#ifdef __CUDA_FP8_TYPES_EXIST__
template <>
struct Instruction<__nv_fp8_e4m3> {
  KILN_DEVICE static unsigned rounded(unsigned word) { return word; }
  TILES_MMA(multiply, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32")
};
#endif
#undef TILES_MMA

}  // namespace detail

/// A warp has EachM x EachN sums of the tile. Elements of 2 bytes stay in the source's order, others lie
/// along the depth.
template <class E, class Sum, int M, int N, int Depth, int EachM, int EachN, bool KOfA, bool KOfB>
struct Mma {
  static constexpr int size = int(sizeof(E));
  static constexpr int warps_across = N / EachN;
  static constexpr int block = 32 * (M / EachM) * warps_across;
  static constexpr int deep = 32 / size;  // of a fragment
  static constexpr int tall = EachM / 16;
  static constexpr int wide = EachN / 8;
  static_assert(EachM % 16 == 0 && EachN % 16 == 0 && Depth % deep == 0, "whole fragments");
  using LayoutA = Layout<E, M, Depth, size != 2 || KOfA, 16>;
  using LayoutB = Layout<E, N, Depth, size != 2 || KOfB, 16>;

  float sums[tall][wide][4];

  static constexpr int behind = 0;
  static constexpr int own_rows = 2 * tall;
  static constexpr int count = tall * wide * 4;

  KILN_DEVICE void begin(int, int, int, int) { clear(sums); }
  KILN_DEVICE void restart() { begin(0, 0, 0, 0); }
  KILN_DEVICE static detail::Fragment rounded(detail::Fragment f) {
    KILN_UNROLL_ALL
    for (int w = 0; w < 4; ++w) f.word[w] = detail::Instruction<E>::rounded(f.word[w]);
    return f;
  }
  KILN_DEVICE void step(const E* a, const E* b, int, int rank) {
    const int row = rank / 32 / warps_across * EachM;
    const int column = rank / 32 % warps_across * EachN;
    const int line = rank % 8;
    const int odd = rank / 8 % 2 * 8;  // the second matrix of each pair, the second pair
    const int high = rank / 16 % 2;
    constexpr int half = deep / 2;
    KILN_UNROLL_ALL
    for (int k = 0; k < Depth; k += deep) {
      detail::Fragment left[tall], right[wide / 2];
      KILN_UNROLL_ALL
      for (int i = 0; i < tall; ++i) {
        const int r = row + i * 16 + odd;
        left[i] = rounded(LayoutA::k_contiguous
                              ? detail::load_matrices<false>(a + LayoutA::at(r + line, k + high * half))
                              : detail::load_matrices<true>(a + LayoutA::at(r, k + high * half + line)));
      }
      KILN_UNROLL_ALL
      for (int j = 0; j < wide / 2; ++j) {
        const int c = column + j * 16 + high * 8;
        const int d = k + odd / 8 * half;
        right[j] = rounded(LayoutB::k_contiguous ? detail::load_matrices<false>(b + LayoutB::at(c + line, d))
                                                 : detail::load_matrices<true>(b + LayoutB::at(c, d + line)));
      }
      KILN_UNROLL_ALL
      for (int i = 0; i < tall; ++i) {
        KILN_UNROLL_ALL
        for (int j = 0; j < wide; ++j)
          detail::Instruction<E>::multiply(sums[i][j], left[i], right[j / 2].word[j % 2 * 2],
                                           right[j / 2].word[j % 2 * 2 + 1]);
      }
    }
  }
  KILN_DEVICE void finish(int) {}
  KILN_DEVICE static int row_of(int rank, int i) {
    return rank / 32 / warps_across * EachM + i / 2 * 16 + i % 2 * 8 + rank % 32 / 4;
  }
  template <class Take>
  KILN_DEVICE void for_each(int rank, const Take& take) {
    const int column = rank / 32 % warps_across * EachN + rank % 4 * 2;
    KILN_UNROLL_ALL
    for (int i = 0; i < tall; ++i) {
      KILN_UNROLL_ALL
      for (int j = 0; j < wide; ++j) {
        KILN_UNROLL_ALL
        for (int e = 0; e < 4; ++e) take(i * 2 + e / 2, column + j * 8 + e % 2, sums[i][j][e]);
      }
    }
  }
  template <class Store>
  KILN_DEVICE void store(int rank, int row, int column, const Store& store) const {
    const int r = row + rank / 32 / warps_across * EachM;
    const int c = column + rank / 32 % warps_across * EachN;
    KILN_UNROLL_ALL
    for (int i = 0; i < tall; ++i)
      store_fragments<wide>(store, rank % 32, r + i * 16, c, [&](int j, int e) { return sums[i][j][e]; });
  }
};

#if __CUDA_ARCH__ >= 900  // the smaller ones of sm_80 run at half the speed there
constexpr int double_tall = 16;
constexpr int double_deep = 16;
#else
constexpr int double_tall = 8;
constexpr int double_deep = 4;
#endif

/// In double an instruction has 16 rows, 16 deep, from sm_90 on, before it 8 rows, 4 deep. Which neighbours
/// of the depth a lane has does not matter, as long as A and B agree: with pairs, it loads 16 bytes at once.
template <int M, int N, int Depth, int EachM, int EachN, bool KOfA, bool KOfB>
struct Mma<double, double, M, N, Depth, EachM, EachN, KOfA, KOfB> {
  static constexpr int warps_across = N / EachN;
  static constexpr int block = 32 * (M / EachM) * warps_across;
  static constexpr int tall = EachM / double_tall;
  static constexpr int wide = EachN / 8;
  static constexpr int halves = double_tall / 8;
  static_assert(EachM % double_tall == 0 && EachN % 8 == 0 && Depth % double_deep == 0, "whole fragments");
  using LayoutA = Layout<double, M, Depth, true, double_deep == 16 ? 64 : 32>;
  using LayoutB = Layout<double, N, Depth, true, double_deep == 16 ? 64 : 32>;

  double sums[tall][wide][2 * halves];

  KILN_DEVICE void begin(int, int, int, int) { clear(sums); }
  /// What a lane has of a line: `double_deep` / 4 elements.
  struct Elements {
    double at[double_deep / 4];
  };
  KILN_DEVICE static Elements elements(const double* line, int lane) {
    Elements result;
    if constexpr (double_deep == 16) {
      KILN_UNROLL_ALL
      for (int i = 0; i < 4; i += 2) {
        const auto pair = kiln::load_pack<2>(line + lane % 4 * 2 + i * 4);
        result.at[i] = pair.at[0];
        result.at[i + 1] = pair.at[1];
      }
    } else {
      result.at[0] = line[lane % 4];
    }
    return result;
  }
  KILN_DEVICE static void multiply(double (&c)[2 * halves], const Elements (&a)[halves], const Elements& b) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, "
        "%11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0].at[0]), "d"(a[1].at[0]), "d"(a[0].at[1]), "d"(a[1].at[1]), "d"(a[0].at[2]),
          "d"(a[1].at[2]), "d"(a[0].at[3]), "d"(a[1].at[3]), "d"(b.at[0]), "d"(b.at[1]), "d"(b.at[2]),
          "d"(b.at[3]));
#else
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c[0]), "+d"(c[1])
                 : "d"(a[0].at[0]), "d"(b.at[0]));
#endif
  }
  KILN_DEVICE void step(const double* a, const double* b, int, int rank) {
    const int row = rank / 32 / warps_across * EachM + rank % 32 / 4;
    const int column = rank / 32 % warps_across * EachN + rank % 32 / 4;
    KILN_UNROLL_ALL
    for (int k = 0; k < Depth; k += double_deep) {
      Elements left[tall][halves], right[wide];
      KILN_UNROLL_ALL
      for (int i = 0; i < tall; ++i) {
        KILN_UNROLL_ALL
        for (int h = 0; h < halves; ++h)
          left[i][h] = elements(a + LayoutA::at(row + i * double_tall + h * 8, k), rank);
      }
      KILN_UNROLL_ALL
      for (int j = 0; j < wide; ++j) right[j] = elements(b + LayoutB::at(column + j * 8, k), rank);
      KILN_UNROLL_ALL
      for (int i = 0; i < tall; ++i) {
        KILN_UNROLL_ALL
        for (int j = 0; j < wide; ++j) multiply(sums[i][j], left[i], right[j]);
      }
    }
  }
  KILN_DEVICE void finish(int) {}
  template <class Store>
  KILN_DEVICE void store(int rank, int row, int column, const Store& store) const {
    const int r = row + rank / 32 / warps_across * EachM + rank % 32 / 4;
    const int c = column + rank / 32 % warps_across * EachN + rank % 4 * 2;
    KILN_UNROLL_ALL
    for (int i = 0; i < tall; ++i) {
      KILN_UNROLL_ALL
      for (int j = 0; j < wide; ++j) {
        KILN_UNROLL_ALL
        for (int h = 0; h < halves; ++h)
          store_run<2>(store, r + i * double_tall + h * 8, c + j * 8,
                       [&](int e) { return sums[i][j][h * 2 + e]; });
      }
    }
  }
};

}  // namespace tiles
