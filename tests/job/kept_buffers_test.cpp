#include "trial/kept_buffers.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>

#include "job/compile_variants.h"
#include "job/job_fixture.h"
#include "job/variant_record.h"
#include "trial/content_key.h"
#include "trial/workspace.h"

namespace kiln {
namespace {

using test::FakeDevice;
using test::JobTest;

constexpr const char* kYaml = R"yaml(workload: kept
summary: y = x * k + w with inputs of each kind
parameters:
  n: {type: int, default: 500, min: 1, bind: compile}
  block: {type: int, default: 64, bind: compile}
  low: {type: double, default: -1}
  gain: {type: double, default: 2}
  host: {type: bool, default: false}
buffers:
  x: {type: double, shape: [n], init: {uniform: [low, 1]}}
  k: {type: double, shape: [n], init: {kernel: make}}
  w: {type: double, shape: [n], init: {file: {path: /kernels/kept/w.bin, format: binary}}}
  zero: {type: float, shape: [n], init: 0}
  y: {type: double, shape: [n]}
  y_reference: {type: double, shape: [n]}
kernels:
  make: {source: data.cu, grid: [1], block: [32], args: [k, x, {value: gain, type: double}]}
  step: {source: step.cu, defines: {BLOCK: block}, grid: [1], block: [block], args: [y, x, k, w, zero]}
  reference: {source: data.cu, grid: [1], block: [32], args: [y_reference, x, k, w, zero]}
run: [step]
measure: {refresh: 10}
verify:
  checks:
    - {name: here, when: "!host", buffer: y, reference: {kernel: reference, buffer: y_reference}}
    - {name: there, when: host, buffer: y, reference: {kernel: reference, buffer: y_reference, on: cpu}}
)yaml";

constexpr const char* kData = R"(
extern "C" __global__ void make(double* k, const double* x, double gain) {}
extern "C" __global__ void reference(double* y, const double* x, const double* k, const double* w, const float* z) {}
)";

double* pointer(void* const* arguments, std::size_t index) {
  return *static_cast<double* const*>(arguments[index]);
}

/// A variant from its code to samples, with contents that variants before it have left in `pool`.
Record run_one(const Variant& variant, const JobPlan& plan, const JobContext& context, BufferPool& pool) {
  Trial trial(variant, context, pool, plan.variants.size() > 1 || plan.workload->refresh.has_value());
  Record record = start_record(variant, source_of(plan.job), context);
  if (prepare_trial(trial, record, context, 0) == TrialEnd::kNone && plan.job.measure.enabled) {
    Timer timer(trial, trial.device(), trial.stream(), context.clock, false);
    timer.warm_up();
    StepTimes times;
    for (int i = 0; i < 3; ++i) times.seconds.push_back(timer.take());
    add_times(record, trial, times);
  }
  trial.park();
  return record;
}

/// Variants of that workload, one after the other with one pool, in memory that the host sees or does not
/// see.
class Kept : public JobTest, public testing::WithParamInterface<bool> {
 protected:
  Kept() {
    if (GetParam()) device_->hide_memory();
    cpu_ = std::make_shared<FakeDevice>(disk_.clock, "cpu");
    cpu_->mutable_info().target = {"cpu", "host"};
    std::vector<std::unique_ptr<Backend>> backends;
    backends.push_back(
        std::make_unique<test::FakeBackend>("fake", std::vector<std::shared_ptr<Device>>{device_}));
    backends.push_back(
        std::make_unique<test::FakeBackend>("cpu", std::vector<std::shared_ptr<Device>>{cpu_}));
    registry_ = std::make_unique<DeviceRegistry>(std::move(backends));
    write("kept.yaml", kYaml);
    write("step.cu", "extern \"C\" __global__ void step() {}");
    write("data.cu", kData);
    write_w(0.5);
    define_kernels(*device_);
    define_kernels(*cpu_);
  }

