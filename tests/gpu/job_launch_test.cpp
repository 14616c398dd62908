// Clusters, cooperative grids and tensor maps as a workload file spells them, through a job and through the
// embedded API.
#include <gmock/gmock.h>

#include "cli/cli_fixture.h"
#include "gpu/gpu_fixture.h"
#include "gpu/launch_kernels.h"
#include "kiln/kiln.h"

namespace kiln::test {
namespace {

/// `sums` gets the sum of ranks + 1 of each block's cluster; `seen` how many blocks had come when a block
/// passed the grid's barrier; `boxes` tiles of 4 x 8 elements of `u`, one a block, as the tensor memory
/// accelerator copies them.
constexpr const char* kWorkload = R"yaml(workload: launches
parameters:
  size:    {type: int, default: 4}
  blocks:  {type: int, default: 32}
  columns: {type: int, default: 64}
  rows:    {type: int, default: 12}
buffers:
  sums:    {type: int, shape: [blocks], init: 0}
  arrived: {type: int, shape: [1], init: 0}
  seen:    {type: int, shape: [blocks], init: 0}
  u:       {type: float, shape: [rows, columns], init: {iota: [1, 1]}}
  boxes:   {type: float, shape: [rows, columns], init: -1}
  boxes_reference: {type: float, shape: [rows, columns], init: -2}
kernels:
  cluster_sum:
    {source: launches.cu, grid: [blocks], block: [32], cluster: [size], args: [sums]}
  grid_barrier:
    {source: launches.cu, grid: [blocks], block: [64], cooperative: true, args: [arrived, seen]}
  box_copy:
    source: launches.cu
    grid: ["columns / 8", "rows / 4"]
    block: [32]
    args: [{tensor_map: u, box: [4, 8]}, boxes, columns]
  plain_copy:
    {source: launches.cu, grid: [rows], block: [columns], args: [boxes_reference, u]}
run: [cluster_sum, grid_barrier, box_copy]
verify:
  checks:
    - {name: sums, buffer: sums, expected: "size * (size + 1) / 2"}
    - {name: seen, buffer: seen, expected: blocks}
    - {name: boxes, buffer: boxes, reference: {kernel: plain_copy, buffer: boxes_reference}}
)yaml";

constexpr const char* kBoxKernels = R"(
extern "C" __global__ void plain_copy(float* out, const float* u) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = u[blockIdx.x * blockDim.x + threadIdx.x];
}

struct __align__(64) Map { char bytes[128]; };
extern "C" __global__ void box_copy(const __grid_constant__ Map map, float* out, int columns) {
  __shared__ __align__(128) float box[4][8];
  __shared__ unsigned long long arrived;
  const unsigned bar = (unsigned)__cvta_generic_to_shared(&arrived);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(128) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            (unsigned)__cvta_generic_to_shared(box)),
        "l"(&map), "r"((int)blockIdx.x * 8), "r"((int)blockIdx.y * 4), "r"(bar)
        : "memory");
  }
  __syncthreads();
  asm volatile("{\n.reg .pred done;\nwait:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n@!done bra wait;\n}" ::"r"(bar)
               : "memory");
  const int row = threadIdx.x / 8, column = threadIdx.x % 8;
  out[(blockIdx.y * 4 + row) * columns + blockIdx.x * 8 + column] = box[row][column];
}
)";

class GpuJobLaunch : public CliTest {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
    if (!backend->devices().front().limits.clusters)
      GTEST_SKIP() << backend->devices().front().target.arch << " has no clusters";
    write("launches/launches.yaml", kWorkload);
    write("launches/launches.cu", std::string(kClusterSum) + "\n" + kGridBarrier + kBoxKernels);
  }
};

TEST_F(GpuJobLaunch, AJobSpellsThemInItsWorkload) {
  const std::string job = write("job.yaml",
                                "workload: launches\ndevice: cuda:0\nmeasure: false\n"
                                "sweep: {size: [2, 4, 8]}\n");
  const CliResult result = kiln({"run", job});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, ::testing::HasSubstr("3 ok"));
}

