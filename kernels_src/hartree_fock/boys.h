#pragma once

// The Boys function of order zero, times 2 / sqrt(pi): F(t) = erf(sqrt t) / sqrt t. From t = kBoysEnd on erf is 1
// to within 7e-14, so that F(t) = 1 / sqrt(t).

constexpr double kBoysEnd = 28;
constexpr double kBoysMiddle = 16;

// To one unit in the last place or two, slowly.
__device__ inline double boys(double t) {
  if (t > 1e-12) {
    const double root = sqrt(t);
    return erf(root) / root;
  }
  return 1.1283791670955126;  // 2 / sqrt(pi)
}

// F(t) as a polynomial in u = 2 t / end - 1: truncated Chebyshev series, written in powers of u. Relative error at
// most 9.3e-15 on [0, 16] and 1.7e-14 on [0, 28] (tests/workloads/hartree_fock/boys.py makes and checks them). In
// constant memory they are operands of the multiply-adds; as literals each would be moved to a register first.
__constant__ double boys_to_middle[25] = {
    0.35353099564340534,     -0.17657623330130523,   0.131675116894573,       -0.10771044253545135,
    0.09020899411923695,     -0.07472786553342074,   0.05988690482683432,     -0.04576511343560336,
    0.03306063442659595,     -0.02247354443570853,   0.014349587142508053,    -0.00860633896790008,
    0.004853602671797829,    -0.0025778442545346778, 0.0012924610709774494,   -0.0006137646682407346,
    0.00027584292755275936,  -0.00011653212012305502, 4.7437560640449226e-05, -1.9634665615239374e-05,
    7.2297437613821044e-06,  -1.7836268604372104e-06, 6.243356501786123e-07,  -4.879301473659298e-07,
    1.5025706497805747e-07};
__constant__ double boys_to_end[31] = {
    0.2672612094895056,     -0.13363013560502648,   0.10021931772517259,     -0.08350077285085451,
    0.07300953790638046,    -0.06555839770955536,   0.0597447611465252,      -0.05477638396799791,
    0.05012632944898383,    -0.0454338570091466,    0.04049102602787988,     -0.03524883312490432,
    0.02981438399236497,    -0.024407880322842766,  0.019261710686880724,    -0.01458895161761764,
    0.01065890226390176,    -0.007595073584221708,  0.005107731016112173,    -0.0030798094155619054,
    0.001938448873706667,   -0.0014897271730981705, 0.0008366840167911342,   -0.00012782779490122027,
    8.677842574369663e-05,  -0.0002883080555967904, 0.0001349788050702758,   5.121519413868796e-05,
    -2.116277595112488e-05, -2.3722258265609105e-05, 1.0064750987620583e-05};

template <int Terms>
__device__ inline double horner(const double (&terms)[Terms], double u) {
  double sum = terms[Terms - 1];
  KILN_UNROLL_ALL
  for (int n = Terms - 2; n >= 0; --n) sum = fma(sum, u, terms[n]);
  return sum;
}

// erfc(sqrt t) for 16 <= t <= 28, in single precision: at most 1.5e-8, and right to 3e-6 of itself, which leaves
// 5e-14 of F. A series in 1 / t for erfc(sqrt t) e^t sqrt t (relative error 1.2e-8).
__device__ inline float erfc_of_root(float t) {
  const float root = rsqrtf(t);
  const float s = root * root;
  const float series = ((-0.59326749f * s + 0.39438391f) * s - 0.28124651f) * s + 0.56418001f;
  return exp2f(t * -1.44269504f) * root * series;
}
