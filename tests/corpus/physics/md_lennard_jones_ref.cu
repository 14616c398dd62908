// Atoms near the points of a lattice of 6 x 6 x 6; neighbours are the 26 around, as far as 24 fit.
struct Neighbours { short count; int index[24]; };
struct Atom { double x[3]; signed char species; float epsilon, sigma; Neighbours near; };
__device__ void place(int i, double* x) {
  int at[3] = {i % 6, i / 6 % 6, i / 36};
  for (int k = 0; k < 3; ++k) x[k] = 1.1 * at[k] + 0.02 * ((i * (7 + k) + k) % 5);
}
__device__ int neighbours(int i, int* list) {
  int count = 0;
  for (int j = 0; j < 216; ++j) {
    bool close = j != i && abs(j % 6 - i % 6) <= 1 && abs(j / 6 % 6 - i / 6 % 6) <= 1 && abs(j / 36 - i / 36) <= 1;
    if (close && count < 24) list[count++] = j;
  }
  return count;
}
__device__ double pair_energy(const double* a, const double* b, int i, int j) {
  double r2 = 0, epsilon = sqrt((double)(1.f + i % 2) * (1.f + j % 2)), sigma = 0.5 * (1.f + 0.125f * (i % 3) + 1.f + 0.125f * (j % 3));
  for (int k = 0; k < 3; ++k) r2 += (a[k] - b[k]) * (a[k] - b[k]);
  double q = pow(sigma / sqrt(r2), 6.0);
  return 4 * epsilon * (q * q - q);
}
__device__ double energy_of(const double* x, int i) {
  int list[24], count = neighbours(i, list);
  double sum = 0, y[3];
  for (int k = 0; k < count; ++k) {
    place(list[k], y);
    sum += pair_energy(x, y, i, list[k]);
  }
  return sum;
}
extern "C" __global__ void make_atoms(Atom* atoms, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  place(i, atoms[i].x);
  atoms[i].species = i % 2;
  atoms[i].epsilon = 1.f + i % 2;
  atoms[i].sigma = 1.f + 0.125f * (i % 3);
  atoms[i].near.count = neighbours(i, atoms[i].near.index);
}
extern "C" __global__ void energies(double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double x[3];
  if (i >= n) return;
  place(i, x);
  out[i] = 0.5 * energy_of(x, i);
}
extern "C" __global__ void differences(double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 3; ++k) {
    double x[3], h = 1e-5;
    place(i, x);
    x[k] += h;
    double above = energy_of(x, i);
    x[k] -= 2 * h;
    out[3 * i + k] = (energy_of(x, i) - above) / (2 * h);
  }
}
