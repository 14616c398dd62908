#include "workload/header_value.h"

#include "base/input_file.h"
#include "base/text.h"
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

}  // namespace

std::optional<HeaderValue> read_header(const Configuration& configuration, const ParameterSpec& parameter,
                                       FileSystem& files) {
  if (!parameter.from) return std::nullopt;
  const HeaderSource& source = *parameter.from;
  const auto path = configuration.expand_path(source.file, source.where);
  if (!path) return std::nullopt;
  const Number value =
      source.binary ? record_count(*path, source, files) : number_at(*path, parameter, files);
  return HeaderValue{*path, value};
}

}  // namespace kiln
