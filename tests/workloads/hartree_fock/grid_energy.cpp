// Two-electron energy of a cubic grid of helium atoms by translation symmetry, independent of Kiln and of its
// kernels: an integral depends on the displacements within its two pairs and between them only, so each is
// made once and counted as often as it fits into the grid. Screening as in the workload. Prints the energy.
//
//   g++ -O3 -march=native -fopenmp grid_energy.cpp -o grid_energy && ./grid_energy 8 8 16 6
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr double kTolerance = 1e-12;
constexpr double kSpacing = 1.4 * 1.889725987722;

struct Vector {
  int x, y, z;
};

struct Primitive {
  double exponent, x, y, z, weight;
};

struct Displacement {
  Vector d;
  double schwarz;
  std::vector<Primitive> primitives;  // from the largest weight on, about a first atom at the origin
};

// erf(sqrt(alpha) d) / d. Beyond 36 the complement of erf is below half a unit in the last place.
double coulomb(double alpha, double distance2) {
  const double t = alpha * distance2;
  if (t > 36) return 1 / std::sqrt(distance2);
  if (t < 1e-12) return std::sqrt(alpha) * 1.1283791670955126;
  return std::erf(std::sqrt(t)) / std::sqrt(distance2);
}

double integral(const Displacement& bra, const Displacement& ket, Vector s) {
  double sum = 0;
  for (const Primitive& p : bra.primitives) {
    for (const Primitive& q : ket.primitives) {
      const double weight = p.weight * q.weight;
      if (weight <= kTolerance) break;
      const double dx = q.x + s.x * kSpacing - p.x;
      const double dy = q.y + s.y * kSpacing - p.y;
      const double dz = q.z + s.z * kSpacing - p.z;
      const double alpha = p.exponent * q.exponent / (p.exponent + q.exponent);
      sum += weight * coulomb(alpha, dx * dx + dy * dy + dz * dz);
    }
  }
  return sum;
}

Displacement displacement(Vector d, const std::vector<double>& exponents,
                          const std::vector<double>& coefficients) {
  Displacement pair{d, 0, {}};
  const double distance2 = kSpacing * kSpacing * (d.x * d.x + d.y * d.y + d.z * d.z);
  for (std::size_t a = 0; a < exponents.size(); ++a) {
    for (std::size_t b = 0; b < exponents.size(); ++b) {
      const double p = exponents[a] + exponents[b];
      const double share = exponents[b] / p * kSpacing;
      const double weight = coefficients[a] * std::pow(2 * exponents[a], 0.75) * coefficients[b] *
                            std::pow(2 * exponents[b], 0.75) *
                            std::exp(-exponents[a] * exponents[b] / p * distance2) / (p * std::sqrt(p));
      if (weight > kTolerance) pair.primitives.push_back({p, share * d.x, share * d.y, share * d.z, weight});
    }
  }
  std::sort(pair.primitives.begin(), pair.primitives.end(),
            [](const Primitive& a, const Primitive& b) { return a.weight > b.weight; });
  pair.schwarz = std::sqrt(integral(pair, pair, {0, 0, 0}));
  return pair;
}

// Places for three displacements from one atom along one axis.
int places(int extent, int a, int b, int c) {
  return std::max(0, extent - (std::max({0, a, b, c}) - std::min({0, a, b, c})));
}

double density(int x, int y, int z) {
  return x == 0 && y == 0 && z == 0 ? 1.0 : 0.1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return std::fprintf(stderr, "usage: grid_energy NX NY NZ NGAUSS(3|6)\n"), 2;
  const int nx = std::atoi(arguments[1]), ny = std::atoi(arguments[2]), nz = std::atoi(arguments[3]);
  std::vector<double> exponents{6.3624214, 1.1589230, 0.3136498};
  std::vector<double> coefficients{0.154328967295, 0.535328142282, 0.444634542185};
  if (std::atoi(arguments[4]) == 6) {
    exponents = {65.98456824, 12.09819836, 3.384639924, 1.162715163, 0.451516322, 0.185959356};
    coefficients = {0.00916359628, 0.04936149294, 0.16853830490, 0.37056279970, 0.41649152980, 0.13033408410};
  }
  // Pairs (i, j) with j not before i: half of all displacements, and none.
  std::vector<Displacement> pairs;
  for (int x = 0; x < nx; ++x) {
    for (int y = x > 0 ? 1 - ny : 0; y < ny; ++y) {
      for (int z = x > 0 || y > 0 ? 1 - nz : 0; z < nz; ++z) {
        pairs.push_back(displacement({x, y, z}, exponents, coefficients));
      }
    }
  }
  std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.schwarz > b.schwarz; });
  while (pairs.back().schwarz * pairs.front().schwarz <= kTolerance) pairs.pop_back();

  // Unordered pairs of pairs: (a, b, s) and (b, a, -s) are the same, so a comes first, and for a = b half
  // count.
  double energy = 0;
  double quartets = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : energy, quartets)
  for (std::size_t first = 0; first < pairs.size(); ++first) {
    const Displacement& bra = pairs[first];
    const Vector a = bra.d;
    double sum = 0, low = 0;  // compensated
    for (std::size_t second = first; second < pairs.size(); ++second) {
      const Displacement& ket = pairs[second];
      if (bra.schwarz * ket.schwarz <= kTolerance) break;
      const Vector b = ket.d;
      for (int x = 1 - nx; x < nx; ++x) {
        for (int y = 1 - ny; y < ny; ++y) {
          for (int z = 1 - nz; z < nz; ++z) {
            const double fits = double(places(nx, a.x, x, x + b.x)) * places(ny, a.y, y, y + b.y) *
                                places(nz, a.z, z, z + b.z);
            if (fits == 0) continue;
            // Each unordered pair of equal displacements is met twice, from either side; (i j | i j) once,
            // halved.
            const double share = first == second ? 0.5 : 1.0;
            double e = share * fits * integral(bra, ket, {x, y, z});
            if (a.x == 0 && a.y == 0 && a.z == 0) e *= 0.5;
            if (b.x == 0 && b.y == 0 && b.z == 0) e *= 0.5;
            quartets += share * fits;
            const double coulomb_part = 8 * density(a.x, a.y, a.z) * density(b.x, b.y, b.z);
            const double exchange =
                2 * density(x, y, z) * density(x + b.x - a.x, y + b.y - a.y, z + b.z - a.z) +
                2 * density(x + b.x, y + b.y, z + b.z) * density(x - a.x, y - a.y, z - a.z);
            const double term = 0.5 * e * (coulomb_part - exchange) - low;
            const double next = sum + term;
            low = (next - sum) - term;
            sum = next;
          }
        }
      }
    }
    energy += sum;
  }
  std::printf("energy %.15g, about %.0f surviving quartets\n", energy, quartets);
  return 0;
}
