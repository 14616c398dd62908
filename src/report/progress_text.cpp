#include "report/progress_text.h"

#include <algorithm>
#include <map>

#include "base/clock.h"
#include "base/exit_code.h"
#include "base/text.h"
#include "report/record_table.h"

namespace kiln {
namespace {

constexpr const char* kWaiting = "waiting";
constexpr const char* kRunning = "running";

bool is_good(const std::string& state) {
  return state == "done" || state == "done before";
}

Tone tone_of_state(const std::string& state) {
  if (state == kRunning) return Tone::kStrong;
  if (is_good(state)) return Tone::kGood;
  return state == kWaiting ? Tone::kDim : Tone::kBad;
}

std::string count_text(const WatchedCounts& counts, const std::string& unit) {
  std::string text = std::to_string(counts.done);
  if (counts.total) text += " of " + std::to_string(*counts.total);
  text += " " + unit;
  if (counts.failed > 0) text += ", " + std::to_string(counts.failed) + " failed";
  return text;
}

/// "3.2 per second" or, of what takes longer, "18.2 per minute" or "4.1 per hour".
std::string rate_text(double rate) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  if (rate >= 1) return short_number(rate) + " per second";
  if (rate * kMinute >= 1) return short_number(rate * kMinute) + " per minute";
  return short_number(rate * kHour) + " per hour";
}

/// Fills in the rate and the time that is left.
void add_pace(WatchedCounts& counts, std::uint64_t known, double seconds) {
  if (counts.done <= known || seconds <= 0) return;
  counts.rate = static_cast<double>(counts.done - known) / seconds;
  if (counts.total && *counts.total >= counts.done)
    counts.seconds_left = static_cast<double>(*counts.total - counts.done) / *counts.rate;
}

std::string unit_of(const Watched& watched) {
  for (const WatchedRun& run : watched.runs)
    if (watched.runs.size() == 1 && run.progress) return run.progress->unit;
  return "variants";
}

/// The stage and the best of a single run.
std::string details_of(const Watched& watched) {
  if (watched.runs.size() != 1 || !watched.runs.front().progress) return "";
  const Progress& progress = *watched.runs.front().progress;
  return (progress.stage.empty() ? "" : " of " + progress.stage) +
         (progress.best.empty() ? "" : "; best " + progress.best);
}

/// "3 done, 2 running, 7 waiting".
std::string states_text(const std::vector<WatchedRun>& runs) {
  std::vector<std::string> order;
  std::map<std::string, std::size_t> counts;
  for (const WatchedRun& run : runs) {
    if (++counts[run.state] == 1) order.push_back(run.state);
  }
  std::vector<std::string> parts;
  for (const std::string& state : order) parts.push_back(std::to_string(counts[state]) + " " + state);
  return join(parts, ", ");
}

std::vector<TableCell> row_of(const WatchedRun& run, std::int64_t now_ns) {
  const WatchedCounts counts = counts_of(run, now_ns);
  const bool runs = run.state == kRunning;
  return {{run.name},
          {run.state, tone_of_state(run.state)},
          {counts.done > 0 || run.progress ? std::to_string(counts.done) : "-"},
          {std::to_string(counts.failed), counts.failed > 0 ? Tone::kBad : Tone::kPlain},
          {counts.total ? std::to_string(*counts.total) : "-"},
          {runs && counts.rate ? rate_text(*counts.rate) : "-"},
          {runs && counts.seconds_left ? format_seconds(*counts.seconds_left) + " left"
           : run.seconds > 0           ? "took " + format_seconds(run.seconds)
                                       : "-"},
          {run.progress ? run.progress->best : ""}};
}

/// The runs that a table of at most `most` rows shows: those at work and those that went wrong come first.
std::vector<const WatchedRun*> chosen(const std::vector<WatchedRun>& runs, std::size_t most) {
  std::vector<const WatchedRun*> rows;
  for (const WatchedRun& run : runs) rows.push_back(&run);
  if (most == 0 || rows.size() <= most) return rows;
  std::erase_if(rows, [](const WatchedRun* run) { return run->state == kWaiting || is_good(run->state); });
  if (rows.size() > most) rows.resize(most);
  return rows;
}

}  // namespace

