#include "record/study_lines.h"

#include "base/statistics.h"

namespace kiln {

std::optional<std::uint64_t> CaseCosts::code_bytes() const {
  std::optional<std::uint64_t> sum;
  for (const MachineCode& kernel : machine_code) sum = sum.value_or(0) + kernel.bytes;
  return sum;
}

std::optional<std::uint64_t> CaseCosts::instructions() const {
  std::optional<std::uint64_t> sum;
  for (const MachineCode& kernel : machine_code) {
    if (!kernel.instructions) return std::nullopt;
    sum = sum.value_or(0) + *kernel.instructions;
  }
  return sum;
}

double Visit::median() const {
  return summarize(seconds).median;
}

}  // namespace kiln
