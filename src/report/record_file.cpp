#include "report/record_file.h"

#include <system_error>
#include <utility>

#include "kiln/error.h"
#include "report/record_json.h"
#include "report/record_reader.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

Path nearest_existing(FileSystem& files, Path path) {
  while (!files.status(path) && path.has_parent_path() && path != path.parent_path())
    path = path.parent_path();
  return path;
}

}  // namespace

RecordFile::RecordFile(FileSystem& files, Path folder) : files_(files), folder_(std::move(folder)) {}

void RecordFile::require_writable() const {
  try {
    if (files_.status(path())) {
      files_.append_file(path(), "");
      drop_torn_line();
    } else {
      const Path absolute = std::filesystem::absolute(folder_ / "").parent_path();
      try_to_create_in(files_, nearest_existing(files_, absolute));
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw bad_input("the output folder '" + folder_.string() +
                    "' cannot be written: " + error.code().message());
  }
}

/// Each record is one write with its line end: what has none was cut off.
void RecordFile::drop_torn_line() const {
  const std::string text = files_.read_file(path()).value_or("");
  if (text.empty() || text.back() == '\n') return;
  const std::size_t end = text.rfind('\n');
  const Path whole = folder_ / ".records.jsonl.whole";
  files_.write_file(whole, text.substr(0, end == std::string::npos ? 0 : end + 1), true);
  if (!files_.rename(whole, path()))
    throw std::filesystem::filesystem_error("cannot replace", path(),
                                            std::make_error_code(std::errc::is_a_directory));
}

std::vector<Record> RecordFile::read() const {
  if (!files_.status(path())) return {};
  try {
    drop_torn_line();
  } catch (const std::filesystem::filesystem_error& error) {
    throw bad_input("'" + path().string() +
                    "' ends in a line that a crash tore, which cannot be dropped: " + error.code().message());
  }
  return read_records(files_, {path()});
}

void RecordFile::append(const Record& record) {
  try {
    files_.make_directories(folder_, false);
    files_.append_file(path(), record_to_json(record) + "\n");
  } catch (const std::filesystem::filesystem_error& error) {
    throw environment_error("cannot write " + path().string() + ": " + error.code().message());
  }
}

}  // namespace kiln