  void write(const std::string& name, const std::string& text) {
    disk_.files.make_directories("/kernels/kept", false);
    disk_.files.write_file("/kernels/kept/" + name, text, false);
  }
  void write_w(double value) {
    const std::vector<double> values(500, value);
    write("w.bin", {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)});
  }

  void define_kernels(FakeDevice& device) {
    const auto define = [&](const std::string& name, auto body) {
      device.define(name,
                    {{}, [body](const LaunchShape&, void* const* arguments) { body(arguments); }, 1e-3});
    };
    define("_Zmake", [](void* const* arguments) {
      const double gain = *static_cast<const double*>(arguments[2]);
      for (int i = 0; i < 500; ++i) pointer(arguments, 0)[i] = gain * pointer(arguments, 1)[i];
    });
    const auto compute = [](void* const* arguments) {
      for (int i = 0; i < 500; ++i)
        pointer(arguments, 0)[i] =
            pointer(arguments, 1)[i] * pointer(arguments, 2)[i] + pointer(arguments, 3)[i];
    };
    define("_Zstep", [this, compute](void* const* arguments) {
      pointer(arguments, 1)[7] += drift_;
      compute(arguments);
    });
    define("_Zreference", compute);
  }

  /// Runs the variants of a job; its pool is that of earlier jobs.
  std::vector<Record> run_variants(const std::string& job) {
    const JobPlan made =
        plan("workload: kept\n" + job + "measure: {min_samples: 3, max_samples: 3, max_time: 1 s}\n");
    JobContext world = context();
    world.compilers["cpu"] = &compiler_;
    std::vector<Record> records;
    for (const Variant& variant : made.variants) records.push_back(run_one(variant, made, world, pool_));
    for (const Record& record : records) EXPECT_EQ(record.status, RunStatus::kOk) << record.message;
    return records;
  }

  [[nodiscard]] static int launches(const FakeDevice& device, const std::string& name) {
    const auto all = device.launches();
    return static_cast<int>(
        std::count_if(all.begin(), all.end(), [&](const auto& launch) { return launch.function == name; }));
  }
  [[nodiscard]] int made() const { return launches(*device_, "_Zmake"); }
  [[nodiscard]] int references() const { return launches(*device_, "_Zreference"); }
  [[nodiscard]] KeptBuffers::Counts& counts() { return pool_.kept().counts(); }

  std::shared_ptr<FakeDevice> cpu_;
  BufferPool pool_;
  double drift_ = 0;
};

TEST_P(Kept, ASecondVariantMakesNoInputsAndRunsNoReference) {
  const auto records = run_variants("sweep: {block: [32, 64, 128]}\n");
  EXPECT_EQ(counts().filled, 2U) << "x and w, once";
  EXPECT_EQ(counts().copied, 2U * 2);
  EXPECT_EQ(made(), 1);
  EXPECT_EQ(references(), 1);
  EXPECT_EQ(counts().spared, 2U * 2);
  ASSERT_EQ(records.size(), 3U);
  for (const Record& record : records) {
    EXPECT_EQ(record.checks.at(0).compared, 500U);
    EXPECT_EQ(record.checks[0].worst_value, records[0].checks[0].worst_value);
    EXPECT_TRUE(record.step);
  }
}

TEST_P(Kept, InputsThatDependOnWhatIsSweptAreMadeAgain) {
  run_variants("sweep: {low: [-1, 0]}\n");
  EXPECT_EQ(counts().filled, 3U) << "x twice, w once";
  EXPECT_EQ(made(), 2) << "k is made of x";
  EXPECT_EQ(references(), 2);
  run_variants("sweep: {gain: [3, 4]}\n");
  EXPECT_EQ(counts().filled, 3U);
  EXPECT_EQ(made(), 4);
  EXPECT_EQ(references(), 4);
  run_variants("sweep: {gain: [3, 4]}\n");
  EXPECT_EQ(made(), 4) << "both are kept";
  run_variants("set: {seed: 9, gain: 3}\n");
  EXPECT_EQ(counts().filled, 4U);
  EXPECT_EQ(made(), 5);
}

TEST_P(Kept, AFileThatChangedBetweenVariantsIsReadAgain) {
  run_variants("");
  run_variants("");
  EXPECT_EQ(counts().filled, 2U);
  disk_.clock.advance(1);
  write_w(0.75);
  EXPECT_EQ(run_variants("").at(0).checks.at(0).ok, true);
  EXPECT_EQ(counts().filled, 3U);
  EXPECT_EQ(references(), 2) << "it reads w";
  EXPECT_EQ(made(), 1) << "it does not";
}

TEST_P(Kept, AFileBehindALinkIsReadForEachVariant) {
  disk_.files.rename("/kernels/kept/w.bin", "/kernels/kept/other.bin");
  disk_.files.add_symlink("/kernels/kept/w.bin", "/kernels/kept/other.bin");
  run_variants("sweep: {block: [32, 64]}\n");
  EXPECT_EQ(counts().filled, 3U) << "x once, w twice";
  EXPECT_EQ(references(), 2);
}

TEST_P(Kept, AReferenceSeesWhatTheStepHasWritten) {
  run_variants("set: {block: 32}\n");
  drift_ = 0.25;
  run_variants("set: {block: 64}\n");
  EXPECT_EQ(references(), 2) << "the step has changed x";
  EXPECT_EQ(made(), 1) << "and makes k of x as it was";
  drift_ = 0;
  run_variants("set: {block: 128}\n");
  EXPECT_EQ(references(), 2);
}

