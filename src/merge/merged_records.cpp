#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "kiln/error.h"
#include "merge/merged.h"
#include "record/record_json.h"

namespace kiln {
namespace {

struct PlacedRecord {
  Record record;
  std::string line, place;

  /// The newest first; then what cannot depend on the order of the inputs.
  [[nodiscard]] std::pair<std::string, std::string> age() const { return {record.time, line}; }
};

/// Equal devices count as one. The label distinguishes cases of a study with the same code.
std::string class_identity(Record record) {
  record.device.id.clear();
  return record.label + "\n" + variant_identity(record);
}

std::string version_of(const Record& record) {
  return record.kiln_version + " " + record.kiln_revision;
}

/// Refuses records that cannot be compared with those before them.
class Kinship {
 public:
  void require(const PlacedRecord& next) {
    constexpr const char* kHint = "; --mixed takes both";
    const auto [first, is_new] = sources_.try_emplace(next.record.workload, next);
    const Record& known = first->second.record;
    if (known.source_digest != next.record.source_digest)
      refuse_to_merge("the source of " + next.record.workload, known.source_digest.substr(0, kDigits),
                      first->second.place, next.record.source_digest.substr(0, kDigits), next.place, kHint);
    if (version_place_.empty()) {
      version_ = version_of(next.record);
      version_place_ = next.place;
    }
    if (version_ != version_of(next.record))
      refuse_to_merge("Kiln", version_, version_place_, version_of(next.record), next.place, kHint);
  }

 private:
  static constexpr std::size_t kDigits = 12;
  std::map<std::string, PlacedRecord> sources_;  // the first of each workload
  std::string version_, version_place_;
};

std::vector<PlacedRecord> read_all(const std::vector<MergeInput>& inputs) {
  std::vector<PlacedRecord> records;
  for (const MergeInput& input : inputs) {
    for (const JsonLines::Line& line : input.lines.lines)
      records.push_back({record_from_json(line.text, input.file, line.number), line.text,
                         input.file + ":" + std::to_string(line.number)});
  }
  // Sorted, so that the same two records are named if records do not belong together, whatever the order of
  // the inputs.
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.age() < b.age(); });
  return records;
}

}  // namespace

void refuse_to_merge(const std::string& what, const std::string& value, const std::string& place,
                     const std::string& other_value, const std::string& other_place,
                     const std::string& hint) {
  throw bad_input("these files do not belong together: " + what + " is " + value + " in " + place + ", and " +
                  other_value + " in " + other_place + hint);
}

Merged merge_records(const std::vector<MergeInput>& inputs, const MergeOptions& options) {
  const std::vector<PlacedRecord> records = read_all(inputs);
  Kinship kinship;
  std::map<std::string, const PlacedRecord*> newest;
  std::set<std::string> lines;
  Merged merged;
  for (const PlacedRecord& record : records) {
    if (!options.mixed) kinship.require(record);
    if (!lines.insert(record.line).second) continue;
    const PlacedRecord*& kept = newest[options.all ? record.line : class_identity(record.record)];
    if (kept == nullptr || record.record.status != RunStatus::kNotRun ||
        kept->record.status == RunStatus::kNotRun)
      kept = &record;
  }
  std::vector<const PlacedRecord*> kept;
  for (const auto& [key, record] : newest) kept.push_back(record);
  std::sort(kept.begin(), kept.end(), [](const auto* a, const auto* b) { return a->age() < b->age(); });
  for (const PlacedRecord* record : kept) merged.text += record->line + "\n";
  merged.kept = kept.size();
  merged.dropped = records.size() - kept.size();
  return merged;
}

}  // namespace kiln
