#include "hip_shim/code_object_writer.h"

#include <elf.h>

#include <array>
#include <cstring>

#include <nlohmann/json.hpp>

namespace kiln::hip_shim {
namespace {

constexpr Elf64_Half kMachineAmdGpu = 224;
constexpr Elf64_Word kMetadataNote = 32;
constexpr Elf64_Word kPayloadSection = SHT_LOUSER;

template <class Value>
void append(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void align(std::string& bytes) {
  bytes.resize((bytes.size() + 7) / 8 * 8);
}

std::string metadata(const std::string& isa, int wavefront_size, const std::vector<KernelNote>& kernels) {
  using Json = nlohmann::json;
  Json list = Json::array();
  for (const KernelNote& kernel : kernels) {
    Json parameters = Json::array();
    for (const std::size_t bytes : kernel.parameter_bytes)
      parameters.push_back({{".size", bytes}, {".value_kind", "by_value"}});
    list.push_back({{".name", kernel.name},
                    {".symbol", kernel.name + ".kd"},
                    {".args", parameters},
                    {".vgpr_count", kernel.registers},
                    {".group_segment_fixed_size", kernel.shared_bytes},
                    {".private_segment_fixed_size", kernel.local_bytes},
                    {".max_flat_workgroup_size", kernel.max_threads_per_block},
                    {".wavefront_size", wavefront_size}});
  }
  const Json document = {
      {"amdhsa.kernels", list}, {"amdhsa.target", "amdgcn-amd-amdhsa--" + isa}, {"amdhsa.version", {1, 1}}};
  const std::vector<std::uint8_t> packed = Json::to_msgpack(document);
  std::string note;
  append(note, Elf64_Nhdr{7, static_cast<Elf64_Word>(packed.size()), kMetadataNote});
  note.append("AMDGPU\0\0", 8).append(packed.begin(), packed.end());
  return note;
}

}  // namespace

std::string write_code_object(const std::string& isa, int wavefront_size,
                              const std::vector<KernelNote>& kernels, const std::string& payload) {
  std::string strings(1, '\0');
  std::string symbols;
  append(symbols, Elf64_Sym{});
  for (const KernelNote& kernel : kernels) {
    for (const std::string& name : {kernel.name, kernel.name + ".kd"}) {
      Elf64_Sym symbol{};
      symbol.st_name = static_cast<Elf64_Word>(strings.size());
      symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
      append(symbols, symbol);
      strings.append(name).push_back('\0');
    }
  }
  std::string file(sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), '\0');
  std::array<Elf64_Shdr, 5> sections{};
  const auto add = [&](std::size_t index, Elf64_Word type, const std::string& content) {
    align(file);
    sections.at(index).sh_type = type;
    sections.at(index).sh_offset = file.size();
    sections.at(index).sh_size = content.size();
    file += content;
  };
  add(1, SHT_NOTE, metadata(isa, wavefront_size, kernels));
  add(2, SHT_DYNSYM, symbols);
  add(3, SHT_STRTAB, strings);
  add(4, kPayloadSection, payload);
  sections[2].sh_link = 3;
  sections[2].sh_entsize = sizeof(Elf64_Sym);
  align(file);

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = kMachineAmdGpu;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  header.e_shoff = file.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(sections.size());
  Elf64_Phdr segment{};
  segment.p_type = PT_NOTE;
  segment.p_offset = sections[1].sh_offset;
  segment.p_filesz = sections[1].sh_size;
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, &segment, sizeof segment);
  for (const Elf64_Shdr& section : sections) append(file, section);
  return file;
}

std::optional<std::string_view> payload_of(const void* image) {
  const auto* bytes = static_cast<const char*>(image);
  Elf64_Ehdr header{};
  std::memcpy(&header, bytes, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_machine != kMachineAmdGpu)
    return std::nullopt;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    std::memcpy(&section, bytes + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type == kPayloadSection)
      return std::string_view(bytes + section.sh_offset, section.sh_size);
  }
  return std::nullopt;
}

}  // namespace kiln::hip_shim
