// A program that has its own data and its own time loop, and lets Kiln specialise the kernel of its inner
// step: explicit heat conduction u += c * Laplacian(u) on a grid whose extents are known at run time only.
//
//   heat [device] [n] [steps]      e.g.  heat cpu 96 20
#include <kiln/kiln.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace {

/// A product of half sines, zero on the boundary, is an eigenvector of the discrete Laplacian: it only
/// shrinks, by a factor that is known, and that is what the result is compared with.
double mode(int i, int n) {
  return std::sin(M_PI * i / (n - 1));
}

std::size_t index(int i, int j, int k, int n) {
  return static_cast<std::size_t>(i) +
         static_cast<std::size_t>(n) *
             (static_cast<std::size_t>(j) + static_cast<std::size_t>(n) * static_cast<std::size_t>(k));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string device_name = argc > 1 ? argv[1] : "cpu";
  const int n = argc > 2 ? std::atoi(argv[2]) : 96;
  const int steps = argc > 3 ? std::atoi(argv[3]) : 20;
  try {
    // A cache of this program's own, and nothing from the environment or the current folder.
    kiln::Settings settings = kiln::Settings::for_application("kiln-heat");
    settings.workload_path = {KERNELS_FOLDER};
    kiln::Service service(settings);
    const kiln::DeviceHandle device = service.device(device_name);

    // Everything that is known by now becomes a constant of the machine code.
    const kiln::Kernel laplacian = service.workload("stencil7")
                                       .kernel("laplacian")
                                       .on(device)
                                       .set("T", "double")
                                       .set("nx", n)
                                       .set("ny", n)
                                       .set("nz", n)
                                       .get();

    const auto cells =
        static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    std::vector<double> u(cells);
    std::vector<double> f(cells, 0.0);
    for (int k = 0; k < n; ++k) {
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) u[index(i, j, k, n)] = mode(i, n) * mode(j, n) * mode(k, n);
      }
    }

    const double h = 1.0 / (n - 1);
    const double c = 0.1 * h * h;
    for (int step = 0; step < steps; ++step) {
      laplacian.run(kiln::args(f.data(), u.data()));
      for (std::size_t i = 0; i < cells; ++i) u[i] += c * f[i];
    }

    const double eigenvalue = 3 * (2 * std::cos(M_PI * h) - 2) / (h * h);
    const double expected = std::pow(1 + c * eigenvalue, steps);
    double worst = 0;
    for (int k = 1; k < n - 1; ++k) {
      for (int j = 1; j < n - 1; ++j) {
        for (int i = 1; i < n - 1; ++i) {
          const double exact = expected * mode(i, n) * mode(j, n) * mode(k, n);
          worst = std::fmax(worst, std::fabs(u[index(i, j, k, n)] - exact));
        }
      }
    }
    const kiln::ServiceStatistics statistics = service.statistics();
    std::printf(
        "%s: %d^3 cells, %d steps, kernel from %s, largest error %.1e (%llu compiled, %llu from disk)\n",
        device.name().c_str(), n, steps, laplacian.origin().c_str(), worst,
        static_cast<unsigned long long>(statistics.compiled),
        static_cast<unsigned long long>(statistics.disk_hits));
    return worst < 1e-10 ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "heat: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heat: %s\n", error.what());
    return 70;
  }
}
