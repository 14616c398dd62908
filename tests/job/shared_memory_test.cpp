// Jobs whose buffers share memory: views in kernels, references and checks, and temporary buffers of a
// program.
#include <gmock/gmock.h>

#include "job/job_fixture.h"

namespace kiln {
namespace {

using testing::HasSubstr;

class SharedMemory : public test::JobTest, public testing::WithParamInterface<bool> {
 protected:
  SharedMemory() {
    if (GetParam()) device_->hide_memory();
    cpu_ = std::make_shared<test::FakeDevice>(disk_.clock, "cpu");
    cpu_->mutable_info().target = {"cpu", "host"};
    std::vector<std::unique_ptr<Backend>> backends;
    backends.push_back(
        std::make_unique<test::FakeBackend>("fake", std::vector<std::shared_ptr<Device>>{device_}));
    backends.push_back(
        std::make_unique<test::FakeBackend>("cpu", std::vector<std::shared_ptr<Device>>{cpu_}));
    registry_ = std::make_unique<DeviceRegistry>(std::move(backends));
    disk_.files.write_file("/kernels/scale/k.cu",
                           "__global__ void next(); __global__ void sum(); __global__ void pick();", false);
    disk_.files.write_file("/kernels/scale/reference.cu", "__global__ void pick_reference();", false);
    for (test::FakeDevice* device : {device_.get(), cpu_.get()}) {
      define(*device, "_Znext", [](double** a) {
        for (int i = 0; i < 64; ++i) a[0][i] = 2 * a[1][i] + 1;
      });
      define(*device, "_Zsum", [](double** a) {
        for (int i = 0; i < 64; ++i) a[0][i] = a[1][i] + a[2][i];
      });
      for (const char* name : {"_Zpick", "_Zpick_reference"}) {
        define(*device, name, [](double** a) {
          for (int i = 0; i < 4; ++i) a[0][i] = a[1][i];
        });
      }
    }
  }

  static void define(test::FakeDevice& device, const std::string& name, void (*compute)(double**)) {
    test::FakeKernel kernel;
    kernel.seconds = 1e-3;
    kernel.attributes.parameter_bytes = {8, 8, 8};
    kernel.body = [compute](const LaunchShape&, void* const* arguments) {
      double* pointers[3] = {};
      for (int i = 0; i < 3; ++i) pointers[i] = *static_cast<double* const*>(arguments[i]);
      compute(pointers);
    };
    device.define(name, std::move(kernel));
  }

  /// Five layers, the last of which takes the first one's result, too: 3 + 31 with inputs of 1.
  std::string network(const std::string& temporary,
                      const std::string& first = "  - {kernel: next, args: {y: a}}\n",
                      const std::string& graph = "false") {
    std::string text = "graph: " + graph + "\nworkload:\n workload: network\n buffers:\n";
    text += "  x: {type: double, shape: [64], init: 1}\n  y: {type: double, shape: [64]}\n";
    for (const char name : {'a', 'b', 'c', 'd'})
      text += std::string("  ") + name + ": {type: double, shape: [64]" + temporary + "}\n";
    text +=
        " kernels:\n  next: {source: /kernels/scale/k.cu, grid: [1], block: [1], args: [y, x, null]}\n"
        "  sum: {source: /kernels/scale/k.cu, grid: [1], block: [1], args: [y, a, d]}\n run:\n" +
        first +
        "  - {kernel: next, args: {y: b, x: a}}\n  - {kernel: next, args: {y: c, x: b}}\n"
        "  - {kernel: next, args: {y: d, x: c}}\n  - sum\n"
        " verify: {steps: 2, checks: [{buffer: y, expected: 34}]}\nmeasure: {min_samples: 2, max_samples: "
        "2}\n";
    return text;
  }

  std::vector<Record> run_all(const std::string& job) {
    sink_ = {};
    JobContext world = context();
    world.compilers["cpu"] = &compiler_;
    run_job(plan(job), world, sink_);
    return sink_.records;
  }

  std::shared_ptr<test::FakeDevice> cpu_;
};

TEST_P(SharedMemory, LayersThatShareItGiveTheSameResult) {
  for (const char* graph : {"false", "true"}) {
    for (const char* temporary : {"", ", temporary: true"}) {
      const auto records = run_all(network(temporary, "  - {kernel: next, args: {y: a}}\n", graph));
      ASSERT_EQ(records.size(), 1U);
      EXPECT_EQ(records[0].status, RunStatus::kOk) << temporary << ": " << records[0].message;
      // x, y and a to d: b and d share, as c is in use between them.
      EXPECT_EQ(records[0].unshared_buffer_bytes, 6 * 512U);
      EXPECT_EQ(records[0].buffer_bytes, (*temporary == '\0' ? 6 : 5) * 512U);
    }
  }
}

TEST_P(SharedMemory, WhatIsReadBeforeItIsWrittenIsFound) {
  const std::string never = "  - {kernel: sum, args: {y: c, d: x}}\n";
  const auto wrong = run_all(network(", temporary: true", never));
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_EQ(wrong[0].status, RunStatus::kWrong);
  EXPECT_THAT(wrong[0].message, HasSubstr("64 of 64 elements differ"));
}

TEST_P(SharedMemory, AReferenceOfAViewIsMadeForEachPlace) {
  const auto records = run_all(R"yaml(workload:
 workload: picked
 parameters: {at: {type: int, default: 0}, host: {type: bool, default: false}}
 buffers:
  u: {type: double, shape: [12], init: {iota: [0, 1]}}
  v: {type: double, shape: [4], view: {of: u, offset: at}}
  y: {type: double, shape: [4]}
  y_reference: {type: double, shape: [4]}
  low: {type: double, shape: [2], view: {of: y}}
 kernels:
  pick: {source: /kernels/scale/k.cu, grid: [1], block: [1], args: [y, v, null]}
  pick_reference: {source: /kernels/scale/reference.cu, grid: [1], block: [1], args: [y_reference, v, null]}
 run: [pick]
 verify:
  checks:
   - {buffer: y, reference: {kernel: pick_reference, buffer: y_reference}, when: "!host"}
   - {buffer: y, reference: {kernel: pick_reference, buffer: y_reference, on: cpu}, when: host}
   - {buffer: low, reduce: sum, expected: "2 * at + 1"}
   - {buffer: v, reduce: sum, expected: "4 * at + 6"}
sweep: {host: [false, true], at: [0, 4, 8]}
measure: {min_samples: 2, max_samples: 2}
)yaml");
  ASSERT_EQ(records.size(), 6U);
  for (const Record& record : records)
    EXPECT_EQ(record.status, RunStatus::kOk) << record.label << ": " << record.message;
}

INSTANTIATE_TEST_SUITE_P(All, SharedMemory, testing::Bool(),
                         [](const auto& hidden) { return hidden.param ? "OnADevice" : "OnTheHost"; });

}  // namespace
}  // namespace kiln
