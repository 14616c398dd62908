// A conjugate gradient solver on kernels that are in the program's binary as a text. Sizes, alpha and beta
// are arguments of each launch; only the extents of the matrix are compiled in, as an example of a constant.
//
//   cg [device]      e.g.  cg cuda:0
#include <kiln/kiln.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "kernels.h"  // made by kiln_embed_kernels()

namespace {

struct Result {
  int iterations = 0;
  std::uint64_t launches = 0;
  double residual = 0;  ///< |b - A x| / |b|, computed on the host in double
  double error = 0;     ///< largest difference from the exact solution, relative to its largest value
  double seconds = 0;
};

/// Solves A x = b for one element type. A = h^2 (-Laplacian) on the unit square, zero on its boundary.
template <class T>
class Solver {
 public:
  Solver(const kiln::Program& program, const kiln::DeviceHandle& device)
      : program_(program), device_(device), stream_(device.create_stream()) {
    // One work-item a block where blocks run one after the other on a core, many where they run side by side.
    const bool cpu = device.id() == "cpu";
    const std::uint32_t width = cpu ? 1 : 256;
    parts_ = cpu ? 64 : 256;
    axpby_ = program.function("axpby", device)
                 .template_args({kType})
                 .block(256)
                 .cover(0)
                 .template get<void(int, T, const T*, T, T*)>();
    dot_ = program.function("dot", device)
               .template_args({kType, std::to_string(width)})
               .block(width)
               .grid(parts_)
               .template get<void(int, const T*, const T*, T*)>();
  }

  Result solve(int nx, int ny, double tolerance) {
    const auto apply = program_.function("apply", device_)
                           .template_args({kType})
                           .constant(0, nx)
                           .constant(1, ny)
                           .block(128)
                           .cover(0, 1)
                           .template get<void(int, int, const T*, T*)>();
    const int n = nx * ny;
    const auto size = static_cast<std::size_t>(n);
    kiln::Buffer<T> x(device_, size), r(device_, size), p(device_, size), q(device_, size);
    kiln::Buffer<T> partials(device_, parts_);
    std::vector<double> exact(size), b(size);
    right_side(nx, ny, exact, b);
    double b_norm = 0;
    for (const double value : b) b_norm += value * value;
    b_norm = std::sqrt(b_norm);
    std::ranges::fill(x.host_write(), T(0));
    for (kiln::Buffer<T>* vector : {&r, &p})
      std::ranges::transform(b, vector->host_write().begin(),
                             [](double value) { return static_cast<T>(value); });

    Result result;
    void* const stream = stream_.native();
    const auto dot = [&](kiln::Buffer<T>& left, kiln::Buffer<T>& right) {
      dot_(stream, n, left.read(stream_), right.read(stream_), partials.write(stream_));
      ++result.launches;
      double sum = 0;
      for (const T part : partials.host_read()) sum += static_cast<double>(part);
      return sum;
    };
    const auto begin = std::chrono::steady_clock::now();
    double rr = dot(r, r);
    while (std::sqrt(rr) > tolerance * b_norm && result.iterations < n) {
      apply(stream, nx, ny, p.read(stream_), q.write(stream_));
      const double alpha = rr / dot(p, q);
      axpby_(stream, n, static_cast<T>(alpha), p.read(stream_), T(1), x.update(stream_));
      axpby_(stream, n, static_cast<T>(-alpha), q.read(stream_), T(1), r.update(stream_));
      const double next = dot(r, r);
      axpby_(stream, n, T(1), r.read(stream_), static_cast<T>(next / rr), p.update(stream_));
      rr = next;
      result.launches += 4;
      ++result.iterations;
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    compare(nx, ny, x.host_read(), exact, b, b_norm, result);
    return result;
  }

 private:
  /// u = x (1 - x) y (1 - y): the differences of 5 points are exact for it.
  static void right_side(int nx, int ny, std::vector<double>& exact, std::vector<double>& b) {
    const double hx = 1.0 / (nx + 1), hy = 1.0 / (ny + 1);
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        const double x = (i + 1) * hx, y = (j + 1) * hy;
        const auto at = static_cast<std::size_t>(j * nx + i);
        exact[at] = x * (1 - x) * y * (1 - y);
        b[at] = 2 * hx * hx * y * (1 - y) + 2 * hy * hy * x * (1 - x);
      }
    }
  }