TEST_P(Kept, CodeThatMayRememberSomethingRunsForEachVariant) {
  write("data.cu", std::string("__device__ int turns;\n") + kData);
  run_variants("sweep: {block: [32, 64]}\n");
  EXPECT_EQ(made(), 2);
  EXPECT_EQ(references(), 2);
  EXPECT_EQ(counts().filled, 2U);
}

TEST_P(Kept, AReferenceOnTheHostRunsOnce) {
  run_variants("set: {host: true}\nsweep: {block: [32, 64]}\n");
  EXPECT_EQ(launches(*cpu_, "_Zreference"), 1);
  EXPECT_EQ(references(), 0);
  drift_ = 0.25;
  run_variants("set: {host: true, block: 128}\n");
  EXPECT_EQ(launches(*cpu_, "_Zreference"), 2) << "the step has changed x";
}

TEST_P(Kept, AReferenceOnTheHostIsCompiledAheadForTheHostAlone) {
  const JobPlan made = plan("workload: kept\nset: {host: true}\n");
  JobContext world = context();
  world.compilers["cpu"] = &compiler_;
  int on_host = 0;
  for (const WantedCode& wanted : code_of({{made.variants[0], world}})) {
    const bool has_reference =
        std::any_of(wanted.specialization.entries.begin(), wanted.specialization.entries.end(),
                    [](const EntryPoint& entry) { return entry.name_expression == "reference"; });
    EXPECT_EQ(has_reference, wanted.specialization.target.backend == "cpu");
    if (has_reference) ++on_host;
  }
  EXPECT_EQ(on_host, 1);
}

TEST_P(Kept, ARefillCopies) {
  write("kept.yaml", [] {
    std::string text = kYaml;
    return text.replace(text.find("{refresh: 10}"), 13, "{refresh: 1}");
  }());
  run_variants("");
  EXPECT_EQ(counts().filled, 2U);
  EXPECT_GT(counts().copied, 4U);
  EXPECT_EQ(made(), 1);
}

TEST_P(Kept, AKernelThatFailsLeavesNothing) {
  device_->define("_Zmake", {{}, [](const LaunchShape&, void* const*) { throw device_fault("no"); }, 1e-3});
  const JobPlan made_plan = plan("workload: kept\nmeasure: false\n");
  EXPECT_EQ(run_one(made_plan.variants[0], made_plan, context(), pool_).status, RunStatus::kFaulted);
  service_ = std::make_unique<KernelService>(nullptr, disk_.clock);
  define_kernels(*device_);
  run_variants("");
  EXPECT_EQ(made(), 2);
  EXPECT_EQ(counts().spared, 0U);
}

TEST_P(Kept, CopiesNeverKeepAVariantFromItsMemory) {
  run_variants("sweep: {block: [32, 64]}\n");
  EXPECT_EQ(made(), 1);
  EXPECT_FALSE(pool_.kept().empty());
  pool_.clear();
  // The buffers, five of double and one of float, leave no room for a copy.
  device_->mutable_info().memory_bytes = 500 * (5 * sizeof(double) + sizeof(float)) + 1000;
  const auto records = run_variants("sweep: {block: [32, 64]}\n");
  EXPECT_EQ(records.size(), 2U);
  EXPECT_TRUE(pool_.kept().empty());
  EXPECT_EQ(made(), 1 + 2);
}

INSTANTIATE_TEST_SUITE_P(All, Kept, testing::Bool(),
                         [](const auto& hidden) { return hidden.param ? "OnADevice" : "OnTheHost"; });

TEST_F(JobTest, OneVariantAloneKeepsNoCopies) {
  BufferPool pool;
  const JobPlan made = plan("workload: scale\nmeasure: false\n");
  EXPECT_EQ(run_one(made.variants[0], made, context(), pool).status, RunStatus::kOk);
  EXPECT_TRUE(pool.kept().empty());
}

