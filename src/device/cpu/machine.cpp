#include "device/cpu/machine.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "base/text.h"

namespace kiln {
namespace {

/// The file's text; "" if there is no such file or it cannot be read.
std::string read(FileSystem& files, const std::filesystem::path& path) {
  try {
    return files.read_file(path).value_or("");
  } catch (const std::filesystem::filesystem_error&) {
    return "";
  }
}

/// The text after "name :" in the first line that starts so.
std::string field(const std::string& text, const std::string& name) {
  for (const std::string& line : split(text, '\n')) {
    if (line.rfind(name, 0) != 0) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos) return std::string(trim(std::string_view(line).substr(colon + 1)));
  }
  return "";
}

/// "23 kB" or "32768K" or "17".
std::uint64_t bytes_of(const std::string& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_integer(std::string_view(text).substr(0, digits));
  if (!number) return 0;
  const std::string_view unit = trim(std::string_view(text).substr(digits));
  const std::uint64_t factor = unit.empty()                       ? 1
                               : unit[0] == 'k' || unit[0] == 'K' ? 1024
                               : unit[0] == 'M'                   ? 1 << 20
                                                                  : 1;
  return static_cast<std::uint64_t>(*number) * factor;
}

/// The memory that the version 2 control group of this process still allows; absent without a limit.
std::optional<std::uint64_t> group_allowance(FileSystem& files) {
  const std::string group = field(read(files, "/proc/self/cgroup"), "0:");
  const std::size_t colon = group.find(':');
  const std::filesystem::path folder =
      "/sys/fs/cgroup" + (colon == std::string::npos ? group : group.substr(colon + 1));
  const std::string limit(trim(read(files, folder / "memory.max")));
  const std::string used(trim(read(files, folder / "memory.current")));
  if (limit.empty() || limit == "max" || used.empty()) return std::nullopt;
  const std::uint64_t most = bytes_of(limit), now = bytes_of(used);
  return most > now ? most - now : 0;
}

}  // namespace

Machine describe_machine(FileSystem& files) {
  Machine machine;
  const std::string cpuinfo = read(files, "/proc/cpuinfo");
  machine.processor = field(cpuinfo, "model name");
  if (machine.processor.empty()) machine.processor = field(cpuinfo, "Model");
  machine.memory_bytes = bytes_of(field(read(files, "/proc/meminfo"), "MemTotal"));
  const std::filesystem::path caches = "/sys/devices/system/cpu/cpu0/cache";
  for (const std::string& entry : files.list(caches)) {
    if (entry.rfind("index", 0) != 0) continue;
    machine.last_level_cache_bytes = std::max(
        machine.last_level_cache_bytes, bytes_of(std::string(trim(read(files, caches / entry / "size")))));
  }
  return machine;
}

std::uint64_t available_memory_bytes(FileSystem& files) {
  const std::string meminfo = read(files, "/proc/meminfo");
  std::uint64_t available = bytes_of(field(meminfo, "MemAvailable"));
  if (available == 0) available = bytes_of(field(meminfo, "MemFree"));
  if (available == 0) available = std::numeric_limits<std::uint64_t>::max();
  return std::min(available, group_allowance(files).value_or(available));
}

}  // namespace kiln
