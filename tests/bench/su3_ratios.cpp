#include <vector>

#include "ratio_table.h"
#include "su3_loops.h"

namespace kiln::bench {
namespace {

template <class T>
using Loop = void(T* c, const T* a, const T* b, std::size_t sites, std::size_t stride);

template <class T>
void compare(const WorkloadHandle& su3, const DeviceHandle& cpu, const std::string& type, int lattice,
             int rounds) {
  constexpr std::size_t kStride = 80;
  const auto extent = static_cast<std::size_t>(lattice);
  const std::size_t sites = extent * extent * extent * extent;
  const auto kernel = [&](const char* name, const char* implementation) {
    return su3.kernel(name)
        .on(cpu)
        .set("implementation", implementation)
        .set("T", type)
        .set("L", lattice)
        .set("layout", "published")
        .get();
  };
  std::vector<T> a(sites * kStride), b(72), mine(a.size()), theirs(a.size());
  kernel("fill_lattice", "tuned").run(args(a.data()));
  kernel("fill_matrices", "tuned").run(args(b.data()));
  const auto row = [&](const std::string& name, const Kernel& multiply, Loop<T>* loop, double goal) {
    const Pair pair = time_pair([&] { multiply.run(args(mine.data(), a.data(), b.data())); },
                                [&] { loop(theirs.data(), a.data(), b.data(), sites, kStride); }, rounds);
    for (std::size_t site = 0; site < sites; site += 97) {
      for (std::size_t n = 0; n < 72; ++n)
        require_close("su3", mine[site * kStride + n] + 10, theirs[site * kStride + n] + 10, 1e-6);
    }
    print_row(("su3, " + type + ", " + std::to_string(lattice) + "^4, " + name).c_str(),
              2 * 72 * static_cast<double>(sites) * sizeof(T), pair, goal);
  };
  const Kernel tuned = kernel("multiply_runs", "tuned");
  row("tuned", tuned, &su3_rows, 0.9);
  row("tuned, OpenMP as a nest of loops", tuned, &su3_nest, 0.9);
  row("paper", kernel("multiply_paper", "paper"), &su3_elements, 0.9);
}

}  // namespace

void su3_ratios(const WorkloadHandle& su3, const DeviceHandle& cpu, int rounds) {
  compare<float>(su3, cpu, "float", 20, rounds);
  compare<double>(su3, cpu, "double", 20, rounds);
}

}  // namespace kiln::bench
