#include "trial/file_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "workload/npy_header.h"

namespace kiln {
namespace {

using test::bad_input_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FileFormats : public testing::Test {
 protected:
  FileFormats() {
    files_.make_directories("/data", false);
    spec_.name = "x";
  }

  template <class T>
  static std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
  }
  static std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                         bool fortran = false, char version = 1) {
    const std::string header = "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
                               ", 'shape': " + shape + ", }\n";
    std::string length{static_cast<char>(header.size()), '\0'};
    if (version > 1) length += std::string(2, '\0');
    return std::string("\x93NUMPY") + version + '\0' + length + header + data;
  }
  BufferLayout layout(ScalarType type, const std::vector<std::uint64_t>& shape) {
    BufferLayout result;
    result.spec = &spec_;
    result.shape = shape;
    result.scalar = type;
    result.element_bytes = size_of(type);
    result.count = 1;
    for (const std::uint64_t extent : shape) result.count *= extent;
    result.bytes = result.count * result.element_bytes;
    return result;
  }
  template <class T>
  std::vector<T> read_npy(ScalarType type, const std::vector<std::uint64_t>& shape, const std::string& file) {
    files_.write_file("/data/x.npy", file, false);
    const BufferLayout wanted = layout(type, shape);
    std::vector<T> elements(wanted.count);
    fill_from_npy(wanted, "/data/x.npy", files_, std::as_writable_bytes(std::span(elements)));
    return elements;
  }
  std::string npy_refusal(ScalarType type, const std::vector<std::uint64_t>& shape, const std::string& file) {
    return bad_input_of([&] { static_cast<void>(read_npy<double>(type, shape, file)); });
  }
  std::vector<int> read_csv(const std::string& text, const std::string& column, std::uint64_t count,
                            bool partial = false) {
    files_.write_file("/data/x.csv", text, false);
    std::vector<int> elements(count);
    fill_from_csv(layout(ScalarType::kInt, {count}), column, partial, "/data/x.csv", files_,
                  std::as_writable_bytes(std::span(elements)));
    return elements;
  }
  std::string csv_refusal(const std::string& text, const std::string& column, std::uint64_t count) {
    return bad_input_of([&] { static_cast<void>(read_csv(text, column, count)); });
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  BufferSpec spec_;
};

TEST_F(FileFormats, NumpysElementsAreConverted) {
  const std::string floats = bytes_of<float>({1, -2.5F, 3});
  EXPECT_THAT(read_npy<float>(ScalarType::kFloat, {3}, npy("<f4", "(3,)", floats)), ElementsAre(1, -2.5F, 3));
  EXPECT_THAT(read_npy<double>(ScalarType::kDouble, {3}, npy("<f4", "(3,)", floats, false, 2)),
              ElementsAre(1, -2.5, 3));
  EXPECT_THAT(read_npy<Half>(ScalarType::kHalf, {3}, npy("<f4", "(3,)", floats, false, 3)),
              ElementsAre(1.0F, -2.5F, 3.0F));
  EXPECT_THAT(read_npy<float>(ScalarType::kFloat, {1}, npy("<f2", "(1,)", bytes_of<Half>({Half(0.5)}))),
              ElementsAre(0.5F));
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  EXPECT_THAT(
      read_npy<std::int64_t>(ScalarType::kLong, {1}, npy("<i8", "(1,)", bytes_of<std::int64_t>({large}))),
      ElementsAre(large));
  EXPECT_THAT(read_npy<char>(ScalarType::kBool, {2}, npy("|b1", "(2,)", std::string("\1\0", 2))),
              ElementsAre(1, 0));
}

TEST_F(FileFormats, NumpysOrdersAreTurned) {
  std::string big = bytes_of<std::int32_t>({258});
  std::reverse(big.begin(), big.end());
  EXPECT_THAT(read_npy<int>(ScalarType::kInt, {1}, npy(">i4", "(1,)", big)), ElementsAre(258));
  // In Fortran order the first index is the fastest: columns of a 2 x 3 matrix.
  const std::string columns = bytes_of<std::int32_t>({11, 21, 12, 22, 13, 23});
  EXPECT_THAT(read_npy<int>(ScalarType::kInt, {2, 3}, npy("<i4", "(2, 3)", columns, true)),
              ElementsAre(11, 12, 13, 21, 22, 23));
  EXPECT_THAT(read_npy<int>(ScalarType::kInt, {6}, npy("<i4", "(1, 6)", columns)),
              ElementsAre(11, 21, 12, 22, 13, 23));
}

TEST_F(FileFormats, NumpysFilesThatDoNotFitAreRefused) {
  const std::string data = bytes_of<float>({1, 2.5F, 3});
  const auto refusal = [&](ScalarType type, const std::string& file) { return npy_refusal(type, {3}, file); };
  EXPECT_THAT(
      refusal(ScalarType::kInt, npy("<f4", "(3,)", data)),
      HasSubstr("/data/x.npy: element [1], 2.5, is no element of buffer 'x'; expected a whole number"));
  EXPECT_THAT(refusal(ScalarType::kUint8, npy("<i8", "(3,)", bytes_of<std::int64_t>({1, -1, 0}))),
              HasSubstr("element [1], -1,"));
  EXPECT_THAT(refusal(ScalarType::kFloat, npy("<f4", "(4,)", data)),
              HasSubstr("has the shape (4); buffer 'x' has (3)"));
  EXPECT_THAT(refusal(ScalarType::kFloat, npy("<f4", "(3,)", data.substr(1))),
              HasSubstr("its header promises"));
  EXPECT_THAT(refusal(ScalarType::kFloat, npy("<c8", "(3,)", data)), HasSubstr("NumPy's type '<c8'"));
  EXPECT_THAT(refusal(ScalarType::kFloat, npy("<f4", "(0,)", data)), HasSubstr("has the shape (0)"));
  EXPECT_THAT(refusal(ScalarType::kFloat, npy("<f4", "(-3,)", data)), HasSubstr("its shape is"));
  EXPECT_THAT(refusal(ScalarType::kFloat, npy("<f4", "(9223372036854775808,)", data)),
              HasSubstr("its shape is"));
  EXPECT_THAT(refusal(ScalarType::kFloat, npy("<f4", "(3,)", data, false, 9)), HasSubstr("expected 1 to 3"));
  EXPECT_THAT(refusal(ScalarType::kFloat, "1 2 3"), HasSubstr("does not begin like one"));
  // A header of 4 GiB, by the length that the file gives.
  EXPECT_THAT(refusal(ScalarType::kFloat, std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{}", 14)),
              HasSubstr("is cut off"));
}

TEST_F(FileFormats, ACsvFilesColumnHasANameOrANumber) {
  const std::string text = "time,\"count\"\r\n0.5, 7\r\n\r\n1.5,\"8\"\r\n";
  EXPECT_THAT(read_csv(text, "count", 2), ElementsAre(7, 8));
  EXPECT_THAT(read_csv(text, "1", 2), ElementsAre(7, 8));
  EXPECT_THAT(read_csv(text, "1", 1, true), ElementsAre(7));
  EXPECT_THAT(read_csv("1;2\n3;4\n", "1", 2), ElementsAre(2, 4));
  EXPECT_THAT(read_csv("9\n8", "0", 2), ElementsAre(9, 8));
}

TEST_F(FileFormats, CsvFilesThatDoNotFitAreRefused) {
  const std::string text = "time,count\n0.5,7\n1.5,x\n2.5\n";
  EXPECT_THAT(csv_refusal(text, "counts", 2), HasSubstr("has no column 'counts'; did you mean 'count'?"));
  EXPECT_THAT(csv_refusal(text, "count", 2), HasSubstr("/data/x.csv:3:5: 'x' is no element of buffer 'x'"));
  EXPECT_THAT(csv_refusal("1,2\n3\n", "1", 2), HasSubstr("/data/x.csv:2:1: the line has 1 cells; column 1"));
  EXPECT_THAT(csv_refusal("a\n1\n2\n", "a", 3), HasSubstr("ends after 2 of the 3 lines"));
  EXPECT_THAT(csv_refusal("a\n1\n2\n", "a", 1), HasSubstr("holds more than the 1 lines"));
  EXPECT_THAT(csv_refusal("", "a", 1), HasSubstr("ends after 0 of the 1 lines"));
  EXPECT_THAT(csv_refusal("a\nnan\n", "a", 1), HasSubstr("'nan' is no element"));
}

class MatrixParts : public FileFormats {
 protected:
  template <class T>
  std::vector<T> part(const std::string& text, MatrixPart part, std::uint64_t count, ScalarType type) {
    std::vector<T> elements(count);
    fill_from_matrix(layout(type, {count}), parse_matrix(text, "a.mtx"), part,
                     std::as_writable_bytes(std::span(elements)));
    return elements;
  }
  std::vector<int> ints(const std::string& text, MatrixPart part, std::uint64_t count) {
    return this->part<int>(text, part, count, ScalarType::kInt);
  }
  std::vector<double> reals(const std::string& text, MatrixPart part, std::uint64_t count) {
    return this->part<double>(text, part, count, ScalarType::kDouble);
  }
  std::string refusal_of(const std::string& text, MatrixPart part, std::uint64_t count) {
    return bad_input_of([&] { static_cast<void>(ints(text, part, count)); });
  }

  const std::string symmetric_ =
      "%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 1.5\n4 1 -2\n2 2 3\n4 2 0.25\n";
};

TEST_F(MatrixParts, FillCompressedRowsAndLists) {
  EXPECT_THAT(ints(symmetric_, MatrixPart::kRowOffsets, 5), ElementsAre(0, 2, 4, 4, 6));
  EXPECT_THAT(ints(symmetric_, MatrixPart::kRowIndices, 6), ElementsAre(0, 0, 1, 1, 3, 3));
  EXPECT_THAT(ints(symmetric_, MatrixPart::kColumnIndices, 6), ElementsAre(0, 3, 1, 3, 0, 1));
  EXPECT_THAT(reals(symmetric_, MatrixPart::kValues, 6), ElementsAre(1.5, -2, 3, 0.25, -2, 0.25));
  EXPECT_THAT(reals(symmetric_, MatrixPart::kDense, 16),
              ElementsAre(1.5, 0, 0, -2, 0, 3, 0, 0.25, 0, 0, 0, 0, -2, 0.25, 0, 0));
}

TEST_F(MatrixParts, ComplexEntriesArePairs) {
  const std::string text = "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 3 4\n";
  EXPECT_THAT(reals(text, MatrixPart::kValues, 4), ElementsAre(3, -4, 3, 4));
  EXPECT_THAT(reals(text, MatrixPart::kDense, 8), ElementsAre(0, 0, 3, -4, 3, 4, 0, 0));
  EXPECT_THAT(refusal_of(text, MatrixPart::kValues, 2),
              HasSubstr("2 complex entries: 4 numbers of `part: values`"));
}

TEST_F(MatrixParts, ThatDoNotFitAreRefused) {
  EXPECT_THAT(
      refusal_of(symmetric_, MatrixPart::kRowOffsets, 4),
      HasSubstr(
          "a.mtx: has 4 rows, 4 columns and 6 entries: 5 numbers of `part: row_offsets`; buffer 'x' has 4"));
  EXPECT_THAT(refusal_of(symmetric_, MatrixPart::kValues, 6),
              HasSubstr("a.mtx:3: '1.5' is no element of buffer 'x'; expected a whole number"));
  const std::string words = "%%MatrixMarket matrix array real general\n2 1\n1\nnan\n";
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(reals(words, MatrixPart::kDense, 2)); }),
              HasSubstr("a.mtx:4: 'nan' is no element"));
  const std::string wide = "%%MatrixMarket matrix coordinate pattern general\n1 300 1\n1 257\n";
  EXPECT_THAT(
      bad_input_of([&] {
        static_cast<void>(part<std::uint8_t>(wide, MatrixPart::kColumnIndices, 1, ScalarType::kUint8));
      }),
      HasSubstr("256 is no element of buffer 'x'; expected a whole number from 0 to 255"));
}

TEST_F(FileFormats, RecordsOfKeysFillRows) {
  const KeyWords words{{}, {}, {{"state", {"density", "geometry"}}}, {"rectangle", "circle"}};
  FileSource source;
  source.records = "state";
  source.columns = {"density", "geometry"};
  const auto read = [&](ScalarType type, std::uint64_t rows, const std::string& text) {
    files_.write_file("/data/x.in", text, false);
    std::vector<double> elements(2 * rows);
    fill_from_keys(layout(type, {rows, 2}), source, words, "/data/x.in", files_,
                   std::as_writable_bytes(std::span(elements)));
    return elements;
  };
  const std::string text = "state 2 geometry=circle density=0.1\nstate 1 density=3\n";
  EXPECT_THAT(read(ScalarType::kDouble, 2, text), ElementsAre(3, 0, 0.1, 2));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(read(ScalarType::kDouble, 3, text)); }),
              HasSubstr("/data/x.in: has 2 records 'state' of 2 columns; buffer 'x' needs 6 numbers"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(read(ScalarType::kLong, 2, text)); }),
              HasSubstr("/data/x.in:1:33: "));
}

}  // namespace
}  // namespace kiln
