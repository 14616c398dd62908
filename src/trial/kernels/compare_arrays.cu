// Compares a region of an array with another array, or with one number. kiln/portable.h and
// measure/compare_rules.h stand before this text. VALUE and EXPECTED are the types of the elements; bool is
// read as a byte. For each block, what it found: four counts and two sizes.

namespace kiln {

/// `count` elements in rows of rows: extents and distances of elements, the fastest last.
struct ComparedRegion {
  uint64 count, first;
  uint64 extents[8], strides[8];
  int dimensions;
};

KILN_DEVICE uint64 place_of(const ComparedRegion& region, uint64 element) {
  uint64 place = region.first;
  for (int i = region.dimensions - 1; i > 0; --i) {
    const uint64 row = element / region.extents[i];
    place += (element - row * region.extents[i]) * region.strides[i];
    element = row;
  }
  return place + element * region.strides[0];
}

}  // namespace kiln

/// `expected_stride`: 1, or 0 where `expected` is one number. The worst of equally wrong elements is the first.
extern "C" __global__ void __launch_bounds__(256)
    compare_arrays(const VALUE* values, const EXPECTED* expected, kiln::uint64 expected_stride, kiln::ComparedRegion region,
                   kiln::Tolerance tolerance, double infinity, kiln::uint64* counts, double* sizes) {
  __shared__ kiln::uint64 compared[256], skipped[256], mismatches[256], worst_place[256];
  __shared__ double relative_error[256], worst_excess[256];
  kiln::uint64 own_compared = 0, own_skipped = 0, own_mismatches = 0, own_place = 0;
  double own_relative = 0, own_excess = -1;
  const kiln::uint64 stride = static_cast<kiln::uint64>(gridDim.x) * 256;
  for (kiln::uint64 i = static_cast<kiln::uint64>(blockIdx.x) * 256 + threadIdx.x; i < region.count; i += stride) {
    const kiln::uint64 place = kiln::place_of(region, i);
    const kiln::ElementComparison found =
        kiln::compare_element(tolerance, kiln::comparable(values[place]),
                              kiln::comparable(expected[place * expected_stride]), infinity);
    if (found.skipped) {
      ++own_skipped;
      continue;
    }
    ++own_compared;
    if (!found.agrees) ++own_mismatches;
    if (found.relative_error > own_relative) own_relative = found.relative_error;
    if (found.excess > own_excess) {
      own_excess = found.excess;
      own_place = place;
    }
  }
  const unsigned int t = threadIdx.x;
  compared[t] = own_compared;
  skipped[t] = own_skipped;
  mismatches[t] = own_mismatches;
  worst_place[t] = own_place;
  relative_error[t] = own_relative;
  worst_excess[t] = own_excess;
  for (unsigned int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) {
      const unsigned int other = t + half;
      compared[t] += compared[other];
      skipped[t] += skipped[other];
      mismatches[t] += mismatches[other];
      if (relative_error[other] > relative_error[t]) relative_error[t] = relative_error[other];
      if (worst_excess[other] > worst_excess[t] ||
          (worst_excess[other] == worst_excess[t] && worst_place[other] < worst_place[t])) {
        worst_excess[t] = worst_excess[other];
        worst_place[t] = worst_place[other];
      }
    }
  }
  if (t == 0) {
    kiln::uint64* own_counts = counts + 4ull * blockIdx.x;
    own_counts[0] = compared[0];
    own_counts[1] = skipped[0];
    own_counts[2] = mismatches[0];
    own_counts[3] = worst_place[0];
    sizes[2ull * blockIdx.x] = relative_error[0];
    sizes[2ull * blockIdx.x + 1] = worst_excess[0];
  }
}
