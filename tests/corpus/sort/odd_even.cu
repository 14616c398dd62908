#include <iostream>
#include <cstdlib>

// Odd-even transposition sort of rows; a class is the kernel's state, as a student writes it.
template <typename T, int N>
class RowSorter {
 public:
  __device__ RowSorter(T* shared_, int lane_) : data(shared_), lane(lane_) {}

  __device__ void load(const T* from) { data[lane] = from[lane]; }
  __device__ void store(T* to) const { to[lane] = data[lane]; }
  __device__ void step(int phase) {
    const int left = 2 * lane + (phase & 1);
    if (left + 1 < N) order(data[left], data[left + 1]);
  }

 private:
  static __device__ void order(T& a, T& b) {
    if (b < a) {
      T t = a;
      a = b;
      b = t;
    }
  }
  T* data;
  int lane;
};

template <typename T, int N>
__global__ void sort_rows(T* rows) {
  __shared__ T row[N];
  RowSorter<T, N> sorter(row, threadIdx.x);
  T* mine = rows + blockIdx.x * N;
  sorter.load(mine);
  for (int phase = 0; phase < N; ++phase) {
    __syncthreads();
    sorter.step(phase);
  }
  __syncthreads();
  sorter.store(mine);
}

#define DEFINE_SORT(NAME, TYPE, LENGTH)                          \
  void NAME(TYPE* rows, int count) {                             \
    sort_rows<TYPE, LENGTH><<<count, LENGTH>>>(rows);            \
    if (cudaDeviceSynchronize() != cudaSuccess) std::abort();    \
  }
DEFINE_SORT(sort_rows_of_64_shorts, short, 64)
DEFINE_SORT(sort_rows_of_128_doubles, double, 128)

int main() {
  short* rows;
  if (cudaMallocManaged(&rows, 100 * 64 * sizeof(short)) != cudaSuccess) {
    std::cerr << "no memory" << std::endl;
    return EXIT_FAILURE;
  }
  for (int i = 0; i < 6400; ++i) rows[i] = std::rand();
  sort_rows_of_64_shorts(rows, 100);
  std::cout << rows[0] << " ... " << rows[63] << std::endl;
  return EXIT_SUCCESS;
}