  static void compare(int nx, int ny, std::span<const T> x, const std::vector<double>& exact,
                      const std::vector<double>& b, double b_norm, Result& result) {
    const auto value = [&](int i, int j) {
      if (i < 0 || i >= nx || j < 0 || j >= ny) return 0.0;
      return static_cast<double>(x[static_cast<std::size_t>(j * nx + i)]);
    };
    double squares = 0, worst = 0, largest = 0;
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i) {
        const auto at = static_cast<std::size_t>(j * nx + i);
        const double product =
            4 * value(i, j) - value(i - 1, j) - value(i + 1, j) - value(i, j - 1) - value(i, j + 1);
        squares += (b[at] - product) * (b[at] - product);
        worst = std::fmax(worst, std::fabs(value(i, j) - exact[at]));
        largest = std::fmax(largest, std::fabs(exact[at]));
      }
    }
    result.residual = std::sqrt(squares) / b_norm;
    result.error = worst / largest;
  }

  const std::string kType = kiln::type_name<T>();
  kiln::Program program_;
  kiln::DeviceHandle device_;
  kiln::StreamHandle stream_;
  std::uint32_t parts_ = 0;
  kiln::Function<void(int, T, const T*, T, T*)> axpby_;
  kiln::Function<void(int, const T*, const T*, T*)> dot_;
};

/// False: a result is wrong. Adds what it launched to `launches`.
template <class T>
bool solve_all(const kiln::Program& program, const kiln::DeviceHandle& device, double tolerance,
               std::uint64_t& launches) {
  Solver<T> solver(program, device);
  bool good = true;
  for (const int n : {60, 128, 250}) {
    const Result result = solver.solve(n, n, tolerance);
    // Rounding parts the true residual from the one that the iteration carries along, by |A| |x| / |b|, some
    // n^2, times epsilon; the solution has less of it.
    const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
    const bool right =
        result.residual < tolerance + epsilon * n * n && result.error < 10 * (tolerance + epsilon * n);
    std::printf("%-6s %4d x %-4d %4d iterations %8.1f ms  residual %.1e  error %.1e%s\n",
                kiln::type_name<T>().c_str(), n, n, result.iterations, result.seconds * 1e3, result.residual,
                result.error, right ? "" : "  WRONG");
    launches += result.launches;
    good = good && right;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const kiln::Service service(kiln::Settings::for_application("kiln-cg"));
    const kiln::DeviceHandle device = service.device(argc > 1 ? argv[1] : "cpu");
    const kiln::Program program = service.program("cg.cu", std::string(kernels::cg_cu));
    std::uint64_t launches = 0;
    bool good = solve_all<float>(program, device, 1e-5, launches);
    good = solve_all<double>(program, device, 1e-10, launches) && good;

    // axpby and dot once for each type, whatever the sizes and coefficients; apply once for each type and
    // size.
    const kiln::ServiceStatistics statistics = service.statistics();
    const std::uint64_t codes = statistics.compiled + statistics.disk_hits;
    std::printf("%s: %llu launches of %llu codes, %llu of them compiled in %.2f s, %llu found on the disk\n",
                device.name().c_str(), static_cast<unsigned long long>(launches),
                static_cast<unsigned long long>(codes), static_cast<unsigned long long>(statistics.compiled),
                statistics.compile_seconds, static_cast<unsigned long long>(statistics.disk_hits));
    return good && codes == 2 * (2 + 3) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cg: %s\n", error.what());
    return 2;
  }
}
