#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"

namespace kiln {

/// Where to look for one of a vendor's shared libraries.
struct LibrarySearch {
  std::string explicit_path;                   ///< the user's own choice: then nothing else is tried
  std::vector<std::string> names;              ///< file names, preferred first
  std::vector<std::filesystem::path> folders;  ///< in order; the loader's own search comes after them
};

/// What to try, in order: the files that exist, folder by folder, then the bare names for the loader's
/// search.
[[nodiscard]] std::vector<std::string> library_candidates(const LibrarySearch& search, FileSystem& files);

/// A vendor's library. It stays loaded until the process ends: its own threads and exit handlers outlive any
/// object of ours.
struct VendorLibrary {
  void* handle = nullptr;
  std::string path;     ///< the file that was loaded
  std::string problem;  ///< where it was looked for and what the loader said; empty if loaded

  /// Null if the library has no such symbol.
  [[nodiscard]] void* symbol(const char* name) const;
};

[[nodiscard]] VendorLibrary open_library(const LibrarySearch& search, FileSystem& files);

/// The functions that a library offers, or one sentence that says why there are none.
template <class Functions>
struct OpenedLibrary {
  std::shared_ptr<const Functions> library;
  std::string problem;
};

/// Assigns the address of `name` to a function pointer; false if the library has none.
template <class Function>
bool bind_symbol(const VendorLibrary& library, Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(library.symbol(name));
  return function != nullptr;
}

/// The file of the loaded object that `address` lies in; empty if it lies in none.
[[nodiscard]] std::string file_of_address(const void* address);

/// The build id (ELF note) of the loaded object that `address` lies in, as hexadecimal digits; empty if it
/// has none.
[[nodiscard]] std::string build_id_of(const void* address);

}  // namespace kiln
