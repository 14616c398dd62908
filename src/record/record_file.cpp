#include "record/record_file.h"

#include <utility>

#include "base/input_file.h"
#include "kiln/error.h"
#include "record/record_json.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

Path nearest_existing(FileSystem& files, Path path) {
  while (!files.status(path) && path.has_parent_path() && path != path.parent_path())
    path = path.parent_path();
  return path;
}

}  // namespace

bool is_record_file(const std::string& name) {
  return name == "records.jsonl" || (name.starts_with("records-") && name.ends_with(".jsonl"));
}

std::vector<Record> read_records(FileSystem& files, const std::vector<Path>& paths, Log& log) {
  std::vector<Record> records;
  for (const Path& path : paths) {
    const JsonLines content =
        split_json_lines(read_input(files, path, kResultInput), path.string(), kRecordBeginning);
    for (const std::string& note : content.notes) log.warn(note);
    for (const JsonLines::Line& line : content.lines)
      records.push_back(record_from_json(line.text, path.string(), line.number));
  }
  return records;
}

RecordFile::RecordFile(FileSystem& files, Path folder, const std::string& ending)
    : files_(files),
      folder_(std::move(folder)),
      file_(files, folder_ / ("records" + ending + ".jsonl"), std::string(kRecordBeginning)) {}

void RecordFile::require_writable() const {
  try {
    file_.require_own("a file of records");  // first: to open a pipe would wait for its reader
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
}

std::vector<Record> RecordFile::read(Log& log) const {
  std::vector<Path> paths;
  const auto status = files_.target_status(folder_);
  if (status && status->type == FileStatus::Type::kDirectory) {
    for (const std::string& name : files_.list(folder_)) {
      if (is_record_file(name) && files_.target_status(folder_ / name)) paths.push_back(folder_ / name);
    }
  }
  return read_records(files_, paths, log);
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
