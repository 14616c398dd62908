#include "embed/arch_names.h"

#include <utility>

#include "base/text.h"
#include "device/backend_kind.h"
#include "kiln/error.h"

namespace kiln {
namespace {

/// The architecture nearest to an unknown name; empty: none is near.
std::string nearest_architecture(const std::string& text) {
  for (const BackendKind& kind : backend_kinds()) {
    if (std::string likely = kind.likely_architecture(text); !likely.empty()) return likely;
  }
  return "";
}

[[noreturn]] void refuse(const std::string& place, const std::string& problem, const std::string& nearest) {
  std::vector<std::string> known;
  for (const BackendKind& kind : backend_kinds()) known.emplace_back(kind.architectures);
  throw bad_input(place + ": " + problem +
                  (nearest.empty() ? "; expected " : "; did you mean '" + nearest + "'? Expected: ") +
                  join(known, ", ") + ", or several with commas between them");
}

/// "cuda:sm_90" says its back end; "sm_90", "gfx90a:xnack-" and "native" imply it.
std::pair<std::string, std::string> split_arch(const std::string& place, const std::string& text) {
  for (const BackendKind& kind : backend_kinds()) {
    const std::string prefix = std::string(kind.name) + ":";
    if (text.starts_with(prefix)) return {kind.name, text.substr(prefix.size())};
    if (kind.owns_architecture(text)) return {kind.name, text};
  }
  refuse(place, "unknown architecture '" + text + "'", nearest_architecture(text));
}

Target target_of(const std::string& place, const std::string& text,
                 const std::map<std::string, Compiler*>& compilers) {
  const auto [backend, arch] = split_arch(place, text);
  const auto compiler = compilers.find(backend);
  if (compiler == compilers.end()) {
    throw environment_error(place + " " + text + ": this build of Kiln has no " + backend + " compiler");
  }
  return compiler->second->target_for(arch);
}

}  // namespace

std::vector<Target> targets_of(const std::string& archs, const std::map<std::string, Compiler*>& compilers,
                               const std::string& place) {
  std::vector<Target> targets;
  for (const std::string& arch : split(archs, ',')) {
    if (trim(arch).empty()) refuse(place, "there is no name in '" + archs + "' where one should be", "");
    targets.push_back(target_of(place, std::string(trim(arch)), compilers));
  }
  return targets;
}

}  // namespace kiln
