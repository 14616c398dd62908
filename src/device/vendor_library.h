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

/// A function of a vendor's library; it is called, and compared with null, as a pointer is.
template <class Signature>
struct Import {
  Signature* address = nullptr;  ///< null: the library has none
  const char* symbol = "";

  // NOLINTNEXTLINE(google-explicit-constructor): it stands for the pointer
  operator Signature*() const { return address; }
};

/// The base of a structure of a library's functions, each of which is looked up where it is declared:
///   Import<int(unsigned flags)> init = need("cuInit");
class LibraryImports {
 public:
  LibraryImports() = default;
  /// `library` is one that has been opened.
  explicit LibraryImports(const VendorLibrary& library) : handle_(library.handle) {}

  /// The first of the functions that are needed and that the library lacks; null: it has all.
  [[nodiscard]] const char* missing() const { return missing_; }

 protected:
  struct Found {
    void* address;
    const char* symbol;

    template <class Signature>
    operator Import<Signature>() const {  // NOLINT(google-explicit-constructor): it becomes what is declared
      return {reinterpret_cast<Signature*>(address), symbol};
    }
  };

  /// One that the library may lack.
  [[nodiscard]] Found want(const char* symbol) const;
  [[nodiscard]] Found need(const char* symbol);

 private:
  void* handle_ = nullptr;  // null: nothing is looked up
  const char* missing_ = nullptr;
};

/// The file of the loaded object that `address` lies in; empty if it lies in none.
[[nodiscard]] std::string file_of_address(const void* address);

/// The build id (ELF note) of the loaded object that `address` lies in, as hexadecimal digits; empty if it
/// has none.
[[nodiscard]] std::string build_id_of(const void* address);

}  // namespace kiln
