#include "device/cpu/cpu_target.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "kiln/error.h"

namespace kiln {
namespace {

/// A level of the x86-64 psABI: the flags of /proc/cpuinfo that it adds to the level below.
struct Level {
  const char* name;
  std::vector<std::string> flags;
};

const std::vector<Level>& x86_levels() {
  static const std::vector<Level> levels = {
      {"x86-64", {}},
      {"x86-64-v2", {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"}},
      {"x86-64-v3", {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}},
      {"x86-64-v4", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}}};
  return levels;
}

/// An instruction set beyond the levels: the flag of /proc/cpuinfo, and the compiler's option. GCC from 11
/// and clang from 12 know the options.
struct Extra {
  const char* flag;
  const char* name;
};

constexpr Extra kExtras[] = {{"adx", "adx"},
                             {"aes", "aes"},
                             {"avx512_bf16", "avx512bf16"},
                             {"avx512_bitalg", "avx512bitalg"},
                             {"avx512_vbmi2", "avx512vbmi2"},
                             {"avx512_vnni", "avx512vnni"},
                             {"avx512_vpopcntdq", "avx512vpopcntdq"},
                             {"avx512ifma", "avx512ifma"},
                             {"avx512vbmi", "avx512vbmi"},
                             {"fma", "fma"},
                             {"gfni", "gfni"},
                             {"pclmulqdq", "pclmul"},
                             {"sha_ni", "sha"},
                             {"vaes", "vaes"},
                             {"vpclmulqdq", "vpclmulqdq"}};

std::set<std::string> processor_flags(FileSystem& files) {
  const std::string text = files.read_file("/proc/cpuinfo").value_or("");
  for (const std::string& line : split(text, '\n')) {
    if (line.rfind("flags", 0) != 0 && line.rfind("Features", 0) != 0) continue;
    const std::vector<std::string> words = split(line.substr(line.find(':') + 1), ' ');
    return {words.begin(), words.end()};
  }
  return {};
}

#if defined(__x86_64__)
std::string native_arch(FileSystem& files) {
  const std::set<std::string> flags = processor_flags(files);
  std::string arch = x86_levels().front().name;
  std::set<std::string> covered;
  for (const Level& level : x86_levels()) {
    const bool all = std::all_of(level.flags.begin(), level.flags.end(),
                                 [&](const std::string& flag) { return flags.count(flag) != 0; });
    if (!all) break;
    arch = level.name;
    covered.insert(level.flags.begin(), level.flags.end());
  }
  for (const Extra& extra : kExtras) {
    if (flags.count(extra.flag) != 0 && covered.count(extra.flag) == 0) arch += std::string(" ") + extra.name;
  }
  return arch;
}
#else
/// Arm: the compiler resolves its own machine; the features are named so that keys of different machines
/// differ.
std::string native_arch(FileSystem& files) {
  std::string arch = "aarch64";
  for (const std::string& flag : processor_flags(files)) {
    if (!flag.empty()) arch += " " + flag;
  }
  return arch;
}
#endif

}  // namespace

std::vector<std::string> cpu_target_names() {
  std::vector<std::string> names = {"native"};
#if defined(__x86_64__)
  for (const Level& level : x86_levels()) names.emplace_back(level.name);
#endif
  return names;
}

Target cpu_target(const std::string& name, FileSystem& files) {
  if (name == "native") return {"cpu", native_arch(files), 32};
  const std::vector<std::string> known = cpu_target_names();
  if (std::find(known.begin(), known.end(), name) != known.end()) return {"cpu", name, 32};
  throw bad_input("unknown CPU architecture '" + name + "'" + suggestion(name, known));
}

}  // namespace kiln
