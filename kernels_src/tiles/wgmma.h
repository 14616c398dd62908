#pragma once

#include "fragments.h"
#include "tma.h"

// NVIDIA's matrix instructions of a warpgroup (128 work-items), sm_90a: PTX ISA, wgmma. Both operands are in
// shared memory as boxes of the tensor memory accelerator with the swizzle 128B, sums in registers.

namespace tiles {

namespace detail {

/// What an instruction needs of an operand: the address, two strides (see Swizzled), the swizzle 128B. An
/// address that is `more` bytes behind `address` costs one addition.
__device__ inline unsigned long long describe(unsigned address, unsigned first_stride, unsigned second_stride,
                                              unsigned more = 0) {
  const unsigned low = (first_stride >> 4 << 16 | (address & 0x3FFFFu) >> 4) + (more >> 4);
  return (unsigned long long)(1u << 30 | second_stride >> 4) << 32 | low;
}

}  // namespace detail

/// A tile of Rows x 128 bytes along the depth. Along the depth (KContiguous) it is one run of rows of 128
/// bytes. Else it is a box for each 128 bytes of rows: a line of them for each element of the depth.
template <class E, int Rows, bool KContiguous>
struct Swizzled {
  using Element = E;
  static constexpr bool k_contiguous = KContiguous;
  static constexpr int rows = Rows;
  static constexpr int depth = 128 / int(sizeof(E));
  static constexpr int box_rows = KContiguous ? Rows : depth;
  static constexpr int bytes = Rows * 128;
  static_assert(Rows % 8 == 0 && Rows % box_rows == 0, "whole boxes");

