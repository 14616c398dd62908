#include "compile/cpu/product_check.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "device/elf_file.h"

namespace kiln {
namespace {

constexpr std::array<std::string_view, 23> kOptions = {"-c",
                                                       "-S",
                                                       "-E",
                                                       "-M",
                                                       "-MM",
                                                       "-r",
                                                       "-###",
                                                       "-pie",
                                                       "-static",
                                                       "-o",
                                                       "-static-pie",
                                                       "-fsyntax-only",
                                                       "--compile",
                                                       "--assemble",
                                                       "--output",
                                                       "--preprocess",
                                                       "--version",
                                                       "--help",
                                                       "--dependencies",
                                                       "--user-dependencies",
                                                       "-dumpversion",
                                                       "-dumpmachine",
                                                       "-dumpspecs"};
constexpr std::array<std::string_view, 4> kPrefixes = {"-o", "--output=", "-print-", "--print-"};

}  // namespace

std::optional<std::string> find_option_against_code(const std::vector<std::string>& options) {
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    // The value of these options is the next word.
    if (option == "-Xlinker" || option == "-Xpreprocessor" || option == "-Xassembler" || option == "-mllvm" ||
        option == "-D" || option == "-U" || option == "-include" || option == "--param") {
      ++i;
      continue;
    }
    const bool whole = std::find(kOptions.begin(), kOptions.end(), option) != kOptions.end();
    const bool begins = std::any_of(kPrefixes.begin(), kPrefixes.end(),
                                    [&](std::string_view prefix) { return option.starts_with(prefix); });
    if (whole || begins) return option;
  }
  return std::nullopt;
}

std::optional<std::string> defect_of_product(const std::string& binary,
                                             const std::map<std::string, std::string>& lowered_names) {
  if (!binary.starts_with(ELFMAG)) return "it is no shared object";
  try {
    const ElfFile file(binary);
    if (file.type() != ET_DYN) return "it is an object, an archive or a program and no shared object";
    std::set<std::string_view> exported;
    for (const ElfFile::Symbol& symbol : file.dynamic_symbols()) exported.insert(symbol.name);
    for (const auto& [expression, symbol] : lowered_names) {
      if (!exported.contains(symbol)) return "it does not export the kernel '" + expression + "'";
    }
  } catch (const BadElf& error) {
    return error.what();
  }
  return std::nullopt;
}

}  // namespace kiln
