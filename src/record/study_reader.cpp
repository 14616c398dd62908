#include "record/study_reader.h"

#include <utility>

#include "base/input_file.h"

namespace kiln {
namespace {

std::string cut_short(const std::string& file, const std::string& section, const std::string& device) {
  return file + ": the study of " + section + " was cut short on " + device +
         "; kiln study --resume goes on with it";
}

}  // namespace

StudyReports reports_of(StudyContent content, const std::string& file) {
  StudyReports all;
  for (const auto& [section, workload] : content.header.sections) {
    for (const std::string& device : content.header.devices) {
      StudyContent::Block& block = content.blocks[{section, device}];
      if (block.result) {
        all.reports.push_back({content.header, std::move(*block.result), workload,
                               std::move(block.device_name), std::move(block.cases)});
      } else {
        all.notes.push_back(cut_short(file, section, device));
      }
    }
  }
  all.notes.insert(all.notes.end(), content.notes.begin(), content.notes.end());
  return all;
}

StudyReports study_from_text(const std::string& text, const std::string& file) {
  return reports_of(study_content(split_json_lines(text, file, kStudyBeginning), file), file);
}

StudyReports read_studies(FileSystem& files, const std::vector<std::filesystem::path>& paths) {
  StudyReports all;
  for (const std::filesystem::path& path : paths) {
    StudyReports found = study_from_text(read_input(files, path, kResultInput), path.string());
    for (StudyReport& report : found.reports) all.reports.push_back(std::move(report));
    for (std::string& note : found.notes) all.notes.push_back(std::move(note));
  }
  return all;
}

}  // namespace kiln
