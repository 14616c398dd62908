#include "ranks/rank_greeting.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include "cache/entry_store.h"

namespace kiln {
namespace {

constexpr const char* kShared = "shared";
constexpr const char* kApart = "apart";

/// Removes the first line from `text`, with its line end, and returns it.
std::string take_line(std::string& text) {
  const std::size_t end = text.find('\n');
  std::string line = text.substr(0, end);
  text.erase(0, end == std::string::npos ? end : end + 1);
  return line;
}

}  // namespace

CacheFolderSign::CacheFolderSign(FileSystem& files, const DiskCache& cache) {
  if (!cache.disabled_reason().empty()) return;
  try {
    folder_ = make_temporary(files, cache.root(), "ranks");
    name_ = folder_.get().path.lexically_relative(std::filesystem::absolute(cache.root())).string();
  } catch (const std::filesystem::filesystem_error&) {
    return;  // then each rank gets the code of the other ranks by message
  }
}

bool CacheFolderSign::is_seen(FileSystem& files, const DiskCache& cache, const std::string& name) {
  constexpr int kLooks = 2;  // a network file system shows a new name late
  constexpr std::chrono::milliseconds kPause{200};
  if (name.empty()) return false;
  for (int look = 0; look < kLooks; ++look) {
    if (look > 0) std::this_thread::sleep_for(kPause);
    if (files.status(cache.root() / name)) return true;
  }
  return false;
}

std::string RankGreeting::to_text() const {
  return sign + "\n" + question;
}

RankGreeting RankGreeting::from_text(const std::string& text) {
  std::string rest = text;
  RankGreeting greeting;
  greeting.sign = take_line(rest);
  greeting.question = rest;
  return greeting;
}

std::string RankGreetingAnswer::to_text() const {
  return host + "\n" + (shares_cache ? kShared : kApart) + "\n" + pci_address + "\n" + record;
}

RankGreetingAnswer RankGreetingAnswer::from_text(const std::string& text) {
  std::string rest = text;
  RankGreetingAnswer answer;
  answer.host = take_line(rest);
  answer.shares_cache = take_line(rest) == kShared;
  answer.pci_address = take_line(rest);
  answer.record = rest;
  return answer;
}

}  // namespace kiln
