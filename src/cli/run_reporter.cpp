#include "cli/run_reporter.h"

#include <algorithm>

#include "report/csv.h"
#include "report/record_json.h"
#include "report/record_table.h"
#include "report/run_summary.h"
#include "report/statistics_report.h"
#include "report/text_table.h"

namespace kiln {

const std::vector<std::string>& run_formats() {
  static const std::vector<std::string> names = {"table", "json", "csv", "markdown"};
  return names;
}

RunReporter::RunReporter(World& world, std::string format, const std::string& output)
    : world_(world), format_(std::move(format)) {
  if (!output.empty()) file_.emplace(world.files(), output);
}

void RunReporter::begin(const JobPlan& plan) {
  if (file_) file_->require_writable();
  excluded_ = plan.excluded;
}

void RunReporter::variant_started(std::size_t index, std::size_t count, const std::string& label) {
  progress_ = "[" + std::to_string(index + 1) + "/" + std::to_string(count) + "]" +
              (label.empty() ? "" : " " + label);
  if (!world_.quiet()) world_.status_line().show(progress_ + " ...");
}

void RunReporter::record(const Record& record) {
  records_.push_back(record);
  if (file_) file_->append(record);
  if (format_ == "json") world_.out() << record_to_json(record) << '\n' << std::flush;
  if (world_.quiet() || world_.status_line().is_terminal()) return;
  world_.status_line().write(progress_ + ": " + to_string(record.status) + " (" + origin_text(record) + ")");
}

void RunReporter::finish() {
  world_.status_line().clear();
  if (format_ == "table") finish_table();
  if (format_ == "csv" && !records_.empty()) world_.out() << records_to_csv(records_);
  if (format_ == "markdown") world_.out() << render_markdown(record_table(records_, TextStyle{}));
  world_.out().flush();
}

void RunReporter::finish_table() {
  if (records_.empty()) return;
  const TextStyle style = world_.style();
  world_.out() << run_heading(records_, style) << "\n\n"
               << render_terminal(record_table(records_, style), style) << '\n';
  const std::string problems = problem_paragraphs(records_, style);
  if (!problems.empty()) world_.out() << problems << '\n';
  for (const std::string& point : excluded_) world_.out() << "left out: " << point << '\n';
  world_.out() << summary_line(records_, style) << '\n'
               << statistics_line(world_.engine().service().counters()) << '\n';
  if (file_) world_.out() << "records: " << file_->path().string() << '\n';
}

bool RunReporter::all_ok() const {
  return std::all_of(records_.begin(), records_.end(),
                     [](const Record& record) { return record.status == RunStatus::kOk; });
}

}  // namespace kiln
