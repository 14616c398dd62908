// nvcuda::wmma for a host compiler: products of matrices by the lanes of a warp. Products are added in float,
// double or int; a result of 16 bits is rounded once. Behind wmma_fragments.h.
#pragma once

namespace kiln::wmma_detail {

/// The tile that the fragments of a warp hold together.
template <class Sum, class Use, int M, int N, int K, class T, class Layout, class Of>
KILN_SHIM void gather(Sum* tile, const fragment<Use, M, N, K, T, Layout>*, const Of& of) {
  constexpr int kCount = fragment<Use, M, N, K, T, Layout>::num_elements;
  for (int lane = 0; lane < 32; ++lane) {
    const auto& f = *of(lane);
    for (int i = 0; i < kCount; ++i) tile[lane * kCount + i] = factor<T, Sum>(f.x[i]);
  }
}

/// A sum as an element of the result; `limited`: too large numbers become the largest ones.
template <class T, class Sum>
KILN_SHIM T result_of(Sum sum, bool limited) {
  if constexpr (__is_same(T, __half)) {
    if (limited) return static_cast<T>(__builtin_fminf(__builtin_fmaxf(sum, -65504.0f), 65504.0f));
  }
  return static_cast<T>(sum);
}

/// sums += left right; `limited`: integers that an int does not hold become the nearest one.
template <int M, int N, int K, class Sum>
KILN_SHIM void add_product(const Sum* left, const Sum* right, Sum* sums, bool limited) {
  constexpr bool kInteger = __is_same(Sum, int);
  if (kInteger && limited) {
    for (int row = 0; row < M; ++row) {
      for (int column = 0; column < N; ++column) {
        long sum = static_cast<long>(sums[row * N + column]);
        for (int k = 0; k < K; ++k)
          sum += static_cast<long>(left[row * K + k]) * static_cast<long>(right[k * N + column]);
        sum = sum > 0x7fffffffl ? 0x7fffffffl : sum < -0x80000000l ? -0x80000000l : sum;
        sums[row * N + column] = static_cast<Sum>(sum);
      }
    }
  } else {
    for (int row = 0; row < M; ++row) {
      Sum own[N];
      for (int column = 0; column < N; ++column) own[column] = sums[row * N + column];
      for (int k = 0; k < K; ++k) {
        const Sum x = left[row * K + k];
        for (int column = 0; column < N; ++column) {
          if constexpr (kInteger)
            own[column] =
                static_cast<int>(static_cast<unsigned>(own[column]) +
                                 static_cast<unsigned>(x) * static_cast<unsigned>(right[k * N + column]));
          else
            own[column] += x * right[k * N + column];
        }
      }
      for (int column = 0; column < N; ++column) sums[row * N + column] = own[column];
    }
  }
}

/// d = a b + c of the fragments of 32 lanes: `d(lane)` and so on point at a lane's.
template <int M, int N, int K, class TA, class LA, class TB, class LB, class TC, class TD, class D, class A,
          class B, class C>
KILN_SHIM void multiply(fragment<accumulator, M, N, K, TD>* is_d,
                        const fragment<matrix_a, M, N, K, TA, LA>* is_a,
                        const fragment<matrix_b, M, N, K, TB, LB>* is_b,
                        const fragment<accumulator, M, N, K, TC>* is_c, const D& d, const A& a, const B& b,
                        const C& c, bool limited) {
  using Sum = typename Element<TA>::Sum;
  alignas(64) Sum left[M * K], right[K * N], sums[M * N];
  gather(left, is_a, a);
  gather(right, is_b, b);
  gather(sums, is_c, c);
  constexpr int kCount = fragment<accumulator, M, N, K, TD>::num_elements;
  static_cast<void>(is_d);
  add_product<M, N, K>(left, right, sums, limited);
  for (int lane = 0; lane < 32; ++lane) {
    auto& f = *d(lane);
    for (int i = 0; i < kCount; ++i) f.x[i] = result_of<TD>(sums[lane * kCount + i], limited);
  }
}

/// The fragments that the lanes of the running block's warps bring to a product.
struct Brought {
  void* d;
  const void *a, *b, *c;
};
static thread_local Brought brought[32][32];

/// The fault of a part of a warp: `asm` has other names for its registers (ptx_matrix.h).
KILN_SHIM void part_of_a_warp(const void*) {
  kiln_assert(false, "all 32 lanes of a warp call nvcuda::wmma together", "mma.h", 0);
}

/// `f`: the lane's fragment or registers.
template <class F>
KILN_SHIM int lane_of_all(const F* f) {
  if (kiln_vote(0xffffffffu, 1) != 0xffffffffu) part_of_a_warp(f);
  return static_cast<int>(KILN_LINEAR_THREAD() & 31u);
}

}  // namespace kiln::wmma_detail