TEST_F(GpuJobLaunch, VariablesOfNamespacesHoldWhatTheWorkloadSays) {
  write("spaces/spaces.yaml", R"yaml(workload: spaces
parameters: {n: {type: int, default: 4}}
buffers:
  y: {type: double, shape: [n]}
  ones: {type: double, shape: [n], init: 1}
  twos: {type: double, shape: [n], init: 2}
  threes: {type: double, shape: [n], init: 3}
kernels:
  spaces:
    source: spaces.cu
    grid: [1]
    block: [n]
    args: [y]
    symbols: {"outer::inner::table": ones, "outer::own": twos, hidden: threes}
run: [spaces]
verify:
  checks:
    - {buffer: y, expected: 321}
)yaml");
  write("spaces/spaces.cu", R"(namespace outer {
namespace inner { __constant__ double table[4]; }
static __constant__ double own[4];
}
namespace { __constant__ double hidden[4]; }
__global__ void spaces(double* y) {
  const int i = threadIdx.x;
  y[i] = outer::inner::table[i] + 10 * outer::own[i] + 100 * hidden[i];
}
)");
  const std::string job = write("spaces.job.yaml", "workload: spaces\nmeasure: false\n");
  for (const char* device : {"cuda:0", "cpu"}) {
    const CliResult result = kiln({"run", job, "--device", device});
    EXPECT_EQ(result.code, 0) << device << result.out << result.err;
  }
}

constexpr const char* kPointers = R"(struct Graph { const int* next; double* sum; float scale; int n; };
__constant__ Graph graph;
__constant__ const double* weights[2];
__global__ void walk(int** chains) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= graph.n || chains[1] != nullptr) return;
  graph.sum[i] = graph.scale * weights[i % 2][graph.next[i]] + chains[0][i];
}
)";

TEST_F(GpuJobLaunch, AddressesOfBuffersAreThoseOfTheDevice) {
  write("pointers/pointers.yaml", R"yaml(workload: pointers
parameters: {n: {type: int, default: 1000}}
types: {Graph: {next: ulong, sum: ulong, scale: float, n: int}}
buffers:
  next: {type: int, shape: [n], init: {iota: [0, 1]}}
  sum: {type: double, shape: [n]}
  ones: {type: double, shape: [n], init: 1}
  all: {type: double, shape: ["n + 4"], init: 3}
  threes: {type: double, shape: [n], view: {of: all, offset: 4}}
  chain: {type: int, shape: [n], init: {iota: [10, 1]}}
  expected: {type: double, shape: [n]}
  graph: {type: Graph, shape: [1], init: {members: {next: {addresses: next}, sum: {addresses: sum}, scale: 2, n: n}}}
  weights: {type: ulong, shape: [2], init: {addresses: [ones, threes]}}
  chains: {type: ulong, shape: [2], init: {addresses: [chain, null]}}
kernels:
  walk: {source: pointers.cu, grid: ["ceil_div(n, 128)"], block: [128], args: [chains], symbols: {graph: graph, weights: weights}}
  reference: {source: reference.cu, grid: ["ceil_div(n, 128)"], block: [128], args: [expected, graph]}
run: [walk]
verify:
  checks:
    - {buffer: sum, reference: {kernel: reference, buffer: expected}}
    - {buffer: sum, reference: {kernel: reference, buffer: expected, on: cpu}}
)yaml");
  write("pointers/pointers.cu", kPointers);
  write("pointers/reference.cu", R"(struct Graph { const int* next; double* sum; float scale; int n; };
__global__ void reference(double* expected, const Graph* graph) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < graph->n) expected[i] = graph->scale * (i % 2 ? 3 : 1) + 10 + graph->next[i];
}
)");
  const std::string job = write("pointers.job.yaml",
                                "workload: pointers\nmeasure: {min_time: 1 us, max_time: 1 ms}\n"
                                "sweep: {n: [1000, 50, 100000]}\n");
  for (const char* device : {"cuda:0", "cpu"}) {
    const CliResult result = kiln({"run", job, "--device", device});
    EXPECT_EQ(result.code, 0) << device << result.out << result.err;
    EXPECT_THAT(result.out, ::testing::HasSubstr("3 ok"));
  }
}

