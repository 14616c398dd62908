#include "device/elf_note.h"

#include <elf.h>

#include <cstring>

namespace kiln {

std::optional<std::string_view> find_elf_note(std::string_view notes, std::uint32_t type,
                                              std::string_view owner) {
  const auto padded = [](std::size_t length) { return (length + 3) / 4 * 4; };
  std::size_t at = 0;
  while (at + sizeof(Elf64_Nhdr) <= notes.size()) {
    Elf64_Nhdr header{};
    std::memcpy(&header, notes.data() + at, sizeof header);
    const std::size_t name = at + sizeof header;
    const std::size_t content = name + padded(header.n_namesz);
    if (content > notes.size() || header.n_descsz > notes.size() - content) return std::nullopt;
    // The name's length counts its terminating zero.
    const std::string_view found = notes.substr(name, header.n_namesz > 0 ? header.n_namesz - 1 : 0);
    if (header.n_type == type && found == owner) return notes.substr(content, header.n_descsz);
    at = content + padded(header.n_descsz);
  }
  return std::nullopt;
}

}  // namespace kiln
