#include "cli/run_reporter.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "record/record_json.h"
#include "report/csv.h"
#include "report/portability_text.h"
#include "report/record_table.h"
#include "report/run_summary.h"
#include "report/statistics_report.h"
#include "report/text_table.h"

namespace kiln {
namespace {

std::string place_text(std::size_t number, std::size_t count) {
  return "[" + std::to_string(number) + "/" + std::to_string(count) + "]";
}

std::string spaced(const std::string& label) {
  return label.empty() ? "" : " " + label;
}

}  // namespace

const std::vector<std::string>& run_formats() {
  static const std::vector<std::string> names = {"table", "json", "csv", "markdown"};
  return names;
}

namespace {

/// The kernels that ran as fibers, which is slow, with the reason; each once.
std::set<std::string> fiber_lines(const std::vector<Record>& records) {
  std::set<std::string> lines;
  for (const Record& record : records) {
    for (const LaunchUse& launch : record.launches) {
      if (launch.attributes.fibers_because)
        lines.insert("runs as fibers: " + launch.kernel + ": " + *launch.attributes.fibers_because);
    }
  }
  return lines;
}

}  // namespace

RunReporter::RunReporter(World& world, std::string format, std::optional<RecordFile> file,
                         ProgressKeeper& progress)
    : world_(world), format_(std::move(format)), file_(std::move(file)), progress_(progress) {}

void RunReporter::begin(const JobPlan& plan) {
  if (file_) file_->require_writable();
  excluded_ = plan.excluded;
  count_ = plan.variants.size();
  begin_ns_ = world_.clock().steady_ns();
  progress_.state().total = count_;
  progress_.restart_clock();
  progress_.write();
  if (world_.quiet()) return;
  for (const std::string& note : plan.notes) world_.status_line().write(note);
}

void RunReporter::compiling(std::size_t last, std::size_t count) {
  if (world_.quiet()) return;
  world_.status_line().show("[" + std::to_string(records_.size()) + "/" + std::to_string(count) +
                            "] compiling up to variant " + std::to_string(last) + " ...");
}

void RunReporter::known(const Record& record) {
  const std::lock_guard lock(mutex_);
  take(record);
  ++progress_.state().known;
  progress_.write_if_due();
}

/// Assumes that each variant takes as long as the earlier ones, including their share of the compiles.
std::string RunReporter::time_left() const {
  if (measured_ == 0) return "";
  const double each = seconds_between(begin_ns_, world_.clock().steady_ns()) / static_cast<double>(measured_);
  return ", " + format_seconds(each * static_cast<double>(count_ - records_.size())) + " left";
}

TextStyle RunReporter::plain_style() const {
  return {0, world_.style().utf8, false};
}

void RunReporter::variant_started(std::size_t index, std::size_t count, const std::string& label) {
  if (world_.quiet() || !world_.status_line().is_terminal()) return;
  const std::string best = best_text(records_, plain_style());
  world_.status_line().show(place_text(index + 1, count) + time_left() +
                            (best.empty() ? "" : ", best " + best) + ":" + spaced(label) + " ...");
}

void RunReporter::take(const Record& record) {
  records_.push_back(record);
  ++progress_.state().done;
  if (!may_be_measured(record.status)) ++progress_.state().failed;
  if (format_ == "json") world_.out() << record_to_json(record) << '\n' << std::flush;
}

void RunReporter::keep(const Record& record) {
  take(record);
  ++measured_;
  if (file_) file_->append(record);
}

void RunReporter::end_early(const std::optional<Record>& last) {
  mutex_.lock();  // for ever
  if (last) keep(*last);
  finish();
}

/// Finding the best takes a look at every record, so it is not done after each of many short variants.
void RunReporter::keep_progress(const std::string& message) {
  progress_.add_message(message);
  if (progress_.is_due() || records_.size() == count_)
    progress_.state().best = best_text(records_, plain_style());
  progress_.write();
}

void RunReporter::record(const Record& record) {
  std::string message;
  {
    const std::lock_guard lock(mutex_);
    keep(record);
    const std::string time = record.step ? ", " + time_text(*record.step, plain_style()) : "";
    message = place_text(records_.size(), count_) + spaced(record.label) + ": " + to_string(record.status) +
              time + " (" + origin_text(record) + ")";
    keep_progress(message);
  }
  if (world_.quiet() || world_.status_line().is_terminal()) return;
  world_.status_line().write(message + (records_.size() < count_ ? time_left() : ""));
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
  for (const std::string& line : fiber_lines(records_)) world_.out() << printable_line(line) << '\n';
  const std::string devices = devices_text(records_, &style);
  if (!devices.empty()) world_.out() << devices << '\n';
  for (const std::string& point : excluded_) world_.out() << "left out: " << printable_line(point) << '\n';
  StoredStatistics all{.counters = world_.engine().service().counters()};
  add_statistics(all, elsewhere_);
  world_.out() << summary_line(records_, style) << '\n' << statistics_line(all.counters) << '\n';
  if (file_) world_.out() << "records: " << file_->path().string() << '\n';
}

std::vector<const Record*> RunReporter::records() const {
  std::vector<const Record*> records;
  for (const Record& record : records_) records.push_back(&record);
  return records;
}

}  // namespace kiln
