#include "kiln_hpccg.h"

#include <kiln/kiln.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <memory>
#include <string>

#include "kernels.h"  // hpccg.cu, made by kiln_embed_kernels()

namespace {

using SparseMv = void(int, int, int, const double*, const int*, const double*, double*);
using Waxpby = void(int, double, const double*, double, const double*, double*);
using Ddot = void(int, const double*, const double*, double*);

std::string device_name() {
  const char* name = std::getenv("HPCCG_DEVICE");
  return name != nullptr ? name : "cpu";
}

class Solver {
 public:
  static constexpr int kBlock = 128;

  Solver(int nrow, const int* nnz_in_row, const double* const* values, const int* const* columns)
      : service_(kiln::Settings::for_application("hpccg")),
        device_(service_.device(device_name())),
        stream_(device_.create_stream()),
        nrow_(nrow),
        slice_(device_.id() == "cpu" ? 1 : kBlock),
        padded_((nrow + kBlock - 1) / kBlock * kBlock),
        width_(std::max(1, *std::max_element(nnz_in_row, nnz_in_row + nrow))) {
    // One work-item a block where blocks run one after the other on a core, many where they run side by side.
    const bool cpu = device_.id() == "cpu";
    const std::uint32_t parts = cpu ? 64 : 1024;
    const std::uint32_t items = cpu ? 1 : 256;
    const kiln::Program program = service_.program("hpccg.cu", std::string(kernels::hpccg_cu));
    kiln::FunctionRequest sparsemv = program.function("sparsemv", device_).block(kBlock).cover(0);
    if (std::getenv("HPCCG_GENERIC") == nullptr) sparsemv.constant(1, width_).constant(2, slice_);
    sparsemv_ = sparsemv.get<SparseMv>();
    waxpby_ = program.function("waxpby", device_).block(256).cover(0).get<Waxpby>();
    ddot_ = program.function("ddot", device_)
                .template_args({std::to_string(items)})
                .block(items)
                .grid(parts)
                .get<Ddot>();
    partials_ = std::make_unique<kiln::Buffer<double>>(device_, parts);
    store(nnz_in_row, values, columns);
  }

  void sparsemv(const double* x, double* y) {
    const double* from = vector(x).read(stream_);
    sparsemv_(stream_.native(), padded_, width_, slice_, values_->read(stream_), columns_->read(stream_),
              from, vector(y).write(stream_));
  }

  void waxpby(double alpha, const double* x, double beta, const double* y, double* w) {
    const double* first = vector(x).read(stream_);
    const double* second = vector(y).read(stream_);
    kiln::Buffer<double>& result = vector(w);
    double* to = w == x || w == y ? result.update(stream_) : result.write(stream_);
    waxpby_(stream_.native(), padded_, alpha, first, beta, second, to);
  }

  double ddot(const double* x, const double* y) {
    ddot_(stream_.native(), padded_, vector(x).read(stream_), vector(y).read(stream_),
          partials_->write(stream_));
    double sum = 0;
    for (const double part : partials_->host_read()) sum += part;
    return sum;
  }

  void wait() { stream_.synchronize(); }

  /// The vector of that host address gets what is there.
  void upload(const double* host) {
    const auto to = vector(host).host_write();
    std::fill(std::copy_n(host, nrow_, to.begin()), to.end(), 0.0);
    static_cast<void>(vector(host).read(stream_));  // copies now, and not in the first launch
  }
  void download(double* host) { std::copy_n(vector(host).host_read().begin(), nrow_, host); }

  [[nodiscard]] std::string what() const {
    return device_.name() + ", rows of " + std::to_string(width_) + ", sparsemv " + sparsemv_.info().origin;
  }

 private:
  /// Its device copy; the padding of the vectors stays 0, as that of the matrix is.
  kiln::Buffer<double>& vector(const double* host) {
    std::unique_ptr<kiln::Buffer<double>>& found = vectors_[host];
    if (!found) found = std::make_unique<kiln::Buffer<double>>(device_, static_cast<std::size_t>(padded_));
    return *found;
  }

  void store(const int* nnz_in_row, const double* const* values, const int* const* columns) {
    const std::size_t entries = static_cast<std::size_t>(padded_) * static_cast<std::size_t>(width_);
    values_ = std::make_unique<kiln::Buffer<double>>(device_, entries);
    columns_ = std::make_unique<kiln::Buffer<int>>(device_, entries);
    const auto to_value = values_->host_write();
    const auto to_column = columns_->host_write();
    for (int row = 0; row < padded_; ++row) {
      const int count = row < nrow_ ? nnz_in_row[row] : 0;
      const auto slice = static_cast<std::size_t>(slice_);
      const auto in_slice = static_cast<std::size_t>(row % slice_);
      std::size_t at =
          (static_cast<std::size_t>(row) - in_slice) * static_cast<std::size_t>(width_) + in_slice;
      for (int j = 0; j < width_; ++j, at += slice) {
        to_value[at] = j < count ? values[row][j] : 0.0;
        to_column[at] = j < count ? columns[row][j] : std::min(row, nrow_ - 1);
      }
    }
    static_cast<void>(values_->read(stream_));
    static_cast<void>(columns_->read(stream_));
  }

  kiln::Service service_;
  kiln::DeviceHandle device_;
  kiln::StreamHandle stream_;
  int nrow_;
  int slice_;   ///< rows side by side: 1 where a core takes one row after the other, a block's where
                ///< work-items do
  int padded_;  ///< rows, whole blocks
  int width_;   ///< of the longest row
  std::unique_ptr<kiln::Buffer<double>> values_, partials_;
  std::unique_ptr<kiln::Buffer<int>> columns_;
  std::map<const double*, std::unique_ptr<kiln::Buffer<double>>> vectors_;
  kiln::Function<SparseMv> sparsemv_;
  kiln::Function<Waxpby> waxpby_;
  kiln::Function<Ddot> ddot_;
};

std::unique_ptr<Solver> solver;

/// HPCCG has no errors of its own: the message, and the end.
template <class Work>
int checked(const Work& work) {
  try {
    work();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "HPCCG: %s\n", error.what());
    std::exit(2);
  }
}

}  // namespace

void kiln_begin(int nrow, const int* nnz_in_row, const double* const* values, const int* const* columns,
                const double* b, const double* x) {
  checked([&] {
    const auto begin = std::chrono::steady_clock::now();
    solver = std::make_unique<Solver>(nrow, nnz_in_row, values, columns);
    solver->upload(b);
    solver->upload(x);
    solver->wait();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::printf("Kiln: %s; kernels and copy of the matrix in %.2f s\n", solver->what().c_str(),
                seconds.count());
  });
}

int kiln_sparsemv(const double* x, double* y) {
  return checked([&] { solver->sparsemv(x, y); });
}

int kiln_waxpby(double alpha, const double* x, double beta, const double* y, double* w) {
  return checked([&] { solver->waxpby(alpha, x, beta, y, w); });
}

int kiln_ddot(const double* x, const double* y, double* result) {
  return checked([&] { *result = solver->ddot(x, y); });
}

void kiln_wait() {
  checked([] { solver->wait(); });
}

void kiln_end(double* x) {
  checked([&] {
    solver->download(x);
    solver.reset();
  });
}