namespace nvcuda {
namespace wmma {

template <int M, int N, int K, class TA, class LA, class TB, class LB, class TC, class TD>
KILN_SHIM void mma_sync(fragment<accumulator, M, N, K, TD>& d, const fragment<matrix_a, M, N, K, TA, LA>& a,
                        const fragment<matrix_b, M, N, K, TB, LB>& b,
                        const fragment<accumulator, M, N, K, TC>& c, bool limited = false) {
  using namespace kiln::wmma_detail;
  Brought* const all = brought[KILN_LINEAR_THREAD() / 32u];
  all[KILN_LINEAR_THREAD() & 31u] = {&d, &a, &b, &c};
  if (lane_of_all(&d) == 0) {
    multiply(
        &d, &a, &b, &c, [=](int i) { return static_cast<fragment<accumulator, M, N, K, TD>*>(all[i].d); },
        [=](int i) { return static_cast<const fragment<matrix_a, M, N, K, TA, LA>*>(all[i].a); },
        [=](int i) { return static_cast<const fragment<matrix_b, M, N, K, TB, LB>*>(all[i].b); },
        [=](int i) { return static_cast<const fragment<accumulator, M, N, K, TC>*>(all[i].c); }, limited);
  }
  __syncwarp();
}

}  // namespace wmma
}  // namespace nvcuda

#if defined(KILN_WARPS)
namespace kiln::cpu {

// In kernels that were split: the same for all lanes at once. Fragments come as one pointer of each lane.
template <class F>
KILN_SHIM bool all_lanes(unsigned active, const Lanes<F>& f) {
  using wmma_detail::part_of_a_warp;
  if (active != 0xffffffffu) part_of_a_warp(f[0]);
  return active == 0xffffffffu;
}
template <class T>
struct LayoutOf;
template <class Use, int M, int N, int K, class T, class Layout>
struct LayoutOf<nvcuda::wmma::fragment<Use, M, N, K, T, Layout>*> {
  static constexpr bool by_rows = __is_same(Layout, nvcuda::wmma::row_major);
};
template <class F, class P, class S>
KILN_SHIM void load_matrix_sync(unsigned active, const Lanes<F>& f, const P& memory, const S& stride) {
  if (!all_lanes(active, f)) return;
  for (int lane = 0; lane < 32; ++lane)
    wmma_detail::load_lane(*f[lane], at(memory, lane), static_cast<unsigned>(at(stride, lane)),
                           LayoutOf<F>::by_rows, lane);
}
template <class F, class P, class S, class L>
KILN_SHIM void load_matrix_sync(unsigned active, const Lanes<F>& f, const P& memory, const S& stride,
                                const L& layout) {
  if (!all_lanes(active, f)) return;
  for (int lane = 0; lane < 32; ++lane)
    wmma_detail::load_lane(*f[lane], at(memory, lane), static_cast<unsigned>(at(stride, lane)),
                           at(layout, lane) == nvcuda::wmma::mem_row_major, lane);
}
template <class F, class P, class S, class L>
KILN_SHIM void store_matrix_sync(unsigned active, const P& memory, const Lanes<F>& f, const S& stride,
                                 const L& layout) {
  if (!all_lanes(active, f)) return;
  for (int lane = 0; lane < 32; ++lane)
    wmma_detail::store_lane(*f[lane], at(memory, lane), static_cast<unsigned>(at(stride, lane)),
                            at(layout, lane) == nvcuda::wmma::mem_row_major, lane);
}
template <class D, class A, class B, class C>
KILN_SHIM void mma_sync(unsigned active, const Lanes<D>& d, const Lanes<A>& a, const Lanes<B>& b,
                        const Lanes<C>& c, bool limited = false) {
  if (!all_lanes(active, d)) return;
  using wmma_detail::multiply;  // and what ptx_matrix.h has for its registers
  multiply(
      d[0], a[0], b[0], c[0], [&](int lane) { return d[lane]; }, [&](int lane) { return a[lane]; },
      [&](int lane) { return b[lane]; }, [&](int lane) { return c[lane]; }, limited);
}

}  // namespace kiln::cpu
#endif
