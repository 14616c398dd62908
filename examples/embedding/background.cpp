// A time loop that never waits for a compiler: it starts with generic code, and goes on with the specialised
// kernel from the step on at which that is compiled and has given the same result.
//
//   background [device] [n]      e.g.  background cpu 96
#include <kiln/kiln.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  const std::string device_name = argc > 1 ? argv[1] : "cpu";
  const int n = argc > 2 ? std::atoi(argv[2]) : 96;
  constexpr std::uint64_t kStepsAfterwards = 10;
  try {
    // A cache of this program's own, and nothing from the environment or the current folder.
    kiln::Settings settings = kiln::Settings::for_application("kiln-background");
    settings.workload_path = {KERNELS_FOLDER};
    kiln::Service service(settings);
    kiln::BackgroundOptions options;
    options.verify = true;
    const kiln::BackgroundKernel laplacian = service.workload("stencil7")
                                                 .kernel("laplacian")
                                                 .on(service.device(device_name))
                                                 .set("T", "double")
                                                 .set("nx", n)
                                                 .set("ny", n)
                                                 .set("nz", n)
                                                 .background(options);

    // x * x has the second derivative 2 everywhere, whatever computes it.
    const auto size = static_cast<std::size_t>(n);
    std::vector<double> u(size * size * size);
    std::vector<double> f(u.size(), 0.0);
    const double h = 1.0 / (n - 1);
    for (std::size_t i = 0; i < u.size(); ++i) {
      const double x = h * static_cast<double>(i % size);
      u[i] = x * x;
    }
    const std::size_t middle = (size / 2) * (size * size + size + 1);

    kiln::BackgroundStatus status;
    do {
      f[middle] = 0;
      laplacian.run(kiln::args(f.data(), u.data()));
      if (f[middle] < 2 - 1e-8 || f[middle] > 2 + 1e-8) {
        std::fprintf(stderr, "background: the derivative is %g, not 2\n", f[middle]);
        return EXIT_FAILURE;
      }
      status = laplacian.status();
      if (status.state == kiln::BackgroundState::kKeptGeneric) {
        std::fprintf(stderr, "background: %s\n", status.reason.c_str());
        return EXIT_FAILURE;
      }
    } while (status.specialised_launches < kStepsAfterwards);
    std::printf("first kernel after %.0f ms: %llu steps; specialised kernel after %.0f ms: %llu steps\n",
                status.ready_seconds * 1e3, static_cast<unsigned long long>(status.generic_launches),
                status.swap_seconds * 1e3, static_cast<unsigned long long>(status.specialised_launches));
    return EXIT_SUCCESS;
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "background: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "background: %s\n", error.what());
    return 70;
  }
}
