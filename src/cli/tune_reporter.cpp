#include "cli/tune_reporter.h"

#include <algorithm>

#include "base/text.h"
#include "record/record_json.h"
#include "report/csv.h"
#include "report/record_table.h"

namespace kiln {

void TuneReporter::keep(const Record& record) {
  records_.push_back(record);
  if (format_ == "json") world_.out() << record_to_json(record) << '\n' << std::flush;
  file_.append(record);
}

void TuneReporter::record(const Record& record) {
  const std::lock_guard lock(mutex_);
  keep(record);
}

std::string TuneReporter::name_of(const std::string& label, const std::vector<std::string>& values) const {
  const auto rank = space_.rank(values);
  return rank ? space_.short_label(space_.points().point(*rank)) : label;
}

std::string TuneReporter::place(const TuneProgress& progress) const {
  return "[" + std::to_string(progress.evaluated) +
         (progress.evaluations ? "/" + std::to_string(*progress.evaluations) : "") + "] ";
}

std::string TuneReporter::best_of(const TuneProgress& progress) const {
  return progress.best == nullptr ? ""
                                  : objective_.text(progress.best->outcome.value) + " (" +
                                        name_of(progress.best->label, progress.best->values) + ")";
}

std::string TuneReporter::best_and_rest(const TuneProgress& progress) const {
  std::string text;
  if (progress.best != nullptr) text += "; best " + best_of(progress);
  if (progress.seconds_left) text += ", " + format_seconds(std::max(0.0, *progress.seconds_left)) + " left";
  return text;
}

void TuneReporter::compiling(std::size_t points, const TuneProgress& progress) {
  if (world_.quiet()) return;
  world_.status_line().show(place(progress) + "compiling " + std::to_string(points) +
                            (points == 1 ? " point" : " points") + best_and_rest(progress));
}

void TuneReporter::measuring(const Candidate& candidate, const TuneProgress& progress) {
  if (world_.quiet()) return;
  world_.status_line().show(place(progress) + name_of(candidate.label, candidate.values) + " ..." +
                            best_and_rest(progress));
}

void TuneReporter::keep_progress(const TuneProgress& progress, const std::string& message) {
  Progress& state = progress_.state();
  state.done = progress.evaluated;
  state.total = progress.evaluations;
  state.seconds_left = progress.seconds_left;
  state.best = best_of(progress);
  if (progress.last->outcome.kind == OutcomeKind::kFailed) ++state.failed;
  progress_.add_message(message);
  progress_.write();
}

void TuneReporter::evaluated(const TuneProgress& progress) {
  const Outcome& outcome = progress.last->outcome;
  const std::string how = outcome.kind == OutcomeKind::kFailed ? std::string(to_string(outcome.failure))
                          : outcome.kind == OutcomeKind::kCut
                              ? "slower than " + objective_.text(outcome.value)
                              : objective_.text(outcome.value);
  const std::string message =
      place(progress) + name_of(progress.last->label, progress.last->values) + ": " + how;
  keep_progress(progress, message);
  if (world_.quiet() || world_.status_line().is_terminal()) return;
  world_.status_line().write(message + best_and_rest(progress));
}

void TuneReporter::finish() {
  world_.status_line().clear();
  if (format_ == "csv" && !records_.empty()) world_.out() << records_to_csv(records_);
  if (format_ == "markdown") world_.out() << render_markdown(record_table(records_, TextStyle{}));
  world_.out().flush();
}

void TuneReporter::end_early(const std::optional<Record>& last) {
  mutex_.lock();  // for ever
  if (last) keep(*last);
  finish();
}

}  // namespace kiln
