#include "device/hip/code_object.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "device/elf_note.h"

namespace kiln {
namespace {

using Json = nlohmann::json;

constexpr Elf64_Half kMachineAmdGpu = 224;
constexpr std::uint32_t kMetadataNote = 32;  // NT_AMDGPU_METADATA
constexpr std::string_view kTargetPrefix = "amdgcn-amd-amdhsa--";
constexpr std::string_view kDescriptorSuffix = ".kd";

/// What is wrong with the file; leaves this file as a value.
struct BadFile : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string_view part(std::string_view file, std::uint64_t offset, std::uint64_t bytes) {
  if (offset > file.size() || bytes > file.size() - offset) throw BadFile("it is cut short");
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

Elf64_Ehdr file_header(std::string_view file) {
  if (!file.starts_with(ELFMAG)) throw BadFile("it is not an ELF file");
  const auto header = read_header<Elf64_Ehdr>(file, 0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachineAmdGpu) {
    throw BadFile("it is an ELF file for machine " + std::to_string(header.e_machine) +
                  ", not for an AMD GPU (" + std::to_string(kMachineAmdGpu) + ")");
  }
  return header;
}

Json metadata(std::string_view file, const Elf64_Ehdr& header) {
  for (const auto& segment : read_table<Elf64_Phdr>(file, header.e_phoff, header.e_phnum)) {
    if (segment.p_type != PT_NOTE) continue;
    const auto note = find_elf_note(part(file, segment.p_offset, segment.p_filesz), kMetadataNote, "AMDGPU");
    if (!note) continue;
    Json document = Json::from_msgpack(note->begin(), note->end(), false, false);
    if (document.is_object()) return document;
    throw BadFile("its metadata cannot be read");
  }
  throw BadFile("it has no metadata of code object version 3 or later");
}

std::set<std::string> symbols(std::string_view file, const Elf64_Ehdr& header) {
  std::set<std::string> names;
  const auto sections = read_table<Elf64_Shdr>(file, header.e_shoff, header.e_shnum);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& strings = sections[section.sh_link];
    const std::string_view texts = part(file, strings.sh_offset, strings.sh_size);
    for (const auto& symbol : read_table<Elf64_Sym>(part(file, section.sh_offset, section.sh_size), 0,
                                                    section.sh_size / sizeof(Elf64_Sym))) {
      const std::string_view rest =
          part(texts, symbol.st_name, texts.size() - std::min<std::size_t>(symbol.st_name, texts.size()));
      names.emplace(rest.substr(0, rest.find('\0')));
    }
  }
  return names;
}

std::string isa_of(const Json& document) {
  const auto target = document.value("amdhsa.target", std::string());
  if (!target.starts_with(kTargetPrefix))
    throw BadFile("its metadata names no ISA: code object version 4 does");
  return target.substr(kTargetPrefix.size());
}

/// Parameters that the compiler adds are named hidden_*.
std::vector<std::size_t> parameter_bytes(const Json& kernel) {
  std::vector<std::size_t> sizes;
  for (const Json& parameter : kernel.value(".args", Json::array())) {
    if (!parameter.value(".value_kind", std::string()).starts_with("hidden_"))
      sizes.push_back(parameter.at(".size").get<std::size_t>());
  }
  return sizes;
}

CodeObjectKernel read_kernel(const Json& kernel, std::size_t binary_bytes) {
  CodeObjectKernel result;
  FunctionAttributes& attributes = result.attributes;
  attributes.registers = kernel.at(".vgpr_count").get<int>();
  attributes.static_shared_bytes = kernel.at(".group_segment_fixed_size").get<std::uint64_t>();
  attributes.local_bytes = kernel.at(".private_segment_fixed_size").get<std::uint64_t>();
  attributes.max_threads_per_block = kernel.at(".max_flat_workgroup_size").get<std::uint64_t>();
  attributes.binary_bytes = binary_bytes;
  attributes.parameter_bytes = parameter_bytes(kernel);
  result.wavefront_size = kernel.at(".wavefront_size").get<int>();
  return result;
}

HipCodeObject read(const std::string& binary) {
  const Elf64_Ehdr header = file_header(binary);
  const Json document = metadata(binary, header);
  const std::set<std::string> names = symbols(binary, header);
  HipCodeObject object;
  object.isa = isa_of(document);
  for (const Json& kernel : document.value("amdhsa.kernels", Json::array())) {
    const auto name = kernel.at(".name").get<std::string>();
    if (names.contains(name + std::string(kDescriptorSuffix)))
      object.kernels[name] = read_kernel(kernel, binary.size());
  }
  return object;
}

/// "gfx90a" and {"sramecc+", "xnack-"}.
std::pair<std::string, std::set<std::string>> take_apart(const std::string& isa) {
  const std::vector<std::string> parts = split(isa, ':');
  return {parts.front(), std::set<std::string>(parts.begin() + 1, parts.end())};
}

}  // namespace

std::variant<HipCodeObject, std::string> read_code_object(const std::string& binary) {
  try {
    return read(binary);
  } catch (const BadFile& error) {
    return std::string("not an AMD code object: ") + error.what();
  } catch (const Json::exception& error) {
    return std::string("not an AMD code object: its metadata is of another form: ") + error.what();
  }
}

bool isa_fits(const std::string& code_isa, const std::string& device_isa) {
  const auto [code, wanted] = take_apart(code_isa);
  const auto [device, features] = take_apart(device_isa);
  return code == device && std::includes(features.begin(), features.end(), wanted.begin(), wanted.end());
}

int wavefront_size(const std::string& isa) {
  constexpr std::string_view kName = "gfx";
  const std::string processor = isa.substr(0, isa.find(':'));
  if (!processor.starts_with(kName)) return 64;
  // gfx<major><minor><stepping>, the last two of one digit; or gfx<major>-<minor>-generic.
  const std::string digits = processor.substr(kName.size());
  const std::size_t dash = digits.find('-');
  const std::size_t length = dash != std::string::npos ? dash : std::max<std::size_t>(digits.size(), 2) - 2;
  return parse_integer(digits.substr(0, length)).value_or(0) >= 10 ? 32 : 64;
}

}  // namespace kiln
