#include <random>
#include <string>
#include <vector>

#include "batched_loops.h"
#include "ratio_table.h"

namespace kiln::bench {
namespace {

template <class T>
void compare(const WorkloadHandle& batched, const DeviceHandle& cpu, const std::string& type, int n,
             int rounds) {
  constexpr long kElements = 1L << 24;  // of each operand
  const long batch = kElements / (n * n);
  const Kernel multiply =
      batched.kernel("batched_gemm_loops").on(cpu).set("T", type).set("m", n).set("batch", batch).get();
  std::vector<T> a(kElements), b(kElements), mine(kElements), theirs(kElements), none(1);
  std::mt19937 engine(1);
  std::uniform_real_distribution<T> uniform(-1, 1);
  for (std::vector<T>* operand : {&a, &b}) {
    for (T& element : *operand) element = uniform(engine);
  }
  const Pair pair = time_pair([&] { multiply.run(args(mine.data(), a.data(), b.data(), none.data())); },
                              [&] { multiply_batch(theirs.data(), a.data(), b.data(), n, batch); }, rounds);
  for (std::size_t at = 0; at < mine.size(); at += 997)
    require_close("batched_gemm", double(mine[at]) + 100, double(theirs[at]) + 100, 1e-5);
  print_row(("batched_gemm, " + type + ", n = " + std::to_string(n)).c_str(), 3.0 * kElements * sizeof(T),
            pair, 1.0);
}

}  // namespace

void batched_ratios(const WorkloadHandle& batched, const DeviceHandle& cpu, int rounds) {
  for (const int n : {4, 8, 16, 32}) compare<float>(batched, cpu, "float", n, rounds);
  for (const int n : {4, 8, 16, 32}) compare<double>(batched, cpu, "double", n, rounds);
}

}  // namespace kiln::bench
