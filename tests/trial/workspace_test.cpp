#include "trial/workspace.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/fake_clock.h"
#include "support/fake_device.h"
#include "support/memory_file_system.h"
#include "trial/host_fill.h"

namespace kiln {
namespace {

/// Sizes beyond what one thread makes at a time, beyond what is sent to a device at a time, and odd ones.
constexpr const char* kYaml = R"yaml(workload: filled
buffers:
  large:    {type: double, shape: [9000001], init: {uniform: [-1, 1]}}
  floats:   {type: float, shape: [1000003], init: {uniform: [-3, 5]}}
  normal:   {type: double, shape: [300001], init: {normal: [1, 2]}}
  iota:     {type: long, shape: [700001], init: {iota: [5, 3]}}
  bytes:    {type: uchar, shape: [70000], init: {uniform: [0, 200]}}
  constant: {type: double, shape: [1000001], init: 0.1}
  short:    {type: short, shape: [3], init: 7}
  poison:   {type: float, shape: [1000001]}
  whole:    {type: int, shape: [99999]}
kernels:
  none: {source: none.cu, grid: [1], block: [1], args: [large, floats, normal, iota, bytes, constant, short, poison, whole]}
run: [none]
verify:
  checks:
    - {buffer: short, expected: 7}
)yaml";

/// In memory that the host sees, and in memory that it does not see.
class Filled : public testing::TestWithParam<bool> {
 protected:
  Filled() {
    if (GetParam()) device_.hide_memory();
    files_.make_directories("/filled", false);
    files_.write_file("/filled/filled.yaml", kYaml, false);
    configuration_ = configure(load_workload_file(files_, "/filled/filled.yaml"), {}, device_.info(), files_)
                         .configuration;
  }

  test::FakeClock clock_;
  test::FakeDevice device_{clock_};
  test::MemoryFileSystem files_{clock_};
  Configuration configuration_;
};

TEST_P(Filled, AllCoresMakeTheBitsThatOneMakes) {
  const auto stream = device_.create_stream();
  BufferPool pool;
  Workspace workspace(device_, *stream, configuration_, files_, pool);
  for (const BufferSpec& buffer : configuration_.workload().buffers) {
    workspace.allocate({buffer.name});
    workspace.fill(buffer.name);
    const BufferLayout& layout = workspace.layout(buffer.name);
    std::vector<std::byte> expected(layout.bytes);
    fill_generated(configuration_, layout, buffer.init, 0, expected);
    const HostContent found = workspace.content(buffer.name);
    EXPECT_TRUE(std::equal(found.bytes.begin(), found.bytes.end(), expected.begin(), expected.end()))
        << buffer.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Filled, testing::Bool(),
                         [](const auto& hidden) { return hidden.param ? "OnADevice" : "OnTheHost"; });

}  // namespace
}  // namespace kiln
