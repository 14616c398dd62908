// Asian call options by Monte Carlo: an LCG with the state of each path, Box-Muller, paths in a grid-stride loop.
#include <iostream>
#include <cmath>
#include <string>
#include <thread>
#include <mutex>
#include <atomic>

using real = double;

class Lcg48 {
 public:
  __host__ __device__ explicit Lcg48(unsigned long long seed) : state_((seed << 16) | 0x330E) {}
  __host__ __device__ real operator()() {
    state_ = (state_ * 0x5DEECE66DULL + 0xB) & ((1ULL << 48) - 1);
    return (state_ + 0.5) / 281474976710656.0;
  }

 private:
  unsigned long long state_;
};

template <typename Generator>
__host__ __device__ real normal(Generator& g) {
  const real u = g(), v = g();
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

struct Market {
  real spot, strike, rate, sigma, years;
};

__host__ __device__ real payoff(const Market& m, int steps, unsigned long long seed) {
  Lcg48 rng(seed);
  const real dt = m.years / steps, drift = (m.rate - m.sigma * m.sigma / 2) * dt, vol = m.sigma * sqrt(dt);
  real s = m.spot, sum = 0;
  for (int k = 0; k < steps; ++k) {
    s *= exp(drift + vol * normal(rng));
    sum += s;
  }
  const real gain = sum / steps - m.strike;
  return gain > 0 ? gain * exp(-m.rate * m.years) : 0;
}

__global__ void asian(real* payoffs, const Market* market, int steps, int paths) {
  for (auto p = blockIdx.x * blockDim.x + threadIdx.x; p < paths; p += gridDim.x * blockDim.x) payoffs[p] = payoff(*market, steps, p);
}

static std::mutex guard;

int main(int argc, char** argv) {
  const int paths = 1 << 16, steps = argc > 1 ? std::stoi(argv[1]) : 64;
  Market host = {100, 105, 0.03, 0.25, 1}, *device;
  real* payoffs;
  cudaMallocManaged(&payoffs, paths * sizeof(real));
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice);
  asian<<<64, 256>>>(payoffs, device, steps, paths);
  std::atomic<int> wrong{0};
  cudaDeviceSynchronize();
  std::thread checker([&] {
    for (int p = 0; p < paths; p += 97)
      if (std::abs(payoff(host, steps, p) - payoffs[p]) > 1e-9) {
        std::lock_guard<std::mutex> lock(guard);
        ++wrong;
      }
  });
  checker.join();
  std::cout << wrong << " wrong\n";
  return wrong != 0;
}
