#include "compile/outside_headers.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/hash.h"
#include "base/text.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

/// Headers of the C library and POSIX that compilers do not wrap.
constexpr std::array<std::string_view, 32> kCLibrary = {
    "alloca.h",   "assert.h",    "ctype.h",   "dirent.h", "dlfcn.h",  "endian.h", "errno.h",   "fcntl.h",
    "fenv.h",     "inttypes.h",  "limits.h",  "locale.h", "math.h",   "memory.h", "pthread.h", "sched.h",
    "setjmp.h",   "signal.h",    "stdint.h",  "stdio.h",  "stdlib.h", "string.h", "strings.h", "sys/stat.h",
    "sys/time.h", "sys/types.h", "threads.h", "time.h",   "uchar.h",  "unistd.h", "wchar.h",   "wctype.h"};

/// A folder of a compiler's release: /usr/include/c++/12, /usr/lib/gcc/x86_64-linux-gnu/12/include.
bool is_of_release(const Path& folder) {
  return std::any_of(folder.begin(), folder.end(),
                     [](const Path& part) { return part == "c++" || part == "gcc" || part == "clang"; });
}

bool is_local(const Path& folder) {
  return std::find(folder.begin(), folder.end(), "local") != folder.end();
}

std::vector<Path> folders_in(const std::string& list) {
  std::vector<Path> folders;
  for (const std::string& folder : split(list, ':')) {
    // An empty entry is the folder in which the compiler runs, where Kiln puts the files that it knows.
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

}  // namespace

SearchList parse_search_list(const std::string& answer) {
  constexpr std::string_view kMissing = "ignoring nonexistent directory \"";
  SearchList list;
  bool inside = false;
  for (const std::string& line : split(answer, '\n')) {
    if (line.starts_with("#include <...>")) {
      inside = true;
    } else if (line.starts_with("End of search list")) {
      inside = false;
    } else if (line.starts_with(kMissing)) {
      list.missing.push_back(Path(line.substr(kMissing.size(), line.rfind('"') - kMissing.size())));
    } else if (inside && !trim(line).empty()) {
      list.folders.push_back(Path(std::string(trim(line))).lexically_normal());
    }
  }
  return list;
}

std::vector<Path> folders_of_variables(const std::map<std::string, std::string>& environment) {
  std::vector<Path> folders;
  for (const char* variable : {"CPATH", "CPLUS_INCLUDE_PATH"}) {
    const auto found = environment.find(variable);
    if (found == environment.end()) continue;
    for (Path& folder : folders_in(found->second)) folders.push_back(std::move(folder));
  }
  return folders;
}

OutsideHeaders OutsideHeaderFinder::find(const std::vector<std::string>& unseen) {
  if (unseen.empty()) return {};
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(unseen);
  if (found != known_.end() && is_current(found->second)) return found->second.headers;
  return known_.insert_or_assign(unseen, read(unseen)).first->second.headers;
}

bool OutsideHeaderFinder::is_current(const Known& known) const {
  const auto stays = [&](const LookedAt& looked_at) {
    const auto now = files_.target_status(looked_at.path);
    const auto& before = looked_at.status;
    if (!now || !before) return !now && !before;
    return now->type == before->type && now->size == before->size &&
           now->modified_ns == before->modified_ns && now->device == before->device &&
           now->inode == before->inode;
  };
  try {
    return std::all_of(known.looked_at.begin(), known.looked_at.end(), stays);
  } catch (const std::filesystem::filesystem_error&) {
    return false;
  }
}

OutsideHeaderFinder::Known OutsideHeaderFinder::read(const std::vector<std::string>& unseen) const {
  IncludeSearch search;
  search.directories = folders_.by_variables;
  search.directories.insert(search.directories.end(), folders_.built_in.begin(), folders_.built_in.end());
  const std::set<Path> by_variables(folders_.by_variables.begin(), folders_.by_variables.end());
  search.is_compilers = [&by_variables](const Path& folder, const std::string& name) {
    if (by_variables.contains(folder)) return false;
    if (is_of_release(folder)) return true;
    return !is_local(folder) && std::find(kCLibrary.begin(), kCLibrary.end(), name) != kCLibrary.end();
  };
  std::string text;
  for (const std::string& name : unseen) text += "#include <" + name + ">\n";
  Includes includes = find_includes(files_, text, search);
  Known known;
  for (const IncludedHeader& header : includes.headers) {
    constexpr std::size_t kDigits = 32;
    known.headers.text += (known.headers.text.empty() ? "" : ", ") + header.name + " " +
                          sha256_hex(header.text).substr(0, kDigits);
  }
  known.headers.unknown = std::move(includes.unknown);
  known.looked_at = std::move(includes.looked_at);
  return known;
}

}  // namespace kiln
