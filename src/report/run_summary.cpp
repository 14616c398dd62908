#include "report/run_summary.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/text.h"
#include "device/backend_kind.h"
#include "record/failure_text.h"
#include "report/record_table.h"

namespace kiln {
namespace {

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what);
}

std::string status_part(const std::vector<Record>& records) {
  std::map<RunStatus, std::size_t> counts;
  for (const Record& record : records) ++counts[record.status];
  std::vector<std::string> parts;
  for (const auto& [status, word] : kWords<RunStatus>) {
    if (counts[status] > 0 || status == RunStatus::kOk) parts.push_back(counted(counts[status], word));
  }
  return counted(records.size(), records.size() == 1 ? "variant: " : "variants: ") + join(parts, ", ");
}

std::string origin_part(const std::vector<Record>& records) {
  std::map<Origin, std::size_t> counts;
  for (const Record& record : records) {
    for (const UnitUse& unit : record.units) ++counts[unit.origin];
  }
  std::vector<std::string> parts = {counted(counts[Origin::kCompiled], "compiled"),
                                    counted(counts[Origin::kDisk], "from disk"),
                                    counted(counts[Origin::kMemory], "from memory")};
  if (counts[Origin::kWaited] > 0) parts.push_back(counted(counts[Origin::kWaited], "waited for"));
  return join(parts, ", ");
}

/// A larger value is better; only measured records have one.
double merit(const Record& record) {
  if (record.metrics.empty()) return -record.step->median;
  const MetricValue& metric = record.metrics.front();
  return metric.higher_is_better ? metric.value : -metric.value;
}

std::string merit_text(const Record& record, const TextStyle& style) {
  if (record.metrics.empty()) return time_text(*record.step, style);
  const MetricValue& metric = record.metrics.front();
  return short_number(metric.value) + (metric.unit.empty() ? "" : " " + metric.unit);
}

bool is_measured(const Record& record) {
  return may_be_measured(record.status) && record.step.has_value();
}

/// A verified result is better than an unchecked one.
bool is_better(const Record& record, const Record& than) {
  if (record.status != than.status) return record.status == RunStatus::kOk;
  return merit(record) > merit(than);
}

/// The best record; null if none was measured.
const Record* best_of(const std::vector<Record>& records) {
  const Record* best = nullptr;
  for (const Record& record : records) {
    if (is_measured(record) && (best == nullptr || is_better(record, *best))) best = &record;
  }
  return best;
}

std::string name_with_device(const std::vector<Record>& records, const Record& record) {
  const bool several = std::any_of(records.begin(), records.end(), [&](const Record& other) {
    return other.device.id != records.front().device.id;
  });
  return variant_name(record) + (several ? " on " + record.device.id : "");
}

std::string device_text(const DeviceInfo& device) {
  return device.id + ": " + device.name + ", " + std::to_string(device.compute_units) + " " +
         backend_kind(device.target.backend).unit_name;
}

std::string tolerance_text(const CheckResult& check) {
  return "tolerance " + format_number(check.atol) + " + " + format_number(check.rtol) + " * |expected|";
}

std::string check_sentence(const CheckResult& check) {
  if (!check.message.empty()) return check.message;
  return "worst at " + check.worst_index + ": " + format_number(check.worst_value) + ", expected " +
         format_number(check.worst_expected) + " (" + tolerance_text(check) + "); " +
         std::to_string(check.mismatches) + " of " + std::to_string(check.compared) + " disagree";
}

std::string indented(const std::string& text, const std::string& indent) {
  std::string result;
  for (const std::string& line : split(printable(text), '\n'))
    result += line.empty() ? "\n" : indent + line + "\n";
  return result;
}

/// The beginning of a log, which has the cause; the record has the whole log.
std::string log_text(const std::string& log) {
  constexpr std::size_t kLinesShown = 40;
  std::vector<std::string> lines = split(trim(log), '\n');
  if (lines.size() <= kLinesShown) return join(lines, "\n");
  const std::size_t left = lines.size() - kLinesShown;
  lines.resize(kLinesShown);
  return join(lines, "\n") + "\n... " + counted(left, "more lines (all are in --format json)");
}

std::string paragraph(const std::vector<Record>& records, const Record& record, const TextStyle& style) {
  std::string text =
      paint(name_with_device(records, record) + ": " + to_string(record.status), Tone::kBad, style) + "\n";
  const std::string log = log_beside(record.message, log_text(record.log));
  // The message of a wrong result is the message of a check, which is printed below.
  const bool in_checks =
      record.status == RunStatus::kWrong && std::any_of(record.checks.begin(), record.checks.end(),
                                                        [](const CheckResult& check) { return !check.ok; });
  if (!record.message.empty() && !in_checks) text += indented(record.message, "  ");
  for (const CheckResult& check : record.checks) {
    if (!check.ok) text += indented(check.name + ": " + check_sentence(check), "  ");
  }
  if (!log.empty()) text += indented(log, "  ");
  return text;
}

}  // namespace

std::string run_heading(const std::vector<Record>& records, const TextStyle& style) {
  if (records.empty()) return "";
  std::vector<std::string> parts = {records.front().workload};
  for (const Record& record : records) {
    const std::vector<std::string> said = {device_text(record.device), compiler_text(record.compiler)};
    for (const std::string& part : said) {
      if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
    }
  }
  return printable_line(join(parts, style.dot()));
}

std::string summary_line(const std::vector<Record>& records, const TextStyle& style) {
  std::vector<std::string> parts = {status_part(records), origin_part(records)};
  if (std::count_if(records.begin(), records.end(), is_measured) > 1)
    parts.push_back("best: " + best_text(records, style));
  return join(parts, style.dot());
}

std::string best_text(const std::vector<Record>& records, const TextStyle& style) {
  const Record* best = best_of(records);
  if (best == nullptr) return "";
  return printable_line(name_with_device(records, *best) + " (" + merit_text(*best, style) +
                        (best->status == RunStatus::kUnchecked ? ", unchecked)" : ")"));
}

std::string problem_paragraphs(const std::vector<Record>& records, const TextStyle& style) {
  std::string text;
  for (const Record& record : records) {
    if (may_be_measured(record.status)) continue;
    if (!text.empty()) text += "\n";
    text += paragraph(records, record, style);
  }
  return text;
}

std::string unchecked_remark(const std::vector<const Record*>& records) {
  std::vector<std::string> reasons;
  std::size_t count = 0;
  for (const Record* record : records) {
    if (record->status != RunStatus::kUnchecked) continue;
    ++count;
    if (std::find(reasons.begin(), reasons.end(), record->message) == reasons.end())
      reasons.push_back(record->message);
  }
  if (count == 0) return "";
  constexpr std::size_t kShown = 3;
  const std::size_t left = reasons.size() - std::min(reasons.size(), kShown);
  reasons.resize(std::min(reasons.size(), kShown));
  return "unchecked: " +
         (count == 1 && records.size() == 1 ? "nothing shows that the result is right: "
                                            : "nothing shows that the results of " + std::to_string(count) +
                                                  " of " + std::to_string(records.size()) + " are right: ") +
         join(reasons, "; ") + (left > 0 ? "; " + counted(left, "more reasons in the records") : "");
}

}  // namespace kiln
