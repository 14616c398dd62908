#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "kiln/error.h"
#include "merge/merged.h"
#include "tune/tune_journal.h"

namespace kiln {
namespace {

struct PlacedOutcome {
  std::string time;  ///< time of its newest record
  std::string line;
};

struct PlacedHeader {
  JournalHeader header;
  std::string line, place;
};

void require_same_search(const PlacedHeader& one, const PlacedHeader& other) {
  const std::array<std::pair<const char*, std::string JournalHeader::*>, 8> members = {
      {{"the workload", &JournalHeader::workload},
       {"the source", &JournalHeader::source_digest},
       {"the space", &JournalHeader::space},
       {"the device", &JournalHeader::device},
       {"the architecture", &JournalHeader::arch},
       {"the driver", &JournalHeader::driver},
       {"the compiler", &JournalHeader::compiler},
       {"Kiln", &JournalHeader::kiln_version}}};
  for (const auto& [what, member] : members) {
    if (one.header.*member != other.header.*member)
      refuse_to_merge(what, one.header.*member, one.place, other.header.*member, other.place);
  }
  if (one.header.names != other.header.names)
    refuse_to_merge("what is varied", join(one.header.names, ", "), one.place, join(other.header.names, ", "),
                    other.place);
}

std::string key_of(const Evaluation& evaluation) {
  std::string key = evaluation.identity;
  for (const std::string& value : evaluation.values) key += '\n' + value;
  return evaluation.values.empty() ? key + '\n' + evaluation.label : key;
}

std::string time_of(const Evaluation& evaluation) {
  std::string time;
  for (const SizeResult& size : evaluation.sizes) time = std::max(time, size.record);
  return time;
}

class JournalMerge {
 public:
  void read(const MergeInput& input) {
    for (const JsonLines::Line& line : input.lines.lines) {
      // One line after the other, so that each keeps its text; what a journal begins with was checked.
      for (const JournalEvent& event : events_of(input, line)) take(event, line.text, place_of(input, line));
    }
  }

  [[nodiscard]] Merged result() && {
    if (!header_) return {};
    Merged merged;
    merged.text = header_->line + "\n";
    std::vector<const PlacedOutcome*> kept;
    for (const auto& [key, outcome] : outcomes_) kept.push_back(&outcome);
    std::sort(kept.begin(), kept.end(), [](const auto* a, const auto* b) {
      return std::pair(a->time, a->line) < std::pair(b->time, b->line);
    });
    for (const PlacedOutcome* outcome : kept) merged.text += outcome->line + "\n";
    merged.kept = kept.size();
    merged.dropped = read_ - kept.size();
    return merged;
  }

 private:
  static std::string place_of(const MergeInput& input, const JsonLines::Line& line) {
    return input.file + ":" + std::to_string(line.number);
  }

  std::vector<JournalEvent> events_of(const MergeInput& input, const JsonLines::Line& line) const {
    JsonLines lines;
    const bool is_first = &line == &input.lines.lines.front();
    // A reader expects a header first.
    if (!is_first && header_) lines.lines.push_back({header_->line, line.number});
    lines.lines.push_back(line);
    std::vector<JournalEvent> events = journal_events(lines, input.file);
    if (!is_first && header_) events.erase(events.begin());
    return events;
  }

  void take(const JournalEvent& event, const std::string& line, const std::string& place) {
    if (const auto* header = std::get_if<JournalHeader>(&event)) return take_header({*header, line, place});
    const auto* evaluation = std::get_if<Evaluation>(&event);
    if (evaluation == nullptr) return;
    ++read_;
    const PlacedOutcome outcome{time_of(*evaluation), line};
    const auto [known, is_new] = outcomes_.try_emplace(key_of(*evaluation), outcome);
    PlacedOutcome& kept = known->second;
    if (std::pair(kept.time, kept.line) < std::pair(outcome.time, outcome.line)) kept = outcome;
  }

  /// The header with the least text is kept, so that the order does not matter.
  void take_header(PlacedHeader header) {
    if (header_) require_same_search(*header_, header);
    if (!header_ || header.line < header_->line) header_ = std::move(header);
  }

  std::optional<PlacedHeader> header_;
  std::map<std::string, PlacedOutcome> outcomes_;
  std::size_t read_ = 0;
};

}  // namespace

Merged merge_journals(const std::vector<MergeInput>& inputs) {
  JournalMerge merge;
  for (const MergeInput& input : inputs) merge.read(input);
  return std::move(merge).result();
}

}  // namespace kiln
