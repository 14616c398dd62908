#include "hip_shim/ptxas_log.h"

#include <regex>

#include "base/text.h"

namespace kiln::hip_shim {
namespace {

/// ".param .u64 f_param_0" takes 8 bytes, ".param .align 8 .b8 f_param_2[16]" takes 16.
std::size_t parameter_size(const std::string& line) {
  static const std::regex kArray(R"(\[(\d+)\])");
  static const std::regex kScalar(R"(\.[bsuf](8|16|32|64)\s)");
  std::smatch match;
  if (std::regex_search(line, match, kArray)) return std::stoul(match[1]);
  if (std::regex_search(line, match, kScalar)) return std::stoul(match[1]) / 8;
  return 0;
}

void read_numbers(const std::string& line, KernelNote& kernel) {
  static const std::regex kRegisters(R"(Used (\d+) registers)");
  static const std::regex kShared(R"((\d+) bytes smem)");
  static const std::regex kStack(R"((\d+) bytes stack frame)");
  std::smatch match;
  if (std::regex_search(line, match, kRegisters)) kernel.registers = std::stoi(match[1]);
  if (std::regex_search(line, match, kShared)) kernel.shared_bytes = std::stoul(match[1]);
  if (std::regex_search(line, match, kStack)) kernel.local_bytes = std::stoul(match[1]);
}

}  // namespace

std::vector<KernelNote> kernel_notes(const std::string& ptx, const std::string& log) {
  static const std::regex kEntry(R"(\.entry (\w+)\()");
  static const std::regex kBounds(R"(^\.maxntid (\d+)(?:, (\d+), (\d+))?)");
  static const std::regex kProperties(R"(Function properties for (\w+))");
  std::vector<KernelNote> kernels;
  std::smatch match;
  for (const std::string& line : split(ptx, '\n')) {
    if (std::regex_search(line, match, kEntry)) kernels.push_back({match[1], 0, 0, 0, 1024, {}});
    if (kernels.empty()) continue;
    // A function that the kernel calls may follow, with parameters of its own.
    if (trim(line).starts_with(".param") && line.find(kernels.back().name + "_param_") != std::string::npos)
      kernels.back().parameter_bytes.push_back(parameter_size(line));
    if (std::regex_search(line, match, kBounds)) {
      const auto extent = [&](std::size_t i) { return match[i].matched ? std::stoul(match[i]) : 1; };
      kernels.back().max_threads_per_block = extent(1) * extent(2) * extent(3);
    }
  }
  KernelNote* current = nullptr;
  for (const std::string& line : split(log, '\n')) {
    if (std::regex_search(line, match, kProperties)) {
      current = nullptr;
      for (KernelNote& kernel : kernels) {
        if (kernel.name == match[1]) current = &kernel;
      }
    }
    if (current != nullptr) read_numbers(line, *current);
  }
  return kernels;
}

std::string without_ptxas_lines(const std::string& log) {
  std::vector<std::string> kept;
  for (const std::string& line : split(log, '\n')) {
    if (!line.starts_with("ptxas")) kept.push_back(line);
  }
  return std::string(trim(join(kept, "\n")));
}

}  // namespace kiln::hip_shim
