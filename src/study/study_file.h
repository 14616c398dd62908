#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "record/json_lines.h"
#include "record/study_lines.h"
#include "study/findings.h"

namespace kiln {

/// A workload's section of a study and a device: each such pair has a result of its own.
using StudyBlock = std::pair<std::string, std::string>;
[[nodiscard]] StudyBlock block_of(const DeviceCases& cases);

/// What a file holds of a study: by block, then by case. Records are not read back: they are made anew.
struct StudyContent {
  StudyHeader header;
  std::map<StudyBlock, DeviceData> devices;
  std::vector<StudyBlock> finished;  ///< those whose result is there
  std::vector<std::string> notes;    ///< lines that a crash cut off
};

/// `<folder>/study.jsonl` (schemas/study_result.schema.json), one JSON object a line, each written at once:
/// header, cases, visits, results (record/json_lines.h).
class StudyFile {
 public:
  StudyFile(FileSystem& files, std::filesystem::path folder);

  /// A new file. A finished study's is kept as `study-<run id>.jsonl`; throws bad_input where an unfinished
  /// one stands, and where the folder cannot be written.
  void begin(const StudyHeader& header);
  /// Goes on with an unfinished study; `nullopt` if there is no file. Throws bad_input if it is of another
  /// study (`digest`) or damaged, with file and line.
  [[nodiscard]] std::optional<StudyContent> resume(const std::string& digest);

  void add_case(const DeviceCases& cases, const StudyCase& which, const CaseData& data);
  void add_visit(const DeviceCases& cases, const std::string& name, std::size_t round, const Visit& visit);
  void add_result(const DeviceCases& cases, const DeviceData& data, const Findings& findings);

  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }

 private:
  [[nodiscard]] std::optional<StudyContent> read() const;
  void create(const StudyHeader& header);

  FileSystem& files_;
  std::filesystem::path folder_;
  JsonLinesFile file_;
};

/// The lines of the file, without their ends.
[[nodiscard]] std::string header_to_json(const StudyHeader& header);
[[nodiscard]] std::string case_to_json(const DeviceCases& cases, const StudyCase& which,
                                       const CaseData& data);
[[nodiscard]] std::string result_to_json(const DeviceCases& cases, const DeviceData& data,
                                         const Findings& findings);

}  // namespace kiln
