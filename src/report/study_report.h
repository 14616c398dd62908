#pragma once

#include <string>
#include <vector>

#include "record/study_results.h"
#include "report/text_table.h"

namespace kiln {

/// A part of a study's report: a table or lines of text.
struct StudySection {
  std::string title;
  TextTable table;
  std::vector<std::string> lines;
};

/// "minibude on NVIDIA H200".
[[nodiscard]] std::string study_title(const StudyReport& report);
/// "cuda:0, 20 cases, 3 samples each round in shuffled order (seed 1), Kiln 0.2.0 (1d2331e), 2026-11-21".
[[nodiscard]] std::string study_origin(const StudyReport& report);
/// The cases with their costs, then the findings, in the words of the file; empty parts are left out.
[[nodiscard]] std::vector<StudySection> study_sections(const StudyReport& report, const TextStyle& style);

[[nodiscard]] std::string study_to_terminal(const StudyReport& report, const TextStyle& style);
[[nodiscard]] std::string study_to_markdown(const StudyReport& report);
/// A line for each figure of each case (RFC 4180), with titles: a time, a count or a ratio with its interval.
/// `against` is the case that a ratio or a break-even refers to. Unknown values have no line.
[[nodiscard]] std::string studies_to_csv(const std::vector<StudyReport>& reports);

/// Text for the origin of a case's code, "compiled now, found on disk, ..."; an unknown word stays as it is.
[[nodiscard]] std::string way_text(FirstWay way);

}  // namespace kiln