WatchedCounts counts_of(const WatchedRun& run, std::int64_t now_ns) {
  WatchedCounts counts;
  if (run.total > 0) counts.total = run.total;
  if (!run.progress) {
    if (is_good(run.state)) counts.done = run.total;
    return counts;
  }
  const Progress& progress = *run.progress;
  counts.done = progress.done;
  counts.failed = progress.failed;
  if (progress.total) counts.total = progress.total;
  const std::int64_t end = run.state == kRunning ? now_ns : progress.updated_ns;
  add_pace(counts, progress.known, seconds_between(progress.begin_ns, end));
  if (progress.seconds_left) {
    const double left = *progress.seconds_left - seconds_between(progress.updated_ns, end);
    counts.seconds_left = std::max(0.0, std::min(left, counts.seconds_left.value_or(left)));
  }
  return counts;
}

WatchedCounts counts_of(const Watched& watched, std::int64_t now_ns) {
  if (watched.runs.size() == 1) return counts_of(watched.runs.front(), now_ns);
  WatchedCounts all;
  all.total = 0;
  std::uint64_t known = 0;
  for (const WatchedRun& run : watched.runs) {
    const WatchedCounts counts = counts_of(run, now_ns);
    all.done += counts.done;
    all.failed += counts.failed;
    if (run.progress) known += run.progress->known;
    if (run.state == "done before") known += counts.done;
    all.total = all.total && counts.total ? std::optional(*all.total + *counts.total) : std::nullopt;
  }
  std::int64_t end = now_ns;
  if (watched.exit_code) {
    end = watched.begin_ns;
    for (const WatchedRun& run : watched.runs)
      if (run.progress) end = std::max(end, run.progress->updated_ns);
  }
  add_pace(all, known, seconds_between(watched.begin_ns, end));
  return all;
}

std::string state_of_exit(int exit_code) {
  constexpr int kSignals = 128;
  if (exit_code > kSignals) return "interrupted";
  switch (exit_code) {
    case kExitDone:
      return "done";
    case kExitFailed:
      return "failed";
    case kExitBadInput:
      return "refused";
    case kExitEnvironment:
      return "environment";
    default:
      return "ended early";
  }
}

std::string watched_state(const Watched& watched) {
  std::string text = count_text(counts_of(watched, watched.begin_ns), unit_of(watched)) + details_of(watched);
  if (watched.runs.size() > 1) text += "; " + states_text(watched.runs);
  return text;
}

std::string watched_pace(const Watched& watched, std::int64_t now_ns) {
  const WatchedCounts counts = counts_of(watched, now_ns);
  std::vector<std::string> parts;
  if (counts.rate) parts.push_back(rate_text(*counts.rate));
  if (counts.seconds_left && !watched.exit_code)
    parts.push_back(format_seconds(*counts.seconds_left) + " left");
  return join(parts, ", ");
}

std::string watched_text(const Watched& watched, std::int64_t now_ns, const TextStyle& style,
                         std::size_t most) {
  std::string text = paint(printable_line(watched.command), Tone::kStrong, style) + "\n";
  const std::string pace = watched_pace(watched, now_ns);
  text += printable_line(watched_state(watched)) + (pace.empty() ? "" : "; " + pace) + "\n";
  if (watched.runs.size() > 1) {
    TextTable table;
    table.columns = {{"name"},     {"state"},      {"done", true}, {"failed", true},
                     {"of", true}, {"rate", true}, {"time", true}, {"best"}};
    for (const WatchedRun* run : chosen(watched.runs, most)) table.rows.push_back(row_of(*run, now_ns));
    if (!table.rows.empty()) text += "\n" + render_terminal(table, style);
  }
  if (!watched.messages.empty()) text += "\n";
  for (const std::string& message : watched.messages) text += printable_line(message) + "\n";
  return text;
}

}  // namespace kiln
