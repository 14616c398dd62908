#include "cli/batch_reporter.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "kiln/error.h"
#include "record/record_json.h"
#include "report/csv.h"
#include "report/portability_text.h"
#include "report/record_table.h"
#include "report/run_summary.h"

namespace kiln {
namespace {

/// "[3/10] block=64: ok": what a job writes of its own progress.
bool is_progress(std::string_view line) {
  const std::size_t slash = line.find('/');
  const std::size_t end = line.find(']');
  const auto digits = [&](std::size_t from, std::size_t to) {
    return from < to && std::all_of(line.begin() + static_cast<std::ptrdiff_t>(from),
                                    line.begin() + static_cast<std::ptrdiff_t>(to),
                                    [](char c) { return c >= '0' && c <= '9'; });
  };
  return line.starts_with('[') && slash != std::string_view::npos && end != std::string_view::npos &&
         slash < end && digits(1, slash) && digits(slash + 1, end);
}

Tone tone_of_end(JobEnd end) {
  if (end == JobEnd::kDone || end == JobEnd::kKnown) return Tone::kGood;
  return end == JobEnd::kNotRun || end == JobEnd::kInterrupted ? Tone::kWarn : Tone::kBad;
}

std::size_t count_ok(const std::vector<Record>& records) {
  return static_cast<std::size_t>(std::count_if(
      records.begin(), records.end(), [](const Record& record) { return may_be_measured(record.status); }));
}

/// "1 variant", "3 variants".
std::string counted(std::size_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string number_or_dash(std::size_t number, bool known) {
  return known ? std::to_string(number) : "-";
}

/// "4 done, 1 failed".
std::string count_ends(const std::vector<JobOutcome>& outcomes) {
  std::vector<std::string> parts;
  for (const auto& [end, word] : kWords<JobEnd>) {
    const auto count = std::count_if(outcomes.begin(), outcomes.end(),
                                     [end = end](const JobOutcome& outcome) { return outcome.end == end; });
    if (count > 0) parts.push_back(std::to_string(count) + " " + std::string(word));
  }
  return join(parts, ", ");
}

}  // namespace

BatchReporter::BatchReporter(World& world, const BatchSpec& batch, const BatchOutlook& outlook,
                             std::string format, BatchJournal* journal, ProgressKeeper& kept)
    : world_(world),
      batch_(batch),
      outlook_(outlook),
      format_(std::move(format)),
      journal_(journal),
      kept_(kept),
      results_(batch.jobs.size()),
      ended_(batch.jobs.size()),
      begin_time_(to_iso8601(world.clock().system_ns())),
      begin_ns_(world.clock().steady_ns()) {
  for (std::size_t i = 0; i < batch.jobs.size(); ++i) {
    const BatchJob& job = batch.jobs[i];
    const std::string output = job.output.empty() ? "" : std::filesystem::absolute(job.output).string();
    kept_.state().jobs.push_back({job.name, to_string(job.command), output, "waiting", outlook.variants[i]});
  }
  kept_.write();
}

void BatchReporter::keep_progress(std::size_t job, const std::string& state, double seconds,
                                  const std::string& message) {
  kept_.state().jobs[job].state = state;
  kept_.state().jobs[job].seconds = seconds;
  kept_.add_message(message);
  kept_.write();
}

bool BatchReporter::has_records(std::size_t job) const {
  return batch_.jobs[job].command == BatchCommand::kRun;
}

std::string BatchReporter::place(std::size_t job) const {
  return "[" + std::to_string(job + 1) + "/" + std::to_string(batch_.jobs.size()) + " " +
         batch_.jobs[job].name + "]";
}

std::size_t BatchReporter::variants_done() const {
  std::size_t done = 0;
  for (std::size_t i = 0; i < results_.size(); ++i)
    done += ended_[i] ? outlook_.variants[i] : std::min(results_[i].records.size(), outlook_.variants[i]);
  return done;
}

/// "12 of 40 variants, 3 min left": as long for each variant as for those before it.
std::string BatchReporter::progress() const {
  std::size_t all = 0;
  for (const std::size_t count : outlook_.variants) all += count;
  const std::size_t done = variants_done();
  std::string text = std::to_string(done) + " of " + counted(all, "variant");
  if (done == 0 || done == all) return text;
  const double each = seconds_between(begin_ns_, world_.clock().steady_ns()) / static_cast<double>(done);
  return text + ", " + format_seconds(each * static_cast<double>(all - done)) + " left";
}

void BatchReporter::job_begins(std::size_t job) {
  const BatchJob& one = batch_.jobs[job];
  const std::string message = place(job) + " kiln " + to_string(one.command) + " " + one.file +
                              (one.devices.empty() ? "" : " on " + join(one.devices, ", "));
  keep_progress(job, "running", 0, message);
  if (!world_.quiet()) world_.status_line().write(message + "; " + progress());
}

bool BatchReporter::take_record(std::size_t job, std::string_view line) {
  Results& results = results_[job];
  try {
    results.records.push_back(record_from_json(std::string(line), batch_.jobs[job].name, 1));
  } catch (const Error&) {
    return false;
  }
  if (results.records.back().time < begin_time_) ++results.from_before;
  if (format_ == "json") world_.out() << line << '\n' << std::flush;
  return true;
}

void BatchReporter::output_line(std::size_t job, std::string_view line) {
  if (has_records(job) && line.starts_with(kRecordBeginning) && take_record(job, line)) return;
  if (format_ == "json") {
    world_.out() << line << '\n' << std::flush;
  } else {
    results_[job].text += std::string(line) + "\n";
  }
}

void BatchReporter::error_line(std::size_t job, std::string_view line) {
  if (!is_progress(line) || !world_.status_line().is_terminal())
    world_.status_line().write(place(job) + " " + std::string(line));
  else
    world_.status_line().show(progress() + " " + place(job) + " " + std::string(line));
}

void BatchReporter::job_ended(std::size_t job, const JobOutcome& outcome) {
  ended_[job] = true;
  const std::string why = outcome.message.empty() ? "" : " (" + outcome.message + ")";
  const std::string message =
      place(job) + " " + to_string(outcome.end) + why + " after " + format_seconds(outcome.seconds);
  keep_progress(job, to_string(outcome.end), outcome.seconds, message);
  if (!world_.quiet()) world_.status_line().write(message + "; " + progress());
  if (journal_ != nullptr && outcome.end != JobEnd::kKnown) {
    journal_->append({batch_.jobs[job].name, outlook_.digests[job], to_iso8601(world_.clock().system_ns()),
                      outcome.end, outcome.exit_code, outcome.seconds, outcome.message});
  }
  show_results(job);
}

void BatchReporter::show_results(std::size_t job) {
  const Results& results = results_[job];
  if (format_ == "json" || format_ == "csv" || (results.records.empty() && results.text.empty())) return;
  world_.status_line().clear();
  const TextStyle style = format_ == "table" ? world_.style() : TextStyle{};
  const std::string& name = batch_.jobs[job].name;
  if (format_ == "markdown")
    world_.out() << "## " << name << "\n\n";
  else
    world_.out() << paint(name, Tone::kStrong, style) << "\n";
  world_.out() << results.text;
  if (!results.records.empty()) {
    const TextTable table = record_table(results.records, style);
    world_.out() << (format_ == "table"
                         ? run_heading(results.records, style) + "\n\n" + render_terminal(table, style)
                         : render_markdown(table))
                 << "\n"
                 << problem_paragraphs(results.records, style) << summary_line(results.records, style)
                 << "\n";
  }
  world_.out() << "\n" << std::flush;
}

std::vector<Record> BatchReporter::all_records() const {
  std::vector<Record> all;
  for (const Results& results : results_)
    all.insert(all.end(), results.records.begin(), results.records.end());
  return all;
}

TextTable BatchReporter::summary(const std::vector<JobOutcome>& outcomes, const TextStyle& style) const {
  TextTable table;
  table.columns = {{"job"},        {"end"},          {"variants", true},
                   {"ok", true},   {"not ok", true}, {"from\nearlier runs", true},
                   {"time", true}, {"best"}};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const std::vector<Record>& records = results_[i].records;
    const bool known = has_records(i) && !records.empty();
    const std::size_t ok = count_ok(records);
    table.rows.push_back(
        {{batch_.jobs[i].name},
         {to_string(outcomes[i].end), tone_of_end(outcomes[i].end)},
         {number_or_dash(records.size(), known)},
         {number_or_dash(ok, known)},
         {number_or_dash(records.size() - ok, known), records.size() > ok ? Tone::kBad : Tone::kPlain},
         {number_or_dash(results_[i].from_before, known)},
         {format_seconds(outcomes[i].seconds)},
         {records.empty() ? "" : best_text(records, style)}});
  }
  return table;
}

std::string BatchReporter::totals(const std::vector<JobOutcome>& outcomes, const TextStyle& style) const {
  const std::vector<Record> records = all_records();
  const std::size_t ok = count_ok(records);
  std::string text = counted(outcomes.size(), "job") + ": " + count_ends(outcomes) + style.dot() +
                     counted(records.size(), "variant") + ", " + std::to_string(ok) + " ok" + style.dot() +
                     format_seconds(seconds_between(begin_ns_, world_.clock().steady_ns()));
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].message.empty())
      text += "\n" + batch_.jobs[i].name + ": " + to_string(outcomes[i].end) + ": " + outcomes[i].message;
  }
  return text;
}

void BatchReporter::finish(const std::vector<JobOutcome>& outcomes) {
  world_.status_line().clear();
  const std::vector<Record> records = all_records();
  if (format_ == "csv" && !records.empty()) world_.out() << records_to_csv(records);
  if (format_ == "table" || format_ == "markdown") {
    const bool terminal = format_ == "table";
    const TextStyle style = terminal ? world_.style() : TextStyle{};
    const std::string devices = devices_text(records, terminal ? &style : nullptr);
    if (!devices.empty()) world_.out() << devices << "\n";
    const TextTable table = summary(outcomes, style);
    world_.out() << (terminal ? render_terminal(table, style) : render_markdown(table)) << "\n"
                 << totals(outcomes, style) << "\n";
    if (journal_ != nullptr)
      world_.out() << "results: " << journal_->path().parent_path().string() << "; kiln report shows them\n";
  } else if (!world_.quiet()) {
    world_.status_line().write(totals(outcomes, {0, world_.style().utf8, false}));
  }
  world_.out().flush();
}

}  // namespace kiln
