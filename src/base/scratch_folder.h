#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/unique_handle.h"
#include "kiln/error.h"

namespace kiln {

/// A folder that is removed with everything in it when its owner is done.
struct ScratchFolderTraits {
  struct Handle {
    FileSystem* files = nullptr;
    std::filesystem::path path;
    friend bool operator!=(const Handle& a, const Handle& b) { return a.files != b.files; }
  };
  static Handle null() { return {}; }
  static void close(const Handle& handle) noexcept {
    try {
      handle.files->remove_all(handle.path);
    } catch (const std::exception&) {
      return;  // leftovers in a scratch folder are harmless
    }
  }
};
using ScratchFolder = UniqueHandle<ScratchFolderTraits>;

/// `below`/`prefix`RANDOM, with an absolute path. Throws filesystem_error.
[[nodiscard]] inline ScratchFolder make_scratch_folder(FileSystem& files, const std::filesystem::path& below,
                                                       const std::string& prefix) {
  files.make_directories(below, true);
  return ScratchFolder({&files, files.make_unique_directory(std::filesystem::absolute(below) / prefix)});
}

/// The folder for temporary files: $TMPDIR, else /tmp. It is not tested before a file is made there.
[[nodiscard]] std::filesystem::path temporary_folder();

/// An environment error: files cannot be made in the temporary folder `below`. Names folder, cause and
/// TMPDIR.
[[nodiscard]] Error temporary_folder_error(const std::filesystem::path& below,
                                           const std::filesystem::filesystem_error& cause);

/// `below`/kiln-OWNER-`purpose`-RANDOM in the temporary folder `below`, which is not made: the name says
/// which process it belongs to (base/process_identity.h). Throws temporary_folder_error.
[[nodiscard]] ScratchFolder make_shared_scratch(FileSystem& files, const std::filesystem::path& below,
                                                const std::string& purpose);

/// Removes such folders of this user whose process has ended. If that is unknown (another container, before a
/// restart of the machine), removes folders that are a day old. Folders that cannot be removed stay. Returns
/// how many were removed, or with `dry_run` would be.
std::size_t collect_scratch(FileSystem& files, const std::filesystem::path& below, std::int64_t now_ns,
                            bool dry_run = false) noexcept;
/// Removes this process's scratch folders.
void remove_own_scratch(FileSystem& files, const std::filesystem::path& below) noexcept;

}  // namespace kiln
