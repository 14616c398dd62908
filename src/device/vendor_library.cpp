#include "device/vendor_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdint>
#include <string_view>

#include "base/hash.h"
#include "base/text.h"
#include "device/elf_note.h"

namespace kiln {
namespace {

std::string file_of(void* handle, const std::string& otherwise) {
  link_map* map = nullptr;
  if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || *map->l_name == '\0')
    return otherwise;
  return map->l_name;
}

struct NoteSearch {
  std::uintptr_t address = 0;
  std::string build_id;
};

int look_at_object(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  auto& search = *static_cast<NoteSearch*>(data);
  bool contains = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    contains |= part.p_type == PT_LOAD && search.address >= begin && search.address - begin < part.p_memsz;
  }
  if (!contains) return 0;
  for (int i = 0; i < info->dlpi_phnum && search.build_id.empty(); ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses as numbers
    const std::string_view notes(reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr), part.p_memsz);
    search.build_id = hex_digits(find_elf_note(notes, NT_GNU_BUILD_ID, "GNU").value_or(""));
  }
  return 1;
}

}  // namespace

std::vector<std::string> library_candidates(const LibrarySearch& search, FileSystem& files) {
  if (!search.explicit_path.empty()) return {search.explicit_path};
  std::vector<std::string> candidates;
  for (const std::filesystem::path& folder : search.folders) {
    for (const std::string& name : search.names) {
      if (files.status(folder / name)) candidates.push_back((folder / name).string());
    }
  }
  candidates.insert(candidates.end(), search.names.begin(), search.names.end());
  return candidates;
}

void* VendorLibrary::symbol(const char* name) const {
  return ::dlsym(handle, name);
}

LibraryImports::Found LibraryImports::want(const char* symbol) const {
  return {handle_ != nullptr ? ::dlsym(handle_, symbol) : nullptr, symbol};
}

LibraryImports::Found LibraryImports::need(const char* symbol) {
  const Found found = want(symbol);
  if (found.address == nullptr && missing_ == nullptr) missing_ = symbol;
  return found;
}

VendorLibrary open_library(const LibrarySearch& search, FileSystem& files) {
  VendorLibrary library;
  std::vector<std::string> reasons;
  for (const std::string& candidate : library_candidates(search, files)) {
    library.handle = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle != nullptr) {
      library.path = file_of(library.handle, candidate);
      return library;
    }
    const char* reason = ::dlerror();
    const bool is_path = candidate.find('/') != std::string::npos;
    if (is_path) reasons.push_back(reason != nullptr ? reason : candidate + " cannot be loaded");
  }
  if (!search.explicit_path.empty()) {
    library.problem = join(reasons, "; ");
    return library;
  }
  std::vector<std::string> folders;
  for (const std::filesystem::path& folder : search.folders) folders.push_back(folder.string());
  folders.emplace_back("the loader's search path");
  library.problem = "looked for " + join(search.names, ", ") + " in " + join(folders, ", ");
  if (!reasons.empty()) library.problem += " (" + join(reasons, "; ") + ")";
  return library;
}

std::string file_of_address(const void* address) {
  Dl_info info{};
  return ::dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

std::string build_id_of(const void* address) {
  NoteSearch search{reinterpret_cast<std::uintptr_t>(address), {}};
  ::dl_iterate_phdr(look_at_object, &search);
  return search.build_id;
}

}  // namespace kiln
