#include "report/paper_csv.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "base/text.h"
#include "kiln/error.h"
#include "report/csv.h"

namespace kiln {
namespace {

using Line = std::vector<std::string>;

/// A workload's columns, and the function that makes the lines of one record.
struct Layout {
  Line columns;
  std::function<std::vector<Line>(const Record&)> lines;
};

/// Empty where the record has no such parameter.
std::string parameter(const Record& record, const std::string& name) {
  for (const BoundParameter& bound : record.parameters) {
    if (bound.name == name) return bound.value;
  }
  return "";
}

std::string metric(const Record& record, const std::string& name) {
  for (const MetricValue& value : record.metrics) {
    if (value.name == name) return format_number(value.value);
  }
  return "";
}

std::string backend(const Record& record) {
  return "Kiln-" + record.device.target.backend + (record.fast_math ? "-fastmath" : "");
}

std::string precision(const Record& record) {
  const std::string type = parameter(record, "T");
  if (type == "double") return "float64";
  return type == "float" ? "float32" : type;
}

std::string milliseconds(double seconds) {
  constexpr double kMilli = 1e3;
  return format_number(seconds * kMilli);
}

std::vector<Line> stencil_lines(const Record& record) {
  const Dim3 block = record.launches.empty() ? Dim3{} : record.launches.front().shape.block;
  return {{backend(record), record.device.name, precision(record), parameter(record, "nx"),
           std::to_string(block.x), std::to_string(block.y), std::to_string(block.z),
           metric(record, "effective_bandwidth")}};
}

std::vector<Line> stream_lines(const Record& record) {
  std::vector<Line> lines;
  for (const char* routine : {"Copy", "Mul", "Add", "Triad", "Dot"}) {
    std::string name = routine;
    name.front() = static_cast<char>(name.front() - 'A' + 'a');
    lines.push_back({backend(record), record.device.name, precision(record), parameter(record, "n"), routine,
                     metric(record, name)});
  }
  return lines;
}

std::vector<Line> docking_lines(const Record& record) {
  if (!record.step) return {};
  const Summary& step = *record.step;
  return {{backend(record), record.device.name, parameter(record, "ppwi"), parameter(record, "wg"),
           milliseconds(step.mean * static_cast<double>(step.count)), milliseconds(step.mean),
           milliseconds(step.min), milliseconds(step.max), milliseconds(step.deviation),
           metric(record, "arithmetic")}};
}

std::vector<Line> fock_lines(const Record& record) {
  return {{backend(record), record.device.name, parameter(record, "natoms"), parameter(record, "ngauss"),
           metric(record, "duration")}};
}

const std::map<std::string, Layout>& layouts() {
  static const std::map<std::string, Layout> all = {
      {"stencil7",
       {{"backend", "GPU", "precision", "L", "blk_x", "blk_y", "blk_z", "BW_GBs"}, stencil_lines}},
      {"babelstream", {{"backend", "GPU", "precision", "vec_size", "routine", "BW_GBs"}, stream_lines}},
      {"minibude",
       {{"backend", "GPU", "ppwi", "wgsize", "sum_ms", "avg_ms", "min_ms", "max_ms", "stddev_ms", "gflops/s"},
        docking_lines}},
      {"hartree_fock", {{"backend", "GPU", "natoms", "ngauss", "exec_time_ms"}, fock_lines}}};
  return all;
}

const Layout& layout_of(const std::vector<Record>& records) {
  std::vector<std::string> names;
  for (const auto& [name, layout] : layouts()) names.push_back(name);
  const std::string& workload = records.front().workload;
  for (const Record& record : records) {
    if (record.workload != workload)
      throw bad_input("--format paper writes the columns of one workload, and the records are of " +
                      workload + " and " + record.workload + "; choose with --workload");
  }
  const auto found = layouts().find(workload);
  if (found == layouts().end())
    throw bad_input("--format paper: '" + workload + "' is not in the paper; expected one of " +
                    join(names, ", "));
  return found->second;
}

}  // namespace

std::string records_to_paper_csv(const std::vector<Record>& records) {
  if (records.empty()) return "";
  const Layout& layout = layout_of(records);
  std::string text = csv_line(layout.columns, "\n");
  for (const Record& record : records) {
    if (record.status != RunStatus::kOk) continue;
    for (const Line& line : layout.lines(record)) text += csv_line(line, "\n");
  }
  return text;
}

}  // namespace kiln
