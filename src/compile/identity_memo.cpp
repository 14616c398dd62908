#include "compile/identity_memo.h"

#include "base/folder_trust.h"
#include "base/process_identity.h"
#include "base/scratch_folder.h"
#include "base/text.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

/// The reason why a memo must not be trusted or written, if there is one. The rules for cache entries apply,
/// since a memo decides under which key machine code is looked up.
std::optional<std::string> find_memo_distrust(const Path& memo, FileSystem& files) {
  if (const auto reason = find_distrust(files, memo.parent_path())) return reason;
  const auto status = files.status(memo);
  if (!status) return std::nullopt;
  if (status->type != FileStatus::Type::kFile) return "is not a plain file";
  return find_distrust(*status, {0, current_user_id()});
}

}  // namespace

std::string program_stamp(const std::string& path, FileSystem& files) {
  std::error_code failure;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, failure);
  const std::filesystem::path& examined = failure ? std::filesystem::path(path) : resolved;
  const std::optional<FileStatus> status = files.status(examined);
  if (!status) return {};
  return examined.string() + "\t" + std::to_string(status->size) + "\t" + std::to_string(status->modified_ns);
}

std::optional<std::string> recall_identity(const Path& memo, const std::string& stamp, FileSystem& files) {
  if (memo.empty() || stamp.empty()) return std::nullopt;
  try {
    if (find_memo_distrust(memo, files)) return std::nullopt;
    for (const std::string& line : split(files.read_file(memo).value_or(""), '\n')) {
      if (line.rfind(stamp + "\t", 0) == 0 && line.size() > stamp.size() + 1)
        return line.substr(stamp.size() + 1);
    }
  } catch (const std::filesystem::filesystem_error&) {
    return std::nullopt;
  }
  return std::nullopt;
}

void remember_identity(const Path& memo, const std::string& stamp, const std::string& identity,
                       FileSystem& files, Log& log) {
  if (memo.empty() || stamp.empty()) return;
  try {
    if (const auto reason = find_distrust(files, memo.parent_path())) {
      log.debug("the compiler's version is not remembered in " + memo.parent_path().string() + ": " +
                *reason);
      return;
    }
    // In the folder where the cache removes the files of dead processes.
    const ScratchFolder scratch =
        make_scratch_folder(files, memo.parent_path() / "tmp", owner_prefix() + "-memo-");
    const Path fresh = scratch.get().path / "memo";
    files.write_file(fresh, stamp + "\t" + identity + "\n", false);
    static_cast<void>(files.rename(fresh, memo));
  } catch (const std::filesystem::filesystem_error& error) {
    log.debug(std::string("the compiler's version is not remembered: ") + error.what());
  }
}

}  // namespace kiln