  /// The operand from `row` on (a multiple of 64) and the `step`-th 32 bytes of the depth. Along the depth
  /// the second stride is from 8 rows to the next 8; else, which only elements of 2 bytes can be, the first
  /// is from box to box, the second from 8 lines to the next 8.
  __device__ static unsigned long long describe(const E* tile, int row, int step) {
    static_assert(KContiguous || sizeof(E) == 2, "see above");
    constexpr int box = depth * 128;
    const unsigned start = shared_address(tile);
    if (KContiguous) return detail::describe(start + unsigned(row * 128), 16, 1024, unsigned(step * 32));
    return detail::describe(start + unsigned(row / 64 * box), box, 1024, unsigned(step * 16 * 128));
  }
};

namespace detail {

// The names of 32 registers each in an instruction's text, and as operands.
#define TILES_NAMES_0                                                      \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define TILES_NAMES_1                                                                \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define TILES_NAMES_2                                                                \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define TILES_NAMES_3                                                                            \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define TILES_SUMS_4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define TILES_SUMS_16(i) TILES_SUMS_4(i), TILES_SUMS_4(i + 4), TILES_SUMS_4(i + 8), TILES_SUMS_4(i + 12)
#define TILES_SUMS_32(i) TILES_SUMS_16(i), TILES_SUMS_16(i + 16)
#define TILES_SUMS_64(i) TILES_SUMS_32(i), TILES_SUMS_32(i + 32)
#define TILES_SUMS_96(i) TILES_SUMS_64(i), TILES_SUMS_32(i + 64)
#define TILES_SUMS_128(i) TILES_SUMS_64(i), TILES_SUMS_64(i + 64)

/// d (64 x N) = a b, plus d if `add` is not 0. d is complete after wait_products.
template <class E, int N>
struct GroupInstruction;

#define TILES_GROUP(E, N, shape, type, names, sums, a, b, add, orders)                                 \
  template <>                                                                                          \
  struct GroupInstruction<E, N> {                                                                      \
    template <int TransposeA, int TransposeB>                                                          \
    __device__ static void multiply(float (&d)[N / 2], unsigned long long x, unsigned long long y,     \
                                    int more) {                                                        \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " add                                             \
                   ", 0;\nwgmma.mma_async.sync.aligned.m64n" #N shape ".f32." type "." type " {" names \
                   "}, " a ", " b ", p, 1, 1" orders ";\n}"                                            \
                   : sums                                                                              \
                   : "l"(x), "l"(y), "r"(more), "n"(TransposeA), "n"(TransposeB));                     \
    }                                                                                                  \
  };
#define TILES_GROUPS(E, shape, type, orders_64, orders_128, orders_192, orders_256)                         \
  TILES_GROUP(E, 64, shape, type, TILES_NAMES_0, TILES_SUMS_32(0), "%32", "%33", "%34", orders_64)          \
  TILES_GROUP(E, 128, shape, type, TILES_NAMES_0 ", " TILES_NAMES_1, TILES_SUMS_64(0), "%64", "%65", "%66", \
              orders_128)                                                                                   \
  TILES_GROUP(E, 192, shape, type, TILES_NAMES_0 ", " TILES_NAMES_1 ", " TILES_NAMES_2, TILES_SUMS_96(0),   \
              "%96", "%97", "%98", orders_192)                                                              \
  TILES_GROUP(E, 256, shape, type, TILES_NAMES_0 ", " TILES_NAMES_1 ", " TILES_NAMES_2 ", " TILES_NAMES_3,  \
              TILES_SUMS_128(0), "%128", "%129", "%130", orders_256)

#define TILES_GROUPS_16(E, type) \
  TILES_GROUPS(E, "k16", type, ", %35, %36", ", %67, %68", ", %99, %100", ", %131, %132")

TILES_GROUPS(float, "k8", "tf32", "", "", "", "")  // of a float the upper 19 bits count
#ifdef __CUDA_FP16_TYPES_EXIST__
TILES_GROUPS_16(__half, "f16")
#endif
#ifdef __CUDA_BF16_TYPES_EXIST__
TILES_GROUPS_16(__nv_bfloat16, "bf16")
#endif
#ifdef __CUDA_FP8_TYPES_EXIST__
TILES_GROUPS(__nv_fp8_e4m3, "k32", "e4m3", "", "", "", "")
#endif

/// As GroupInstruction<float, N>, with a in registers: lane l of the warp w has rows 16 w + l / 4 and 8 more,
/// columns l % 4 and 4 more: a[0], a[1] in the first column, a[2], a[3] in the second.
template <int N>
struct GroupInstructionOfRegisters;
#define TILES_GROUP_OF_REGISTERS(N, names, sums, a, b, add)                                             \
  template <>                                                                                           \
  struct GroupInstructionOfRegisters<N> {                                                               \
    __device__ static void multiply(float (&d)[N / 2], const unsigned (&x)[4], unsigned long long y,    \
                                    int more) {                                                         \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " add ", 0;\nwgmma.mma_async.sync.aligned.m64n" #N \
                   "k8.f32.tf32.tf32 {" names "}, {" a "}, " b ", p, 1, 1;\n}"                          \
                   : sums                                                                               \
                   : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "l"(y), "r"(more));                    \
    }                                                                                                   \
  };
TILES_GROUP_OF_REGISTERS(64, TILES_NAMES_0, TILES_SUMS_32(0), "%32, %33, %34, %35", "%36", "%37")
TILES_GROUP_OF_REGISTERS(128, TILES_NAMES_0 ", " TILES_NAMES_1, TILES_SUMS_64(0), "%64, %65, %66, %67", "%68",
                         "%69")
TILES_GROUP_OF_REGISTERS(256, TILES_NAMES_0 ", " TILES_NAMES_1 ", " TILES_NAMES_2 ", " TILES_NAMES_3,
                         TILES_SUMS_128(0), "%128, %129, %130, %131", "%132", "%133")
#undef TILES_GROUP_OF_REGISTERS
#undef TILES_GROUPS_16
#undef TILES_GROUPS
#undef TILES_GROUP
#undef TILES_SUMS_4
#undef TILES_SUMS_16
#undef TILES_SUMS_32
#undef TILES_SUMS_64
#undef TILES_SUMS_96
#undef TILES_SUMS_128
#undef TILES_NAMES_0
#undef TILES_NAMES_1
#undef TILES_NAMES_2
#undef TILES_NAMES_3

/// Registers and tiles of this warpgroup are ready for the products that follow.
__device__ inline void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
/// Ends a group of products.
__device__ inline void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Until no more than `Left` groups of this warpgroup are on their way.
template <int Left>
__device__ void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
}
/// Reads of the sums stay behind this place: the compiler does not know that products end later.
template <int Count>
__device__ void keep_behind(float (&sums)[Count]) {
  KILN_UNROLL_ALL
  for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}

}  // namespace detail

/// A warpgroup has EachM x N sums of the tile, EachM a multiple of 64; work-items of `block` count from the
/// first one that computes. Tiles are Swizzled, or other layouts that can describe themselves. `Teams`: see
/// run_boxes.
template <class A, class B, int EachM, int Teams = 1>
struct Wgmma {
  using LayoutA = A;
  using LayoutB = B;
  using E = typename A::Element;
  static constexpr int M = A::rows;
  static constexpr int N = B::rows;
  static constexpr int block = M / EachM * 128;
  static constexpr int teams = Teams;
  static constexpr int tall = EachM / 64;
  static constexpr int behind = 1;       ///< steps whose tiles may still be read when `step` returns
  static constexpr int turns = 1;        ///< kinds of steps, which alternate
  static constexpr bool turned = false;  ///< whether A and B have changed places
  static_assert(M % EachM == 0 && EachM % 64 == 0 && A::depth == B::depth, "whole warpgroups");

