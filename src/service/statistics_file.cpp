#include "service/statistics_file.h"

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "base/hash.h"
#include "base/process_identity.h"
#include "base/text.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

constexpr const char* kFile = "statistics";
constexpr const char* kAside = "statistics.old-";
constexpr std::uint64_t kMergeAboveBytes = 64 << 10;
constexpr std::int64_t kAbandonedAfterNs = 3'600'000'000'000;
constexpr std::size_t kChecksumDigits = 16;

struct Count {
  const char* name;
  std::uint64_t ServiceCounters::*member;
};
constexpr std::array<Count, 10> kCounts = {{{"memory_hits", &ServiceCounters::memory_hits},
                                            {"disk_hits", &ServiceCounters::disk_hits},
                                            {"remote_hits", &ServiceCounters::remote_hits},
                                            {"uploads", &ServiceCounters::uploads},
                                            {"compiled", &ServiceCounters::compiled},
                                            {"waited", &ServiceCounters::waited},
                                            {"waited_processes", &ServiceCounters::waited_processes},
                                            {"failed", &ServiceCounters::failed},
                                            {"bytes_read", &ServiceCounters::bytes_read},
                                            {"bytes_written", &ServiceCounters::bytes_written}}};
struct Seconds {
  const char* name;
  double ServiceCounters::*member;
};
constexpr std::array<Seconds, 7> kSeconds = {{{"read_seconds", &ServiceCounters::read_seconds},
                                              {"write_seconds", &ServiceCounters::write_seconds},
                                              {"upload_seconds", &ServiceCounters::upload_seconds},
                                              {"compile_seconds", &ServiceCounters::compile_seconds},
                                              {"wait_seconds", &ServiceCounters::wait_seconds},
                                              {"failed_seconds", &ServiceCounters::failed_seconds},
                                              {"load_seconds", &ServiceCounters::load_seconds}}};

std::string checksum(const std::string& text) {
  return sha256_hex(text).substr(0, kChecksumDigits);
}

}  // namespace

std::string statistics_text(const StoredStatistics& statistics) {
  std::string text =
      "runs=" + std::to_string(statistics.runs) + " since=" + std::to_string(statistics.since_ns);
  for (const Count& count : kCounts)
    text += " " + assignment(count.name, std::to_string(statistics.counters.*count.member));
  for (const Seconds& seconds : kSeconds)
    text += " " + assignment(seconds.name, format_number(statistics.counters.*seconds.member));
  return checksum(text) + " " + text;
}

std::optional<StoredStatistics> parse_statistics(const std::string& line) {
  const std::size_t blank = line.find(' ');
  if (blank != kChecksumDigits) return std::nullopt;
  const std::string text = line.substr(blank + 1);
  if (checksum(text) != line.substr(0, blank)) return std::nullopt;
  std::map<std::string, std::string> values;
  for (const std::string& word : split(text, ' ')) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return std::nullopt;
    values[word.substr(0, equals)] = word.substr(equals + 1);
  }
  // A line of another version may have more, or fewer.
  const auto whole = [&](const std::string& name) { return parse_integer(values[name]).value_or(0); };
  StoredStatistics statistics;
  statistics.runs = static_cast<std::uint64_t>(whole("runs"));
  statistics.since_ns = whole("since");
  for (const Count& count : kCounts)
    statistics.counters.*count.member = static_cast<std::uint64_t>(whole(count.name));
  for (const Seconds& seconds : kSeconds)
    statistics.counters.*seconds.member = parse_real(values[seconds.name]).value_or(0);
  return statistics;
}

void add_statistics(StoredStatistics& sum, const StoredStatistics& more) {
  sum.runs += more.runs;
  sum.unreadable += more.unreadable;
  if (sum.since_ns == 0 || (more.since_ns != 0 && more.since_ns < sum.since_ns)) sum.since_ns = more.since_ns;
  for (const Count& count : kCounts) sum.counters.*count.member += more.counters.*count.member;
  for (const Seconds& seconds : kSeconds) sum.counters.*seconds.member += more.counters.*seconds.member;
}

namespace {

StoredStatistics sum_of(const std::string& text) {
  StoredStatistics sum;
  for (const std::string& line : split(text, '\n')) {
    if (line.empty()) continue;
    if (const auto statistics = parse_statistics(line))
      add_statistics(sum, *statistics);
    else
      ++sum.unreadable;
  }
  return sum;
}

bool is_any(const ServiceCounters& counters) {
  for (const Count& count : kCounts) {
    if (counters.*count.member != 0) return true;
  }
  return false;
}

}  // namespace

StatisticsFile::StatisticsFile(FileSystem& files, const Clock& clock, Path cache_root)
    : files_(files), clock_(clock), root_(std::move(cache_root)) {}

void StatisticsFile::add(const ServiceCounters& counters) noexcept {
  try {
    if (!is_any(counters) || !files_.status(root_)) return;
    append({counters, 1, clock_.system_ns(), 0});
    const auto status = files_.status(root_ / kFile);
    if (status && status->size > kMergeAboveBytes) merge();
  } catch (...) {  // NOLINT(bugprone-empty-catch): no run fails for its statistics
  }
}

StoredStatistics StatisticsFile::read() {
  StoredStatistics sum;
  for (const Path& part : parts()) {
    if (const auto text = files_.read_file(part)) add_statistics(sum, sum_of(*text));
  }
  return sum;
}

void StatisticsFile::reset() {
  for (const Path& part : parts()) files_.remove_all(part);
}

/// Begins with a line end: what stands before may be half a line.
void StatisticsFile::append(const StoredStatistics& statistics) {
  const auto status = files_.status(root_ / kFile);
  if (status && status->type != FileStatus::Type::kFile) return;
  files_.append_file(root_ / kFile, "\n" + statistics_text(statistics) + "\n");
}

/// By rename, so that one process does it. What one that ended meanwhile has left is done again.
void StatisticsFile::merge() {
  const Path aside = root_ / (kAside + owner_prefix() + "-" + std::to_string(clock_.system_ns()));
  if (!files_.rename(root_ / kFile, aside)) return;
  for (const Path& part : parts()) {
    const auto status = files_.status(part);
    const bool abandoned =
        status && part.filename() != kFile && clock_.system_ns() - status->modified_ns > kAbandonedAfterNs;
    if (part != aside && !abandoned) continue;
    if (const auto text = files_.read_file(part)) append(sum_of(*text));
    files_.remove_all(part);
  }
}

std::vector<Path> StatisticsFile::parts() {
  std::vector<Path> found;
  for (const std::string& name : files_.list(root_)) {
    if (name != kFile && !name.starts_with(kAside)) continue;
    const auto status = files_.status(root_ / name);
    if (status && status->type == FileStatus::Type::kFile) found.push_back(root_ / name);
  }
  return found;
}

}  // namespace kiln
