#include <cuda_runtime.h>
#include <iostream>
#include <sstream>
#include <bitset>
#include <cstring>

// Counts k-mers of DNA as 2-bit codes, canonical (the smaller of a word and its reverse complement), tables by 64-bit atomics.
template <int K>
struct Kmer {
  static_assert(K > 0 && K <= 31, "two bits a letter");
  static constexpr unsigned long long mask = (1ull << (2 * K)) - 1;
  static __device__ __host__ constexpr unsigned code(char c) { return (c >> 1) & 3; }  // A 0, C 1, T 2, G 3
  static __device__ unsigned long long reverse_complement(unsigned long long w) {
    unsigned long long r = __brevll(w);                                  // reverses the letters and the bits of each
    r = ((r & 0x5555555555555555ull) << 1) | ((r >> 1) & 0x5555555555555555ull);
    r >>= 64 - 2 * K;
    return (r ^ 0xaaaaaaaaaaaaaaaaull) & mask;                           // A and T, C and G differ in the upper bit
  }
};

template <int K>
__global__ void count_kmers(const char* __restrict__ dna, size_t length, unsigned long long* __restrict__ counts) {
  const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t start = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x; start + K <= length; start += stride) {
    unsigned long long word = 0;
    bool valid = true;
#pragma unroll
    for (int k = 0; k < K; ++k) {
      const char c = dna[start + k];
      valid &= c != 'N';
      word = (word << 2) | Kmer<K>::code(c);
    }
    if (!valid) continue;
    const unsigned long long other = Kmer<K>::reverse_complement(word);
    atomicAdd(&counts[word < other ? word : other], 1ull);
  }
}

template __global__ void count_kmers<4>(const char*, size_t, unsigned long long*);

std::string letters(unsigned long long word, int k) {
  std::ostringstream s;
  for (int i = k - 1; i >= 0; --i) s << "ACTG"[(word >> (2 * i)) & 3];
  return s.str();
}

int main() {
  const char* text = "ACGTTGCANNACGT";
  char* dna;
  unsigned long long* counts;
  cudaMallocManaged(&dna, 64);
  cudaMallocManaged(&counts, 256 * sizeof *counts);
  std::strcpy(dna, text);
  cudaMemset(counts, 0, 256 * sizeof *counts);
  count_kmers<4><<<1, 32>>>(dna, std::strlen(text), counts);
  cudaDeviceSynchronize();
  for (int w = 0; w < 256; ++w)
    if (counts[w]) std::cout << letters(w, 4) << ' ' << std::bitset<8>(w) << ' ' << counts[w] << '\n';
}
