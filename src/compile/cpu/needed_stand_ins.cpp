#include "compile/cpu/needed_stand_ins.h"

#include <algorithm>
#include <array>
#include <map>

#include "compile/cpu/embedded_shim.h"
#include "specialize/include_scan.h"

namespace kiln {
namespace {

/// What a text asks for; `any`: it may be any header.
struct Asked {
  std::set<std::string> names;
  bool any = false;
};

Asked asked_for(std::string_view text) {
  Asked asked;
  for (const IncludeUse& use : find_include_uses(text)) {
    switch (use.kind) {
      case IncludeUse::Kind::kInclude:
      case IncludeUse::Kind::kHasInclude:
        asked.names.insert(use.header.name);
        break;
      case IncludeUse::Kind::kComputed:
      case IncludeUse::Kind::kOther:
        asked.any = true;
        break;
    }
  }
  return asked;
}

/// Whether the header is one of C++ (no header of C++ has a dot or a capital in its name) or of C.
bool is_standard(std::string_view name) {
  static constexpr std::array<std::string_view, 23> kOfC = {
      "assert.h", "complex.h", "ctype.h",  "errno.h",  "fenv.h",   "float.h",  "inttypes.h", "limits.h",
      "locale.h", "math.h",    "memory.h", "setjmp.h", "signal.h", "stdarg.h", "stdbool.h",  "stddef.h",
      "stdint.h", "stdio.h",   "stdlib.h", "string.h", "tgmath.h", "time.h",   "wchar.h"};
  const auto of_cpp = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return std::all_of(name.begin(), name.end(), of_cpp) ||
         std::find(kOfC.begin(), kOfC.end(), name) != kOfC.end();
}

/// By a stand-in's name, what its text asks for.
const std::map<std::string_view, Asked>& asked_by_stand_ins() {
  static const std::map<std::string_view, Asked> asked = [] {
    std::map<std::string_view, Asked> made;
    for (const EmbeddedFile& header : cpu_stand_in_headers())
      made.emplace(header.name, asked_for(header.text));
    return made;
  }();
  return asked;
}

std::set<std::string_view> all_stand_ins() {
  std::set<std::string_view> all;
  for (const EmbeddedFile& header : cpu_stand_in_headers()) all.insert(header.name);
  return all;
}

}  // namespace

std::set<std::string_view> needed_stand_ins(const std::vector<std::string_view>& texts,
                                            const std::set<std::string>& own,
                                            const std::vector<std::string>& names) {
  const std::map<std::string_view, Asked>& stand_ins = asked_by_stand_ins();
  std::vector<std::string> open(names);
  for (const std::string_view text : texts) {
    const Asked asked = asked_for(text);
    if (asked.any) return all_stand_ins();
    open.insert(open.end(), asked.names.begin(), asked.names.end());
  }
  std::set<std::string_view> needed;
  bool standard = false;
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    const auto found = stand_ins.find(name);
    if (found == stand_ins.end()) {
      if (!own.contains(name) && !is_standard(name)) return all_stand_ins();
      standard = standard || !own.contains(name);
    } else if (found->second.any) {
      return all_stand_ins();
    } else if (needed.insert(found->first).second) {
      open.insert(open.end(), found->second.names.begin(), found->second.names.end());
    }
  }
  // The standard library's own headers include these.
  for (const EmbeddedFile& header : cpu_stand_in_headers()) {
    if (standard && header.each_time) needed.insert(header.name);
  }
  return needed;
}

}  // namespace kiln
