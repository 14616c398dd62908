// nvcuda::wmma for HIP: products of matrices by shuffles among the 32 lanes of a warp, which are all there.
// Products are added in float, double or int; a result of 16 bits is rounded once. The matrix instructions of
// AMD's GPUs are not used. Behind wmma_fragments.h.
namespace kiln::wmma_detail {

template <class F>
KILN_SHIM int lane_of_all(const F*) {
  return static_cast<int>((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32u);
}

template <class Sum, bool Limited>
struct Total {  // an int that is limited needs more digits
  using type = Sum;
};
template <>
struct Total<int, true> {
  using type = long long;
};

/// sum + x y; integers wrap.
template <class Wide, class V>
KILN_SHIM Wide with_product(Wide sum, V x, V y) {
  if constexpr (__is_same(Wide, int))
    return static_cast<int>(static_cast<unsigned>(sum) + static_cast<unsigned>(x) * static_cast<unsigned>(y));
  else
    return sum + static_cast<Wide>(x) * static_cast<Wide>(y);
}

/// A sum as an element of the result; `limited`: too large numbers become the largest ones.
template <class T, bool Limited, class Wide>
KILN_SHIM T result_of(Wide sum) {
  if constexpr (Limited && __is_same(Wide, long long)) {
    constexpr long long kMost = 0x7fffffffll;
    return static_cast<T>(sum > kMost ? kMost : sum < -kMost - 1 ? -kMost - 1 : sum);
  } else if constexpr (Limited && __is_same(T, __half)) {
    return static_cast<T>(sum > 65504.0f ? 65504.0f : sum < -65504.0f ? -65504.0f : sum);
  } else {
    return static_cast<T>(sum);
  }
}

/// A lane's elements of the result are neighbours in one row.
template <bool Limited, int M, int N, int K, class TA, class LA, class TB, class LB, class TC, class TD>
KILN_SHIM void multiply(nvcuda::wmma::fragment<accumulator, M, N, K, TD>& d,
                        const nvcuda::wmma::fragment<matrix_a, M, N, K, TA, LA>& a,
                        const nvcuda::wmma::fragment<matrix_b, M, N, K, TB, LB>& b,
                        const nvcuda::wmma::fragment<accumulator, M, N, K, TC>& c) {
  using Sum = typename Element<TA>::Sum;
  constexpr int kA = M * K / 32, kB = K * N / 32, kCount = M * N / 32;
  static_assert(K % kA == 0 && N % kB == 0 && N % kCount == 0, "a lane's elements are in one row");
  const int lane = lane_of_all(&d), row = lane * kCount / N, first = lane * kCount % N;
  typename Total<Sum, Limited>::type sums[kCount];
  for (int i = 0; i < kCount; ++i) sums[i] = factor<TC, Sum>(c.x[i]);
#pragma unroll
  for (int k = 0; k < K; ++k) {
    const Sum left = __shfl_sync(0xffffffffu, factor<TA, Sum>(a.x[k % kA]), row * (K / kA) + k / kA);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const int source = k * (N / kB) + (first + i) / kB;
      Sum right = __shfl_sync(0xffffffffu, factor<TB, Sum>(b.x[i % kB]), source);
      if constexpr (kB > kCount) {  // lanes want different elements of one lane
        for (int begin = kCount; begin < kB; begin += kCount) {
          const Sum other = __shfl_sync(0xffffffffu, factor<TB, Sum>(b.x[(i + begin) % kB]), source);
          if (first % kB == begin) right = other;
        }
      }
      sums[i] = with_product(sums[i], left, right);
    }
  }
  for (int i = 0; i < kCount; ++i) d.x[i] = result_of<TD, Limited>(sums[i]);
}

}  // namespace kiln::wmma_detail

namespace nvcuda {
namespace wmma {

template <int M, int N, int K, class TA, class LA, class TB, class LB, class TC, class TD>
KILN_SHIM void mma_sync(fragment<accumulator, M, N, K, TD>& d, const fragment<matrix_a, M, N, K, TA, LA>& a,
                        const fragment<matrix_b, M, N, K, TB, LB>& b,
                        const fragment<accumulator, M, N, K, TC>& c, bool limited = false) {
  if (limited)
    kiln::wmma_detail::multiply<true>(d, a, b, c);
  else
    kiln::wmma_detail::multiply<false>(d, a, b, c);
}

}  // namespace wmma
}  // namespace nvcuda