TEST_F(GpuJobLaunch, PointersToDeviceFunctionsAreThoseOfTheDevice) {
  write("calls/calls.cu", R"(namespace {
__device__ double hidden(double a) { return a + 1; }
}
namespace ops { template <class T> __device__ T twice(T a) { return 2 * a; } }
__global__ void calls(double* y, double (*first)(double), double (*second)(double)) {
  y[threadIdx.x] = second(first(y[threadIdx.x]));
}
)");
  write("calls/calls.yaml", R"yaml(workload: calls
parameters: {T: {type: type, default: double}}
buffers: {y: {type: double, shape: [64], init: 3}}
kernels:
  calls: {source: calls.cu, grid: [1], block: [64], args: [y, {function: hidden}, {function: "ops::twice<T>"}]}
run: [calls]
verify: {checks: [{buffer: y, expected: 8}]}
)yaml");
  const std::string job = write("calls.job.yaml", "workload: calls\nmeasure: false\n");
  for (const char* device : {"cuda:0", "cpu"}) {
    const CliResult result = kiln({"run", job, "--device", device});
    EXPECT_EQ(result.code, 0) << device << result.out << result.err;
  }
}

// Each of 30 launches adds 1 to what the one before has written, from another place: with blocks that start
// too early some sums are smaller.
TEST_F(GpuJobLaunch, OverlappingLaunchesSeeWhatTheLaunchBeforeHasWritten) {
  write("chain/chain.yaml", R"yaml(workload: chain
parameters:
  n: {type: int, default: 1048576}
  overlaps: {type: bool, default: true}
buffers:
  u: {type: int, shape: [n], init: 0}
  v: {type: int, shape: [n], init: 0}
kernels:
  add: {source: chain.cu, overlap: overlaps, grid: ["n / 256"], block: [256], args: [{buffer: v, name: out}, {buffer: u, name: in}, n]}
run:
  - {fill: {buffer: u, value: 0}}
  - repeat: 15
    do:
      - add
      - {kernel: add, args: {out: u, in: v}}
verify:
  checks:
    - {buffer: u, expected: 30}
)yaml");
  write("chain/chain.cu", R"(extern "C" __global__ void add(int* out, const int* in, const int n) {
  asm volatile("griddepcontrol.wait;\ngriddepcontrol.launch_dependents;" ::: "memory");
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[n - 1 - i] + 1;
}
)");
  const std::string job =
      write("job.yaml",
            "workload: chain\ndevice: cuda:0\nmeasure: {min_time: 0.05 s, max_time: 0.1 s}\n"
            "sweep: {overlaps: [false, true], graph: [false, true]}\n");
  const CliResult result = kiln({"run", job});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, ::testing::HasSubstr("4 ok"));
}

TEST_F(GpuJobLaunch, AClusterThatDoesNotDivideTheGridIsRefused) {
  const std::string job = write("job.yaml", "workload: launches\ndevice: cuda:0\nset: {size: 3}\n");
  const CliResult result = kiln({"run", job});
  EXPECT_EQ(result.code, 2) << result.out << result.err;
  EXPECT_THAT(result.err, ::testing::HasSubstr("no multiple of its cluster's 3"));
}

TEST_F(GpuJobLaunch, AnEmbeddedKernelTakesABufferForItsTensorMap) {
  Settings settings = Settings::from_environment();
  settings.cache_dir = path("embedded_cache");
  Service service(settings);
  const DeviceHandle device = service.device("cuda:0");
  const Kernel copy = service.workload(path("launches")).kernel("box_copy").on(device).get();

  const auto backend = make_cuda_backend(cuda_places(""), *files_);
  const auto own = backend->open(0);
  const auto stream = own->create_stream();
  constexpr std::size_t kCount = 12 * 64;
  std::vector<float> values(kCount);
  for (std::size_t i = 0; i < kCount; ++i) values[i] = static_cast<float>(i * i);
  const auto u = own->allocate(kCount * sizeof(float));
  const auto out = own->allocate(kCount * sizeof(float));
  own->copy_to_device(*stream, u->data(), values.data(), kCount * sizeof(float));
  own->fill_bytes(*stream, out->data(), 0, kCount * sizeof(float));
  copy.launch(stream->native(), args(u->data(), out->data()));
  std::vector<float> copied(kCount);
  own->copy_to_host(*stream, copied.data(), out->data(), kCount * sizeof(float));
  EXPECT_EQ(copied, values);
}

}  // namespace
}  // namespace kiln::test
