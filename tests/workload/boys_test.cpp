// The Boys function that the workload hartree_fock uses, over its whole range, against erf in long double.
#include <gtest/gtest.h>

#include <cmath>

#define __device__
#define __constant__ const
#include "../../kernels_src/hartree_fock/boys.h"
#undef __device__
#undef __constant__

namespace kiln::test {
namespace {

long double exact(long double t) {
  return t > 0 ? std::erf(std::sqrt(t)) / std::sqrt(t) : 2 / std::sqrt(std::acos(-1.0L));
}

double polynomial(double t) {
  const double u = t * (2 / kBoysEnd) - 1;
  double sum = boys_terms[kBoysTerms - 1];
  for (int term = kBoysTerms - 2; term >= 0; --term) sum = std::fma(sum, u, boys_terms[term]);
  return sum;
}

TEST(Boys, PolynomialIsRightToTwentyUnitsInTheLastPlaceUpToItsEnd) {
  long double worst = 0;
  for (int step = 0; step <= 200000; ++step) {
    const double t = kBoysEnd * step / 200000;
    worst = std::max(worst, std::abs(polynomial(t) / exact(t) - 1));
  }
  EXPECT_LT(worst, 2.2e-14L);
}

TEST(Boys, NearlyZeroIsNoSpecialCase) {
  for (double t = 1e-300; t < 1e-3; t *= 1000) {
    EXPECT_LT(std::abs(polynomial(t) / exact(t) - 1), 2.2e-14L) << t;
  }
}

TEST(Boys, ErfIsOneBehindTheEnd) {
  // The kernel compares high words: it goes over to 1 / sqrt(t) up to 2^-20 before the end.
  long double worst = 0;
  for (long double t = static_cast<long double>(kBoysEnd) * (1 - std::ldexp(1.0L, -20)); t < 1e6L;
       t *= 1.0001L) {
    worst = std::max(worst, std::abs(1 / (std::sqrt(t) * exact(t)) - 1));
  }
  EXPECT_LT(worst, 7.4e-14L);
}

TEST(Boys, LibraryFormAgrees) {
  for (int step = 0; step <= 10000; ++step) {
    const double t = 0.01 * step;
    EXPECT_LT(std::abs(boys(t) / exact(t) - 1), 1e-15L) << t;
  }
}

}  // namespace
}  // namespace kiln::test
