// A program that is linked with an installed libkiln.so and lies elsewhere: it finds the installation's
// files, and reads only what it was given. newcomer.sh compiles it, also with mistakes that have to be
// refused.
#include <kiln/kiln.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

constexpr const char* kText = R"(
__global__ void axpy(int n, double a, const double* x, double* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
})";

int failures = 0;
void expect(bool good, const char* what) {
  std::printf("%s: %s\n", good ? "ok" : "FAILED", what);
  if (!good) ++failures;
}

}  // namespace

int main() {
  try {
    kiln::Settings settings = kiln::Settings::for_application("newcomer");
    expect(settings.cpu_compiler.empty(),
           "no compiler of the current folder's kiln.yaml, nor of KILN_CPU_COMPILER");
    settings.isolation = "process";
    const kiln::Service service(settings);
    const kiln::DeviceHandle device = service.device("cpu");

    const auto axpy = service.program("axpy.cu", kText)
                          .function("axpy", device)
                          .block(64)
                          .cover(0)
                          .get<void(int, double, const double*, double*)>();
    expect(axpy.info().origin == "compiled", "kiln-worker of the installation compiles");
    std::vector<double> x(100, 1.0), y(100, 2.0);
    std::vector<float> floats(100);
    axpy.run(100, 0.5, x.data(), y.data());
    expect(y.front() == 2.5 && y.back() == 2.5, "the result is right");
#if defined(WRONG_POINTER)
    axpy.run(100, 0.5, floats.data(), y.data());
#elif defined(WRONG_CONST)
    const std::vector<double> constant(100);
    axpy.run(100, 0.5, x.data(), constant.data());
#elif defined(WRONG_COUNT)
    axpy.run(100, 0.5, x.data());
#elif defined(WRONG_SCALAR)
    axpy.run("100", 0.5, x.data(), y.data());
#endif

    // What the headers define calls functions that libkiln.so has to show.
    const kiln::FunctionRequest request =
        service.program("axpy.cu", kText).function("axpy", device).block(64).cover(0);
    const auto later = kiln::FunctionRequest(request)
                           .constant(0, 100)
                           .background<void(int, double, const double*, double*)>();
    later.run(100, 1.0, x.data(), y.data());
    later.wait();
    later(nullptr, 100, 1.0, x.data(), y.data());
    device.synchronize();
    const auto family = request.family<void(int, double, const double*, double*)>({0});
    family(nullptr, 50, 1.0, x.data(), y.data());
    axpy.launch(nullptr, {.grid = {2}}, 100, 1.0, x.data(), y.data());
    device.synchronize();
    expect(y.front() == 6.5 && y.back() == 5.5,
           "functions in background mode, of a family, in a shape of their own");
    expect(later.status().specialised_launches + later.status().generic_launches == 2,
           "launches are counted");
    expect(axpy.time(3, 100, 0.0, x.data(), y.data()) > 0, "launches are timed");

    const auto laplacian = service.workload("stencil7")
                               .kernel("laplacian")
                               .on(device)
                               .set("T", "double")
                               .set("nx", 32)
                               .function<void(double*, const double*)>();
    std::vector<double> u(32 * 32 * 32, 1.0), f(u.size(), 7.0);
    laplacian.run(f.data(), u.data());
    expect(std::fabs(f[(32 * 32 + 32 + 1) * 16]) < 1e-6 && f[0] == 7,
           "a workload's kernel as a typed function");
    expect(service.workload("stencil7").name() == "stencil7",
           "a workload of the installation is found by its name");
    return failures == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("FAILED: %s\n", error.what());
    return 1;
  }
}
