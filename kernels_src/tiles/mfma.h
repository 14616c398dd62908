#pragma once

#include "copy.h"
#include "epilogue.h"

#if !defined(KILN_BACKEND_HIP)
#include "mfma_model.h"
#endif

// AMD's matrix instructions of a wavefront of 64 lanes (CDNA2 and CDNA3: gfx90a, gfx942), v_mfma_*: D is Rows x
// Rows sums. A lane gives `per` neighbours along the depth of the row lane % Rows of A, and of B; lanes that
// are Rows apart have the next ones of the depth. Elsewhere a software model stands for the instruction.

namespace tiles {
namespace detail {

#if defined(KILN_BACKEND_HIP)
template <class Element, int Count>
struct VectorOf {
  typedef Element Type __attribute__((ext_vector_type(Count)));
};

/// A number for a type of elements: of 2 bytes are half (1) and bfloat16 (2), whose name differs by version.
template <class E>
constexpr int kind_of = int(sizeof(E));
template <>
constexpr int kind_of<__half> = 1;

template <int Kind, int Rows>
struct Instruction;

// `Given` is what the compiler's function `name` takes for `Deep` elements.
#define TILES_MFMA(Kind, Rows, Sum, Deep, Given, name)                                       \
  template <>                                                                                \
  struct Instruction<Kind, Rows> {                                                           \
    static constexpr int per = Deep;                                                         \
    static constexpr int count = Rows * Rows / 64;                                           \
    template <class E>                                                                       \
    __device__ static void multiply(Sum (&d)[count], const E (&a)[per], const E (&b)[per]) { \
      typename VectorOf<Sum, count>::Type sums;                                              \
      Given left, right;                                                                     \
      static_assert(sizeof left == sizeof a, "whole operands");                              \
      __builtin_memcpy(&sums, d, sizeof sums);                                               \
      __builtin_memcpy(&left, a, sizeof left);                                               \
      __builtin_memcpy(&right, b, sizeof right);                                             \
      sums = name(left, right, sums, 0, 0, 0);                                               \
      __builtin_memcpy(d, &sums, sizeof sums);                                               \
    }                                                                                        \
  };
using FourHalves = VectorOf<_Float16, 4>::Type;
using FourShorts = VectorOf<short, 4>::Type;
TILES_MFMA(1, 32, float, 4, FourHalves, __builtin_amdgcn_mfma_f32_32x32x8f16)
TILES_MFMA(1, 16, float, 4, FourHalves, __builtin_amdgcn_mfma_f32_16x16x16f16)
TILES_MFMA(2, 32, float, 4, FourShorts, __builtin_amdgcn_mfma_f32_32x32x8bf16_1k)
TILES_MFMA(2, 16, float, 4, FourShorts, __builtin_amdgcn_mfma_f32_16x16x16bf16_1k)
TILES_MFMA(4, 32, float, 1, float, __builtin_amdgcn_mfma_f32_32x32x2f32)
TILES_MFMA(4, 16, float, 1, float, __builtin_amdgcn_mfma_f32_16x16x4f32)
TILES_MFMA(8, 16, double, 1, double, __builtin_amdgcn_mfma_f64_16x16x4f64)
#undef TILES_MFMA

template <class E, int Rows>
using MatrixInstruction = Instruction<kind_of<E>, Rows>;
#endif

}  // namespace detail

/// A wavefront has EachM x EachN sums of the tile, by instructions of 32 x 32 sums where both divide them, else
/// of 16 x 16. Both tiles lie along the depth: a lane reads 16 bytes at once, which feed several instructions.
/// Which neighbours of the depth an instruction gets does not matter, as long as A and B agree.
template <class E, class Sum, int M, int N, int Depth, int EachM, int EachN, bool, bool>
struct Mfma {
  static constexpr int side = sizeof(E) < 8 && EachM % 32 == 0 && EachN % 32 == 0 ? 32 : 16;
  using Instruction = detail::MatrixInstruction<E, side>;
  static constexpr int each = 16 / int(sizeof(E));        // neighbours that a lane reads
  static constexpr int deep = 64 / side * each;           // of the depth, of all lanes
  static constexpr int waves_across = N / EachN;
  static constexpr int block = 64 * (M / EachM) * waves_across;
  static constexpr int tall = EachM / side;
  static constexpr int wide = EachN / side;
  static_assert(EachM % side == 0 && EachN % side == 0 && Depth % deep == 0, "whole instructions");
  using LayoutA = Layout<E, M, Depth, true, 16>;
  using LayoutB = Layout<E, N, Depth, true, 16>;

  Sum sums[tall][wide][Instruction::count];

  KILN_DEVICE void begin(int, int, int, int) { clear(sums); }
  /// What a lane gives to `each` / per instructions.
  struct Given {
    E at[each / Instruction::per][Instruction::per];
  };
  KILN_DEVICE static Given given(const E* line) {
    Given result;
    const auto pack = kiln::load_pack<each>(line);
    KILN_UNROLL_ALL
    for (int e = 0; e < each; ++e) result.at[e / Instruction::per][e % Instruction::per] = pack.at[e];
    return result;
  }
  KILN_DEVICE void step(const E* a, const E* b, int, int rank) {
    const int row = rank / 64 / waves_across * EachM + rank % side;
    const int column = rank / 64 % waves_across * EachN + rank % side;
    const int first = rank % 64 / side * each;
    KILN_UNROLL_ALL
    for (int k = 0; k < Depth; k += deep) {
      Given left[tall], right[wide];
      KILN_UNROLL_ALL
      for (int i = 0; i < tall; ++i) left[i] = given(a + LayoutA::at(row + i * side, k + first));
      KILN_UNROLL_ALL
      for (int j = 0; j < wide; ++j) right[j] = given(b + LayoutB::at(column + j * side, k + first));
      KILN_UNROLL_ALL
      for (int part = 0; part < each / Instruction::per; ++part) {
        KILN_UNROLL_ALL
        for (int i = 0; i < tall; ++i) {
          KILN_UNROLL_ALL
          for (int j = 0; j < wide; ++j)
            Instruction::multiply(sums[i][j], left[i].at[part], right[j].at[part]);
        }
      }
    }
  }
  KILN_DEVICE void finish(int) {}
  /// The row of a lane's e-th sum: in double neighbours of a column are in different lanes, else four of them
  /// in one. Its column is lane % side.
  KILN_DEVICE static int row_of(int lane, int e) {
    constexpr int groups = 64 / side;
    return sizeof(Sum) == 8 ? e * groups + lane / side : e / 4 * groups * 4 + lane / side * 4 + e % 4;
  }
  template <class Store>
  KILN_DEVICE void store(int rank, int row, int column, const Store& store) const {
    const int r = row + rank / 64 / waves_across * EachM;
    const int c = column + rank / 64 % waves_across * EachN + rank % side;
    KILN_UNROLL_ALL
    for (int i = 0; i < tall; ++i) {
      KILN_UNROLL_ALL
      for (int j = 0; j < wide; ++j) {
        KILN_UNROLL_ALL
        for (int e = 0; e < Instruction::count; ++e)
          store_one(store, r + i * side + row_of(rank % 64, e), c + j * side, sums[i][j][e]);
      }
    }
  }
};

}  // namespace tiles