  float sums[tall][N / 2];
  int more;   // whether products are added to what is in `sums`
  int first;  // row of this warpgroup; the compiler knows that it is a warp's

  static constexpr int own_rows = 2 * tall;
  static constexpr int count = tall * N / 2;

  __device__ void begin(int, int, int, int rank) {
    take_place(rank);
    KILN_UNROLL_ALL
    for (int i = 0; i < tall; ++i) {
      KILN_UNROLL_ALL
      for (int n = 0; n < N / 2; ++n) sums[i][n] = 0;
    }
  }
  /// As begin, with start(column) in place of 0, the tile's columns counting from 0.
  template <class Start>
  __device__ void begin_with(int rank, const Start& start) {
    take_place(rank);
    KILN_UNROLL_ALL
    for (int n = 0; n < N / 4; ++n) {
      const float sum = start(n / 2 * 8 + rank % 4 * 2 + n % 2);
      KILN_UNROLL_ALL
      for (int i = 0; i < tall; ++i) sums[i][n / 2 * 4 + n % 2] = sums[i][n / 2 * 4 + n % 2 + 2] = sum;
    }
  }
  /// The warpgroup's place in the tile.
  __device__ void take_place(int rank) {
    more = 1;
    first = __shfl_sync(0xffffffffu, rank / 128, 0) * EachM;
  }
  /// As begin, where the next `step` is in sight of the compiler: sums need not be written.
  __device__ void restart() { more = 0; }
  /// The tiles' products are on their way.
  __device__ void step(const E* a, const E* b, int, int) {
    detail::begin_products();
    KILN_UNROLL_ALL
    for (int k = 0; k < A::depth * int(sizeof(E)) / 32; ++k) {
      KILN_UNROLL_ALL
      for (int i = 0; i < tall; ++i)
        detail::GroupInstruction<E, N>::template multiply<!A::k_contiguous, !B::k_contiguous>(
            sums[i], LayoutA::describe(a, first + i * 64, k), LayoutB::describe(b, 0, k), more);
      more = 1;
    }
    detail::commit_products();
    detail::wait_products<behind>();
  }
  __device__ void finish(int) {
    detail::wait_products<0>();
    settle();
  }
  __device__ void settle() {
    KILN_UNROLL_ALL
    for (int i = 0; i < tall; ++i) detail::keep_behind(sums[i]);
  }
  __device__ static int row_of(int rank, int i) {
    return rank / 128 * EachM + i / 2 * 64 + rank % 128 / 32 * 16 + i % 2 * 8 + rank % 32 / 4;
  }
  /// Of the four lanes that share rows: what the one with this number has.
  __device__ static float of_four(float x, int number) { return __shfl_sync(0xffffffffu, x, number, 4); }
  /// Once no products are under way, or only those of another one's step.
  template <class Take>
  __device__ void for_each(int rank, const Take& take) {
    settle();
    KILN_UNROLL_ALL
    for (int i = 0; i < tall; ++i) {
      KILN_UNROLL_ALL
      for (int n = 0; n < N / 2; ++n) take(i * 2 + n % 4 / 2, n / 4 * 8 + rank % 4 * 2 + n % 2, sums[i][n]);
    }
  }
  template <class Store>
  __device__ void store(int rank, int row, int column, const Store& store) const {
    KILN_UNROLL_ALL
    for (int i = 0; i < tall; ++i)
      store_fragments<N / 8>(store, rank % 32, row + rank / 128 * EachM + i * 64 + rank % 128 / 32 * 16,
                             column, [&](int j, int e) { return sums[i][j * 4 + e]; });
  }
};

/// In float by tf32, where operand A does not lie along the depth: its elements go through registers. A
/// warpgroup has 64 x N sums of the tile. With `Turned` the operands have changed places: A is b, and what is
/// stored is the tile's transpose.
template <int M, int N, bool Turned>
struct WgmmaOfRegisters {
  static constexpr int block = M / 64 * 128;
  static constexpr int behind = 1;
  static constexpr int turns = 2;
  static constexpr bool turned = Turned;
  static_assert(M % 64 == 0, "whole warpgroups");
  using LayoutA = Swizzled<float, M, false>;
  using LayoutB = Swizzled<float, N, true>;

