#include "cli/arch_arguments.h"

#include <utility>

#include "base/text.h"
#include "kiln/error.h"

namespace kiln {
namespace {

/// "cuda:sm_90" says its back end; "sm_90", "gfx90a:xnack-" and "native" imply it.
std::pair<std::string, std::string> split_arch(const std::string& text) {
  for (const std::string backend : {"cpu", "cuda", "hip"}) {
    if (text.starts_with(backend + ":")) return {backend, text.substr(backend.size() + 1)};
  }
  if (text.starts_with("sm_") || text.starts_with("compute_")) return {"cuda", text};
  if (text.starts_with("gfx")) return {"hip", text};
  return {"cpu", text};
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
  for (const std::string& arch : split(archs, ',')) targets.push_back(target_of(arch, compilers));
  return targets;
}

JobPlan plan_for(const JobSpec& job, const Target& target, const WorkloadLibrary& library,
                 FileSystem& files) {
  DeviceInfo device;
  device.id = target.backend;
  device.target = target;
  return make_plan(job, library, files, {device});
}

}  // namespace kiln
