// An open-addressing hash table with MurmurHash3's finaliser: insert by compare-and-swap, then look up.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <unordered_map>
#include <vector>
#include "linearprobing.h"

struct KeyValue {
  uint32_t key;
  uint32_t value;
};

const uint32_t kHashTableCapacity = 4096;
const uint32_t kEmpty = 0xffffffff;

__device__ uint32_t hash(uint32_t k) {
  k ^= k >> 16;
  k *= 0x85ebca6b;
  k ^= k >> 13;
  k *= 0xc2b2ae35;
  k ^= k >> 16;
  return k & (kHashTableCapacity - 1);
}

__global__ void gpu_hashtable_clear(KeyValue* hashtable) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kHashTableCapacity) {
    hashtable[i].key = kEmpty;
    hashtable[i].value = 0;
  }
}

__global__ void gpu_hashtable_insert(KeyValue* hashtable, const KeyValue* kvs, unsigned int numkvs) {
  unsigned int threadid = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadid < numkvs) {
    uint32_t key = kvs[threadid].key;
    uint32_t value = kvs[threadid].value;
    uint32_t slot = hash(key);
    while (true) {
      uint32_t prev = atomicCAS(&hashtable[slot].key, kEmpty, key);
      if (prev == kEmpty || prev == key) {
        atomicAdd(&hashtable[slot].value, value);
        return;
      }
      slot = (slot + 1) & (kHashTableCapacity - 1);
    }
  }
}

__global__ void gpu_hashtable_lookup(const KeyValue* hashtable, KeyValue* kvs, unsigned int numkvs) {
  unsigned int threadid = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadid < numkvs) {
    uint32_t key = kvs[threadid].key;
    uint32_t slot = hash(key);
    while (true) {
      if (hashtable[slot].key == key) {
        kvs[threadid].value = hashtable[slot].value;
        return;
      }
      if (hashtable[slot].key == kEmpty) {
        kvs[threadid].value = kEmpty;
        return;
      }
      slot = (slot + 1) & (kHashTableCapacity - 1);
    }
  }
}

KeyValue* create_hashtable() {
  KeyValue* hashtable;
  cudaMalloc(&hashtable, sizeof(KeyValue) * kHashTableCapacity);
  gpu_hashtable_clear<<<kHashTableCapacity / 256, 256>>>(hashtable);
  return hashtable;
}

int main() {
  std::vector<KeyValue> kvs;
  std::unordered_map<uint32_t, uint32_t> expected;
  for (uint32_t i = 0; i < 2000; ++i) {
    kvs.push_back({i * 7u % 1500u, i});
    expected[kvs.back().key] += i;
  }
  KeyValue* table = create_hashtable();
  KeyValue* device;
  cudaMalloc(&device, kvs.size() * sizeof(KeyValue));
  cudaMemcpy(device, kvs.data(), kvs.size() * sizeof(KeyValue), cudaMemcpyHostToDevice);
  gpu_hashtable_insert<<<(kvs.size() + 255) / 256, 256>>>(table, device, kvs.size());
  gpu_hashtable_lookup<<<(kvs.size() + 255) / 256, 256>>>(table, device, kvs.size());
  cudaMemcpy(kvs.data(), device, kvs.size() * sizeof(KeyValue), cudaMemcpyDeviceToHost);
  for (const auto& kv : kvs)
    if (expected[kv.key] != kv.value) return std::printf("wrong\n"), 1;
}
