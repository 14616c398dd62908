// The small files of a cache folder: statistics, size, use marks, locks, access records, a compiler's
// identity. None may stop a job, whatever it holds. The first byte of an input chooses the file.
#include <array>
#include <string>

#include "base/hash.h"
#include "base/text.h"
#include "cache/access_record.h"
#include "cache/disk_cache.h"
#include "cache/key_lock.h"
#include "cache/use_marks.h"
#include "compile/identity_memo.h"
#include "fuzz/fuzz_target.h"
#include "service/statistics_file.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "support/recording_log.h"

namespace kiln {
namespace {

using test::require;

const std::string kDigest(64, 'a');

/// A line of statistics begins with a checksum: "@" in its place is made right, so that the fuzzer gets
/// behind it.
std::string with_checksums(const std::string& text) {
  constexpr std::size_t kDigits = 16;
  std::string result;
  for (const std::string& line : split(text, '\n')) {
    const bool marked = line.starts_with("@ ");
    result += (marked ? sha256_hex(line.substr(2)).substr(0, kDigits) + line.substr(1) : line) + "\n";
  }
  result.pop_back();
  return result;
}

void read_statistics(FileSystem& files, const Clock& clock) {
  StatisticsFile file(files, clock, "/cache");
  const std::uint64_t runs = file.read().runs;
  ServiceCounters counters;
  counters.compiled = 1;
  file.add(counters);
  require(file.read().runs >= runs);
}

/// A lock whose owner is unknown is taken over after its lease; no process waits for ever.
void read_lock(FileSystem& files, const Clock& clock) {
  KeyLocks locks(files, clock, "/cache/locks", 1);
  static_cast<void>(locks.is_held(kDigest));
  static_cast<void>(locks.stale());
  locks.remove_stale();
}

void read_marks(FileSystem& files, const Clock& clock) {
  UseMarks marks(files, clock, "/cache/in-use");
  marks.refresh();
  static_cast<void>(marks.contains(kDigest));
  static_cast<void>(marks.stale());
}

}  // namespace
}  // namespace kiln

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kiln;
  static const std::array<std::string, 6> kFiles = {
      "/cache/statistics",       "/cache/usage",    "/cache/in-use/host-1-2-3-4",
      "/cache/locks/" + kDigest, "/cache/compiler", "/cache/v1/aa/" + kDigest.substr(2) + "/accessed"};
  if (size == 0) return 0;
  const std::string text = with_checksums(test::text_of(data + 1, size - 1));
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  for (const char* folder : {"/cache/in-use", "/cache/locks", "/cache/tmp"})
    files.make_directories(folder, true);
  files.make_directories("/cache/v1/aa/" + kDigest.substr(2), true);
  files.write_file(kFiles.at(data[0] % kFiles.size()), text, false);
  read_statistics(files, clock);
  read_lock(files, clock);
  read_marks(files, clock);
  static_cast<void>(read_access(files, "/cache/v1/aa/" + kDigest.substr(2)));
  if (const auto identity = recall_identity("/cache/compiler", "stamp", files))
    test::require(identity->find('\n') == std::string::npos);
  test::RecordingLog log;
  DiskCache cache(files, clock, log, DiskCacheOptions{.root = "/cache", .max_bytes = 1000});
  static_cast<void>(cache.load({kDigest, "preimage"}));
  cache.publish({kDigest, "preimage"}, CodeObject{}, {});
  return 0;
}
