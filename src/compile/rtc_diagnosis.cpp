#include "compile/rtc_diagnosis.h"

#include "base/text.h"
#include "compile/outline.h"
#include "kiln/error.h"

namespace kiln {

std::string first_error_line(const std::string& log) {
  const std::vector<std::string> lines = split(log, '\n');
  for (const std::string& line : lines) {
    const bool assembler = line.find(": Error: ") != std::string::npos;  // of `as`
    if (assembler || line.find("error") != std::string::npos) return std::string(trim(line));
  }
  return std::string(trim(lines.front()));
}

std::optional<std::string> missing_kernel(const Specialization& specialization) {
  const std::vector<std::string> kernels = find_kernels(specialization.source_text);
  if (kernels.empty() || !specialization.headers.empty()) return std::nullopt;
  for (const EntryPoint& entry : specialization.entries) {
    const std::string& name = entry.name_expression;
    if (!is_identifier(name) || specialization.source_text.find(name) != std::string::npos) continue;
    return specialization.source_name + ": error: no kernel '" + name + "' in this file" +
           suggestion(name, kernels) + " (its kernels: " + join(kernels, ", ") + ")";
  }
  return std::nullopt;
}

}  // namespace kiln
