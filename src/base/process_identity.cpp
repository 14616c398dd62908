#include "base/process_identity.h"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include "base/hash.h"
#include "base/text.h"

namespace kiln {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Field 22 of /proc/PID/stat; the program's name, field 2, may hold any characters but ends with the last
/// ')'.
std::optional<std::uint64_t> start_of(std::int64_t pid) {
  const std::string stat = first_line("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(stat.substr(name_end + 1));
  std::string skipped;
  constexpr int kFieldsBetween = 19;
  for (int i = 0; i < kFieldsBetween; ++i) fields >> skipped;
  std::uint64_t start = 0;
  if (!(fields >> start)) return std::nullopt;
  return start;
}

std::string short_name(const std::string& machine) {
  constexpr std::size_t kDigits = 12;
  return sha256_hex(machine).substr(0, kDigits);
}

ProcessIdentity identify() {
  std::error_code failure;
  const std::string space = std::filesystem::read_symlink("/proc/self/ns/pid", failure).string();
  const std::string boot = first_line("/proc/sys/kernel/random/boot_id");
  const std::int64_t pid = ::getpid();
  return {boot + "/" + space, pid, start_of(pid).value_or(0)};
}

}  // namespace

/// All threads share one identity, which is never freed; after a fork the child makes its own.
const ProcessIdentity& this_process() {
  static std::atomic<const ProcessIdentity*> shared = nullptr;
  const ProcessIdentity* known = shared.load();
  while (known == nullptr || known->pid != ::getpid()) {
    auto fresh = std::make_unique<const ProcessIdentity>(identify());
    if (shared.compare_exchange_strong(known, fresh.get())) known = fresh.release();
  }
  return *known;
}

bool has_ended(const ProcessIdentity& process) {
  const ProcessIdentity& self = this_process();
  if (process.machine != self.machine || process.pid <= 0 || self.start == 0) return false;
  const auto start = start_of(process.pid);
  return !start || *start != process.start;
}

std::string owner_prefix() {
  const ProcessIdentity& self = this_process();
  return short_name(self.machine) + "-" + std::to_string(self.pid) + "-" + std::to_string(self.start);
}

OwnerState owner_state(const std::string& name) {
  constexpr std::size_t kParts = 3;
  const ProcessIdentity& self = this_process();
  const std::vector<std::string> parts = split(name, '-');
  if (parts.size() < kParts || self.start == 0 || parts[0] != short_name(self.machine))
    return OwnerState::kUnknown;
  const auto pid = parse_integer(parts[1]);
  const auto start = parse_integer(parts[2]);
  if (!pid || !start || *pid <= 0) return OwnerState::kUnknown;
  const bool ended = has_ended({self.machine, *pid, static_cast<std::uint64_t>(*start)});
  return ended ? OwnerState::kEnded : OwnerState::kRuns;
}

}  // namespace kiln
