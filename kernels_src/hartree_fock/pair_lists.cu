#include "kiln/params.h"

#include "gaussian.h"
#include "pair_lists.h"

// What the tuned Fock build reads: made once, from geometry and basis alone.

// Spreads the low 10 bits of a number to every third bit.
__device__ inline int spread(int number) {
  int bits = 0;
  for (int bit = 0; bit < 10; ++bit) bits |= (number >> bit & 1) << (3 * bit);
  return bits;
}

// Where a pair is: the cell of one bohr that holds its middle, as a Morton number.
extern "C" __global__ void locate_pairs(int* __restrict__ places, const double* __restrict__ geometry,
                                        const Params p) {
  const long long n = p.natoms;
  const long long index = kiln::global_index_x();
  if (index >= n * (n + 1) / 2) return;
  const Pair atoms = unpack(index);
  int place = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double middle = bohr(0.5 * (geometry[3 * atoms.i + axis] + geometry[3 * atoms.j + axis]));
    const double cell = fmin(fmax(floor(middle) + 512, 0.0), 1023.0);
    place |= spread(int(cell)) << axis;
  }
  places[index] = place;
}

// Each pair counts those that go before it.
extern "C" __global__ void rank_pairs(RankedPair* __restrict__ ranked_pairs,
                                      const double* __restrict__ schwarz, const int* __restrict__ places,
                                      const Params p) {
  const long long n = p.natoms;
  const long long pairs = n * (n + 1) / 2;
  const long long width = p.lanes * p.kets;
  const long long index = kiln::global_index_x();
  if (index >= pairs) {
    if (index < (pairs + width - 1) / width * width) ranked_pairs[index] = RankedPair{0, 0, 0, 0};
    return;
  }
  const double mine = rounded_up(schwarz[index]);
  const int place = places[index];
  long long rank = 0;
  for (long long other = 0; other < pairs; ++other) {
    const double theirs = rounded_up(schwarz[other]);
    const bool nearer = places[other] < place || (places[other] == place && other < index);
    rank += theirs > mine || (theirs == mine && nearer);
  }
  const Pair atoms = unpack(index);
  ranked_pairs[rank] = RankedPair{schwarz[index], mine, int(atoms.i), int(atoms.j)};
}

// One work-item for each chunk: the order of its primitives.
extern "C" __global__ void order_primitives(ChunkPrimitive* __restrict__ chunk_primitives,
                                            const RankedPair* __restrict__ ranked_pairs,
                                            const double* __restrict__ basis,
                                            const double* __restrict__ geometry, const Params p) {
  const long long n = p.natoms;
  const long long pairs = n * (n + 1) / 2;
  const int width = p.lanes * p.kets;
  const long long chunk = kiln::global_index_x();
  if (chunk * width >= pairs) return;
  const int most = p.ngauss * p.ngauss;
  ChunkPrimitive* list = chunk_primitives + chunk * most;
  for (int slot = 0; slot < most; ++slot) {
    const int a = slot / p.ngauss, b = slot % p.ngauss;
    double largest = 0;
    for (int at = 0; at < width && chunk * width + at < pairs; ++at) {
      const RankedPair pair = ranked_pairs[chunk * width + at];
      const double weight = fabs(product(basis, geometry, pair.i, pair.j, a, b).weight);
      if (weight > p.dtol && weight > largest) largest = weight;
    }
    const float bound = float(largest * (1 + 1e-6));
    int place = slot;
    for (; place > 0 && list[place - 1].bound < bound; --place) list[place] = list[place - 1];
    list[place] = ChunkPrimitive{bound, kind_of(a, b), slot};
  }
}

// One work-item for each pair: centre and weight of its primitives, as [chunk][primitive][x, y, z, weight][pair].
extern "C" __global__ void make_pair_data(double* __restrict__ pair_data,
                                          const ChunkPrimitive* __restrict__ chunk_primitives,
                                          const RankedPair* __restrict__ ranked_pairs,
                                          const double* __restrict__ basis,
                                          const double* __restrict__ geometry, const Params p) {
  const long long n = p.natoms;
  const long long pairs = n * (n + 1) / 2;
  const int width = p.lanes * p.kets;
  const long long rank = kiln::global_index_x();
  const long long chunk = rank / width;
  if (chunk * width >= pairs) return;
  const int most = p.ngauss * p.ngauss;
  const RankedPair pair = ranked_pairs[rank];
  for (int at = 0; at < most; ++at) {
    const int slot = chunk_primitives[chunk * most + at].slot;
    const Primitive P = product(basis, geometry, pair.i, pair.j, slot / p.ngauss, slot % p.ngauss);
    double* to = pair_data + (chunk * most + at) * 4 * width + rank % width;
    to[0 * width] = P.x;
    to[1 * width] = P.y;
    to[2 * width] = P.z;
    to[3 * width] = rank < pairs && fabs(P.weight) > p.dtol ? P.weight : 0;
  }
}

extern "C" __global__ void make_alphas(Alpha* __restrict__ alphas, const double* __restrict__ basis,
                                       const Params p) {
  const int kinds = p.ngauss * (p.ngauss + 1) / 2;
  const int at = int(kiln::global_index_x());
  if (at >= kinds * kinds) return;
  const Pair bra = unpack(at / kinds);
  const Pair ket = unpack(at % kinds);
  const double P = basis[2 * bra.i] + basis[2 * bra.j];
  const double Q = basis[2 * ket.i] + basis[2 * ket.j];
  const double alpha = P * Q / (P + Q);
  alphas[at] = Alpha{alpha, sqrt(alpha)};
}

// For each chunk of kets: how many bras, from the largest bound on, meet it. Those behind have a product of
// bounds below dtol with every pair of the chunk, or come after its last pair.
extern "C" __global__ void count_bras(int* __restrict__ bra_counts,
                                      const RankedPair* __restrict__ ranked_pairs, const Params p) {
  const long long n = p.natoms;
  const long long pairs = n * (n + 1) / 2;
  const int width = p.lanes * p.kets;
  const long long chunk = kiln::global_index_x();
  if (chunk * width >= pairs) return;
  const double largest = ranked_pairs[chunk * width].bound;
  long long low = 0;
  long long high = (chunk + 1) * width < pairs ? (chunk + 1) * width : pairs;
  while (low < high) {
    const long long middle = (low + high) / 2;
    if (ranked_pairs[middle].bound * largest > p.dtol) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  bra_counts[chunk] = int(low);
}

// A task is `rows` bras with one chunk of kets; the sums say where the tasks of a chunk begin. One work-item.
extern "C" __global__ void number_tasks(long long* __restrict__ first_tasks,
                                        const int* __restrict__ bra_counts, const Params p) {
  const long long n = p.natoms;
  const long long pairs = n * (n + 1) / 2;
  const long long width = p.lanes * p.kets;
  const long long chunks = (pairs + width - 1) / width;
  long long sum = 0;
  for (long long chunk = 0; chunk < chunks; ++chunk) {
    first_tasks[chunk] = sum;
    sum += (bra_counts[chunk] + p.rows - 1) / p.rows;
  }
  first_tasks[chunks] = sum;
}
