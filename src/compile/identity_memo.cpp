#include "compile/identity_memo.h"

#include <functional>

#include "base/text.h"

namespace kiln {

std::string program_stamp(const std::string& path, FileSystem& files) {
  std::error_code failure;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, failure);
  const std::filesystem::path& examined = failure ? std::filesystem::path(path) : resolved;
  const std::optional<FileStatus> status = files.status(examined);
  if (!status) return {};
  return examined.string() + "\t" + std::to_string(status->size) + "\t" + std::to_string(status->modified_ns);
}

std::optional<std::string> recall_identity(const std::filesystem::path& memo, const std::string& stamp,
                                           FileSystem& files) {
  if (memo.empty() || stamp.empty()) return std::nullopt;
  try {
    for (const std::string& line : split(files.read_file(memo).value_or(""), '\n')) {
      if (line.rfind(stamp + "\t", 0) == 0 && line.size() > stamp.size() + 1)
        return line.substr(stamp.size() + 1);
    }
  } catch (const std::filesystem::filesystem_error&) {
    return std::nullopt;
  }
  return std::nullopt;
}

void remember_identity(const std::filesystem::path& memo, const std::string& stamp,
                       const std::string& identity, FileSystem& files, Log& log) {
  if (memo.empty() || stamp.empty()) return;
  try {
    const std::filesystem::path fresh =
        memo.string() + "." + std::to_string(std::hash<std::string>{}(stamp + identity));
    if (memo.has_parent_path()) files.make_directories(memo.parent_path(), true);
    files.write_file(fresh, stamp + "\t" + identity + "\n", false);
    if (!files.rename(fresh, memo)) files.remove_all(fresh);
  } catch (const std::filesystem::filesystem_error& error) {
    log.debug(std::string("the compiler's version is not remembered: ") + error.what());
  }
}

}  // namespace kiln
