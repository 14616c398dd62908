#include "device/elf_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace kiln {
namespace {

using ::testing::HasSubstr;

/// This test's own program.
std::string own_program() {
  return make_real_file_system()->read_file("/proc/self/exe").value();
}

/// What is said against these bytes; empty: nothing.
std::string problem_of(std::string_view bytes) {
  try {
    const ElfFile file(bytes);
    static_cast<void>(file.symbols());
    static_cast<void>(file.dynamic_symbols());
  } catch (const BadElf& error) {
    return error.what();
  }
  return "";
}

TEST(ElfFile, HasSectionsSegmentsAndSymbols) {
  const std::string program = own_program();
  const ElfFile file(program);
  const auto text = std::find_if(file.sections().begin(), file.sections().end(),
                                 [](const auto& section) { return section.name == ".text"; });
  ASSERT_NE(text, file.sections().end());
  EXPECT_FALSE(text->content.empty());
  EXPECT_FALSE(file.segments().empty());
  const auto symbols = file.symbols();
  const auto main =
      std::find_if(symbols.begin(), symbols.end(), [](const auto& symbol) { return symbol.name == "main"; });
  ASSERT_NE(main, symbols.end());
  EXPECT_TRUE(main->function);
  EXPECT_GT(main->bytes, 0U);
  EXPECT_FALSE(file.dynamic_symbols().empty());
}

TEST(ElfFile, WhatIsNoneIsRefused) {
  EXPECT_THAT(problem_of(""), HasSubstr("not an ELF file"));
  EXPECT_THAT(problem_of("#!/bin/sh"), HasSubstr("not an ELF file"));
  EXPECT_THAT(problem_of("\x7f"
                         "ELF"),
              HasSubstr("cut short"));
  std::string narrow = own_program();
  narrow[4] = 1;  // 32 bits
  EXPECT_THAT(problem_of(narrow), HasSubstr("not of 64 bits"));
}

TEST(ElfFile, WhateverIsCutOffIsFound) {
  const std::string program = own_program();
  // The section headers stand last.
  for (const std::size_t length : {std::size_t{63}, std::size_t{64}, program.size() / 2, program.size() - 1})
    EXPECT_THAT(problem_of(std::string_view(program).substr(0, length)), HasSubstr("cut short")) << length;
}

TEST(ElfFile, OffsetsThatLeadOutOfTheFileAreFound) {
  std::string program = own_program();
  program.replace(40, 8, std::string(8, '\xff'));  // where the section headers begin
  EXPECT_THAT(problem_of(program), HasSubstr("cut short"));
}

}  // namespace
}  // namespace kiln
