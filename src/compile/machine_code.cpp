#include "compile/machine_code.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>

#include "base/scratch_folder.h"
#include "base/text.h"
#include "device/elf_file.h"
#include "device/installed_folders.h"

namespace kiln {
namespace {

using Addresses = std::vector<std::uint64_t>;

/// Whether instructions have the form that Volta introduced.
bool has_wide_instructions(const std::string& arch) {
  constexpr std::int64_t kVolta = 70;
  const std::size_t begin = arch.find('_') + 1;
  const std::size_t end = std::min(arch.find_first_not_of("0123456789", begin), arch.size());
  return parse_integer(arch.substr(begin, end - begin)).value_or(0) >= kVolta;
}

bool is_nop(std::string_view instruction) {
  constexpr std::uint64_t kOpcode = 0xfff;
  constexpr std::uint64_t kNop = 0x918;
  std::uint64_t word = 0;
  std::memcpy(&word, instruction.data(), sizeof word);
  return (word & kOpcode) == kNop;
}

MachineCode cubin_kernel(const std::string& kernel, std::string_view section, bool wide) {
  constexpr std::size_t kInstruction = 16;
  if (!wide || section.size() % kInstruction != 0) return {kernel, section.size(), std::nullopt};
  while (!section.empty() && is_nop(section.substr(section.size() - kInstruction)))
    section.remove_suffix(kInstruction);
  return {kernel, section.size(), section.size() / kInstruction};
}

std::vector<MachineCode> cubin_code(const CodeObject& code, const Target& target) {
  const ElfFile file(code.binary);
  std::vector<MachineCode> found;
  for (const auto& [kernel, symbol] : code.lowered_names) {
    const std::string wanted = ".text." + symbol;
    const auto section = std::find_if(file.sections().begin(), file.sections().end(),
                                      [&](const auto& one) { return one.name == wanted; });
    if (section == file.sections().end()) return {};
    found.push_back(cubin_kernel(kernel, section->content, has_wide_instructions(target.arch)));
  }
  return found;
}

/// The address of a line of a disassembly: in front, as GNU objdump writes it ("  1160:<tab>vmovupd ..."), or
/// in a comment, as LLVM does for AMD's GPUs ("... // 000000001800: C0060002"). Other lines have none.
std::optional<std::uint64_t> address_in(std::string_view line) {
  constexpr int kHexadecimal = 16;
  const std::size_t comment = line.rfind("// ");
  if (comment != std::string_view::npos) line.remove_prefix(comment + 3);
  line = trim(line);
  std::uint64_t address = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), address, kHexadecimal);
  const auto digits = static_cast<std::size_t>(end - line.data());
  if (error != std::errc() || digits == 0 || line.substr(digits, 1) != ":") return std::nullopt;
  return address;
}

/// Where the instructions of a file begin, from the output of the first of these programs that works; empty
/// without one.
Addresses instruction_addresses(const CodeObject& code, const std::vector<std::string>& programs,
                                const Disassembly& disassembly) {
  std::optional<std::string> found;
  for (const std::string& program : programs) {
    if (!found) found = disassembly.processes.find_program(program);
  }
  if (!found) return {};
  const ScratchFolder folder = make_shared_scratch(disassembly.files, disassembly.scratch, "disassembly");
  const std::filesystem::path binary = folder.get().path / "binary";
  disassembly.files.write_file(binary, code.binary, false);
  Command command;
  command.program = *found;
  command.arguments = {"--disassemble", "--no-show-raw-insn", binary.string()};
  command.time_limit = std::chrono::seconds(20);
  const ProcessResult result = disassembly.processes.run(command);
  if (!result.ok()) return {};
  Addresses addresses;
  for (const std::string& line : split(result.output, '\n')) {
    if (const auto address = address_in(line)) addresses.push_back(*address);
  }
  std::sort(addresses.begin(), addresses.end());
  return addresses;
}

std::uint64_t count_in(const ElfFile::Symbol& function, const Addresses& addresses) {
  const auto begin = std::lower_bound(addresses.begin(), addresses.end(), function.address);
  return static_cast<std::uint64_t>(
      std::lower_bound(begin, addresses.end(), function.address + function.bytes) - begin);
}

std::vector<MachineCode> code_object_code(const CodeObject& code, const Disassembly& disassembly) {
  std::vector<std::string> programs = {"llvm-objdump"};
  for (const auto& rocm : entries_starting_with("/opt", "rocm", disassembly.files))
    programs.push_back((rocm / "llvm/bin/llvm-objdump").string());
  const ElfFile file(code.binary);
  const Addresses addresses = instruction_addresses(code, programs, disassembly);
  const auto symbols = file.dynamic_symbols();
  std::vector<MachineCode> found;
  for (const auto& [kernel, name] : code.lowered_names) {
    const auto symbol = std::find_if(
        symbols.begin(), symbols.end(),
        [&wanted = name](const ElfFile::Symbol& one) { return one.function && one.name == wanted; });
    if (symbol == symbols.end()) return {};
    found.push_back({kernel, symbol->bytes, {}});
    if (const std::uint64_t count = count_in(*symbol, addresses); count > 0)
      found.back().instructions = count;
  }
  return found;
}

std::vector<MachineCode> shared_object_code(const CodeObject& code, const Disassembly& disassembly) {
  const ElfFile file(code.binary);
  const Addresses addresses = instruction_addresses(code, {"objdump", "llvm-objdump"}, disassembly);
  std::vector<std::string> kernels;
  for (const auto& [kernel, symbol] : code.lowered_names) kernels.push_back(kernel);
  MachineCode all{join(kernels, ", "), 0, {}};
  std::uint64_t instructions = 0;
  std::set<std::uint64_t> seen;  // functions of the same content may share an address
  for (const ElfFile::Symbol& symbol : file.symbols()) {
    if (!symbol.function || symbol.bytes == 0 || !seen.insert(symbol.address).second) continue;
    all.bytes += symbol.bytes;
    instructions += count_in(symbol, addresses);
  }
  if (all.bytes == 0) return {};
  if (instructions > 0) all.instructions = instructions;
  return {all};
}

}  // namespace

std::vector<MachineCode> machine_code(const CodeObject& code, const Target& target,
                                      const Disassembly& disassembly) {
  try {
    if (code.format == "cubin") return cubin_code(code, target);
    if (code.format == "code_object") return code_object_code(code, disassembly);
    if (code.format == "shared_object") return shared_object_code(code, disassembly);
  } catch (const BadElf&) {
    // A binary that cannot be read has no known size.
  }
  return {};
}

}  // namespace kiln
