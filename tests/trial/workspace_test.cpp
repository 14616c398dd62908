#include "trial/workspace.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstring>

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
  table:    {type: ulong, shape: [3], init: {addresses: [short, null, part]}}
  part:     {type: short, shape: [1], view: {of: short, offset: 2}}
  records:  {type: Record, shape: [3], init: {members: {count: 7, at: {addresses: whole}, "v.y": 0.5}}}
types: {Record: {count: short, at: ulong, v: float2}}
kernels:
  none: {source: none.cu, grid: [1], block: [1], args: [large, floats, normal, iota, bytes, constant, short, poison, whole, table, records]}
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
    if (buffer.view || !buffer.init.pointees().empty()) continue;
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

TEST_P(Filled, AddressesAreThoseOfTheBuffers) {
  const auto stream = device_.create_stream();
  BufferPool pool;
  Workspace workspace(device_, *stream, configuration_, files_, pool);
  workspace.allocate({"table", "records", "part", "short", "whole"});
  workspace.fill("table");
  workspace.fill("records");
  const auto address = [&](const std::string& name) {
    return reinterpret_cast<std::uint64_t>(workspace.buffer(name).data());
  };
  std::array<std::uint64_t, 3> table{};
  const HostContent held = workspace.content("table");
  ASSERT_EQ(held.bytes.size(), sizeof table);
  std::memcpy(table.data(), held.bytes.data(), sizeof table);
  EXPECT_THAT(table, testing::ElementsAre(address("short"), 0, address("short") + 2 * sizeof(short)));

  struct Record {
    short count;
    std::uint64_t at;
    float x, y;
  };
  std::array<Record, 3> records{};
  const HostContent found = workspace.content("records");
  ASSERT_EQ(found.bytes.size(), sizeof records);
  std::memcpy(records.data(), found.bytes.data(), sizeof records);
  for (const Record& record : records) {
    EXPECT_EQ(record.count, 7);
    EXPECT_EQ(record.at, address("whole"));
    EXPECT_EQ(record.x, 0);
    EXPECT_EQ(record.y, 0.5F);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Filled, testing::Bool(),
                         [](const auto& hidden) { return hidden.param ? "OnADevice" : "OnTheHost"; });

}  // namespace
}  // namespace kiln
