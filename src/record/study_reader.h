#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "record/study_content.h"

namespace kiln {

/// The content of files of studies: a report for each device with a result, in order.
struct StudyReports {
  std::vector<StudyReport> reports;
  std::vector<std::string> notes;  ///< devices of studies that were cut short, lines that a crash cut off
};

/// `file` is its name in notes.
[[nodiscard]] StudyReports reports_of(StudyContent content, const std::string& file);
/// The text of one study's file. Throws as study_content.
[[nodiscard]] StudyReports study_from_text(const std::string& text, const std::string& file);
[[nodiscard]] StudyReports read_studies(FileSystem& files, const std::vector<std::filesystem::path>& paths);

}  // namespace kiln
