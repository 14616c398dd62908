// Heat conduction on a grid whose rows are dealt to MPI ranks. All ranks share one cache of compiled kernels:
// each kernel is compiled by one rank, the others wait for it and load it. Halos go through host memory, so
// any MPI and any device will do.
//
//   mpirun -n 4 halo [device] [nx] [ny] [steps]      device: cpu, or cuda for one GPU after the other
#include <kiln/kiln.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "kernels.h"  // made by kiln_embed_kernels()

namespace {

constexpr double kR = 0.2;  // dt / h^2

struct Grid {
  int nx = 0, ny = 0, steps = 0;
};

/// The rows of a rank: the first `ny % ranks` ranks have one more.
struct Rows {
  int first = 0, count = 0;
};
Rows rows_of(int rank, int ranks, int ny) {
  const int share = ny / ranks, rest = ny % ranks;
  return {rank * share + std::min(rank, rest), share + (rank < rest ? 1 : 0)};
}

/// Without symmetry, so that a halo of the wrong neighbour is seen.
double initial(int i, int j) {
  return std::sin(0.3 * i + 0.05 * j) + 0.01 * ((i * 7 + j * 13) % 31);
}

/// What lies below the first and above the last row of the grid.
double outside(int i) {
  return 0.5 * std::cos(0.1 * i);
}

/// The rank's rows after all steps.
std::vector<double> solve(const kiln::Service& service, const kiln::DeviceHandle& device, const Grid& grid,
                          std::string& key, double& seconds) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto [first, rows] = rows_of(rank, ranks, grid.ny);
  // The extents are constants: ranks with as many rows have the same code.
  const auto step =
      service.program("halo.cu", std::string(kernels::halo_cu))
          .function("step", device)
          .constant(0, grid.nx)
          .constant(1, rows)
          .block(128)
          .cover(0, 1)
          .get<void(int, int, double, const double*, const double*, const double*, double*, double*)>();
  key = step.info().key;

  const auto nx = static_cast<std::size_t>(grid.nx);
  const kiln::StreamHandle stream = device.create_stream();
  kiln::Buffer<double> u(device, nx * static_cast<std::size_t>(rows)), v(device, u.size());
  kiln::Buffer<double> below(device, nx), above(device, nx), edges(device, 2 * nx);
  const std::span<double> start = u.host_write();
  for (std::size_t at = 0; at < start.size(); ++at)
    start[at] = initial(static_cast<int>(at % nx), first + static_cast<int>(at / nx));
  std::ranges::copy(start.first(nx), edges.host_write().begin());
  std::ranges::copy(start.last(nx), edges.host_update().begin() + grid.nx);
  for (kiln::Buffer<double>* row : {&below, &above}) {
    const std::span<double> values = row->host_write();
    for (std::size_t i = 0; i < nx; ++i) values[i] = outside(static_cast<int>(i));
  }

  const int south = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int north = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int k = 0; k < grid.steps; ++k) {
    const auto edge = edges.host_read();  // waits for the step
    // At the grid's ends nothing comes, and the rows stay.
    MPI_Sendrecv(edge.data(), grid.nx, MPI_DOUBLE, south, 0, above.host_update().data(), grid.nx, MPI_DOUBLE,
                 north, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(edge.data() + nx, grid.nx, MPI_DOUBLE, north, 1, below.host_update().data(), grid.nx,
                 MPI_DOUBLE, south, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    step(stream.native(), grid.nx, rows, kR, u.read(stream), below.read(stream), above.read(stream),
         v.write(stream), edges.write(stream));
    std::swap(u, v);
  }
  stream.synchronize();
  seconds = MPI_Wtime() - begin;
  const auto result = u.host_read();
  return {result.begin(), result.end()};
}

/// The same on one core, by loops of the host's.
std::vector<double> solve_serially(const Grid& grid) {
  const auto at = [&](int i, int j) {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(grid.nx) + static_cast<std::size_t>(i);
  };
  std::vector<double> u(at(0, grid.ny)), v(u.size());
  for (int j = 0; j < grid.ny; ++j) {
    for (int i = 0; i < grid.nx; ++i) u[at(i, j)] = initial(i, j);
  }
  for (int k = 0; k < grid.steps; ++k) {
    for (int j = 0; j < grid.ny; ++j) {
      for (int i = 0; i < grid.nx; ++i) {
        const double center = u[at(i, j)];
        v[at(i, j)] = center;
        if (i == 0 || i == grid.nx - 1) continue;
        const double south = j > 0 ? u[at(i, j - 1)] : outside(i);
        const double north = j < grid.ny - 1 ? u[at(i, j + 1)] : outside(i);
        v[at(i, j)] += kR * (u[at(i - 1, j)] + u[at(i + 1, j)] + south + north - 4 * center);
      }
    }
    std::swap(u, v);
  }
  return u;
}

/// On rank 0 the largest difference of all ranks' rows from the serial result.
double compare(const std::vector<double>& own, const Grid& grid) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<int> counts, places;
  for (int r = 0; r < ranks; ++r) {
    const auto [first, rows] = rows_of(r, ranks, grid.ny);
    counts.push_back(rows * grid.nx);
    places.push_back(first * grid.nx);
  }
  std::vector<double> all(rank == 0 ? static_cast<std::size_t>(grid.nx) * static_cast<std::size_t>(grid.ny)
                                    : 0);
  MPI_Gatherv(own.data(), static_cast<int>(own.size()), MPI_DOUBLE, all.data(), counts.data(), places.data(),
              MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank != 0) return 0;
  const std::vector<double> serial = solve_serially(grid);
  double worst = 0;
  for (std::size_t at = 0; at < all.size(); ++at) worst = std::fmax(worst, std::fabs(all[at] - serial[at]));
  return worst;
}

