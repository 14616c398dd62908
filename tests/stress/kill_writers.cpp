// Writers of one cache folder are killed at random moments, several at a time.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "stress.h"

namespace kiln::stress {
namespace {

constexpr std::uint64_t kShared = 40;  // keys that all writers want
constexpr std::size_t kLargest = 60'000;

std::size_t size_of(std::uint64_t number) {
  return 100 + number * 7919 % kLargest;
}

/// Publishes until it is killed; ends by itself with 1 when it has loaded an entry that was never published.
int write_for_ever(const std::filesystem::path& root, unsigned seed) {
  const auto files = make_real_file_system();
  const auto clock = make_system_clock();
  test::RecordingLog log;
  DiskCache cache(*files, *clock, log, root);
  std::mt19937_64 random(seed);
  for (;;) {
    const std::uint64_t number = random() % 3 == 0 ? random() % kShared : random();
    CacheTurn turn = cache.load_or_lock(key_of(number));
    if (turn.code) {
      if (turn.code->binary != code_of(number, size_of(number)).binary) return 1;
    } else {
      cache.publish(key_of(number), code_of(number, size_of(number)), {"k", "fake:1", "fakec", "text"});
    }
    if (!log.warnings().empty()) return 2;
  }
}

std::size_t leftovers(Place& place, const std::filesystem::path& root) {
  std::size_t count = 0;
  for (const char* folder : {"tmp", "locks", "in-use"}) count += place.files->list(root / folder).size();
  return count;
}

}  // namespace

Rows kill_writers(const Options& options) {
  constexpr std::size_t kAtOnce = 4;
  constexpr int kLongestMs = 25;
  const int kills = options.quick ? 60 : 1000;
  Place place(options);
  const auto root = place.path("cache");
  test::RecordingLog log;
  std::mt19937_64 random(20261121);
  std::vector<pid_t> writers;
  int ended_alone = 0;
  unsigned seed = 0;
  for (int killed = 0; killed < kills; ++killed) {
    while (writers.size() < kAtOnce)
      writers.push_back(start_child([&root, own = ++seed] { return write_for_ever(root, own); }));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % (kLongestMs * 1000)));
    const std::size_t chosen = random() % writers.size();
    ::kill(writers[chosen], SIGKILL);
    if (wait_for(writers[chosen]) < 1000) ++ended_alone;
    writers.erase(writers.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  for (const pid_t writer : writers) {
    ::kill(writer, SIGKILL);
    if (wait_for(writer) < 1000) ++ended_alone;
  }

  const std::size_t left = leftovers(place, root);
  DiskCache cache(*place.files, *place.clock, log, root);
  const VerifyReport verified = cache.verify();
  place.clock->sleep(2.5);  // a lock file without a name in it counts as abandoned after 2 s
  static_cast<void>(cache.collect({}));
  const std::size_t uncollected = leftovers(place, root);
  const bool holds = ended_alone == 0 && verified.damaged.empty() && uncollected == 0;
  return {{std::to_string(kills) + " writers killed (`kill -9`) at random moments, 4 at once",
           std::to_string(ended_alone + static_cast<int>(verified.damaged.size())) + " bad loads among " +
               std::to_string(verified.entries) + " entries; " + std::to_string(left) +
               " leftovers, after `gc` " + std::to_string(uncollected),
           holds_if(holds && verified.entries > 0)}};
}

}  // namespace kiln::stress
