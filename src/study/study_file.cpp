#include "study/study_file.h"

#include <system_error>

namespace kiln {

StudyFile::StudyFile(FileSystem& files, std::filesystem::path folder, const Shard& shard)
    : files_(files),
      folder_(std::move(folder)),
      shard_(shard),
      file_(files, folder_ / ("study" + shard.ending() + ".jsonl"), std::string(kStudyBeginning)) {}

bool StudyFile::is_finished(const StudyContent& content) const {
  std::size_t results = 0;
  for (const auto& [block, known] : content.blocks) results += known.result ? 1 : 0;
  return results >= shard_.size_of(content.header.devices.size() * content.header.sections.size());
}

std::optional<StudyContent> StudyFile::read() const {
  auto text = file_.read();
  if (!text || text->lines.empty()) return std::nullopt;
  return study_content(std::move(*text), path().string());
}

/// If another process has just begun a study, its file stays.
void StudyFile::create(const StudyHeader& header) {
  const std::string line = study_line(header);
  if (files_.status(path())) {  // without a whole line
    file_.append(line);
  } else if (!files_.create_file(path(), line + "\n")) {
    throw bad_input(path().string() + ": another process has just begun a study here");
  }
}

void StudyFile::begin(const StudyHeader& header) {
  try {
    files_.make_directories(folder_, false);
    if (const auto old = read()) {
      if (!is_finished(*old)) {
        throw bad_input(path().string() +
                        " holds a study that was cut short: --resume goes on with it; "
                        "remove the file to begin anew");
      }
      if (!files_.rename(path(), folder_ / ("study-" + old->header.run_id + shard_.ending() + ".jsonl")))
        throw environment_error("cannot move the finished study " + path().string() + " aside");
    }
    create(header);
  } catch (const std::filesystem::filesystem_error& error) {
    throw bad_input("the output folder '" + folder_.string() +
                    "' cannot be written: " + error.code().message());
  }
}

std::optional<StudyContent> StudyFile::resume(const std::string& digest) {
  auto content = read();
  if (const auto whole = files_.read_file(folder_ / "study.jsonl"); !content && !shard_.is_whole() && whole) {
    files_.write_file(path(), *whole, true);
    content = read();
  }
  if (content && content->header.digest != digest) {
    throw bad_input(path().string() +
                    " is of another study, device, compiler or version of Kiln; it cannot be gone on with");
  }
  return content;
}

StudyBlock block_of(const DeviceCases& cases) {
  return {cases.section, cases.device.id};
}

void StudyFile::add_case(const DeviceCases& cases, const StudyCase& which, const CaseData& data) {
  file_.append(study_line(
      {cases.section, cases.device.id, which, compiler_text(data.record.compiler), data.costs}, data.record));
}

void StudyFile::add_visit(const DeviceCases& cases, const std::string& name, std::size_t round,
                          const Visit& visit) {
  file_.append(study_line({cases.section, cases.device.id, name, round, visit}));
}

void StudyFile::add_result(const StudyResult& result) {
  file_.append(study_line(result));
}

}  // namespace kiln
