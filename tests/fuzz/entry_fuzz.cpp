// The reader of cache entries. An input is the entry's files, each after a line "==NAME\n"; the checksums are
// made right once, so that the fuzzer gets behind them.
#include <map>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "cache/disk_cache.h"
#include "cache/entry.h"
#include "fuzz/fuzz_target.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "support/recording_log.h"

namespace kiln {
namespace {

using test::require;

const std::string kFolder = "/cache/v1/aa/" + std::string(62, 'a');

void replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
}

/// "@binary" stands for the SHA-256 of that file and "#binary" for its size, "@" alone for the checksum.
std::string with_checksums(std::string json, const std::map<std::string, std::string>& files) {
  for (const auto& [name, bytes] : files) {
    replace(json, "@" + name, sha256_hex(bytes));
    replace(json, "\"#" + name + "\"", std::to_string(bytes.size()));
  }
  const std::string zeros(64, '0');
  replace(json, "\"@\"", "\"" + zeros + "\"");
  replace(json, zeros, sha256_hex(json));
  return json;
}

void read_all(FileSystem& files, const Clock& clock) {
  test::RecordingLog log;
  const auto read = read_cache_entry(files, kFolder);
  const auto raw = read_entry_files(files, kFolder);
  const auto info = read_cache_entry_info(files, kFolder);
  if (const auto* entry = std::get_if<CacheEntry>(&read)) {
    require(std::holds_alternative<EntryFiles>(raw) && info.has_value());
    require(std::get<EntryFiles>(raw).at("binary") == entry->code.binary);
    require(info->bytes >= entry->code.binary.size());
  } else {
    require(std::holds_alternative<CacheEntryDamage>(raw));
    require(!std::get<CacheEntryDamage>(read).what.empty());
  }
  DiskCache cache(files, clock, log, "/cache");
  const CacheKey key{std::string(64, 'a'), "preimage"};
  const auto code = cache.load(key);
  // A hit reads what it loads; documents of the entry may be damaged.
  require(!code || files.read_file(kFolder + "/binary") == code->binary);
  require(cache.list().size() == (info ? 1U : 0U));
  require(cache.verify().damaged.size() == 1U);  // 'aaa...' is the digest of nothing that is known
}

}  // namespace
}  // namespace kiln

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kiln;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  files.make_directories(kFolder, true);
  const auto contents = test::split_files(text, "entry.json");
  for (const auto& [name, bytes] : contents) {
    if (test::is_plain_name(name) && name != "entry.json")
      files.write_file(kFolder + "/" + name, bytes, false);
  }
  files.write_file(kFolder + "/entry.json", contents.at("entry.json"), false);
  read_all(files, clock);
  files.write_file(kFolder + "/entry.json", with_checksums(contents.at("entry.json"), contents), false);
  read_all(files, clock);
  return 0;
}
