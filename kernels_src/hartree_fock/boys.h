#pragma once

// The Boys function of order zero, times 2 / sqrt(pi): F(t) = erf(sqrt t) / sqrt t. From t = kBoysEnd on erf is 1
// to within 7.4e-14, so that F(t) = 1 / sqrt(t).

constexpr double kBoysEnd = 28;

// By the library's erf.
__device__ inline double boys(double t) {
  if (t > 1e-12) {
    const double root = sqrt(t);
    return erf(root) / root;
  }
  return 1.1283791670955126;  // 2 / sqrt(pi)
}

// F(t) on [0, kBoysEnd] as a polynomial in u = 2 t / kBoysEnd - 1: a truncated Chebyshev series, written in powers
// of u, with a relative error of at most 1.7e-14 (tests/workloads/hartree_fock/boys.py makes and checks it). In
// constant memory a term costs one instruction to fetch; as a literal, two.
constexpr int kBoysTerms = 31;
__constant__ double boys_terms[kBoysTerms] = {
    0.2672612094895056,     -0.13363013560502648,   0.10021931772517259,     -0.08350077285085451,
    0.07300953790638046,    -0.06555839770955536,   0.0597447611465252,      -0.05477638396799791,
    0.05012632944898383,    -0.0454338570091466,    0.04049102602787988,     -0.03524883312490432,
    0.02981438399236497,    -0.024407880322842766,  0.019261710686880724,    -0.01458895161761764,
    0.01065890226390176,    -0.007595073584221708,  0.005107731016112173,    -0.0030798094155619054,
    0.001938448873706667,   -0.0014897271730981705, 0.0008366840167911342,   -0.00012782779490122027,
    8.677842574369663e-05,  -0.0002883080555967904, 0.0001349788050702758,   5.121519413868796e-05,
    -2.116277595112488e-05, -2.3722258265609105e-05, 1.0064750987620583e-05};
