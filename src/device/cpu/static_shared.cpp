#include "device/cpu/static_shared.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <utility>

#include "base/text.h"
#include "device/elf_file.h"

namespace kiln {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

/// "ns::f<4>(float*)::tile" gives the function "ns::f<4>(float*)" and the variable "tile"; both are empty if
/// the symbol is not a variable of a function.
std::pair<std::string, std::string> parts_of(std::string_view symbol) {
  if (!symbol.starts_with("_ZZ")) return {};
  const std::string mangled(symbol.substr(0, symbol.find('.')));
  int status = 0;
  const std::unique_ptr<char, Free> text(abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status));
  if (!text) return {};
  const std::string name = text.get();
  const std::size_t scope = name.rfind("::");
  if (scope == std::string::npos) return {};
  // A lambda's variables belong to the function around it; "const" follows the arguments.
  const std::string function = name.substr(0, std::min(scope, name.find("::{lambda")));
  const std::size_t arguments = function.rfind(')');
  return {arguments == std::string::npos ? function : function.substr(0, arguments + 1),
          name.substr(scope + 2)};
}

}  // namespace

std::string function_of(const std::string& name_expression) {
  // The name without arguments, which may contain scopes and blanks; "void" may precede a template's name.
  std::size_t end = name_expression.size();
  int depth = 0;
  for (std::size_t i = name_expression.size(); i-- > 0;) {
    const char c = name_expression[i];
    if (c == ')' || c == '>') ++depth;
    if ((c == '(' || c == '<') && --depth == 0) end = i;
    if (depth == 0 && (c == ' ' || c == ':') && i + 1 < end)
      return name_expression.substr(i + 1, end - i - 1);
  }
  return std::string(trim(name_expression.substr(0, end)));
}

std::map<std::string, std::uint64_t> static_shared_bytes(std::string_view binary) {
  std::map<std::string, std::map<std::string, std::uint64_t>> functions;  // bytes by function and variable
  try {
    for (const ElfFile::Symbol& symbol : ElfFile(binary).symbols()) {
      if (!symbol.thread_local_variable) continue;
      const auto [function, variable] = parts_of(symbol.name);
      if (!variable.empty()) functions[function][variable] += symbol.bytes;
    }
  } catch (const BadElf&) {
    return {};
  }
  std::map<std::string, std::uint64_t> bytes;
  for (const auto& [function, variables] : functions) {
    std::uint64_t sum = 0;
    for (const auto& [variable, size] : variables) sum += size;
    std::uint64_t& most = bytes[function_of(function)];
    most = std::max(most, sum);
  }
  return bytes;
}

}  // namespace kiln
