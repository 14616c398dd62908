#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"

namespace kiln {

/// Where to look for one of a vendor's shared libraries.
struct LibrarySearch {
  std::string explicit_path;                   ///< the user's choice, which is then the only candidate
  std::vector<std::string> names;              ///< file names, preferred first
  std::vector<std::filesystem::path> folders;  ///< in order; the loader's own search comes after them
};

/// The paths to try, in order: the existing files, folder by folder, then the bare names for the loader's
/// search.
[[nodiscard]] std::vector<std::string> library_candidates(const LibrarySearch& search, FileSystem& files);

/// A vendor's library. It stays loaded until the process ends: its own threads and exit handlers outlive
/// Kiln's objects.
struct VendorLibrary {
  void* handle = nullptr;
  std::string path;     ///< the file that was loaded
  std::string problem;  ///< the places that were searched and the loader's message; empty if loaded

  /// Null if the library has no such symbol.
  [[nodiscard]] void* symbol(const char* name) const;
};

[[nodiscard]] VendorLibrary open_library(const LibrarySearch& search, FileSystem& files);

/// The functions of a library, or one sentence with the reason why there are none.
template <class Functions>
struct OpenedLibrary {
  std::shared_ptr<const Functions> library;
  std::string problem;
};

/// A function of a vendor's library; it can be called and compared with null, like a pointer.
template <class Signature>
struct Import {
  Signature* address = nullptr;  ///< null: the library lacks it
  const char* symbol = "";

  // NOLINTNEXTLINE(google-explicit-constructor): it stands for the pointer
  operator Signature*() const { return address; }
};

/// The base of a structure of a library's functions. Each function is looked up where it is declared:
///   Import<int(unsigned flags)> init = need("cuInit");
class LibraryImports {
 public:
  LibraryImports() = default;
  /// `library` has been opened.
  explicit LibraryImports(const VendorLibrary& library) : handle_(library.handle) {}

  /// The first needed function that the library lacks; null if it has all.
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

  /// A function that the library may lack.
  [[nodiscard]] Found want(const char* symbol) const;
  [[nodiscard]] Found need(const char* symbol);

 private:
  void* handle_ = nullptr;  // null: the base looks up no function
  const char* missing_ = nullptr;
};

/// The file of the loaded object that `address` lies in; empty if it lies in none.
[[nodiscard]] std::string file_of_address(const void* address);

/// The build id (ELF note) of the loaded object that `address` lies in, as hexadecimal digits; empty if it
/// has none.
[[nodiscard]] std::string build_id_of(const void* address);

}  // namespace kiln
