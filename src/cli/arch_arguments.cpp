#include "cli/arch_arguments.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"
#include "device/cpu/cpu_target.h"
#include "device/cuda/arch_name.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr const char* kExpected = "sm_90, sm_90a or compute_90 (NVIDIA), gfx90a (AMD)";

/// The name that is meant by a text that is none; empty: nothing is near.
std::string nearest_arch(const std::string& text) {
  if (const std::string likely = likely_arch_name(text); !likely.empty()) return likely;
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.starts_with("gfx") ? lower : nearest_name(lower, cpu_target_names()).value_or("");
}

[[noreturn]] void refuse(const std::string& problem, const std::string& nearest) {
  throw bad_input("--arch: " + problem +
                  (nearest.empty() ? "; expected " : "; did you mean '" + nearest + "'? Expected: ") +
                  kExpected + ", " + join(cpu_target_names(), ", ") +
                  " (CPU), or several with commas between them");
}

/// "cuda:sm_90" says its back end; "sm_90", "gfx90a:xnack-" and "native" imply it.
std::pair<std::string, std::string> split_arch(const std::string& text) {
  for (const std::string backend : {"cpu", "cuda", "hip"}) {
    if (text.starts_with(backend + ":")) return {backend, text.substr(backend.size() + 1)};
  }
  if (text.starts_with("sm_") || text.starts_with("compute_")) return {"cuda", text};
  if (text.starts_with("gfx")) return {"hip", text};
  const std::vector<std::string> names = cpu_target_names();
  if (std::find(names.begin(), names.end(), text) != names.end()) return {"cpu", text};
  refuse("unknown architecture '" + text + "'", nearest_arch(text));
}

Target target_of(const std::string& text, const std::map<std::string, Compiler*>& compilers) {
  const auto [backend, arch] = split_arch(text);
  const auto compiler = compilers.find(backend);
  if (compiler == compilers.end()) {
    throw environment_error("--arch " + text + ": this build of Kiln has no " + backend + " compiler");
  }
  return compiler->second->target_for(arch);
}

}  // namespace

std::vector<Target> targets_of(const std::string& archs, const std::map<std::string, Compiler*>& compilers) {
  std::vector<Target> targets;
  for (const std::string& arch : split(archs, ',')) {
    if (trim(arch).empty()) refuse("there is no name in '" + archs + "' where one should be", "");
    targets.push_back(target_of(std::string(trim(arch)), compilers));
  }
  return targets;
}

}  // namespace kiln
