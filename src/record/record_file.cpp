#include "record/record_file.h"

#include <utility>

#include "kiln/error.h"
#include "record/record_json.h"
#include "record/record_reader.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

Path nearest_existing(FileSystem& files, Path path) {
  while (!files.status(path) && path.has_parent_path() && path != path.parent_path())
    path = path.parent_path();
  return path;
}

}  // namespace

RecordFile::RecordFile(FileSystem& files, Path folder)
    : files_(files),
      folder_(std::move(folder)),
      file_(files, folder_ / "records.jsonl", std::string(kRecordBeginning)) {}

void RecordFile::require_writable() const {
  try {
    if (files_.status(path())) {
      files_.append_file(path(), "");
    } else {
      const Path absolute = std::filesystem::absolute(folder_ / "").parent_path();
      try_to_create_in(files_, nearest_existing(files_, absolute));
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw bad_input("the output folder '" + folder_.string() +
                    "' cannot be written: " + error.code().message());
  }
  file_.require_own("a file of records");
}

std::vector<Record> RecordFile::read(Log& log) const {
  if (!files_.target_status(path())) return {};
  return read_records(files_, {path()}, log);
}

void RecordFile::append(const Record& record) {
  try {
    files_.make_directories(folder_, false);
  } catch (const std::filesystem::filesystem_error& error) {
    throw environment_error("cannot write " + path().string() + ": " + error.code().message());
  }
  file_.append(record_to_json(record));
}

}  // namespace kiln
