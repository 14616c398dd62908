// Texts that were not written for Kiln: programs with host code, records, templates of variables. On the cpu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"

namespace kiln {
namespace {

using test::CliResult;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kProgram = R"cuda(#include <iostream>
#include <random>
#include "helper_timer.h"
#define CHECK(call) do { if ((call) != cudaSuccess) { std::cerr << __LINE__; exit(1); } } while (0)
const int kFactor = 3;
std::mt19937 generator(7);
__global__ void scale(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= kFactor;
}
int main() {
  StopWatchInterface* timer = nullptr;
  float* data;
  CHECK(cudaMalloc(&data, 400));
  scale<<<1, 128>>>(data, 100);
}
)cuda";

constexpr const char* kJob = R"yaml(workload:
  workload: scale
  parameters: {n: {type: int, default: 100}}
  buffers: {data: {type: float, shape: [n], init: 2}}
  kernels: {scale: {source: scale.cu, grid: ["ceil_div(n, 64)"], block: [64], args: [data, n]}}
  run: [scale]
  verify: {checks: [{buffer: data, expected: 6}]}
measure: {min_time: 1 us, max_time: 1 ms}
)yaml";

class WholeProgram : public test::CliTest {
 protected:
  CliResult run(const std::string& text, const std::string& job, std::vector<std::string> more = {}) {
    write("scale.cu", text);
    std::vector<std::string> arguments = {"run", write("job.yaml", job), "--device", "cpu",
                                          "--require-checks"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return kiln(arguments);
  }
};

TEST_F(WholeProgram, RunsAsItIsAndSaysWhatWasLeftOut) {
  const CliResult result = run(kProgram, kJob, {"--log-level", "info", "--format", "json"});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  const std::string note =
      "left out as host code: scale.cu: main and 1 other declaration; the headers <iostream>, <random>";
  EXPECT_THAT(result.err, HasSubstr(note));
  EXPECT_THAT(result.out, HasSubstr("\"note\":\"" + note));
  EXPECT_THAT(kiln({"cache", "explain", path("job.yaml"), "--arch", "native"}).out, HasSubstr(note));
}

TEST_F(WholeProgram, AChangeOfItsHostCodeCompilesNothing) {
  EXPECT_EQ(run(kProgram, kJob).code, kExitDone);
  std::string other = kProgram;
  other.replace(other.find("float* data;"), 12, "printf(\"\"); ");
  EXPECT_THAT(run(other, kJob).err, HasSubstr("(disk)"));
}

TEST_F(WholeProgram, ErrorsHaveTheLinesOfTheFile) {
  std::string wrong = kProgram;
  wrong.replace(wrong.find("kFactor;\n}"), 7, "kFaktor");
  const CliResult result = run(wrong, kJob);
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("scale.cu:9:"));
  EXPECT_THAT(result.err, HasSubstr("'helper_timer.h' was not found"));
}

TEST_F(WholeProgram, AnUnknownInstructionOfAmdIsNamed) {
  const CliResult result =
      run("__global__ void scale(float* data, int n) { data[0] = __builtin_amdgcn_mfma_f32_4x4x1f32(n); }\n",
          kJob);
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("'__builtin_amdgcn_mfma_f32_4x4x1f32' is an instruction of AMD's GPUs"));
}

constexpr const char* kRecords = R"cuda(
struct Pair { int a; float b[2]; double c; };
extern "C" __global__ void fill(Pair* p, float last) { p[threadIdx.x] = {int(threadIdx.x), {1.0f, last}, 3.0}; }
)cuda";

