#include "workload/header_value.h"

#include "base/input_file.h"
#include "base/text.h"
#include "workload/csv_column.h"
#include "workload/key_file.h"
#include "workload/npy_header.h"
#include "workload/text_numbers.h"

namespace kiln {
namespace {

Number record_count(const std::string& path, const HeaderSource& source, FileSystem& files) {
  const FileStatus status = input_status(files, path);
  const auto record = static_cast<std::uint64_t>(source.record_bytes);
  if (status.size == 0 || status.size % record != 0) {
    throw bad_input("holds " + std::to_string(status.size) + " bytes, which is not a multiple of the " +
                        std::to_string(record) + " bytes of a record: truncated, or not of this format",
                    {path, 0, 0});
  }
  return static_cast<std::int64_t>(status.size / record);
}

/// With all its digits where it is whole and has no more than 64 bits.
Number exact_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  if (const auto whole = parse_integer(word)) return *whole;
  return parse_real(word).value_or(0);
}

Number number_at(const std::string& path, const ParameterSpec& parameter, FileSystem& files) {
  const std::string text = read_input(files, path, kDataInput);
  NumberReader reader(text, path, "; `record_bytes` counts the records of a binary file");
  const std::int64_t index = parameter.from->index;
  for (std::int64_t i = 0;; ++i) {
    const auto word = reader.next_word();
    if (!word) {
      throw bad_input(
          "ends before number " + std::to_string(index + 1) + ", which is to give '" + parameter.name + "'",
          reader.where());
    }
    if (i == index) return exact_number(*word);
  }
}

Number extent_of_array(const std::string& path, const ParameterSpec& parameter, FileSystem& files) {
  static_cast<void>(input_status(files, path));
  const NpyHeader header = read_npy_header(files.read(path, {0, NpyHeader::kMostBytes}).value_or(""), path);
  const auto index = static_cast<std::size_t>(parameter.from->index);
  if (index < header.shape.size()) return static_cast<std::int64_t>(header.shape[index]);
  throw bad_input("has the shape " + header.shape_text() + ", and so no extent " + std::to_string(index) +
                      ", counted from 0, which is to give '" + parameter.name + "'",
                  {path, 0, 0});
}

Number count_of_cells(const std::string& path, const HeaderSource& source, FileSystem& files) {
  const std::string text = read_input(files, path, kDataInput);
  std::int64_t count = 0;
  for (CsvColumn column(text, path, source.column); column.more(); column.next()) ++count;
  return count;
}

Number extent_of_matrix(const std::string& path, MatrixExtent extent, InputFiles& inputs, FileSystem& files) {
  if (extent == MatrixExtent::kNonzeros) return static_cast<std::int64_t>(inputs.nonzeros(files, path));
  const MatrixHeader header = inputs.header(files, path);
  return static_cast<std::int64_t>(extent == MatrixExtent::kRows ? header.rows : header.columns);
}

std::optional<HeaderValue> value_of_key(const Workload& workload, const std::string& path,
                                        const HeaderSource& source, FileSystem& files) {
  const KeyFile file(read_input(files, path, kDataInput), path, key_words_of(workload, source.file));
  if (!source.records.empty()) {
    return HeaderValue{path, static_cast<std::int64_t>(file.records(source.records)), {path, 1, 1}};
  }
  const KeyFile::Entry* entry = file.find(source.key);
  if (entry == nullptr) return std::nullopt;
  return HeaderValue{path, entry->value, entry->where};
}

Number value_in(const std::string& path, const ParameterSpec& parameter, InputFiles& inputs,
                FileSystem& files) {
  const HeaderSource& source = *parameter.from;
  switch (source.format) {
    case FileFormat::kText:
      return number_at(path, parameter, files);
    case FileFormat::kBinary:
      return record_count(path, source, files);
    case FileFormat::kNpy:
      return extent_of_array(path, parameter, files);
    case FileFormat::kCsv:
      return count_of_cells(path, source, files);
    case FileFormat::kMatrixMarket:
      return extent_of_matrix(path, source.extent, inputs, files);
    case FileFormat::kKeys:
      break;  // value_of_key
  }
  throw internal_error("a format without a reader");
}

}  // namespace

std::optional<HeaderValue> read_header(const Configuration& configuration, const ParameterSpec& parameter,
                                       FileSystem& files) {
  if (!parameter.from) return std::nullopt;
  const HeaderSource& source = *parameter.from;
  const auto path = configuration.expand_path(source.file, source.where);
  if (!path) return std::nullopt;
  if (source.format == FileFormat::kKeys) return value_of_key(configuration.workload(), *path, source, files);
  return HeaderValue{*path, value_in(*path, parameter, *configuration.workload().inputs, files),
                     source.where};
}

}  // namespace kiln
