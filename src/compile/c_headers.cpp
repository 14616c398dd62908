#include "compile/c_headers.h"

#include <algorithm>
#include <array>

namespace kiln {
namespace {

constexpr std::array<std::string_view, 42> kOfHost = {
    "time.h",     "strings.h",      "unistd.h",   "getopt.h",    "errno.h",    "signal.h",    "ctype.h",
    "memory.h",   "malloc.h",       "fcntl.h",    "dirent.h",    "pthread.h",  "sched.h",     "locale.h",
    "wchar.h",    "wctype.h",       "setjmp.h",   "fenv.h",      "alloca.h",   "libgen.h",    "dlfcn.h",
    "execinfo.h", "stdbool.h",      "stdarg.h",   "complex.h",   "sys/time.h", "sys/types.h", "sys/stat.h",
    "sys/mman.h", "sys/resource.h", "sys/wait.h", "sys/timeb.h", "cerrno",     "cctype",      "csignal",
    "cstdarg",    "ctime",          "omp.h",      "cfenv",       "csetjmp",    "clocale",     "cwchar"};

constexpr std::array<std::string_view, 10> kOfLanguage = {"math",  "float",  "limits", "stdint", "stddef",
                                                          "stdio", "stdlib", "string", "assert", "inttypes"};

}  // namespace

bool is_header_of_host(std::string_view name) {
  return std::find(kOfHost.begin(), kOfHost.end(), name) != kOfHost.end();
}

bool is_header_of_language(std::string_view name) {
  return std::any_of(kOfLanguage.begin(), kOfLanguage.end(), [&](std::string_view stem) {
    if (name.size() == stem.size() + 1) return name.front() == 'c' && name.substr(1) == stem;
    return name.size() == stem.size() + 2 && name.starts_with(stem) && name.ends_with(".h");
  });
}

}  // namespace kiln
