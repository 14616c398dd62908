// Forces of Lennard-Jones particles from neighbour lists: array of structs with nested structs and arrays.
#include <cuda_runtime.h>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <map>

#define MAX_NEIGHBOURS 24

struct Vec3 {
  double x, y, z;
  __host__ __device__ Vec3 operator-(const Vec3& o) const { return Vec3{x - o.x, y - o.y, z - o.z}; }
  __host__ __device__ void operator+=(const Vec3& o) { x += o.x, y += o.y, z += o.z; }
  __host__ __device__ friend Vec3 operator*(double s, const Vec3& v) { return Vec3{s * v.x, s * v.y, s * v.z}; }
  __host__ __device__ double norm2() const { return x * x + y * y + z * z; }
};

struct Neighbours {
  short count;
  int index[MAX_NEIGHBOURS];
};

struct Atom {
  Vec3 position;
  char species;
  struct {
    float epsilon, sigma;
  } pair;
  Neighbours neighbours;
};

static_assert(sizeof(Neighbours) == 4 + 4 * MAX_NEIGHBOURS, "");
static_assert(offsetof(Atom, pair) == 28, "as the host writes it");

__device__ Vec3 pair_force(const Atom& a, const Atom& b, double& energy) {
  const Vec3 d = a.position - b.position;
  const double epsilon = sqrt(double(a.pair.epsilon) * b.pair.epsilon), sigma = 0.5 * (a.pair.sigma + b.pair.sigma);
  const double s2 = sigma * sigma / d.norm2(), s6 = s2 * s2 * s2;
  energy += 4 * epsilon * s6 * (s6 - 1);
  return (24 * epsilon * s6 * (2 * s6 - 1) / d.norm2()) * d;
}

__global__ void forces(const Atom* __restrict__ atoms, Vec3* __restrict__ force, double* __restrict__ energy, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Atom& me = atoms[i];
  Vec3 sum{0, 0, 0};
  double e = 0;
  for (int k = 0; k < me.neighbours.count; ++k) sum += pair_force(me, atoms[me.neighbours.index[k]], e);
  force[i] = sum;
  energy[i] = 0.5 * e;
}

std::ostream& operator<<(std::ostream& out, const Vec3& v) { return out << v.x << ' ' << v.y << ' ' << v.z; }

int main() {
  std::map<char, int> species;
  Atom* atoms;
  Vec3* force;
  double* energy;
  cudaMallocManaged(&atoms, 100 * sizeof(Atom));
  cudaMallocManaged(&force, 100 * sizeof(Vec3));
  cudaMallocManaged(&energy, 100 * sizeof(double));
  for (int i = 0; i < 100; ++i) ++species[atoms[i].species];
  forces<<<1, 128>>>(atoms, force, energy, 100);
  cudaDeviceSynchronize();
  std::cout << force[0] << std::endl;
}
