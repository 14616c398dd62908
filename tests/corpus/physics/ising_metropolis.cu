#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <getopt.h>

// Two-dimensional Ising model, checkerboard updates, spins as signed bytes, a counter-based generator (Weyl and splitmix).
typedef signed char spin_t;

#define TCRIT 2.26918531421

struct Rng {
  uint64_t key;
  __device__ double uniform(uint64_t counter) const {
    uint64_t z = key + counter * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    return (z >> 11) * (1.0 / 9007199254740992.0);
  }
};

template <bool is_black>
__global__ void update_lattice(spin_t* lattice, const double inv_temp, const int nx, const int ny, const uint64_t key, const int sweep) {
  const long long tid = static_cast<long long>(blockDim.x) * blockIdx.x + threadIdx.x;
  const int half = ny / 2;
  const int i = tid / half;
  const int jj = tid % half;
  if (i >= nx) return;
  const int j = 2 * jj + (is_black ? i & 1 : (i + 1) & 1);
  const int inn = (i + 1 < nx) ? i + 1 : 0, ipp = (i - 1 >= 0) ? i - 1 : nx - 1;
  const int jnn = (j + 1 < ny) ? j + 1 : 0, jpp = (j - 1 >= 0) ? j - 1 : ny - 1;
  const int nn_sum = lattice[inn * ny + j] + lattice[ipp * ny + j] + lattice[i * ny + jnn] + lattice[i * ny + jpp];
  const spin_t lij = lattice[i * ny + j];
  const double acceptance_ratio = exp(-2.0 * inv_temp * nn_sum * lij);
  const Rng rng = {key};
  const uint64_t counter = (static_cast<uint64_t>(sweep) * 2 + is_black) * nx * half + tid;
  if (rng.uniform(counter) < acceptance_ratio) lattice[i * ny + j] = -lij;
}

static void usage(const char* pname) {
  const char* bname = strrchr(pname, '/');
  fprintf(stdout, "Usage: %s [-x rows] [-y columns] [-n iterations]\n", bname ? bname + 1 : pname);
  exit(EXIT_SUCCESS);
}

int main(int argc, char** argv) {
  int nx = 512, ny = 512, n = 100;
  while (1) {
    static struct option long_options[] = {{"lattice-n", required_argument, 0, 'x'}, {"niters", required_argument, 0, 'n'}, {0, 0, 0, 0}};
    int option_index = 0, ch = getopt_long(argc, argv, "x:y:n:h", long_options, &option_index);
    if (ch == -1) break;
    switch (ch) {
      case 'x': nx = atoi(optarg); break;
      case 'y': ny = atoi(optarg); break;
      case 'n': n = atoi(optarg); break;
      default: usage(argv[0]);
    }
  }
  spin_t* lattice;
  cudaMalloc(&lattice, nx * ny);
  cudaMemset(lattice, 1, nx * ny);
  const int blocks = (nx * ny / 2 + 127) / 128;
  for (int s = 0; s < n; s++) {
    update_lattice<true><<<blocks, 128>>>(lattice, 1 / TCRIT, nx, ny, 1234, s);
    update_lattice<false><<<blocks, 128>>>(lattice, 1 / TCRIT, nx, ny, 1234, s);
  }
  cudaDeviceSynchronize();
  std::cout << "done" << std::endl;
}
