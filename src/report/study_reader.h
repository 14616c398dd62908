#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "report/study_results.h"

namespace kiln {

/// Version of the form of a study's file; goes up when a reader of the old form would misread the new.
inline constexpr int kStudyResultFormat = 2;

/// What files of studies hold: a report for each device whose result is there, in order.
struct StudyReports {
  std::vector<StudyReport> reports;
  std::vector<std::string> notes;  ///< devices of studies that were cut short, lines that a crash cut off
};

/// What every line of a study's file begins with, and holds nowhere else.
inline constexpr std::string_view kStudyBeginning = R"({"kind":)";

/// The text of one study's file; `file` is its name in messages. Throws bad_input with file, line, key, what
/// was expected and what was found.
[[nodiscard]] StudyReports study_from_text(const std::string& text, const std::string& file);
[[nodiscard]] StudyReports read_studies(FileSystem& files, const std::vector<std::filesystem::path>& paths);

}  // namespace kiln
