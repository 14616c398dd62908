#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "record/json_lines.h"
#include "tune/evaluation.h"

namespace kiln {

/// The first line of a search, and of each that goes on with it.
struct JournalHeader {
  std::string kiln_version, workload;
  std::string source_digest;  ///< Record::source_digest of the default variant
  std::string space;          ///< TuningSpace::hash
  std::vector<std::string> names;
  std::string searcher;
  std::uint64_t seed = 0;
  std::string device, arch, driver, compiler;
};

/// A question to the searcher and its answer.
struct JournalAsk {
  std::uint64_t wanted = 0;
  std::vector<std::vector<std::string>> points;  ///< values
};

/// A point that was measured again beside others at the end.
struct JournalFinalist {
  std::string label;
  double median = 0, low = 0, high = 0;  ///< of the objective
};

struct JournalEnd {
  std::string reason;
  std::string best;  ///< label
  double compile_seconds = 0, device_seconds = 0, wait_seconds = 0;
};

using JournalEvent = std::variant<JournalHeader, JournalAsk, Evaluation, JournalFinalist, JournalEnd>;

/// `<folder>/tune.jsonl`: all events of a search, one a line, in the order of the searcher's questions and
/// outcomes. A killed search loses only the line that it was writing. It can be resumed and replayed.
class TuneJournal {
 public:
  /// `ending`: of a shard (`tune<ending>.jsonl`).
  TuneJournal(FileSystem& files, const std::filesystem::path& folder, const std::string& ending = "")
      : file_(files, folder / ("tune" + ending + ".jsonl"), kBeginning) {}

  /// Throws environment_error when the disk refuses.
  void append(const JournalEvent& event);
  /// Empty if there is no journal. Lines of events that this version does not know are left out. Throws
  /// bad_input for an invalid line.
  [[nodiscard]] std::vector<JournalEvent> read(Log& log) const;
  /// Throws bad_input where a file of that name holds something else.
  void require_own() const { file_.require_own("a journal of kiln tune"); }
  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }

  static constexpr const char* kBeginning = "{\"event\":\"";

 private:
  JsonLinesFile file_;
};

/// The events in a journal's text; `file` is the name in errors.
[[nodiscard]] std::vector<JournalEvent> journal_events(const JsonLines& lines, const std::string& file);

}  // namespace kiln
