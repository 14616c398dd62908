#include "report/running_mark.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "kiln/error.h"
#include "record/record_json.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

constexpr std::string_view kName = ".running-";
constexpr std::string_view kInterrupted = "interrupted";
constexpr const char* kWithoutWord =
    "the process ended while this variant ran, without a message: killed, out of memory, or the machine went "
    "down";

/// Reads the record, then the line that a signal handler added. Absent if no variant ran.
std::optional<Record> crashed_record(const std::string& text, const std::string& file) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return std::nullopt;  // the process was writing it
  const std::string_view how = trim(std::string_view(text).substr(end + 1));
  if (how == kInterrupted) return std::nullopt;
  Record record = record_from_json(text.substr(0, end), file, 1);
  record.message =
      how.empty() ? kWithoutWord : "the process ended while this variant ran: " + std::string(how);
  return record;
}

/// The process may have been killed after it wrote the record and before it removed the mark.
bool is_recorded(const Record& record, const std::vector<Record>& known) {
  return std::any_of(known.begin(), known.end(), [&](const Record& one) {
    return one.run_id == record.run_id && one.time == record.time && one.label == record.label &&
           one.device.id == record.device.id;
  });
}

void record_crashed(HeldFile& mark, const Path& path, RecordFile& file, Log& log) {
  const auto record = crashed_record(mark.read(), path.string());
  if (record && !is_recorded(*record, file.read(log))) {
    file.require_writable();
    file.append(*record);
    log.warn((record->label.empty() ? "the variant" : "variant '" + record->label + "'") +
             " of an earlier run is recorded as crashed: " + record->message);
  }
  mark.remove();
}

}  // namespace

RunningMark::~RunningMark() {
  remove();
}

void RunningMark::remove() noexcept {
  try {
    if (file_) file_->remove();
    file_.reset();
  } catch (const std::filesystem::filesystem_error&) {
    return;  // the file says that no variant runs, or the next run finds it
  }
}

void RunningMark::begin(const Record& so_far) {
  Record record = so_far;
  record.status = RunStatus::kCrashed;
  try {
    if (!file_) {
      std::filesystem::create_directories(folder_);
      file_.emplace(HeldFile::create(folder_ / kName));
    }
    file_->write(record_to_json(record) + "\n");
  } catch (const std::filesystem::filesystem_error& error) {
    throw environment_error("cannot write the mark of the running variant in '" + folder_.string() +
                            "': " + error.code().message());
  }
}

void RunningMark::end() {
  try {
    if (file_) file_->write("");
  } catch (const std::filesystem::filesystem_error& error) {
    throw environment_error("cannot write the mark of the running variant in '" + folder_.string() +
                            "': " + error.code().message());
  }
}

void RunningMark::interrupt() noexcept {
  const std::string line = std::string(kInterrupted) + "\n";
  if (descriptor() >= 0 && ::write(descriptor(), line.data(), line.size()) < 0)
    return;  // then the record becomes a crash
}

bool died_without_word(const Record& record) {
  return record.status == RunStatus::kCrashed && record.message == kWithoutWord;
}

void record_crashed_variants(FileSystem& files, RecordFile& file, Log& log) {
  try {
    for (const std::string& name : files.list(file.folder())) {
      if (!name.starts_with(kName)) continue;
      auto mark = HeldFile::take_over(file.folder() / kName, name.substr(kName.size()));
      if (mark) record_crashed(*mark, file.folder() / name, file, log);
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw bad_input("what earlier runs left in '" + file.folder().string() +
                    "' cannot be read: " + error.code().message());
  }
}

}  // namespace kiln
