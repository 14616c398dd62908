// The reader of bundles, first as the input is, then with the checksums of its headers made right.
#include <cstdio>
#include <string>
#include <string_view>

#include "cache/bundle.h"
#include "cache/disk_cache.h"
#include "cache/tar.h"
#include "fuzz/fuzz_target.h"
#include "kiln/error.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "support/recording_log.h"

namespace kiln {
namespace {

using test::require;

constexpr std::size_t kChecksumAt = 148;
constexpr std::size_t kChecksumLength = 8;

std::string with_checksums(std::string text) {
  for (std::size_t at = 0; at + kTarBlock <= text.size(); at += kTarBlock) {
    if (text.compare(at + 257, 5, "ustar") != 0) continue;
    text.replace(at + kChecksumAt, kChecksumLength, kChecksumLength, ' ');
    unsigned sum = 0;
    for (std::size_t i = 0; i < kTarBlock; ++i) sum += static_cast<unsigned char>(text[at + i]);
    char digits[kChecksumLength];
    std::snprintf(digits, sizeof digits, "%06o", sum);
    text.replace(at + kChecksumAt, kChecksumLength - 1, digits, kChecksumLength - 1);
  }
  return text;
}

void unpack(std::string_view text) {
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  files.make_directories("/target", true);
  files.write_file("/target/README", "", false);
  bool unpacked = false;
  try {
    unpack_bundle(files, bundle_in_text(text), "/target");
    unpacked = true;
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::kBadInput);
    require(std::string(error.what()).find('\n') == std::string::npos);
  }
  for (const std::string& path : files.files_below("/"))
    require(path == "/target/README" || (unpacked && path.starts_with("/target/v1/")));
  test::RecordingLog log;
  require(DiskCache(files, clock, log, "/target").verify().damaged.empty());
}

}  // namespace
}  // namespace kiln

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  kiln::unpack(text);
  kiln::unpack(kiln::with_checksums(text));
  return 0;
}
