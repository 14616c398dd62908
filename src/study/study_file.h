#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/file.h"
#include "config/shard.h"
#include "record/json_lines.h"
#include "record/study_content.h"
#include "study/case_data.h"

namespace kiln {

[[nodiscard]] StudyBlock block_of(const DeviceCases& cases);

/// `<folder>/study.jsonl` (schemas/study_result.schema.json), one JSON object a line, each written at once:
/// header, cases, visits, results (record/json_lines.h). A shard has `study<ending>.jsonl`, with the header
/// of the whole study.
class StudyFile {
 public:
  StudyFile(FileSystem& files, std::filesystem::path folder, const Shard& shard = {});

  /// A new file. A finished study's is kept as `study-<run id>.jsonl`; throws bad_input where an unfinished
  /// one stands, and where the folder cannot be written.
  void begin(const StudyHeader& header);
  /// Goes on with an unfinished study; `nullopt` if there is no file. A shard without a file of its own
  /// begins with a copy of study.jsonl, in which `kiln merge` has joined other shards. Throws bad_input if it
  /// is of another study (`digest`) or damaged, with file and line.
  [[nodiscard]] std::optional<StudyContent> resume(const std::string& digest);

  void add_case(const DeviceCases& cases, const StudyCase& which, const CaseData& data);
  void add_visit(const DeviceCases& cases, const std::string& name, std::size_t round, const Visit& visit);
  void add_result(const StudyResult& result);

  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }

 private:
  [[nodiscard]] std::optional<StudyContent> read() const;
  void create(const StudyHeader& header);

  [[nodiscard]] bool is_finished(const StudyContent& content) const;

  FileSystem& files_;
  std::filesystem::path folder_;
  Shard shard_;
  JsonLinesFile file_;
};

}  // namespace kiln
