#include "trial/host_fill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "support/error_matchers.h"
#include "support/small_workload.h"
#include "trial/init_values.h"
#include "workload/element_value.h"

namespace kiln {
namespace {

using test::bad_input_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A workload with one buffer, on a disk in memory.
class HostFill : public testing::Test {
 protected:
  HostFill() { disk_.files.make_directories("/data", false); }

  void set(const std::string& type, const std::string& shape, const std::string& init) {
    yaml_ = "workload: w\ntypes: {Wide: {" + wide_ + "}}\nbuffers:\n  x: {type: " + type +
            ", shape: " + shape + ", init: " + init +
            "}\nkernels: {k: {source: k.cu, grid: [1], block: [1], args: [x]}}\nrun: [k]\n";
    const auto workload = parse_workload(YamlNode::parse(yaml_, "w.yaml"), yaml_, "/");
    configuration_.emplace(configure(workload, {}, unknown_device({"cpu", ""}), disk_.files).configuration);
  }
  [[nodiscard]] BufferLayout layout() const {
    return layout_of(*configuration_, *configuration_->workload().find_buffer("x"));
  }

  template <class T>
  std::vector<T> fill() {
    const BufferLayout layout = this->layout();
    std::vector<T> elements(layout.count);
    const std::span<std::byte> out = std::as_writable_bytes(std::span(elements));
    EXPECT_EQ(out.size(), layout.bytes);
    const InitSpec& init = layout.spec->init;
    if (init.file) {
      fill_from_file(*configuration_, layout, *init.file, disk_.files, out);
    } else {
      fill_generated(*configuration_, layout, init, 0, out);
    }
    return elements;
  }

  /// Of a text file with these numbers in a buffer of 3 elements.
  template <class T>
  std::vector<T> read(const std::string& type, const std::string& text) {
    disk_.files.write_file("/data/n.txt", text, false);
    set(type, "[3]", "{file: {path: /data/n.txt}}");
    return fill<T>();
  }
  template <class T>
  std::string refusal(const std::string& type, const std::string& text) {
    return bad_input_of([&] { static_cast<void>(read<T>(type, text)); });
  }
  template <class T>
  std::string refused_init(const std::string& type, const std::string& init) {
    set(type, "[4]", init);
    return bad_input_of([&] { static_cast<void>(fill<T>()); });
  }

