// Invalid bundles, passed to unpack.
#include <functional>
#include <regex>

#include "cache/bundle.h"
#include "cache/tar.h"
#include "kiln/error.h"
#include "stress.h"

namespace kiln::stress {
namespace {

std::string with_type(const std::string& name, char type) {
  std::string header = tar_header(name, 0);
  header[156] = type;
  unsigned sum = 0;
  for (std::size_t i = 0; i < kTarBlock; ++i) {
    const bool in_checksum = i >= 148 && i < 156;
    sum += in_checksum ? static_cast<unsigned>(' ') : static_cast<unsigned char>(header[i]);
  }
  std::string digits(7, '\0');
  std::snprintf(digits.data(), digits.size(), "%06o", sum);
  return header.replace(148, 7, digits);
}

std::string member(const std::string& name, const std::string& bytes) {
  return tar_header(name, bytes.size()) + bytes + tar_padding(bytes.size());
}

/// Every file below a folder, with its bytes.
std::vector<std::pair<std::string, std::string>> snapshot(Place& place) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& one : std::filesystem::recursive_directory_iterator(place.path("")))
    all.emplace_back(one.path().string(),
                     one.is_regular_file() ? place.files->read_file(one.path()).value_or("") : "");
  std::sort(all.begin(), all.end());
  return all;
}

/// Without what differs from run to run: this run's folder, and most digits of digests.
std::string shortened(const std::string& line, const std::string& folder) {
  const std::size_t at = line.find(folder);
  const std::string local =
      at == std::string::npos ? line : line.substr(0, at) + "/.../" + line.substr(at + folder.size());
  return std::regex_replace(local, std::regex("[0-9a-f]{60,}"), "...");
}

struct BadBundle {
  std::string what;
  std::string text;
};

Row refuse(Place& place, const BadBundle& bad) {
  const auto before = snapshot(place);
  std::string line = "it was taken";
  try {
    unpack_bundle(*place.files, bundle_in_text(bad.text), place.path("target"));
  } catch (const Error& error) {
    line = error.message();
  }
  const bool clean = snapshot(place) == before;
  const bool refused = line != "it was taken" && line.find('\n') == std::string::npos;
  line = shortened(line, place.path("").string());
  return {"bundle with " + bad.what,
          "refused: \"" + line + "\"" + (clean ? "; nothing written" : "; FILES WRITTEN"),
          holds_if(refused && clean)};
}

}  // namespace

Rows bundles(const Options& options) {
  Place place(options);
  test::RecordingLog log;
  DiskCache cache(*place.files, *place.clock, log, place.path("cache"));
  for (std::uint64_t i = 0; i < 3; ++i)
    cache.publish(key_of(i), code_of(i, 5000), {"k", "fake:1", "fakec", ""});
  const EntryStore store(*place.files, place.path("cache"), EntryStore::Owners::kSelfAndRoot);
  pack_bundle(
      *place.files, store, [](const CacheEntryInfo&) { return true; }, place.path("good.tar"));
  const std::string good = *place.files->read_file(place.path("good.tar"));
  place.files->make_directories(place.path("target/tmp"), false);
  place.files->write_file(place.path("outside"), "untouched", false);

  const std::string body = good.substr(0, good.size() - tar_end().size());
  const std::string digest = key_of(0).digest;
  const std::string entry = "v1/" + digest.substr(0, 2) + "/" + digest.substr(2) + "/";
  std::string wrong = good;
  wrong[kTarBlock + 1] = static_cast<char>(wrong[kTarBlock + 1] ^ 1);
  const std::vector<BadBundle> bad = {
      {"a member `../outside`", body + member("../outside", "x") + tar_end()},
      {"a member `v1/../../outside`", body + member("v1/../../outside", "x") + tar_end()},
      {"an absolute member", body + member(place.path("outside").string().substr(0, 100), "x") + tar_end()},
      {"a symbolic link", body + with_type(entry + "link", '2') + tar_end()},
      {"a hard link", body + with_type(entry + "link", '1') + tar_end()},
      {"a member twice", body + member(entry + "binary", "x") + tar_end()},
      {"a member of 2 GiB", body + tar_header(entry + "extra", std::uint64_t{2} << 30) + tar_end()},
      {"a wrong byte in an entry", wrong},
      {"an end that is cut off", good.substr(0, good.size() - 700)},
      {"nothing in it", ""}};
  Rows rows;
  for (const BadBundle& one : bad) rows.push_back(refuse(place, one));
  const BundleSummary taken = unpack_bundle(*place.files, bundle_in_text(good), place.path("target"));
  rows.push_back({"the sound bundle itself", std::to_string(taken.entries) + " of 3 entries unpacked",
                  holds_if(taken.entries == 3)});
  return rows;
}

}  // namespace kiln::stress
