#include "specialize/configured_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ConfiguredHeader, HasTheValuesOfTheVariables) {
  const ConfiguredHeader made = configured_header(
      "#define SIZE @SIZE@\n#define NAME \"${NAME}\" // a@b.c\n#cmakedefine FAST\n#cmakedefine WIDTH "
      "@WIDTH@\n"
      "  #cmakedefine SLOW 1\n#cmakedefine01 FAST\n# cmakedefine01 SLOW\nint x;\r\n",
      {{"SIZE", "16"}, {"NAME", "demo"}, {"FAST", "ON"}, {"WIDTH", "8"}, {"SLOW", "OFF"}});
  EXPECT_EQ(made.text,
            "#define SIZE 16\n#define NAME \"demo\" // a@b.c\n#define FAST\n#define WIDTH 8\n"
            "/* #undef SLOW */\n#define FAST 1\n#define SLOW 0\nint x;\n");
  EXPECT_THAT(made.unknown, IsEmpty());
}

TEST(ConfiguredHeader, MarksWhatIsNotKnown) {
  const ConfiguredHeader made = configured_header(
      "#define SIZE @SIZE@ + @SIZE@\n#cmakedefine HAS_ABI\n#cmakedefine01 DEMO_USE_CUDA\n@x y@ @\n", {});
  EXPECT_EQ(made.text,
            "#define SIZE  +   // FILL IN\n/* #undef HAS_ABI */  // FILL IN\n#define DEMO_USE_CUDA 1\n@x y@ "
            "@\n");
  EXPECT_THAT(made.unknown, ElementsAre("SIZE", "HAS_ABI"));
}

}  // namespace
}  // namespace kiln
