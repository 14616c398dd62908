#include "compile/lowered_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using ::testing::HasSubstr;

std::vector<EntryPoint> entries(const std::vector<std::string>& expressions) {
  std::vector<EntryPoint> all;
  for (const std::string& expression : expressions) all.push_back({expression, std::nullopt, ""});
  return all;
}

using Names = std::map<std::string, std::string>;

TEST(LoweredNames, EnumeratorsAndMacrosAreNumbers) {
  const std::string text = "enum Axis { kRows, kColumns };\n#define TILE 16\n";
  EXPECT_EQ(std::get<0>(find_lowered_names(entries({"f<kColumns, TILE>", "f<Axis::kRows, 16>"}),
                                           {"_Z1fIL4Axis0ELj16EEvPd", "_Z1fIL4Axis1ELj16EEvPd"}, text)),
            (std::map<std::string, std::string>{{"f<kColumns, TILE>", "_Z1fIL4Axis1ELj16EEvPd"},
                                                {"f<Axis::kRows, 16>", "_Z1fIL4Axis0ELj16EEvPd"}}));
}

TEST(LoweredNames, TheNameItself) {
  EXPECT_EQ(std::get<0>(find_lowered_names(entries({"triad", "copy"}), {"copy", "triad", "other"})),
            (Names{{"triad", "triad"}, {"copy", "copy"}}));
}

TEST(LoweredNames, OfAPlainFunction) {
  EXPECT_EQ(
      std::get<0>(find_lowered_names(entries({"plain", "ns::plain"}), {"_Z5plainPf", "_ZN2ns5plainEPf"})),
      (Names{{"plain", "_Z5plainPf"}, {"ns::plain", "_ZN2ns5plainEPf"}}));
}

TEST(LoweredNames, OfTemplatesHoweverTheBlanksStand) {
  const std::vector<std::string> symbols = {"_ZN2ns4axpyIdLi8EEEvPT_i", "_ZN2ns4axpyIfLi4EEEvPT_i"};
  EXPECT_EQ(
      std::get<0>(find_lowered_names(entries({"ns::axpy< float,4 >", "::ns::axpy<double, 8>"}), symbols)),
      (Names{{"ns::axpy< float,4 >", symbols[1]}, {"::ns::axpy<double, 8>", symbols[0]}}));
}

TEST(LoweredNames, TheOnlyOneLeftOfAFunctionHoweverItIsSpelled) {
  // "real" may be an alias of float, 4u is how a demangler writes an unsigned argument.
  EXPECT_EQ(
      std::get<0>(find_lowered_names(entries({"axpy<real, 4>"}), {"_Z4axpyIfLj4EEvPT_i", "_Z5plainPf"})),
      (Names{{"axpy<real, 4>", "_Z4axpyIfLj4EEvPT_i"}}));
}

TEST(LoweredNames, TwoThatMayBeItAreToldApartOrRefused) {
  const auto result =
      find_lowered_names(entries({"axpy<real, 4>"}), {"_Z4axpyIfLi4EEvPT_i", "_Z4axpyIdLi4EEvPT_i"});
  EXPECT_THAT(std::get<1>(result), HasSubstr("2 kernels that may be 'axpy<real, 4>'"));
  EXPECT_THAT(std::get<1>(find_lowered_names(entries({"f"}), {"g"})), HasSubstr("0 kernels that may be 'f'"));
}

TEST(LoweredNames, InAnAnonymousNamespace) {
  EXPECT_EQ(std::get<0>(find_lowered_names(entries({"f"}), {"_ZN12_GLOBAL__N_11fEPi"})),
            (Names{{"f", "_ZN12_GLOBAL__N_11fEPi"}}));
}

TEST(LoweredNames, EachEntryIsNamedOnce) {
  EXPECT_THAT(entry_uses(entries({"axpy<float, 4>"})), HasSubstr("(const void*)(&axpy<float, 4>)"));
}

}  // namespace
}  // namespace kiln
