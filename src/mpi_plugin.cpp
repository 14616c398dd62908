// libkiln_mpi.so: ranks/mpi_plugin.h over the MPI that this machine has. The only file of Kiln that knows
// MPI.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <limits>
#include <memory>

#include "ranks/mpi_plugin.h"

namespace {

constexpr int kTag = 0;

int int_of(size_t bytes) {
  // The caller sends parts of a few MiB.
  if (bytes > static_cast<size_t>(std::numeric_limits<int>::max())) MPI_Abort(MPI_COMM_WORLD, 1);
  return static_cast<int>(bytes);
}

const char* begin(kiln_mpi_place* place) {
  int provided = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
    return "MPI_Init_thread fails";
  if (provided < MPI_THREAD_FUNNELED) {
    MPI_Finalize();
    return "this MPI does not give MPI_THREAD_FUNNELED";
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &place->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place->ranks);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, place->rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &place->node_rank);
  MPI_Comm_size(node, &place->node_ranks);
  MPI_Comm_free(&node);
  std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
  int length = 0;
  MPI_Get_processor_name(host.data(), &length);
  std::snprintf(place->host, sizeof place->host, "%s", host.data());
  return nullptr;
}

void* send(int to, const void* data, size_t bytes) {
  auto request = std::make_unique<MPI_Request>(MPI_REQUEST_NULL);
  MPI_Isend(data, int_of(bytes), MPI_BYTE, to, kTag, MPI_COMM_WORLD, request.get());
  return request.release();
}

int is_sent(void* request) {
  int done = 0;
  MPI_Test(static_cast<MPI_Request*>(request), &done, MPI_STATUS_IGNORE);
  if (done != 0) delete static_cast<MPI_Request*>(request);
  return done;
}

int probe(int* from, size_t* bytes) {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return 0;
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  *from = status.MPI_SOURCE;
  *bytes = static_cast<size_t>(count);
  return 1;
}

void receive(int from, void* data, size_t bytes) {
  MPI_Recv(data, int_of(bytes), MPI_BYTE, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void end() {
  MPI_Finalize();
}

void abort_all(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
}

}  // namespace

const kiln_mpi_plugin* kiln_mpi_plugin_table() {
  static const std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> library = [] {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    return text;
  }();
  static const kiln_mpi_plugin table{
      KILN_MPI_PLUGIN_VERSION, library.data(), begin, send, is_sent, probe, receive, end, abort_all};
  return &table;
}
