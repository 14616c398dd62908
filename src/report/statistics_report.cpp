#include "report/statistics_report.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "base/clock.h"
#include "base/text.h"

namespace kiln {
namespace {

std::string counted(std::uint64_t count, const std::string& what, double seconds) {
  return std::to_string(count) + " " + what + " " + format_seconds(seconds);
}

TableCell time_cell(double seconds) {
  return {seconds > 0 ? format_seconds(seconds) : "-"};
}

TableCell bytes_cell(std::uint64_t bytes) {
  return {bytes > 0 ? format_bytes(bytes) : "-"};
}

}  // namespace

std::string statistics_line(const ServiceCounters& counters) {
  std::vector<std::string> parts;
  if (counters.compiled > 0)
    parts.push_back(counted(counters.compiled, "compiled in", counters.compile_seconds));
  if (counters.disk_hits > 0)
    parts.push_back(counted(counters.disk_hits, "from disk in", counters.read_seconds) +
                    (counters.remote_hits > 0
                         ? " (" + std::to_string(counters.remote_hits) + " by way of the remote cache)"
                         : ""));
  if (counters.memory_hits > 0) parts.push_back(std::to_string(counters.memory_hits) + " from memory");
  if (counters.waited > 0) parts.push_back(counted(counters.waited, "waited for", counters.wait_seconds));
  if (counters.failed > 0) parts.push_back(counted(counters.failed, "failed in", counters.failed_seconds));
  if (counters.uploads > 0)
    parts.push_back(counted(counters.uploads, "uploaded in", counters.upload_seconds));
  std::vector<std::string> bytes;
  if (counters.bytes_read > 0) bytes.push_back(format_bytes(counters.bytes_read) + " read");
  if (counters.bytes_written > 0) {
    bytes.push_back(format_bytes(counters.bytes_written) + " written in " +
                    format_seconds(counters.write_seconds));
  }
  if (parts.empty()) return "code: none was needed";
  return "code: " + join(parts, ", ") + (bytes.empty() ? "" : "; " + join(bytes, ", "));
}

TextTable statistics_table(const ServiceCounters& counters) {
  TextTable table{{{"code"}, {"count", true}, {"time", true}, {"bytes", true}}, {}};
  const auto add = [&](const char* what, std::uint64_t count, double seconds, std::uint64_t bytes) {
    table.rows.push_back({{what}, {std::to_string(count)}, time_cell(seconds), bytes_cell(bytes)});
  };
  add("from memory", counters.memory_hits, 0, 0);
  add("read from disk", counters.disk_hits, counters.read_seconds, counters.bytes_read);
  add("  of these, from the remote cache", counters.remote_hits, 0, 0);
  add("compiled", counters.compiled, counters.compile_seconds, 0);
  add("waited for", counters.waited, counters.wait_seconds, 0);
  add("  of these, for a process", counters.waited_processes, 0, 0);
  add("failed", counters.failed, counters.failed_seconds, 0);
  table.rows.push_back(
      {{"written to disk"}, {"-"}, time_cell(counters.write_seconds), bytes_cell(counters.bytes_written)});
  add("put to the remote cache", counters.uploads, counters.upload_seconds, 0);
  table.rows.push_back({{"loaded by the driver"}, {"-"}, time_cell(counters.load_seconds), {"-"}});
  return table;
}

std::string statistics_to_json(const CacheFolderSummary& folder, const StoredStatistics& statistics) {
  const ServiceCounters& counters = statistics.counters;
  nlohmann::ordered_json document = {{"folder", folder.folder},
                                     {"entries", folder.entries},
                                     {"bytes", folder.bytes},
                                     {"entries_compile_seconds", folder.compile_seconds},
                                     {"in_use", folder.in_use},
                                     {"runs", statistics.runs},
                                     {"since", nullptr},
                                     {"unreadable", statistics.unreadable},
                                     {"memory_hits", counters.memory_hits},
                                     {"disk_hits", counters.disk_hits},
                                     {"remote_hits", counters.remote_hits},
                                     {"read_seconds", counters.read_seconds},
                                     {"bytes_read", counters.bytes_read},
                                     {"compiled", counters.compiled},
                                     {"compile_seconds", counters.compile_seconds},
                                     {"waited", counters.waited},
                                     {"waited_processes", counters.waited_processes},
                                     {"wait_seconds", counters.wait_seconds},
                                     {"failed", counters.failed},
                                     {"failed_seconds", counters.failed_seconds},
                                     {"bytes_written", counters.bytes_written},
                                     {"write_seconds", counters.write_seconds},
                                     {"uploads", counters.uploads},
                                     {"upload_seconds", counters.upload_seconds},
                                     {"load_seconds", counters.load_seconds}};
  if (statistics.since_ns != 0) document["since"] = to_iso8601(statistics.since_ns);
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace kiln
