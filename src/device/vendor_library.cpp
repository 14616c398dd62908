#include "device/vendor_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "base/text.h"

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

std::string hex_digits(const unsigned char* bytes, std::size_t count) {
  constexpr std::array<char, 17> kDigits = {"0123456789abcdef"};
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += kDigits.at(bytes[i] >> 4);
    text += kDigits.at(bytes[i] & 15);
  }
  return text;
}

std::string find_build_id(const unsigned char* note, std::size_t size) {
  const auto padded = [](std::size_t length) { return (length + 3) / 4 * 4; };
  std::size_t at = 0;
  while (at + sizeof(ElfW(Nhdr)) <= size) {
    ElfW(Nhdr) header{};
    std::memcpy(&header, note + at, sizeof header);
    const std::size_t name = at + sizeof header;
    const std::size_t content = name + padded(header.n_namesz);
    if (header.n_type == NT_GNU_BUILD_ID && content + header.n_descsz <= size) {
      return hex_digits(note + content, header.n_descsz);
    }
    at = content + padded(header.n_descsz);
  }
  return "";
}

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
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader tells places as numbers
    const auto* note = reinterpret_cast<const unsigned char*>(info->dlpi_addr + part.p_vaddr);
    search.build_id = find_build_id(note, part.p_memsz);
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

std::string build_id_of(const void* address) {
  NoteSearch search{reinterpret_cast<std::uintptr_t>(address), {}};
  ::dl_iterate_phdr(look_at_object, &search);
  return search.build_id;
}

}  // namespace kiln
