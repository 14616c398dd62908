#include "cache/collector.h"

#include <algorithm>

#include "base/process_identity.h"
#include "cache/access_record.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

}  // namespace

Collector::Collector(FileSystem& files, const Clock& clock, const EntryStore& store, KeyLocks& locks)
    : files_(files),
      clock_(clock),
      store_(store),
      locks_(locks),
      marks_(files, clock, store.root() / kUseMarkFolder) {}

CollectReport Collector::collect(const CollectOptions& options) {
  CollectReport report;
  remove_leftovers(report, options.dry_run);
  std::vector<Candidate> entries = candidates();
  std::sort(entries.begin(), entries.end(),
            [](const Candidate& a, const Candidate& b) { return a.used_ns < b.used_ns; });
  for (const Candidate& entry : entries) report.bytes += entry.bytes;
  report.entries = entries.size();

  const double now_ns = static_cast<double>(clock_.system_ns());
  std::uint64_t left = report.bytes;
  for (const Candidate& entry : entries) {
    const double age = (now_ns - static_cast<double>(entry.used_ns)) * 1e-9;
    const bool too_old = options.older_than_seconds && age > *options.older_than_seconds;
    const bool too_much = options.max_bytes && left > *options.max_bytes;
    if (!too_old && !too_much) break;  // those that follow were used later
    const bool gone = options.dry_run ? !is_in_use(entry.digest) : evict(entry.digest);
    if (!gone) {
      ++report.in_use;
      continue;
    }
    left -= entry.bytes;
    ++report.removed_entries;
    report.removed_bytes += entry.bytes;
  }
  return report;
}

std::uint64_t Collector::measure() {
  std::uint64_t bytes = 0;
  for (const Candidate& entry : candidates()) bytes += entry.bytes;
  return bytes;
}

std::vector<Path> Collector::stale_temporaries() {
  constexpr std::int64_t kHourNs = 3'600'000'000'000;
  std::vector<Path> stale;
  const Path folder = store_.root() / "tmp";
  for (const std::string& name : files_.list(folder)) {
    const auto status = files_.status(folder / name);
    const OwnerState owner = owner_state(name);
    if (!status || owner == OwnerState::kRuns) continue;
    if (owner == OwnerState::kEnded || clock_.system_ns() - status->modified_ns > kHourNs)
      stale.push_back(folder / name);
  }
  return stale;
}

void Collector::remove_leftovers(CollectReport& report, bool dry_run) {
  marks_.refresh();
  const std::vector<Path> temporaries = stale_temporaries();
  const std::vector<Path> marks = marks_.stale();
  report.temporaries = temporaries.size();
  report.marks = marks.size();
  report.locks = dry_run ? locks_.stale().size() : locks_.remove_stale();
  if (dry_run) return;
  for (const Path& path : temporaries) files_.remove_all(path);
  for (const Path& path : marks) files_.remove_all(path);
}

std::vector<Collector::Candidate> Collector::candidates() {
  std::vector<Candidate> found;
  for (const std::string& digest : store_.digests()) {
    if (auto one = examine(digest)) found.push_back(*std::move(one));
  }
  return found;
}

/// `nullopt` if it went meanwhile.
std::optional<Collector::Candidate> Collector::examine(const std::string& digest) {
  const Path path = store_.directory(digest);
  const auto directory = files_.status(path);
  if (!directory) return std::nullopt;
  Candidate one{digest, 0, read_access(files_, path).last_ns};
  std::int64_t made_ns = 0;
  for (const std::string& name : files_.list(path)) {
    const auto status = files_.status(path / name);
    if (!status) continue;
    one.bytes += status->size;
    if (name == "entry.json") made_ns = status->modified_ns;
  }
  one.used_ns = std::max(one.used_ns, made_ns != 0 ? made_ns : directory->modified_ns);
  return one;
}

bool Collector::is_in_use(const std::string& digest) {
  marks_.refresh();
  return marks_.contains(digest) || locks_.is_held(digest);
}

bool Collector::evict(const std::string& digest) {
  if (is_in_use(digest)) return false;
  const auto aside = set_aside(files_, store_, digest);
  if (!aside) return true;  // another one was quicker
  if (!is_in_use(digest)) return true;
  (void)files_.rename(aside->get().path / "entry", store_.directory(digest));
  return false;
}

}  // namespace kiln