  test::SmallDisk disk_;
  std::string wide_ = "a: long";
  std::string yaml_;
  std::optional<Configuration> configuration_;
};

TEST_F(HostFill, NumbersOfATextFitTheirType) {
  EXPECT_THAT(read<std::uint8_t>("uchar", "0 255 1e2"), ElementsAre(0, 255, 100));
  EXPECT_THAT(read<signed char>("char", "-128\n127 +1.0"), ElementsAre(-128, 127, 1));
  EXPECT_THAT(read<std::uint8_t>("bool", "0 1 1"), ElementsAre(0, 1, 1));
  EXPECT_THAT(read<float>("float", "1e38 -1e-3 3.4028234663852886e38"),
              ElementsAre(1e38F, -1e-3F, std::numeric_limits<float>::max()));
}

TEST_F(HostFill, DigitsOfSixtyFourBitsAreExact) {
  EXPECT_THAT(read<std::int64_t>("long", "9007199254740993 -9223372036854775808 9223372036854775807"),
              ElementsAre(9007199254740993, std::numeric_limits<std::int64_t>::min(),
                          std::numeric_limits<std::int64_t>::max()));
  EXPECT_THAT(read<std::uint64_t>("ulong", "18446744073709551615 0 9007199254740993"),
              ElementsAre(std::numeric_limits<std::uint64_t>::max(), 0U, 9007199254740993U));
  EXPECT_THAT(refusal<std::uint64_t>("ulong", "1 18446744073709551616 1"), HasSubstr("n.txt:1:3:"));
  EXPECT_THAT(refusal<std::int64_t>("long", "9007199254740993.0 1 1"), HasSubstr("written in digits"));
}

TEST_F(HostFill, WhatDoesNotFitIsRefusedWithItsPlace) {
  EXPECT_THAT(refusal<std::uint8_t>("uchar", "1 2\n  -1"),
              HasSubstr("/data/n.txt:2:3: '-1' is no element of buffer 'x'; expected a whole number from 0 "
                        "to 255 (uchar)"));
  EXPECT_THAT(refusal<std::uint8_t>("uchar", "300 1 2"), HasSubstr("n.txt:1:1: '300'"));
  EXPECT_THAT(refusal<std::uint8_t>("uchar", "1 1.5 2"), HasSubstr("n.txt:1:3: '1.5'"));
  EXPECT_THAT(refusal<std::int32_t>("int", "3000000000 1 1"),
              HasSubstr("from -2147483648 to 2147483647 (int)"));
  EXPECT_THAT(refusal<std::int32_t>("int", "1 1 1e18"), HasSubstr("n.txt:1:5: '1e18'"));
  EXPECT_THAT(refusal<std::uint8_t>("bool", "1 2 0"), HasSubstr("expected 0 or 1 (bool)"));
  EXPECT_THAT(refusal<float>("float", "1 -1e39 0"), HasSubstr("n.txt:1:3: '-1e39' is no element"));
}

TEST_F(HostFill, InfinitiesAndNanOnlyWhereTheFileSaysSo) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::array<float, 4> values = {1, infinity, -infinity, std::numeric_limits<float>::quiet_NaN()};
  disk_.files.write_file("/data/n.bin", std::string(reinterpret_cast<const char*>(values.data()), 16), false);
  wide_ = "a: {type: float, min: -5}, b: float";
  const std::string bin = "{file: {path: /data/n.bin, format: binary";
  EXPECT_THAT(refused_init<float>("float", bin + "}}"),
              HasSubstr("/data/n.bin: element [1] of buffer 'x' is inf; inputs must be finite, or the file's "
                        "`finite: false` says that they need not"));
  set("float", "[4]", bin + ", finite: false}}");
  const std::vector<float> read = fill<float>();
  EXPECT_EQ(std::memcmp(read.data(), values.data(), 16), 0);
  EXPECT_THAT(bad_input_of([&] {
                set("Wide", "[2]", bin + "}}");
                static_cast<void>(fill<double>());
              }),
              HasSubstr("'b' of record [0] of buffer 'x' is inf; inputs must be finite"));
  EXPECT_THAT(bad_input_of([&] {
                set("Wide", "[2]", bin + ", finite: false}}");
                static_cast<void>(fill<double>());
              }),
              HasSubstr("'a' of record [1] of buffer 'x' is -inf; expected -5 to inf"));
  EXPECT_THAT(bad_input_of([&] { set("float", "[4]", "{file: {path: /data/n.txt, finite: false}}"); }),
              HasSubstr("w.yaml:4:45: buffers.x.init.file: `finite: false` is for files of the formats "
                        "`binary` and `npy`"));
}

TEST_F(HostFill, ConstantsFitTheirType) {
  set("ulong", "[4]", "18446744073709551615");
  EXPECT_EQ(fill<std::uint64_t>()[3], std::numeric_limits<std::uint64_t>::max());
  set("long", "[4]", "9007199254740993");
  EXPECT_EQ(fill<std::int64_t>()[3], 9007199254740993);
  set("float", "[4]", "0.1");
  EXPECT_EQ(fill<float>()[3], 0.1F);
  set("int", "[4]", "\"1 / 2 + 0.5\"");
  EXPECT_EQ(fill<std::int32_t>()[3], 1);
  EXPECT_THAT(
      refused_init<std::int32_t>("int", "1e300"),
      HasSubstr("w.yaml:4:36: buffers.x.init: '1e300' is 1e+300; expected a whole number from -2147483648"));
  EXPECT_THAT(refused_init<std::int32_t>("int", "0.5"), HasSubstr("expected a whole number"));
  EXPECT_THAT(refused_init<std::uint32_t>("unsigned", "-1"), HasSubstr("from 0 to 4294967295 (unsigned)"));
  EXPECT_THAT(refused_init<std::int64_t>("long", "\"9007199254740992 * 1\""), HasSubstr("buffers.x.init"));
  EXPECT_THAT(refused_init<float>("float", "1e39"),
              HasSubstr("at most 3.4028234663852886e+38 in magnitude (float)"));
}

TEST_F(HostFill, RangesFitTheirType) {
  set("uchar", "[4]", "{iota: [252, 1]}");
  EXPECT_THAT(fill<std::uint8_t>(), ElementsAre(252, 253, 254, 255));
  EXPECT_THAT(refused_init<std::uint8_t>("uchar", "{iota: [253, 1]}"),
              HasSubstr("it goes from 253 to 256 by increments of 1"));
  EXPECT_THAT(refused_init<std::uint8_t>("uchar", "{iota: [2, -1]}"), HasSubstr("it goes from 2 to -1"));
  EXPECT_THAT(refused_init<std::int32_t>("int", "{iota: [0, 0.5]}"), HasSubstr("by increments of 0.5"));
  EXPECT_THAT(refused_init<std::int64_t>("long", "{iota: [9007199254740990, 1]}"), HasSubstr("w.yaml:4"));
  EXPECT_THAT(refused_init<float>("float", "{iota: [0, 2e38]}"), HasSubstr("from 0 to 6e+38"));
  set("uchar", "[4000]", "{uniform: [0, 256]}");
  const auto bytes = fill<std::uint8_t>();
  EXPECT_EQ(*std::min_element(bytes.begin(), bytes.end()), 0);
  EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), 255);
  EXPECT_THAT(refused_init<std::uint8_t>("uchar", "{uniform: [0, 257]}"), HasSubstr("the range is [0, 257]"));
  EXPECT_THAT(refused_init<std::uint8_t>("uchar", "{uniform: [-1, 1]}"), HasSubstr("the range is [-1, 1]"));
  EXPECT_THAT(refused_init<float>("float", "{uniform: [0, 1e39]}"), HasSubstr("the range is [0, 1e+39]"));
  EXPECT_THAT(refused_init<double>("double", "{uniform: [-1.7e308, 1.7e308]}"), HasSubstr("the range is"));
  EXPECT_THAT(refused_init<signed char>("char", "{normal: [0, 100]}"), HasSubstr("may reach [-900, 900]"));
  set("int", "[4]", "{normal: [100, 10]}");
  EXPECT_NO_THROW(fill<std::int32_t>());
}