/// On rank 0 how many different keys the ranks have.
int different_keys(const std::string& key) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<char> all(key.size() * static_cast<std::size_t>(ranks));
  const int length = static_cast<int>(key.size());
  MPI_Gather(key.data(), length, MPI_CHAR, all.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  std::vector<std::string> keys;
  for (std::size_t at = 0; at < all.size(); at += key.size()) keys.emplace_back(&all[at], key.size());
  std::sort(keys.begin(), keys.end());
  return static_cast<int>(std::unique(keys.begin(), keys.end()) - keys.begin());
}

struct Origins {
  std::uint64_t compiled = 0, waited = 0, disk = 0;
};
/// Of all ranks, on rank 0.
Origins origins_of(const kiln::Service& service) {
  const kiln::ServiceStatistics statistics = service.statistics();
  const std::array<std::uint64_t, 3> own{statistics.compiled, statistics.waited, statistics.disk_hits};
  std::array<std::uint64_t, 3> sum{};
  MPI_Reduce(own.data(), sum.data(), 3, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  return {sum[0], sum[1], sum[2]};
}

/// A new folder that all ranks know. On a cluster it lies where all nodes see it, in TMPDIR for instance.
std::string shared_folder() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::array<char, 4096> path{};
  if (rank == 0) {
    const std::string pattern = (std::filesystem::temp_directory_path() / "kiln-halo-XXXXXX").string();
    pattern.copy(path.data(), path.size() - 1);
    if (mkdtemp(path.data()) == nullptr)
      throw kiln::environment_error("cannot make a folder like " + pattern);
  }
  MPI_Bcast(path.data(), static_cast<int>(path.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  return path.data();
}

int run(int argc, char** argv) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::string device_name = argc > 1 ? argv[1] : "cpu";
  const Grid grid{argc > 2 ? std::atoi(argv[2]) : 200, argc > 3 ? std::atoi(argv[3]) : 150,
                  argc > 4 ? std::atoi(argv[4]) : 300};
  if (grid.nx < 3 || grid.nx > 32768 || grid.ny < ranks || grid.ny > 32768 || grid.steps < 1)
    throw kiln::bad_input("nx and ny have to be 3 to 32768, with a row for each rank, and steps at least 1");

  MPI_Comm node = MPI_COMM_NULL;
  int node_rank = 0, node_ranks = 1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &node_rank);
  MPI_Comm_size(node, &node_ranks);
  if (device_name == "cuda") device_name += ":" + std::to_string(node_rank);

  // A program would keep the cache that for_application() names; a new one lets this one count compiles.
  kiln::Settings settings = kiln::Settings::for_application("kiln-halo");
  settings.cache_dir = shared_folder();
  settings.cpu_threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / node_ranks);

  bool good = true;
  for (const char* round : {"cold", "warm"}) {
    const kiln::Service service(settings);
    const kiln::DeviceHandle device = service.device(device_name);
    std::string key;
    double seconds = 0;
    const std::vector<double> own = solve(service, device, grid, key, seconds);
    const double worst = compare(own, grid);
    const auto keys = static_cast<std::uint64_t>(different_keys(key));
    const Origins origins = origins_of(service);
    if (rank != 0) continue;
    const bool cold = round[0] == 'c';
    std::printf("%s: %d ranks on %s, %d steps in %.3f s, largest difference from the serial result %.1e\n",
                round, ranks, device.name().c_str(), grid.steps, seconds, worst);
    std::printf(
        "%s: %llu keys, over all ranks %llu compiled, %llu waited for another rank, %llu from the disk\n",
        round, static_cast<unsigned long long>(keys), static_cast<unsigned long long>(origins.compiled),
        static_cast<unsigned long long>(origins.waited), static_cast<unsigned long long>(origins.disk));
    good = good && worst < 1e-11 && origins.compiled == (cold ? keys : 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::filesystem::remove_all(settings.cache_dir);
  int result = good ? 0 : 1;
  MPI_Bcast(&result, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Comm_free(&node);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    const int result = run(argc, argv);
    MPI_Finalize();
    return result;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "halo: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
}
