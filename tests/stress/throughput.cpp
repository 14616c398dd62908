// What a disk hit costs, on one core. Figures: nothing here passes or fails by time.
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/text.h"
#include "stress.h"

namespace kiln::stress {
namespace {

constexpr std::size_t kBytes = 20'000;

/// Of this thread.
void stay_on_one_core() {
  cpu_set_t all;
  cpu_set_t one;
  CPU_ZERO(&all);
  CPU_ZERO(&one);
  if (::sched_getaffinity(0, sizeof all, &all) != 0) return;
  int core = 0;
  while (core + 1 < CPU_SETSIZE && !CPU_ISSET(core, &all)) ++core;
  CPU_SET(core, &one);
  static_cast<void>(::sched_setaffinity(0, sizeof one, &one));
}

/// Of this thread: what other processes do on this core meanwhile is not counted.
double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// CPU seconds for loading entries 0 to `count`, `rounds` times, each time as a new process would; -1 if one
/// is bad.
double load_all(Place& place, const std::filesystem::path& root, std::uint64_t count, int rounds) {
  double best = -1;
  for (int round = 0; round < rounds; ++round) {
    test::RecordingLog log;
    DiskCache cache(*place.files, *place.clock, log, root);
    const double begin = cpu_seconds();
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto code = cache.load(key_of(i));
      if (!code || code->binary.size() != kBytes) return -1;
    }
    const double seconds = cpu_seconds() - begin;
    best = best < 0 ? seconds : std::min(best, seconds);
  }
  return best;
}

void publish(Place& place, const std::filesystem::path& root, std::uint64_t count) {
  test::RecordingLog log;
  DiskCache cache(*place.files, *place.clock, log, root);
  for (std::uint64_t i = 0; i < count; ++i)
    cache.publish(key_of(i), code_of(i, kBytes), {"kernel.cu kernel", "cuda:sm_90", "NVRTC 12.8", "text"});
}

/// Entries beside the real ones: separate folders whose files are hard links to the files of entry 0.
void fill(const EntryStore& store, std::uint64_t from, std::uint64_t to) {
  const auto pattern = store.directory(key_of(0).digest);
  for (std::uint64_t i = from; i < to; ++i) {
    const auto directory = store.directory(key_of(i).digest);
    std::filesystem::create_directories(directory);
    for (const char* name : {"binary", "entry.json", "log.txt", "preimage.txt", "source.cu"})
      std::filesystem::create_hard_link(pattern / name, directory / name);
  }
}

double look_up_misses(Place& place, const std::filesystem::path& root) {
  constexpr std::uint64_t kMisses = 2000;
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 40;
  test::RecordingLog log;
  DiskCache cache(*place.files, *place.clock, log, root);
  const double begin = cpu_seconds();
  for (std::uint64_t i = 0; i < kMisses; ++i) static_cast<void>(cache.load(key_of(kFirst + i)));
  return (cpu_seconds() - begin) / static_cast<double>(kMisses);
}

std::string rate_text(std::uint64_t count, double seconds) {
  return format_number(std::round(static_cast<double>(count) / seconds));
}

Row rate(const Options& options, int rounds) {
  const std::uint64_t count = options.quick ? 100 : 2000;
  Place place(options);
  publish(place, place.path("cache"), count);
  // The first hit of an entry within a minute writes its access record.
  const double first = load_all(place, place.path("cache"), count, 1);
  const double later = load_all(place, place.path("cache"), count, rounds);
  const bool sound = first > 0 && later > 0;
  return {"disk hits of 20 kB for each second of CPU time on one core (goal: 2000)",
          sound ? rate_text(count, first) + " with an access record written for each; " +
                      rate_text(count, later) + " without (best of " + std::to_string(rounds) + ")"
                : "A BAD LOAD",
          sound ? Row::Verdict::kFigure : Row::Verdict::kFails};
}

Row growth(const Options& options, int rounds) {
  constexpr std::uint64_t kReal = 10;
  const std::uint64_t most = options.quick ? 1000 : 100'000;
  Place place(options);
  const auto root = place.path("cache");
  publish(place, root, kReal);
  const EntryStore store(*place.files, root, EntryStore::Owners::kSelfAndRoot);
  std::vector<std::string> figures;
  std::uint64_t filled = kReal;
  bool sound = true;
  for (std::uint64_t entries = kReal; entries <= most; entries *= 10) {
    fill(store, filled, entries);
    filled = entries;
    const double hit = load_all(place, root, kReal, 20 * rounds) / static_cast<double>(kReal);
    sound = sound && hit > 0;
    figures.push_back(std::to_string(entries) + ": " + format_seconds(hit) + " / " +
                      format_seconds(look_up_misses(place, root)));
  }
  return {"CPU time of a hit / a miss among so many entries (goal: flat)", join(figures, ", "),
          sound ? Row::Verdict::kFigure : Row::Verdict::kFails};
}

}  // namespace

Rows throughput(const Options& options) {
  const int rounds = options.quick ? 1 : 5;
  Rows rows;
  std::thread([&] {
    stay_on_one_core();
    rows.push_back(rate(options, rounds));
    rows.push_back(growth(options, rounds));
  }).join();
  return rows;
}

}  // namespace kiln::stress