TEST_F(HostFill, AFileOfAnotherKindIsNamed) {
  const std::string binary = refusal<float>("float", std::string("\0\x1b\x80?\0\0\0@", 8));
  EXPECT_THAT(binary,
              HasSubstr("/data/n.txt: looks like a binary file; expected numbers separated by white space; "
                        "for elements in binary say `format: binary`"));
  EXPECT_THAT(binary, Not(HasSubstr("\x1b")));
  // Larger than what is looked at first, and nothing but zeros.
  EXPECT_THAT(refusal<float>("float", std::string(10000, '\0')), HasSubstr("looks like a binary file"));
  EXPECT_THAT(refusal<float>("float", "1,2,3\n"),
              HasSubstr("/data/n.txt:1:1: expected numbers separated by white space; found '1,2,3'"));
  EXPECT_THAT(refusal<float>("float", "x;y\n1;2\n"), HasSubstr("expected a finite number; found 'x;y'"));
}

std::string numpy_file(const std::string& data) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) + header + data;
}

TEST_F(HostFill, AFileOfNumpyIsReadAsOneOrByItsOffset) {
  const float values[] = {1, 2, 3};
  const std::string data(reinterpret_cast<const char*>(values), sizeof values);
  const std::string advice = "is a file of NumPy: say `format: npy` (its header: {'descr': '<f4'";
  EXPECT_THAT(refusal<float>("float", numpy_file(data)), HasSubstr("/data/n.txt: " + advice));
  EXPECT_THAT(refusal<float>("float", numpy_file(std::string(8000, '\0'))), HasSubstr(advice));
  disk_.files.write_file("/data/n.npy", numpy_file(data), false);
  set("float", "[3]", "{file: {path: /data/n.npy, format: binary, partial: true}}");
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(fill<float>()); }), HasSubstr(advice));
  set("float", "[3]", "{file: {path: /data/n.npy, format: binary, offset: 128}}");
  EXPECT_THAT(fill<float>(), ElementsAre(1, 2, 3));
  set("half", "[3]", "{file: {path: /data/n.npy, format: npy}}");
  EXPECT_THAT(fill<Half>(), ElementsAre(1.0F, 2.0F, 3.0F));
}

/// A random number is made in `double` and rounded once: the bits that a kernel gets from kiln::uniform01.
TEST_F(HostFill, SmallFloatsAreRoundedOnce) {
  set("double", "[1000]", "{uniform: [-2, 2]}");
  const std::vector<double> exact = fill<double>();
  set("bfloat16", "[1000]", "{uniform: [-2, 2]}");
  const std::vector<Bfloat16> rounded = fill<Bfloat16>();
  for (std::size_t i = 0; i < exact.size(); ++i) ASSERT_EQ(rounded[i].bits, Bfloat16(exact[i]).bits);
  set("fp8_e4m3", "[3]", "448");
  EXPECT_THAT(fill<Fp8E4m3>(), ElementsAre(448.0F, 448.0F, 448.0F));
  set("fp8_e4m3", "[3]", "449");
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(fill<Fp8E4m3>()); }),
              HasSubstr("a number of at most 448 in magnitude (fp8_e4m3)"));
  set("half", "[2]", "poison");
  for (const Half element : fill<Half>()) EXPECT_EQ(element.bits, 0x7fff);
}