std::string records_job(const std::string& last, const std::string& check) {
  return R"yaml(workload:
  workload: records
  parameters: {n: {type: int, default: 32}}
  types: {Pair: {a: int, b: "float[2]", c: double}}
  buffers: {p: {type: Pair, shape: [n]}, q: {type: Pair, shape: [n]}, r: {type: int, shape: [n]}}
  kernels:
    fill: {source: scale.cu, grid: [1], block: [32], args: [p, {value: 2, type: float}]}
    same: {source: scale.cu, entry: fill, grid: [1], block: [32], args: [q, {value: )yaml" +
         last + R"yaml(, type: float}]}
  run: [fill]
  verify: {checks: [)yaml" +
         check + "]}\nmeasure: {min_time: 1 us, max_time: 1 ms}\n";
}

TEST_F(WholeProgram, RecordsAreComparedNumberByNumber) {
  const std::string check = "{buffer: p, reference: {kernel: same, buffer: q}}";
  EXPECT_EQ(run(kRecords, records_job("2", check)).code, kExitDone);
  const CliResult wrong = run(kRecords, records_job("2.5", check));
  EXPECT_EQ(wrong.code, kExitFailed);
  EXPECT_THAT(wrong.out, HasSubstr("32 of 128 numbers differ; worst: p[0].b[1] is 2, expected 2.5 (exact)"));
}

TEST_F(WholeProgram, RecordsAreComparedWithRecordsOfTheirType) {
  const CliResult other =
      run(kRecords, records_job("2", "{buffer: p, reference: {kernel: same, buffer: r}}"));
  EXPECT_EQ(other.code, kExitBadInput);
  EXPECT_THAT(other.err, HasSubstr("records are compared with records of their own type"));
  EXPECT_THAT(run(kRecords, records_job("2", "{buffer: p, reduce: sum, expected: 1}")).err,
              HasSubstr("which have no sum"));
}

TEST_F(WholeProgram, AnInstanceOfATemplateOfVariablesIsASymbol) {
  const std::string text = R"cuda(
template <class T> __constant__ T weights[3];
template <class T> __global__ void scale(T* data, int n) { data[threadIdx.x] = weights<T>[threadIdx.x % 3]; }
)cuda";
  const std::string job = R"yaml(workload:
  workload: weights
  parameters: {n: {type: int, default: 3}, T: {type: type, default: float, values: [float, double]}}
  buffers: {data: {type: T, shape: [n]}, weights: {type: T, shape: [3], init: {iota: [5, 0]}}}
  kernels: {scale: {source: scale.cu, grid: [1], block: [3], template_args: [T], symbols: {"weights<T>": weights}, args: [data, n]}}
  run: [scale]
  verify: {checks: [{buffer: data, expected: 5}]}
sweep: {T: [float, double]}
measure: {min_time: 1 us, max_time: 1 ms}
)yaml";
  const CliResult result = run(text, job);
  EXPECT_EQ(result.code, kExitDone) << result.err;
}

TEST_F(WholeProgram, VariablesOfTheDeviceAreReadWhenTheRunHasEnded) {
  const std::string text = R"cuda(
__device__ int state[4];
namespace ns { template <class T> __device__ T total; }
template <class T> __global__ void step(int k) {
  state[threadIdx.x] += threadIdx.x;
  if (threadIdx.x == 0) ns::total<T> += 0.5;
}
)cuda";
  const auto job = [](const std::string& read) {
    return R"yaml(workload:
  workload: states
  parameters: {k: {type: int, default: 1, bind: run}}
  buffers:
    start: {type: int, shape: [4], init: 10}
    state: {type: int, shape: [4], init: 0}
    total: {type: double, shape: [1], init: 0}
  kernels: {step: {source: scale.cu, grid: [1], block: [4], template_args: [double], symbols: {state: start}, read_symbols: {)yaml" +
           read + R"yaml(}, args: [k]}}
  run: [step, step, step]
  verify: {checks: [{buffer: state, name: a, region: [[0, 1]], expected: 10}, {buffer: state, name: b, region: [[3, 4]], expected: 19}, {buffer: total, name: t, expected: 1.5}, {buffer: start, name: s, expected: 10}]}
sweep: {k: [1, 2]}
measure: {min_time: 1 us, max_time: 1 ms}
)yaml";
  };
  // The second variant has the first one's code, whose variables have changed.
  const CliResult result = run(text, job("state: state, \"ns::total<double>\": total"));
  EXPECT_EQ(result.code, kExitDone) << result.err << result.out;
  EXPECT_THAT(run(text, job("stat: state")).err,
              HasSubstr("read_symbols: 'scale.cu' defines no variable 'stat'"));
  EXPECT_THAT(run(text, job("state: stat")).err, HasSubstr("unknown buffer 'stat'; did you mean 'start'?"));
  const CliResult unfit = run(text, job("state: total"));
  EXPECT_THAT(unfit.out + unfit.err,
              HasSubstr("variable 'state' holds 16 bytes, buffer 'total' holds 8 bytes"));
}

}  // namespace
}  // namespace kiln
