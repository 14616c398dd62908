#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "launch/argument_values.h"
#include "specialize/params_struct.h"
#include "support/error_matchers.h"
#include "support/small_workload.h"
#include "workload/configuration.h"
#include "workload/number.h"

namespace kiln {
namespace {

using test::bad_input_of;
using test::SmallDisk;
using testing::HasSubstr;

constexpr std::int64_t kOdd = (std::int64_t{1} << 53) + 1;  // no double

/// `parameters` are the workload's parameters, `rest` is the text after them.
ConfigurationResult configured(SmallDisk& disk, const std::string& parameters,
                               const SmallDisk::Settings& settings = {}, const std::string& rest = "") {
  const std::string text = "workload: w\nparameters:\n" + parameters + rest +
                           "kernels: {k: {source: k.cu, grid: [1], block: [1], args: [params]}}\nrun: [k]\n";
  std::vector<std::pair<std::string, RawValue>> assignments;
  for (const auto& [name, value] : settings)
    assignments.emplace_back(name, RawValue{value, false, {"--set " + name, 0, 0}});
  return configure(parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w"), assignments,
                   unknown_device({"cpu", ""}), disk.files);
}

std::string refusal(const std::string& parameters, const SmallDisk::Settings& settings = {},
                    const std::string& rest = "") {
  SmallDisk disk;
  return bad_input_of([&] { static_cast<void>(configured(disk, parameters, settings, rest)); });
}

TEST(Number, OrdersWholeAndRealNumbersExactly) {
  EXPECT_EQ(compare(kOdd, 0x1p53), 1);
  EXPECT_EQ(compare(0x1p53, kOdd), -1);
  EXPECT_EQ(compare(std::int64_t{3}, 3.0), 0);
  EXPECT_EQ(compare(std::int64_t{3}, 3.5), -1);
  EXPECT_EQ(compare(std::int64_t{-3}, -3.5), 1);
  EXPECT_EQ(compare(std::numeric_limits<std::int64_t>::max(), 0x1p63), -1);
  EXPECT_EQ(compare(std::numeric_limits<std::int64_t>::min(), -0x1p63), 0);
  EXPECT_EQ(compare(std::numeric_limits<std::int64_t>::min(), -0x1p64), 1);
  EXPECT_EQ(compare(0.1, 0.2), -1);
}

TEST(ExactNumbers, ALongIsExactOverItsWholeRange) {
  SmallDisk disk;
  for (const char* text :
       {"9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808"}) {
    for (const bool by_default : {true, false}) {
      const std::string value = by_default ? text : "1";
      const SmallDisk::Settings set = by_default ? SmallDisk::Settings{} : SmallDisk::Settings{{"q", text}};
      const Configuration c =
          configured(disk, "  q: {type: long, default: " + value + "}\n", set).configuration;
      EXPECT_EQ(c.value("q").to_string(), text);
      EXPECT_EQ(std::get<std::int64_t>(c.value("q").value), std::stoll(text));
    }
  }
}

TEST(ExactNumbers, LimitsAndAllowedValuesAreComparedExactly) {
  EXPECT_THAT(refusal("  q: {type: long, default: 9007199254740993, max: 9007199254740992}\n"),
              HasSubstr("9007199254740993 is too large; the most is 9007199254740992"));
  EXPECT_THAT(refusal("  q: {type: long, default: 9007199254740993, min: 9007199254740994}\n"),
              HasSubstr("9007199254740993 is too small; the least is 9007199254740994"));
  EXPECT_THAT(refusal("  q: {type: long, default: 9007199254740993, values: [9007199254740992]}\n"),
              HasSubstr("9007199254740993 is not allowed; expected one of 9007199254740992"));
  SmallDisk disk;
  const auto c = configured(disk,
                            "  q: {type: long, default: 9007199254740993, values: [9007199254740993]}\n"
                            "  r: {type: long, default: q, max: q}\n")
                     .configuration;
  EXPECT_EQ(c.value("r").to_string(), "9007199254740993");
}

TEST(ExactNumbers, WhatDoesNotFitIsToldWithTheLimits) {
  EXPECT_THAT(refusal("  q: {type: long, default: 9223372036854775808}\n"),
              HasSubstr("w.yaml:3:28: q: 9223372036854775808 does not fit the type long; expected "
                        "-9223372036854775808 to 9223372036854775807"));
  EXPECT_THAT(refusal("  q: {type: long, default: 1}\n", {{"q", "-9223372036854775809"}}),
              HasSubstr("q: -9223372036854775809 does not fit the type long"));
  EXPECT_THAT(refusal("  q: {type: uchar, default: 256}\n"),
              HasSubstr("256 does not fit the type uchar; expected 0 to 255"));
  EXPECT_THAT(refusal("  q: {type: ulong, default: -1}\n"), HasSubstr("expected 0 to 9223372036854775807"));
  EXPECT_THAT(refusal("  q: {type: long, default: 1}\n", {{"q", "1e17"}}),
              HasSubstr("q: 1e+17 may be rounded"));
  EXPECT_THAT(refusal("  q: {type: long, default: 1e300}\n"), HasSubstr("does not fit the type long"));
}

TEST(ExactNumbers, AnExpressionDoesNotRoundSilently) {
  const std::string q = "  q: {type: long, default: 9007199254740993}\n";
  EXPECT_THAT(refusal(q + "  r: {type: long, default: q % 2}\n"),
              HasSubstr("parameters.r.default: 'q % 2' uses 'q', which is 9007199254740993: expressions are "
                        "exact up to 2^53 = 9007199254740992"));
  EXPECT_THAT(refusal(q, {}, "constraints: [q > 3]\n"), HasSubstr("'q > 3' uses 'q'"));
  EXPECT_THAT(refusal(q, {}, "let: {halved: q // 2}\n"), HasSubstr("let.halved: 'q // 2' uses 'q'"));
  EXPECT_THAT(refusal("  r: {type: long, default: 9007199254740993 + 0}\n"),
              HasSubstr("9007199254740993 is more exact than the numbers of an expression"));
  EXPECT_THAT(refusal("  p: {type: long, default: 9007199254740992}\n  r: {type: long, default: p + 1}\n"),
              HasSubstr("may be rounded"));
}

TEST(ExactNumbers, ArgumentsAndParamsGetAllBits) {
  SmallDisk disk;
  const auto c = configured(disk, "  q: {type: long, default: 9007199254740993, bind: run}\n").configuration;
  const ParamsStruct params = make_params_struct(c, {"q"}, false);
  const std::vector<std::byte> bytes = pack_params(params, c);
  std::int64_t packed = 0;
  ASSERT_EQ(bytes.size(), sizeof packed);
  std::memcpy(&packed, bytes.data(), sizeof packed);
  EXPECT_EQ(packed, kOdd);
  for (const char* text : {"9007199254740993", "q"})
    EXPECT_EQ(c.evaluate_integer({text, {"w.yaml", 9, 3}, "value"}, 0, kOdd), kOdd);
}

TEST(ExactNumbers, AFileGivesAllDigits) {
  SmallDisk disk;
  disk.files.write_file("/data", "7 9007199254740993\n", false);
  const std::string q = "  p: {type: path}\n  q: {type: long, default: 1, from: {file: '{p}', index: 1}}\n";
  EXPECT_EQ(configured(disk, q, {{"p", "/data"}}).configuration.value("q").to_string(), "9007199254740993");
  EXPECT_THAT(bad_input_of([&] {
                static_cast<void>(configured(disk, q, {{"p", "/data"}, {"q", "9007199254740992"}}));
              }),
              HasSubstr("but '/data' has 9007199254740993"));
}

TEST(FloatRange, WhatAFloatCannotHoldIsRefused) {
  const std::string a = "  a: {type: float, default: 1}\n";
  const std::string limits = "expected 0 or a size of 1e-45 to 3.4028235e+38";
  EXPECT_THAT(refusal(a, {{"a", "1e39"}}), HasSubstr("a: 1e39 does not fit the type float; " + limits));
  EXPECT_THAT(refusal(a, {{"a", "-1e39"}}), HasSubstr(limits));
  EXPECT_THAT(refusal(a, {{"a", "1e-50"}}), HasSubstr(limits));
  EXPECT_THAT(refusal("  a: {type: float, default: 1e39}\n"), HasSubstr("w.yaml:3:29: a: 1e39 does not fit"));
  EXPECT_THAT(refusal("  a: {type: float, default: 1e30 * 1e30}\n"), HasSubstr(limits));
  EXPECT_THAT(refusal("  a: {type: double, default: 1}\n", {{"a", "1e400"}}),
              HasSubstr("1e400 does not fit the type double"));
  SmallDisk disk;
  for (const char* text : {"3.4028235e38", "1e-45", "0", "-0.1"})
    EXPECT_NO_THROW(static_cast<void>(configured(disk, a, {{"a", text}}))) << text;
  disk.files.write_file("/data", "1e39", false);
  EXPECT_THAT(bad_input_of([&] {
                static_cast<void>(configured(
                    disk, "  p: {type: path}\n  a: {type: float, default: 1, from: {file: '{p}'}}\n",
                    {{"p", "/data"}}));
              }),
              HasSubstr(limits));
}

}  // namespace
}  // namespace kiln
