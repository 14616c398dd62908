#pragma once

// A Fock build of workload hartree_fock as plain C++ with OpenMP, in the structure of either implementation:
// sizes at run time, each thread with a Fock matrix of its own, which are added up at the end. Compiled like
// openmp_loops.h, and a second time with -fno-math-errno (`_no_errno`), without which g++ makes no vector
// code of a square root.
namespace kiln::bench {

/// The records of kernels_src/hartree_fock/pair_lists.h.
struct RankedPair {
  double schwarz, bound;
  int i, j;
};
struct ChunkPrimitive {
  float bound;
  int kind, slot;
};
struct Alpha {
  double alpha, root;
};

/// Kets that stand side by side in the pair lists: the workload's `lanes * kets` on a CPU.
inline constexpr int kChunk = 16;

/// What the implementation `tuned` reads; its buffers' names.
struct PairLists {
  const double* density;
  const RankedPair* ranked_pairs;
  const ChunkPrimitive* chunk_primitives;
  const double* pair_data;
  const Alpha* alphas;
  const int* bra_counts;
};

/// What the implementation `paper` reads.
struct Orbitals {
  const double *density, *schwarz, *orbital, *centres;
};

void build_fock(double* fock, const PairLists& lists, int natoms, int ngauss, double dtol);
void build_fock_no_errno(double* fock, const PairLists& lists, int natoms, int ngauss, double dtol);
void build_fock_quartets(double* fock, const Orbitals& orbitals, int natoms, int ngauss, double dtol);
void build_fock_quartets_no_errno(double* fock, const Orbitals& orbitals, int natoms, int ngauss,
                                  double dtol);

}  // namespace kiln::bench
