// The readers of input files: numbers in text, buffers from text and binary files, values of parameters. The
// first byte of an input chooses the type of the elements, the rest is the file.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "config/yaml_node.h"
#include "fuzz/fuzz_target.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "trial/buffer_layout.h"
#include "trial/host_fill.h"
#include "workload/configuration.h"
#include "workload/text_numbers.h"
#include "workload/workload.h"

namespace kiln {
namespace {

using test::attempt;
using test::require;

constexpr std::array<const char*, 15> kTypes = {"char",     "uchar", "short",    "ushort", "int",
                                                "unsigned", "long",  "ulong",    "float",  "double",
                                                "Record",   "half",  "fp8_e4m3", "bool",   "float4"};

std::shared_ptr<const Workload> workload_of(const std::string& type) {
  const std::string text =
      "workload: w\nparameters:\n  input: {type: path, default: \"\"}\n"
      "  array: {type: path, default: \"\"}\n  table: {type: path, default: \"\"}\n"
      "  extent: {type: long, default: 1, from: {file: \"{array}\", format: npy, index: 1}}\n"
      "  cells: {type: long, default: 1, from: {file: \"{table}\", format: csv, column: name}}\n"
      "types: {Record: {x: float, kind: {type: int, min: 0, max: 9}, last: double}}\nbuffers:\n"
      "  a: {type: " +
      type +
      ", shape: [2, 3], init: {file: {path: \"{input}\", format: text, partial: true}, otherwise: poison}}\n"
      "  b: {type: " +
      type +
      ", shape: [2, 3], init: {file: {path: \"{input}\", format: binary}, otherwise: poison}}\n"
      "  c: {type: " +
      type +
      ", shape: [2, 3], init: {file: {path: \"{input}\", format: binary, row_pitch: \"file_bytes / 2\", "
      "partial: true}, otherwise: poison}}\n"
      "  d: {type: " +
      type +
      ", shape: [2, 3], init: {file: {path: \"{input}\", format: npy}, otherwise: poison}}\n"
      "  e: {type: " +
      type +
      ", shape: [2, 3], init: {file: {path: \"{input}\", format: csv, column: \"1\"}, otherwise: poison}}\n"
      "  f: {type: " +
      type +
      ", shape: [2, 3], init: {file: {path: \"{input}\", format: csv, column: name, partial: true}, "
      "otherwise: poison}}\n"
      "kernels:\n  k: {source: k.cu, grid: [1], block: [1], args: [a, b, c]}\nrun: [k]\n";
  return parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w");
}

void fill(const std::shared_ptr<const Workload>& workload, FileSystem& files) {
  const RawValue path{"/data", true, {}};
  const Configuration configuration =
      configure(workload, {{"input", path}}, DeviceInfo{}, files).configuration;
  for (const BufferSpec& buffer : workload->buffers) {
    const BufferLayout layout = layout_of(configuration, buffer);
    std::vector<std::byte> out(layout.bytes);
    attempt([&] { fill_from_file(configuration, layout, *buffer.init.file, files, out); });
  }
}

void read_extents(const std::shared_ptr<const Workload>& workload, FileSystem& files) {
  for (const char* name : {"array", "table"}) {
    attempt([&] {
      static_cast<void>(configure(workload, {{name, RawValue{"/data", true, {}}}}, DeviceInfo{}, files));
    });
  }
}

void read_numbers(const std::string& text) {
  NumberReader reader(text, "data");
  attempt([&] {
    std::size_t count = 0;
    while (const auto number = reader.next()) {
      require(std::isfinite(*number));
      require(++count <= text.size());
    }
    require(reader.at_end());
  });
}

}  // namespace
}  // namespace kiln

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kiln;
  static const std::vector<std::shared_ptr<const Workload>> workloads = [] {
    std::vector<std::shared_ptr<const Workload>> all;
    for (const char* type : kTypes) all.push_back(workload_of(type));
    return all;
  }();
  if (size == 0) return 0;
  const std::string text = test::text_of(data + 1, size - 1);
  read_numbers(text);
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  files.write_file("/data", text, false);
  const auto& workload = workloads.at(data[0] % workloads.size());
  fill(workload, files);
  read_extents(workload, files);
  return 0;
}
