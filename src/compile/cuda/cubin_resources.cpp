#include "compile/cuda/cubin_resources.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "device/elf_file.h"

namespace kiln {
namespace {

// Entries of a section .nv.info, as `cuobjdump -elf` prints them: a byte for the form, one for the attribute.
// The form of those below has a length and as many bytes: the index of the kernel's symbol, and a number.
constexpr unsigned char kWithLength = 0x04;
constexpr unsigned char kRegisterCount = 0x2f;
constexpr unsigned char kFrameSize = 0x11;
constexpr std::size_t kHead = 4;

template <class Integer>
Integer read_integer(std::string_view bytes, std::size_t offset) {
  Integer value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

struct KernelNeeds {
  std::optional<std::uint32_t> registers, frame_bytes;
};

/// The needs by the symbol's index.
std::map<std::uint32_t, KernelNeeds> read_needs(std::string_view info) {
  std::map<std::uint32_t, KernelNeeds> found;
  while (info.size() >= kHead) {
    const auto form = static_cast<unsigned char>(info[0]), attribute = static_cast<unsigned char>(info[1]);
    const std::size_t length = form == kWithLength ? read_integer<std::uint16_t>(info, 2) : 0;
    info.remove_prefix(kHead);
    if (length > info.size()) break;
    if (length == 2 * sizeof(std::uint32_t)) {
      KernelNeeds& needs = found[read_integer<std::uint32_t>(info, 0)];
      const auto number = read_integer<std::uint32_t>(info, sizeof(std::uint32_t));
      if (attribute == kRegisterCount) needs.registers = number;
      if (attribute == kFrameSize) needs.frame_bytes = number;
    }
    info.remove_prefix(length);
  }
  return found;
}

/// The largest block for which a multiprocessor has enough registers: each of its four parts has 16384, of
/// which a warp takes multiples of 256.
int largest_block(std::uint32_t registers) {
  constexpr std::uint32_t kParts = 4, kOfPart = 16384, kWarp = 32, kUnit = 8;
  const std::uint32_t of_warp = (std::max(registers, 1U) + kUnit - 1) / kUnit * kUnit * kWarp;
  return static_cast<int>(kOfPart / of_warp * kParts * kWarp);
}

const ElfFile::Section* find_section(const ElfFile& file, const std::string& name) {
  const auto found = std::find_if(file.sections().begin(), file.sections().end(),
                                  [&](const ElfFile::Section& one) { return one.name == name; });
  return found == file.sections().end() ? nullptr : &*found;
}

ResourceUse use_of(const KernelNeeds& needs, const ElfFile& file, const std::string& symbol) {
  // If the driver's reserved shared memory has a section, the kernel's own size includes it.
  constexpr std::uint64_t kReserved = 1024;
  ResourceUse use;
  if (needs.registers) {
    use.registers = static_cast<int>(*needs.registers);
    use.max_threads_per_block = largest_block(*needs.registers);
  }
  if (needs.frame_bytes) use.local_bytes = *needs.frame_bytes;
  const ElfFile::Section* shared = find_section(file, ".nv.shared." + symbol);
  const bool reserves = find_section(file, ".nv.shared.reserved.0") != nullptr;
  const std::uint64_t bytes = shared == nullptr ? 0 : shared->bytes;
  use.static_shared_bytes = reserves ? bytes - std::min(bytes, kReserved) : bytes;
  return use;
}

}  // namespace

std::map<std::string, ResourceUse> cubin_resources(std::string_view cubin,
                                                   const std::map<std::string, std::string>& lowered_names) {
  try {
    const ElfFile file(cubin);
    const ElfFile::Section* info = find_section(file, ".nv.info");
    if (info == nullptr) return {};
    const std::vector<ElfFile::Symbol> symbols = file.symbols();
    std::map<std::string_view, KernelNeeds> by_symbol;
    for (const auto& [index, needs] : read_needs(info->content)) {
      if (index < symbols.size()) by_symbol[symbols[index].name] = needs;
    }
    std::map<std::string, ResourceUse> resources;
    for (const auto& [expression, symbol] : lowered_names) {
      const auto needs = by_symbol.find(symbol);
      if (needs != by_symbol.end()) resources[expression] = use_of(needs->second, file, symbol);
    }
    return resources;
  } catch (const BadElf&) {
    return {};
  }
}

}  // namespace kiln
