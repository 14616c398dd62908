#include "gemm_errors.h"

#include "../tiles/overlap.h"

// A work-item has 16 bytes of each part.
extern "C" __global__ void add_splits(Out* d, const Sum* parts, const Out* c, const Params p) {
  constexpr int each = 16 / int(sizeof(Sum));
  const long long first = kiln::global_index_x() * each;
  const long long all = (long long)p.m * p.n;
  tiles::wait_for_launches_before();
  if (first >= all) return;
  const auto store = epilogue(d, c, p);
  if (p.n % each == 0) {
    Sum sum[each] = {};
    for (int split = 0; split < p.splits; ++split) {
      const auto pack = kiln::load_pack<each>(parts + split * all + first);
      KILN_UNROLL_ALL
      for (int e = 0; e < each; ++e) sum[e] += pack.at[e];
    }
    tiles::store_run<each>(store, int(first / p.n), int(first % p.n), [&](int e) { return sum[e]; });
    return;
  }
  for (long long at = first; at < first + each && at < all; ++at) {
    Sum sum = 0;
    for (int split = 0; split < p.splits; ++split) sum += parts[split * all + at];
    tiles::store_one(store, int(at / p.n), int(at % p.n), sum);
  }
}

extern "C" __global__ void find_errors(double* __restrict__ errors, const Out* __restrict__ d,
                                       const T* __restrict__ a, const T* __restrict__ b,
                                       const Out* __restrict__ c, int samples, double unit,
                                       double sum_epsilon, double out_epsilon, double smallest,
                                       const Params p) {
  const int s = int(kiln::global_index_x());
  if (s < samples)
    errors[s] = error_of_sample(s, d, a, b, c, samples, unit, sum_epsilon, out_epsilon, smallest, p,
                                [](int, int, int) { return 1.0; });
}
