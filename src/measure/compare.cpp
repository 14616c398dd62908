#include "measure/compare.h"

namespace kiln {

void CompensatedSum::add(double value) {
  const double sum = sum_ + value;
  if (std::isfinite(sum)) {
    correction_ += std::abs(sum_) >= std::abs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
  }
  sum_ = sum;
}

}  // namespace kiln
