// A program that brings its kernels along: the text of axpy.cu, and machine code of the workload stencil7 for
// the architectures that its build named. It runs on machines without a compiler, with nothing in a cache.
#include <kiln/kiln.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "kernels.h"         // made by kiln_embed_kernels()
#include "packed_kernels.h"  // made by kiln_pack_kernels()

int main() {
  try {
    kiln::Settings settings = kiln::Settings::for_application("kiln-shipped");
    settings.workload_path = {KERNELS_FOLDER};
    settings.cache = false;
    settings.cpu_compiler = "/nonexistent/c++";  // as on a machine that has none
    const kiln::Service service(settings);
    service.add_bundle(kernels::bundle());

    constexpr int kN = 64;
    const kiln::DeviceHandle device = service.device("cpu");
    const kiln::Kernel laplacian = service.workload("stencil7")
                                       .kernel("laplacian")
                                       .on(device)
                                       .set("T", "double")
                                       .set("nx", kN)
                                       .set("ny", kN)
                                       .set("nz", kN)
                                       .get();
    const std::vector<double> u(static_cast<std::size_t>(kN) * kN * kN, 1.0);
    std::vector<double> f(u.size(), 7.0);
    laplacian.run(kiln::args(f.data(), u.data()));
    const std::size_t middle = (static_cast<std::size_t>(kN) * kN + kN + 1) * (kN / 2);
    std::printf("laplacian: %s, %g\n", laplacian.origin().c_str(), f[middle]);
    if (laplacian.origin() != "bundle" || f[middle] > 1e-6 || f[middle] < -1e-6) return 1;

    // The text needs a compiler, or code of it in the bundle.
    const auto axpy = service.program("axpy.cu", std::string(kernels::axpy_cu))
                          .function("axpy", device)
                          .template_args({"float"})
                          .block(256)
                          .cover(0);
    try {
      static_cast<void>(axpy.get<void(int, float, const float*, float*)>());
      return 1;
    } catch (const kiln::Error& error) {
      std::printf("axpy: %s\n", error.what());
      return error.kind() == kiln::ErrorKind::kEnvironment ? 0 : 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
