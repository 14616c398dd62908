// Files in the MatrixMarket format, plain and compressed by gzip: extents as parameters and parts as buffers.
// The first byte of an input chooses the type of the elements, the rest is the file.
#include <array>
#include <string>
#include <vector>

#include "base/gzip.h"
#include "config/yaml_node.h"
#include "fuzz/fuzz_target.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "trial/buffer_layout.h"
#include "trial/host_fill.h"
#include "workload/configuration.h"
#include "workload/workload.h"

namespace kiln {
namespace {

using test::attempt;
using test::require;

constexpr std::array<const char*, 6> kTypes = {"int", "uchar", "long", "float", "double", "double2"};
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20;

std::shared_ptr<const Workload> workload_of(const std::string& type) {
  std::string text = "workload: w\nparameters:\n  input: {type: path, default: \"\"}\n";
  for (const char* extent : {"rows", "columns", "nonzeros"})
    text += std::string("  ") + extent +
            ": {type: long, default: 2, from: {file: \"{input}\", format: mtx, part: " + extent + "}}\n";
  text += "buffers:\n";
  for (const auto& [part, shape] : {std::pair{"dense", "rows, columns"},
                                    {"row_offsets", "rows + 1"},
                                    {"row_indices", "nonzeros"},
                                    {"column_indices", "nonzeros"},
                                    {"values", "nonzeros"}})
    text += std::string("  ") + part + ": {type: " + type + ", shape: [" + shape +
            "], init: {file: {path: \"{input}\", format: mtx, part: " + part + "}}}\n";
  text += "kernels:\n  k: {source: k.cu, grid: [1], block: [1], args: [values]}\nrun: [k]\n";
  return parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w");
}

void fill(const std::shared_ptr<const Workload>& workload, FileSystem& files) {
  const RawValue path{"/data", true, {}};
  const Configuration configuration =
      configure(workload, {{"input", path}}, DeviceInfo{}, files).configuration;
  for (const BufferSpec& buffer : workload->buffers) {
    attempt([&] {
      const BufferLayout layout = layout_of(configuration, buffer);
      if (layout.bytes > kMostBytes) return;
      std::vector<std::byte> out(layout.bytes);
      fill_from_file(configuration, layout, *buffer.init.file, files, out);
    });
  }
}

void check_matrix(InputFiles& inputs, FileSystem& files) {
  const auto matrix = inputs.matrix(files, "/data");
  const MatrixHeader& header = matrix->header;
  std::uint64_t last = 0;
  for (const Matrix::Entry& entry : matrix->entries) {
    require(entry.row < header.rows && entry.column < header.columns);
    require(&entry == &matrix->entries.front() || entry.order() > last);
    last = entry.order();
    for (std::size_t i = 0; i < header.numbers(); ++i) require(!matrix->number(entry, i).empty());
  }
  require(inputs.nonzeros(files, "/data") == matrix->entries.size());
}

void decompress(const std::string& text) {
  std::string beginning;
  attempt([&] { beginning = gunzip_beginning(text, kMostBytes, "data"); });
  require(beginning.size() <= kMostBytes);
  attempt([&] {
    const std::string whole = gunzip(text, kMostBytes, "data");
    require(whole.size() <= kMostBytes && whole == beginning);
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
  decompress(text);
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  files.write_file("/data", text, false);
  InputFiles inputs;
  attempt([&] { check_matrix(inputs, files); });
  attempt([&] { fill(workloads.at(data[0] % workloads.size()), files); });
  return 0;
}
