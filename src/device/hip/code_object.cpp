#include "device/hip/code_object.h"

#include <elf.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json_integer.h"
#include "base/text.h"
#include "device/elf_file.h"
#include "device/elf_note.h"

namespace kiln {
namespace {

using Json = nlohmann::json;

constexpr Elf64_Half kMachineAmdGpu = 224;
constexpr std::uint32_t kMetadataNote = 32;  // NT_AMDGPU_METADATA
constexpr std::string_view kTargetPrefix = "amdgcn-amd-amdhsa--";
constexpr std::string_view kDescriptorSuffix = ".kd";

void require_amd_gpu(const ElfFile& file) {
  if (file.machine() == kMachineAmdGpu) return;
  throw BadElf("it is an ELF file for machine " + std::to_string(file.machine()) + ", not for an AMD GPU (" +
               std::to_string(kMachineAmdGpu) + ")");
}

Json metadata(const ElfFile& file) {
  for (const ElfFile::Segment& segment : file.segments()) {
    if (segment.type != PT_NOTE) continue;
    const auto note = find_elf_note(segment.content, kMetadataNote, "AMDGPU");
    if (!note) continue;
    Json document = Json::from_msgpack(note->begin(), note->end(), false, false);
    if (document.is_object()) return document;
    throw BadElf("its metadata cannot be read");
  }
  throw BadElf("it has no metadata of code object version 3 or later");
}

std::string isa_of(const Json& document) {
  const auto target = document.value("amdhsa.target", std::string());
  if (!target.starts_with(kTargetPrefix))
    throw BadElf("its metadata names no ISA: code object version 4 does");
  return target.substr(kTargetPrefix.size());
}

/// Parameters that the compiler adds are named hidden_*.
std::vector<std::size_t> parameter_bytes(const Json& kernel) {
  std::vector<std::size_t> sizes;
  for (const Json& parameter : kernel.value(".args", Json::array())) {
    if (!parameter.value(".value_kind", std::string()).starts_with("hidden_"))
      sizes.push_back(integer_from<std::size_t>(parameter.at(".size")));
  }
  return sizes;
}

CodeObjectKernel read_kernel(const Json& kernel, std::size_t binary_bytes) {
  CodeObjectKernel result;
  FunctionAttributes& attributes = result.attributes;
  attributes.registers = integer_from<int>(kernel.at(".vgpr_count"));
  attributes.static_shared_bytes = integer_from<std::uint64_t>(kernel.at(".group_segment_fixed_size"));
  attributes.local_bytes = integer_from<std::uint64_t>(kernel.at(".private_segment_fixed_size"));
  attributes.max_threads_per_block = integer_from<std::uint64_t>(kernel.at(".max_flat_workgroup_size"));
  attributes.binary_bytes = binary_bytes;
  attributes.parameter_bytes = parameter_bytes(kernel);
  result.wavefront_size = integer_from<int>(kernel.at(".wavefront_size"));
  return result;
}

HipCodeObject read(const std::string& binary) {
  const ElfFile file(binary);
  require_amd_gpu(file);
  const Json document = metadata(file);
  std::set<std::string, std::less<>> names;
  for (const ElfFile::Symbol& symbol : file.dynamic_symbols()) names.emplace(symbol.name);
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
  } catch (const BadElf& error) {
    return std::string("not an AMD code object: ") + error.what();
  } catch (const Json::exception& error) {
    return std::string("not an AMD code object: its metadata is of another form: ") + error.what();
  } catch (const Error& error) {
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
