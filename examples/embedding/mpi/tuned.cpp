// A kernel whose tuning parameters come from wisdom (what `kiln tune` has found), on all ranks of an MPI
// program: rank 0 looks them up and compiles, and every rank launches the same code, also where only rank 0's
// machine has wisdom.
//
//   mpirun -n 4 tuned [device]
#include <kiln/kiln.h>
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

int run(int argc, char** argv) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  kiln::Settings settings = kiln::Settings::for_application("kiln-tuned");
  settings.workload_path = {KERNELS_FOLDER};
  settings.cpu_threads = 1;
  const kiln::Service service(settings);
  service.share({rank, ranks, [](void* data, std::size_t bytes, int root) {
                   return MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, root, MPI_COMM_WORLD) ==
                          MPI_SUCCESS;
                 }});
  const kiln::DeviceHandle device = service.device(argc > 1 ? argv[1] : "cpu");
  const kiln::Kernel laplacian = service.workload("stencil7")
                                     .kernel("laplacian")
                                     .on(device)
                                     .set("nx", 64)
                                     .set("ny", 64)
                                     .set("nz", 64)
                                     .wisdom()  // collective
                                     .get();

  std::vector<char> keys(laplacian.key().size() * static_cast<std::size_t>(ranks));
  const int length = static_cast<int>(laplacian.key().size());
  MPI_Gather(laplacian.key().data(), length, MPI_CHAR, keys.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  int same = 1;
  for (std::size_t at = 0; rank == 0 && at < keys.size(); at += laplacian.key().size())
    same = same != 0 && std::string(&keys[at], laplacian.key().size()) == laplacian.key() ? 1 : 0;
  MPI_Bcast(&same, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("%d ranks, %s: %s\n", ranks, same != 0 ? "one kernel" : "DIFFERENT kernels",
                laplacian.wisdom().empty() ? "no wisdom, the defaults" : laplacian.wisdom().c_str());
  return same != 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    const int result = run(argc, argv);
    MPI_Finalize();
    return result;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tuned: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
}
