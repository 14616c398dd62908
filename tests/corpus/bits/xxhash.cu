#include <cinttypes>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {
constexpr uint64_t P1 = 11400714785074694791ULL;
constexpr uint64_t P2 = 14029467366897019727ULL;
constexpr uint64_t P3 = 1609587929392839161ULL;
constexpr uint64_t P4 = 9650029242287828579ULL;
constexpr uint64_t P5 = 2870177450012600261ULL;
}  // namespace

__host__ __device__ constexpr uint64_t rotl(uint64_t x, int r) { return (x << r) | (x >> (64 - r)); }

__device__ __forceinline__ uint64_t read64(const uint8_t* p) {
  uint64_t v = 0;
#pragma unroll
  for (int i = 7; i >= 0; --i) v = v << 8 | p[i];
  return v;
}

__device__ __forceinline__ uint32_t read32(const uint8_t* p) {
  return p[0] | uint32_t(p[1]) << 8 | uint32_t(p[2]) << 16 | uint32_t(p[3]) << 24;
}

__device__ uint64_t xxh_round(uint64_t acc, uint64_t input) { return rotl(acc + input * P2, 31) * P1; }

// XXH64 of strings that stand one after the other.
__global__ void xxhash64_strings(const uint8_t* __restrict__ bytes, const int64_t* __restrict__ offsets, uint64_t* __restrict__ hashes,
                                 int count, uint64_t seed) {
  const auto index = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x);
  if (index >= count) return;
  const uint8_t* p = bytes + offsets[index];
  const uint8_t* const end = bytes + offsets[index + 1];
  const uint64_t length = end - p;
  uint64_t h;
  if (length >= 32) {
    uint64_t v[4] = {seed + P1 + P2, seed + P2, seed, seed - P1};
    do {
      for (int k = 0; k < 4; ++k, p += 8) v[k] = xxh_round(v[k], read64(p));
    } while (p <= end - 32);
    h = rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18);
    for (uint64_t x : v) h = (h ^ xxh_round(0, x)) * P1 + P4;
  } else {
    h = seed + P5;
  }
  h += length;
  for (; p + 8 <= end; p += 8) h = rotl(h ^ xxh_round(0, read64(p)), 27) * P1 + P4;
  if (p + 4 <= end) {
    h = rotl(h ^ read32(p) * P1, 23) * P2 + P3;
    p += 4;
  }
  for (; p < end; ++p) h = rotl(h ^ *p * P5, 11) * P1;
  h ^= h >> 33;
  h *= P2;
  h ^= h >> 29;
  h *= P3;
  h ^= h >> 32;
  hashes[index] = h;
}

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::vector<uint8_t> bytes;
  std::vector<int64_t> offsets{0};
  for (std::string_view w : words) {
    bytes.insert(bytes.end(), w.begin(), w.end());
    offsets.push_back(bytes.size());
  }
  uint8_t* d_bytes;
  int64_t* d_offsets;
  uint64_t* d_hashes;
  cudaMalloc(&d_bytes, bytes.size() + 1);
  cudaMalloc(&d_offsets, offsets.size() * 8);
  cudaMalloc(&d_hashes, words.size() * 8 + 8);
  cudaMemcpy(d_bytes, bytes.data(), bytes.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(d_offsets, offsets.data(), offsets.size() * 8, cudaMemcpyHostToDevice);
  xxhash64_strings<<<(words.size() + 127) / 128, 128>>>(d_bytes, d_offsets, d_hashes, words.size(), 0);
  std::vector<uint64_t> hashes(words.size());
  cudaMemcpy(hashes.data(), d_hashes, hashes.size() * 8, cudaMemcpyDeviceToHost);
  for (size_t i = 0; i < words.size(); ++i) std::cout << std::hex << hashes[i] << "  " << words[i] << "\n";
}
