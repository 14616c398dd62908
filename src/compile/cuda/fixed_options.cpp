#include "compile/cuda/fixed_options.h"

#include <set>
#include <string_view>

#include "base/text.h"
#include "device/cuda/arch_name.h"

namespace kiln {
namespace {

/// "-arch" of "-arch=sm_90".
std::string name_of(const std::string& option) {
  return std::string(trim(std::string_view(option).substr(0, option.find('='))));
}

bool names_arch(const std::string& name) {
  return name == "-arch" || name == "--gpu-architecture";
}

/// "sm_90a" and "sm_100f".
bool has_own_features(const std::string& arch) {
  const auto name = parse_arch_name(arch);
  return name && name->prefix == "sm_" && !name->suffix.empty();
}

bool chooses_targets(const std::string& name) {
  static const std::set<std::string> names = {"-code", "--gpu-code", "-gencode", "--generate-code"};
  return names.contains(name);
}

/// Link-time code, OptiX's code, a check of the text alone: output that cannot be loaded and launched.
bool makes_something_else(const std::string& name) {
  static const std::set<std::string> names = {"-dlto",
                                              "--dlink-time-opt",
                                              "-lto",
                                              "--lto",
                                              "-optix-ir",
                                              "--optix-ir",
                                              "-fdevice-syntax-only",
                                              "-ptx",
                                              "--ptx",
                                              "-cubin",
                                              "--cubin",
                                              "-fatbin",
                                              "--fatbin",
                                              "--fdevice-syntax-only"};
  return names.contains(name);
}

}  // namespace

ArchOption arch_option(const std::vector<std::string>& options, std::size_t at) {
  const std::string& option = options[at];
  if (!names_arch(name_of(option))) return {};
  const std::size_t equals = option.find('=');
  if (equals != std::string::npos) return {std::string(trim(option.substr(equals + 1))), 1};
  if (at + 1 == options.size()) return {"", 1};
  return {std::string(trim(options[at + 1])), 2};
}

std::optional<RefusedOption> find_fixed_cuda_option(const std::vector<std::string>& options) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string name = name_of(options[i]);
    const ArchOption named = arch_option(options, i);
    if (chooses_targets(name) || (named.words > 0 && !has_own_features(named.arch))) {
      return RefusedOption{
          i,
          "Kiln decides the architecture: the device's, or the ones of `kiln compile --arch` "
          "(sm_90 for machine code, compute_90 for PTX); leave the option out. Only a device's own features "
          "can be asked for here: -arch=sm_90a"};
    }
    if (makes_something_else(name)) {
      return RefusedOption{i,
                           "Kiln decides what is made: machine code, or PTX with `kiln compile --arch "
                           "compute_90`; leave the option out"};
    }
  }
  return std::nullopt;
}

}  // namespace kiln