TEST_F(HostFill, ABufferOfVectorsHasALastDimensionOfTheirSize) {
  set("float4", "[2]", "{iota: [0, 1]}");
  EXPECT_THAT(fill<float>(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(layout().index_text(6), "[1, 2]");
  set("uint3", "[3]", "5");
  EXPECT_EQ(layout().bytes, 36U);
  EXPECT_THAT(bad_input_of([&] { set("float5", "[2]", "0"); }), HasSubstr("unknown type 'float5'"));
}

/// As a C++ compiler lays it out.
TEST_F(HostFill, RecordsMayHoldArraysVectorsAndRecords) {
  struct alignas(16) Body {
    signed char kind;
    double mass;
    float position[4];
    struct {
      short a;
      int b[2];
    } inner[2];
  };
  wide_ = "a: short, b: \"int[2]\"}, Body: {kind: int8, mass: double, position: float4, inner: \"Wide[2]\"";
  set("Body", "[1]", "0");
  const RecordType& body = *layout().record;
  EXPECT_EQ(body.bytes, sizeof(Body));
  EXPECT_EQ(body.alignment, alignof(Body));
  std::map<std::string, std::size_t> offsets;
  for (const RecordMember& member : body.members) offsets[member.name] = member.offset;
  EXPECT_EQ(offsets.at("mass"), offsetof(Body, mass));
  EXPECT_EQ(offsets.at("position.w"), offsetof(Body, position) + 12);
  EXPECT_EQ(offsets.at("inner[1].a"), offsetof(Body, inner) + 12);
  EXPECT_EQ(offsets.at("inner[1].b[1]"), offsetof(Body, inner) + 20);
  wide_ = "a: \"int[70000]\"";
  EXPECT_THAT(bad_input_of([&] { set("Wide", "[1]", "0"); }),
              HasSubstr("expected a type and a number from 1 to 65536"));
  wide_ = "a: \"Later\"";
  EXPECT_THAT(bad_input_of([&] { set("Wide", "[1]", "0"); }), HasSubstr("unknown type 'Later'"));
}

TEST_F(HostFill, RowsAreReadWithWhatLiesBetween) {
  std::string bytes;
  for (int i = 0; i < 64; ++i) bytes += static_cast<char>(i);
  disk_.files.write_file("/data/rows", bytes, false);
  set("uchar", "[3, 2]", "{file: {path: /data/rows, format: binary, offset: 4, row_pitch: 10}}");
  EXPECT_THAT(fill<std::uint8_t>(), ElementsAre(4, 5, 14, 15, 24, 25));
  set("uchar", "[3, 2]", "{file: {path: /data/rows, format: binary, offset: 43, row_pitch: 10}}");
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(fill<std::uint8_t>()); }), HasSubstr("needs at least 65"));
}

TEST_F(HostFill, SizesThatWrapAroundAreRefused) {
  disk_.files.write_file("/data/small.bin", std::string(64, '\1'), false);
  set("uchar", "[16385, 1]", "{file: {path: /data/small.bin, format: binary, row_pitch: 1125899906842624}}");
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(fill<std::uint8_t>()); }),
              HasSubstr("/data/small.bin: holds 64 bytes; buffer 'x' needs more than 2^64"));
  for (int i = 1; i < 8192; ++i) wide_ += ", a" + std::to_string(i) + ": long";
  set("Wide", "[16777216, 16777216]", "0");
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(layout()); }),
              HasSubstr("buffers.x: 281474976710656 elements of 65536 bytes are more than 2^60 bytes"));
}

TEST_F(HostFill, RecordsNeedABinaryFile) {
  disk_.files.write_file("/data/n.txt", "1 2 3", false);
  set("Wide", "[3]", "{file: {path: /data/n.txt}}");
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(fill<std::int64_t>()); }),
              HasSubstr("holds records, which only a binary file can hold: say `format: binary`"));
}

}  // namespace
}  // namespace kiln
