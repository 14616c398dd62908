#include "specialize/packs.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "specialize/class_members.h"

namespace kiln {
namespace {

constexpr std::string_view kPack = "...";
constexpr std::size_t kMostOfPack = 32;

bool is_pack(const std::string& text) {
  return text.find(kPack) != std::string::npos;
}

std::string without_pack(std::string type) {
  const std::size_t at = type.find(kPack);
  if (at != std::string::npos) type.erase(at, kPack.size());
  return std::string(trim(type));
}

/// How many elements the first launch that shows it gives a list of which `others` are not of the pack.
std::optional<std::size_t> elements(const ProgramText& program, const std::string& kernel, std::size_t others,
                                    std::vector<std::string> TextLaunch::*list) {
  for (const TextLaunch& launch : program.launches) {
    const std::vector<std::string>& given = launch.*list;
    if (launch.kernel != kernel || given.size() < others || given.size() - others > kMostOfPack) continue;
    const auto expands = [](const std::string& argument) { return is_pack(argument); };
    if (std::none_of(given.begin(), given.end(), expands)) return given.size() - others;
  }
  return std::nullopt;
}

void write_out(TextKernel& kernel, const ProgramText& program) {
  if (kernel.template_parameters.empty()) return;
  const TextParameter pack = kernel.template_parameters.back();
  if (!is_pack(pack.type) || pack.name.empty()) return;
  const auto of_pack = std::find_if(kernel.parameters.begin(), kernel.parameters.end(),
                                    [](const TextParameter& one) { return is_pack(one.type); });
  const bool takes = of_pack != kernel.parameters.end();
  if (takes && of_pack + 1 != kernel.parameters.end()) return;
  const std::string name = kernel.name.substr(kernel.name.rfind(':') + 1);
  const auto count =
      takes ? elements(program, name, kernel.parameters.size() - 1, &TextLaunch::arguments)
            : elements(program, name, kernel.template_parameters.size() - 1, &TextLaunch::template_arguments);
  if (!count) return;
  kernel.template_parameters.pop_back();
  std::optional<TextParameter> parameter;
  if (takes) {
    parameter = kernel.parameters.back();
    kernel.parameters.pop_back();
  }
  for (std::size_t i = 1; i <= *count; ++i) {
    const std::string number = "_" + std::to_string(i);
    TextParameter one = pack;
    one.type = without_pack(pack.type);
    one.name += number;
    if (parameter) {
      TextParameter written = *parameter;
      written.type = substituted(without_pack(parameter->type), {{pack.name, one.name}});
      if (!written.name.empty()) {
        written.name += number;
        kernel.names_in_body.push_back(written.name);
      }
      kernel.parameters.push_back(std::move(written));
    }
    kernel.template_parameters.push_back(std::move(one));
  }
}

}  // namespace

void write_out_packs(ProgramText& program) {
  for (TextKernel& kernel : program.kernels) write_out(kernel, program);
}

}  // namespace kiln