TEST(KeptBuffers, OlderCopiesGiveWayToNewerOnesAndAllToBuffers) {
  test::FakeClock clock;
  FakeDevice device(clock);
  const auto stream = device.create_stream();
  constexpr std::size_t kMany = 10'000;
  device.mutable_info().memory_bytes = 10 * kMany + 1000;
  BufferPool pool;
  KeptBuffers& kept = pool.kept();
  const std::vector<std::byte> content(kMany, std::byte{7});
  const auto keep = [&](const std::string& key) {
    return kept.keep(key, device, *stream, std::span<const std::byte>(content));
  };
  kept.begin_variant(false);
  EXPECT_FALSE(keep("a"));
  kept.begin_variant(true);
  EXPECT_FALSE(keep(""));
  for (const char* key : {"a", "b", "c", "d", "e"}) EXPECT_TRUE(keep(key));
  EXPECT_FALSE(keep("f")) << "half of the memory is taken, by this variant";
  kept.begin_variant(true);
  EXPECT_TRUE(kept.find("a"));
  EXPECT_TRUE(keep("f"));
  EXPECT_TRUE(kept.find("a"));
  EXPECT_TRUE(kept.find("f"));
  EXPECT_LT((kept.find("b") ? 1 : 0) + (kept.find("c") ? 1 : 0) + (kept.find("d") ? 1 : 0) +
                (kept.find("e") ? 1 : 0),
            4);
  const auto large = pool.take(device, 9 * kMany);
  EXPECT_TRUE(kept.empty());
}

/// Says that more is free than can be had in one piece.
class Fragmented : public FakeDevice {
 public:
  using FakeDevice::FakeDevice;
  std::uint64_t free_memory_bytes() override { return std::uint64_t{1} << 40; }
};

TEST(KeptBuffers, CopiesGoWhereMemoryIsInPieces) {
  test::FakeClock clock;
  Fragmented device(clock);
  const auto stream = device.create_stream();
  BufferPool pool;
  pool.kept().begin_variant(true);
  device.mutable_info().memory_bytes = 10'000;
  const std::vector<std::byte> content(6'000);
  EXPECT_TRUE(pool.kept().keep("a", device, *stream, std::span<const std::byte>(content)));
  EXPECT_TRUE(pool.take(device, 6'000));
  EXPECT_TRUE(pool.kept().empty());
}

bool stateful(const std::string& text, bool constants_are_set = true) {
  Specialization specialization;
  specialization.source_text = text;
  return may_keep_state(specialization, constants_are_set);
}

TEST(ContentKey, VariablesThatOutliveALaunchAreState) {
  EXPECT_TRUE(stateful("__device__ int turns;"));
  EXPECT_TRUE(stateful("__device__ float table[4] = {1};"));
  EXPECT_TRUE(stateful("__constant__ float table[4];"));
  EXPECT_TRUE(stateful("__managed__ int turns;"));
  EXPECT_TRUE(stateful("namespace a { __device__ unsigned long long turns = 0; }"));
  EXPECT_TRUE(stateful("__device__ int f() { static int turns = 0; return ++turns; }"));
  EXPECT_TRUE(stateful("__device__ int f() { static int turns(0); return ++turns; }"));
  EXPECT_TRUE(stateful("__device__ int f() { static alignas(16) int turns[2]; return ++turns[0]; }"));
  EXPECT_TRUE(stateful("#define GLOBAL __device__\nGLOBAL int turns;"));
  EXPECT_TRUE(stateful("#define TABLE __constant__ float\nTABLE table[4];"));
}

/// Only the host can change them.
TEST(ContentKey, TablesInConstantMemoryAreStateWhereTheWorkloadSetsSymbols) {
  for (const char* text :
       {"__constant__ float table[2] = {1, 2};", "#define TABLE __constant__ float\nTABLE table[4];",
        "__device__ const float table[2] = {1, 2};"}) {
    EXPECT_TRUE(stateful(text, true)) << text;
    EXPECT_FALSE(stateful(text, false)) << text;
  }
  EXPECT_TRUE(stateful("__constant__ float table[4]; __device__ int turns;", false));
  EXPECT_TRUE(stateful("__device__ const float* current;", false));
  EXPECT_TRUE(stateful("#define GLOBAL __device__\nGLOBAL int turns;", false));
}

TEST(ContentKey, FunctionsConstantsAndSharedMemoryAreNot) {
  EXPECT_FALSE(stateful("extern \"C\" __global__ void f(double* x) { x[0] = 1; }"));
  EXPECT_FALSE(stateful("__device__ __forceinline__ int f(int a) { return a; }"));
  EXPECT_FALSE(stateful("static __device__ int f(int a) { return a; }"));
  EXPECT_FALSE(stateful("static inline int f(int a) { return a; }"));
  EXPECT_FALSE(stateful("__global__ void f() { static constexpr int kTurns = 3; }"));
  EXPECT_FALSE(stateful("__global__ void f() { static const float table[2] = {1, 2}; }"));
  EXPECT_FALSE(stateful("__global__ void f() { static __shared__ float tile[32]; }"));
  EXPECT_FALSE(stateful("#define HD __host__ __device__\nHD int f(int a) { return a; }"));
  EXPECT_FALSE(stateful("#define D __device__ __forceinline__\nD int f(int a) { return a; }"));
}

}  // namespace
}  // namespace kiln
