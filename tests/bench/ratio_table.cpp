#include "ratio_table.h"

#include <cmath>
#include <cstdio>

namespace kiln::bench {

void print_row(const char* name, double bytes, const Pair& pair, double goal) {
  const double per_second = bytes > 0 ? bytes / pair.kiln.median * 1e-9 : 0;
  std::printf("| %s | %.3f | %.3f | %.2f (%.2f to %.2f) | %.2f | ", name, pair.kiln.median * 1e3,
              pair.other.median * 1e3, pair.ratio, pair.ratio_low, pair.ratio_high, goal);
  if (per_second > 0) {
    std::printf("%.1f GB/s |\n", per_second);
  } else {
    std::printf("|\n");
  }
  std::fflush(stdout);
}

void require_close(const char* what, double value, double expected, double rtol) {
  if (std::abs(value - expected) <= rtol * std::abs(expected)) return;
  throw Error(ErrorKind::kInternal, std::string(what) + " disagrees: " + std::to_string(value) + " against " +
                                        std::to_string(expected));
}

}  // namespace kiln::bench
