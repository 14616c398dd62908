#include "device/host_affinity.h"

#include <sched.h>

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace kiln {
namespace {

/// sysfs writes the domain with four digits, NVML and some drivers with eight; both in hexadecimal.
std::string sysfs_name(const std::string& pci_address) {
  constexpr std::size_t kDomain = 4;
  std::string name = pci_address;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const std::size_t colon = name.find(':');
  return colon == std::string::npos || colon <= kDomain ? name : name.substr(colon - kDomain);
}

/// Reads one of the ranges in "0-3,8". Absent for a text that is not a range.
std::optional<std::pair<int, int>> read_range(const std::string& text) {
  const std::size_t dash = text.find('-');
  const auto first = parse_integer(text.substr(0, dash));
  const auto last = dash == std::string::npos ? first : parse_integer(text.substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first || *last >= CPU_SETSIZE) return std::nullopt;
  return std::pair(static_cast<int>(*first), static_cast<int>(*last));
}

}  // namespace

std::vector<int> processors_near(FileSystem& files, const std::string& pci_address) {
  const std::string name = sysfs_name(pci_address);
  if (name.empty() || name.find('/') != std::string::npos) return {};
  const auto text = files.read_file("/sys/bus/pci/devices/" + name + "/local_cpulist");
  if (!text) return {};
  std::vector<int> processors;
  for (const std::string& part : split(trim(*text), ',')) {
    const auto range = read_range(part);
    if (!range) return {};
    for (int processor = range->first; processor <= range->second; ++processor)
      processors.push_back(processor);
  }
  return processors;
}

void bind_thread_near(FileSystem& files, const std::string& pci_address) {
  cpu_set_t own;
  if (::sched_getaffinity(0, sizeof own, &own) != 0) return;
  cpu_set_t near;
  CPU_ZERO(&near);
  for (const int processor : processors_near(files, pci_address)) {
    if (CPU_ISSET(processor, &own)) CPU_SET(processor, &near);
  }
  if (CPU_COUNT(&near) == 0) return;
  static_cast<void>(::sched_setaffinity(0, sizeof near, &near));  // a failure only costs speed
}

}  // namespace kiln
