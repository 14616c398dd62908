#include "workload/header_value.h"

#include "workload/text_numbers.h"

namespace kiln {
namespace {

double record_count(const std::string& path, const HeaderSource& source, FileSystem& files) {
  const auto status = files.status(path);
  if (!status) throw bad_input("no such file", {path, 0, 0});
  const auto record = static_cast<std::uint64_t>(source.record_bytes);
  if (status->size == 0 || status->size % record != 0) {
    throw bad_input("holds " + std::to_string(status->size) + " bytes, which is not a multiple of the " +
                        std::to_string(record) + " bytes of a record: truncated, or not of this format",
                    {path, 0, 0});
  }
  const std::uint64_t records = status->size / record;
  return static_cast<double>(records);
}

double number_at(const std::string& path, const ParameterSpec& parameter, FileSystem& files) {
  const std::string text = read_input(files, path);
  NumberReader reader(text, path);
  const std::int64_t index = parameter.from->index;
  for (std::int64_t i = 0;; ++i) {
    const auto number = reader.next();
    if (!number) {
      throw bad_input(
          "ends before number " + std::to_string(index + 1) + ", which is to give '" + parameter.name + "'",
          reader.where());
    }
    if (i == index) return *number;
  }
}

}  // namespace

std::optional<HeaderValue> read_header(const Configuration& configuration, const ParameterSpec& parameter,
                                       FileSystem& files) {
  if (!parameter.from) return std::nullopt;
  const HeaderSource& source = *parameter.from;
  const auto path = configuration.expand_path(source.file, source.where);
  if (!path) return std::nullopt;
  const double value =
      source.binary ? record_count(*path, source, files) : number_at(*path, parameter, files);
  return HeaderValue{*path, value};
}

}  // namespace kiln