  float sums[N / 2];
  unsigned left[2][4][4];  // a step's elements of A

  __device__ void begin(int, int, int, int) {
    KILN_UNROLL_ALL
    for (int n = 0; n < N / 2; ++n) sums[n] = 0;
  }
  template <int Turn>
  __device__ void step(const float* a, const float* b, int, int rank) {
    KILN_UNROLL_ALL
    for (int k = 0; k < 4; ++k) {
      float x[4];
      read(a, rank, k, x);
      KILN_UNROLL_ALL
      for (int e = 0; e < 4; ++e) left[Turn][k][e] = __float_as_uint(x[e]);
    }
    detail::begin_products();
    KILN_UNROLL_ALL
    for (int k = 0; k < 4; ++k) {
      detail::GroupInstructionOfRegisters<N>::multiply(sums, left[Turn][k], LayoutB::describe(b, 0, k), 1);
    }
    detail::commit_products();
    detail::wait_products<behind>();
  }
  __device__ void finish(int) {
    detail::wait_products<0>();
    detail::keep_behind(sums);
  }

  /// The tile's row that is the instruction's row lane / 4 (`low` 0) or 8 more (`low` 1).
  __device__ static int row_of(int rank, int low) { return rank / 32 * 16 + low * 8 + rank % 32 / 4; }
  /// What the lane needs of columns [8 k, 8 k + 8), in the instruction's order. The upper four of 8 rows read
  /// the upper columns first: then 32 lanes, which read 8 rows and 4 lines of a box, find them in different
  /// banks. Rows come in chunks of 4, and chunk c of line k is at c ^ k % 8.
  __device__ static void read(const float* a, int rank, int k, float (&x)[4]) {
    const bool upper = rank / 16 % 2 != 0;
    KILN_UNROLL_ALL
    for (int e = 0; e < 4; ++e) {
      const int row = row_of(rank, e % 2), column = k * 8 + (e / 2 ^ int(upper)) * 4 + rank % 4;
      x[e] = a[(row / 32 * 32 + column) * 32 + (row % 32 / 4 ^ column % 8) * 4 + row % 4];
    }
    KILN_UNROLL_ALL
    for (int e = 0; e < 2; ++e) {
      const float first = upper ? x[e + 2] : x[e];
      x[e + 2] = upper ? x[e] : x[e + 2];
      x[e] = first;
    }
  }
  template <class Store>
  __device__ void store(int rank, int row, int column, const Store& store) const {
    if constexpr (Turned) {
      KILN_UNROLL_ALL
      for (int j = 0; j < N / 8; j += 2) {
        KILN_UNROLL_ALL
        for (int low = 0; low < 2; ++low)  // 4 columns beside each other
          store_turned<2>(store, rank % 32, row + j * 8, column + row_of(rank, low) / 4 * 4,
                          [&](int i, int e) { return sums[(j + i) * 4 + low * 2 + e]; });
      }
    } else {
      KILN_UNROLL_ALL
      for (int low = 0; low < 2; ++low) {
        KILN_UNROLL_ALL
        for (int j = 0; j < N / 8; ++j)
          store_run<2>(store, row + row_of(rank, low), column + j * 8 + rank % 4 * 2,
                       [&](int e) { return sums[j * 4 + low * 2 + e]; });
      }
    }
  }
};

}  // namespace tiles
