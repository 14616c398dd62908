#include "device/elf_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace kiln {
namespace {

std::string_view part(std::string_view file, std::uint64_t offset, std::uint64_t bytes) {
  if (offset > file.size() || bytes > file.size() - offset) throw BadElf("it is cut short");
  return file.substr(offset, bytes);
}

template <class Header>
Header read_header(std::string_view file, std::uint64_t offset) {
  Header header{};
  std::memcpy(&header, part(file, offset, sizeof header).data(), sizeof header);
  return header;
}

template <class Header>
std::vector<Header> read_table(std::string_view file, std::uint64_t offset, std::size_t count) {
  std::vector<Header> headers;
  for (std::size_t i = 0; i < count; ++i)
    headers.push_back(read_header<Header>(file, offset + i * sizeof(Header)));
  return headers;
}

/// The text that begins at `offset` of a string table.
std::string_view text_at(std::string_view table, std::uint64_t offset) {
  if (table.empty()) return {};
  const std::string_view rest =
      part(table, offset, table.size() - std::min<std::size_t>(offset, table.size()));
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

ElfFile::ElfFile(std::string_view file) {
  if (!file.starts_with(ELFMAG)) throw BadElf("it is not an ELF file");
  const auto header = read_header<Elf64_Ehdr>(file, 0);
  type_ = header.e_type;
  machine_ = header.e_machine;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    throw BadElf("it is an ELF file for machine " + std::to_string(machine_) +
                 ", but not of 64 bits and little-endian");
  }
  for (const auto& segment : read_table<Elf64_Phdr>(file, header.e_phoff, header.e_phnum))
    segments_.push_back({segment.p_type, part(file, segment.p_offset, segment.p_filesz)});
  const auto sections = read_table<Elf64_Shdr>(file, header.e_shoff, header.e_shnum);
  std::string_view names;
  if (header.e_shstrndx < sections.size()) {
    const Elf64_Shdr& strings = sections[header.e_shstrndx];
    names = part(file, strings.sh_offset, strings.sh_size);
  }
  for (const Elf64_Shdr& section : sections) {
    const bool empty = section.sh_type == SHT_NOBITS || section.sh_type == SHT_NULL;
    sections_.push_back({text_at(names, section.sh_name), section.sh_type, section.sh_link, section.sh_flags,
                         empty ? std::string_view() : part(file, section.sh_offset, section.sh_size),
                         section.sh_size});
  }
}

std::vector<ElfFile::Symbol> ElfFile::symbols() const {
  return symbols_in(SHT_SYMTAB);
}

std::vector<ElfFile::Symbol> ElfFile::dynamic_symbols() const {
  return symbols_in(SHT_DYNSYM);
}

std::vector<ElfFile::Symbol> ElfFile::symbols_in(std::uint32_t table_type) const {
  std::vector<Symbol> found;
  for (const Section& section : sections_) {
    if (section.type != table_type || section.link >= sections_.size()) continue;
    const std::string_view names = sections_[section.link].content;
    for (const auto& symbol :
         read_table<Elf64_Sym>(section.content, 0, section.content.size() / sizeof(Elf64_Sym))) {
      const unsigned char type = ELF64_ST_TYPE(symbol.st_info);
      found.push_back({text_at(names, symbol.st_name), type == STT_FUNC, type == STT_TLS, symbol.st_value,
                       symbol.st_size});
    }
  }
  return found;
}

}  // namespace kiln
