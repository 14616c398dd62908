#include "cache/size_cap.h"

#include <limits>
#include <sstream>
#include <utility>

namespace kiln {
namespace {

constexpr const char* kUsageFile = "usage";
constexpr std::int64_t kSecondNs = 1'000'000'000;

}  // namespace

SizeCap::SizeCap(FileSystem& files, const Clock& clock, std::filesystem::path root, std::uint64_t max_bytes)
    : files_(files), clock_(clock), root_(std::move(root)), max_bytes_(max_bytes) {}

void SizeCap::published(std::uint64_t bytes, Collector& collector) {
  constexpr std::uint64_t kFreedPart = 10;
  if (max_bytes_ == 0) return;
  const std::uint64_t due = take_due(bytes);
  if (due == 0) return;
  const auto known = read(due);
  Usage usage = known ? *known : walk(collector);
  if (usage.bytes > max_bytes_ && may_collect(clock_.steady_ns())) {
    const CollectReport report = collector.collect({max_bytes_ - max_bytes_ / kFreedPart, {}, false});
    usage = {report.bytes - report.removed_bytes, clock_.system_ns()};
    const std::lock_guard lock(mutex_);
    // The remaining entries are in use: trying again at each publish would be useless.
    not_before_ns_ = usage.bytes > max_bytes_ ? clock_.steady_ns() + 60 * kSecondNs
                                              : std::numeric_limits<std::int64_t>::min();
  }
  write(usage);
}

void SizeCap::finish() noexcept {
  try {
    const std::uint64_t left = [this] {
      const std::lock_guard lock(mutex_);
      return std::exchange(pending_, 0);
    }();
    if (left == 0) return;
    if (const auto usage = read(left)) write(*usage);
  } catch (const std::exception&) {
    return;
  }
}

std::uint64_t SizeCap::take_due(std::uint64_t published) {
  constexpr std::uint64_t kPart = 1000;
  const std::int64_t now = clock_.steady_ns();
  const std::lock_guard lock(mutex_);
  pending_ += published;
  if (written_ns_ && now - *written_ns_ < kSecondNs && pending_ < max_bytes_ / kPart) return 0;
  written_ns_ = now;
  return std::exchange(pending_, 0);
}

std::optional<SizeCap::Usage> SizeCap::read(std::uint64_t published) {
  constexpr std::int64_t kKnownForNs = 600 * kSecondNs;
  const std::int64_t now = clock_.system_ns();
  std::istringstream words(files_.read_file(root_ / kUsageFile).value_or(""));
  Usage usage;
  const bool readable = static_cast<bool>(words >> usage.bytes >> usage.walked_ns);
  const bool recent = usage.walked_ns <= now && now - usage.walked_ns < kKnownForNs;
  if (!readable || !recent) return std::nullopt;
  usage.bytes += published;
  return usage;
}

SizeCap::Usage SizeCap::walk(Collector& collector) {
  CollectReport ignored;
  collector.remove_leftovers(ignored, false);
  return {collector.measure(), clock_.system_ns()};
}

/// By rename: others read it meanwhile.
void SizeCap::write(const Usage& usage) {
  const ScratchFolder scratch = make_temporary(files_, root_, kUsageFile);
  const std::filesystem::path fresh = scratch.get().path / kUsageFile;
  files_.write_file(fresh, std::to_string(usage.bytes) + " " + std::to_string(usage.walked_ns) + "\n", false);
  (void)files_.rename(fresh, root_ / kUsageFile);
}

bool SizeCap::may_collect(std::int64_t now_ns) {
  const std::lock_guard lock(mutex_);
  return now_ns >= not_before_ns_;
}

}  // namespace kiln
