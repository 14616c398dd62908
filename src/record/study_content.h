#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "record/json_lines.h"
#include "record/study_results.h"

// The lines of a study's file, written and read.
namespace kiln {

[[nodiscard]] std::string study_line(const StudyHeader& header);
[[nodiscard]] std::string study_line(const CaseLine& line, const Record& record);
[[nodiscard]] std::string study_line(const VisitLine& line);
[[nodiscard]] std::string study_line(const StudyResult& result);

/// A workload's section of a study and a device: each such pair has a result of its own.
using StudyBlock = std::pair<std::string, std::string>;

/// The content of a study's file. Records of cases are not read back.
struct StudyContent {
  struct Block {
    std::string device_name;
    std::map<std::string, std::optional<CaseCosts>> cases;
    std::map<std::string, std::map<std::size_t, Visit>> visits;  ///< by case, then by round
    std::optional<StudyResult> result;                           ///< the last one
  };

  StudyHeader header;
  std::map<StudyBlock, Block> blocks;
  std::vector<std::string> notes;  ///< lines that a crash cut off
};

/// `file` is its name in messages. Throws bad_input with file, line, key, what was expected and what was
/// found.
[[nodiscard]] StudyContent study_content(JsonLines lines, const std::string& file);

}  // namespace kiln
