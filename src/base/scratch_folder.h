#pragma once

#include <exception>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/unique_handle.h"

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
      return;  // what is left in a scratch folder harms nobody
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

}  // namespace kiln
