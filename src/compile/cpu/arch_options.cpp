#include "compile/cpu/arch_options.h"

#include "base/text.h"

namespace kiln {

std::vector<std::string> arch_options(const std::string& arch) {
  const std::vector<std::string> words = split(arch, ' ');
  if (words.front().empty()) return {};
  if (words.front() == "aarch64") return {"-mcpu=native"};
  std::vector<std::string> options = {"-march=" + words.front()};
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i].empty()) options.push_back("-m" + words[i]);
  }
  if (words.front() == "x86-64-v4") options.emplace_back("-mprefer-vector-width=512");
  return options;
}

std::string baseline_arch(const std::string& arch) {
  constexpr const char* kX86 = "x86-64";
  return arch.starts_with(kX86) ? kX86 : "";
}

}  // namespace kiln
