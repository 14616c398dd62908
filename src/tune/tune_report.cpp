#include "tune/tune_report.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "report/record_table.h"
#include "tune/parameter_effects.h"

namespace kiln {
namespace {

/// Names a variant by the values that differ from the default's, where it has any.
std::string name_of(const Evaluation& evaluation, const TuneTask& task) {
  const auto rank = task.space.rank(evaluation.values);
  return rank ? task.space.short_label(task.space.points().point(*rank)) : evaluation.label;
}

class Report {
 public:
  Report(const TuneTask& task, const TuneResult& result, const TextStyle& style)
      : task_(task),
        result_(result),
        style_(style),
        objective_(task.job.tune.objective, task.workload, task.space.sizes().size()) {}

  std::string text() {
    add_finalists();
    add_comparison("default", result_.default_variant);
    add_comparison("paper", result_.paper_variant);
    add_front();
    add_effects();
    add_failures();
    add_counts();
    return text_;
  }

 private:
  /// Beside the best, where it took part in that.
  [[nodiscard]] const Finalist* finalist(std::size_t evaluation) const {
    for (const Finalist& one : result_.finalists) {
      if (one.evaluation == evaluation) return &one;
    }
    return nullptr;
  }
  [[nodiscard]] double value_of(std::size_t evaluation) const {
    const Finalist* one = finalist(evaluation);
    return one != nullptr ? one->value.median : result_.evaluations[evaluation].outcome.value;
  }
  [[nodiscard]] std::string outcome_text(std::size_t place) const {
    if (const Finalist* one = finalist(place)) {
      return objective_.text(one->value.median) + " [" + objective_.text(one->value.low) + ", " +
             objective_.text(one->value.high) + "]";
    }
    const Evaluation& evaluation = result_.evaluations[place];
    const Outcome& outcome = evaluation.outcome;
    if (outcome.kind == OutcomeKind::kFailed) return std::string(to_string(outcome.failure));
    if (outcome.kind == OutcomeKind::kCut) return "slower than " + objective_.text(outcome.value);
    const SizeResult& only = evaluation.sizes.front();
    const bool seconds = evaluation.sizes.size() == 1 && objective_.metrics().front() == "time";
    return objective_.text(outcome.value) +
           (seconds ? " [" + format_seconds(only.low) + ", " + format_seconds(only.high) + "]" : "");
  }

  void add_finalists() {
    if (!result_.best) {
      text_ += "no variant could be measured\n";
      return;
    }
    const Evaluation& best = result_.evaluations[*result_.best];
    text_ += paint("best: " + name_of(best, task_), Tone::kGood, style_) + ", " +
             outcome_text(*result_.best) + "\n";
    if (result_.finalists.empty()) return;
    TextTable table{{{"measured beside each other"},
                     {"median", true},
                     {"least", true},
                     {"most", true},
                     {"constants that\nare not the default's", true}},
                    {}};
    for (const Finalist& one : result_.finalists) {
      table.rows.push_back({{name_of(result_.evaluations[one.evaluation], task_)},
                            {objective_.text(one.value.median)},
                            {objective_.text(one.value.low)},
                            {objective_.text(one.value.high)},
                            {std::to_string(one.differences)}});
    }
    text_ += "\n" + render_terminal(table, style_) + "\n";
  }

  void add_comparison(const std::string& what, const std::optional<std::size_t>& place) {
    if (!place) return;
    const Evaluation& evaluation = result_.evaluations[*place];
    const bool both = result_.best && evaluation.outcome.kind == OutcomeKind::kValue;
    text_ += what + ": " + outcome_text(*place);
    if (result_.best == place) {
      text_ += "; it is the best";
    } else if (both) {
      text_ += "; the best is " + short_number(value_of(*place) / value_of(*result_.best)) + " times as good";
    }
    text_ += "\n";
  }

  void add_front() {
    if (result_.front.empty()) return;
    TextTable table{{{"best compromises"}}, {}};
    for (const std::string& metric : objective_.metrics()) table.columns.push_back({metric, true});
    for (const std::size_t one : result_.front) {
      std::vector<TableCell> row = {{name_of(result_.evaluations[one], task_)}};
      const auto texts = objective_.metric_texts(result_.evaluations[one]);
      for (const std::string& text : texts) row.push_back({text});
      table.rows.push_back(std::move(row));
    }
    text_ += "\n" + render_terminal(table, style_) + "\n";
  }

  void add_effects() {
    std::vector<std::string> names;
    for (const auto& [name, values] : task_.space.names()) names.push_back(name);
    const std::vector<ParameterEffect> effects = parameter_effects(names, result_.evaluations);
    if (effects.empty()) return;
    TextTable table{{{"effect of"}, {"share of the\nvariance", true}, {"best"}, {"worst"}, {"factor", true}},
                    {}};
    constexpr double kPercent = 100;
    for (const ParameterEffect& one : effects) {
      table.rows.push_back({{one.name},
                            {std::to_string(std::lround(one.share * kPercent)) + " %"},
                            {one.best},
                            {one.worst},
                            {short_number(one.factor)}});
    }
    text_ += "\n" + render_terminal(table, style_) + "\n";
  }

  void add_failures() {
    std::map<FailureKind, std::vector<const Evaluation*>> failed;
    for (const Evaluation& one : result_.evaluations) {
      if (one.outcome.kind == OutcomeKind::kFailed) failed[one.outcome.failure].push_back(&one);
    }
    for (const auto& [kind, points] : failed) {
      const Evaluation& first = *points.front();
      const std::string why = first.sizes.empty() ? "" : first.sizes.back().message;
      text_ += paint(std::to_string(points.size()) + " " + to_string(kind), Tone::kBad, style_) + ": " +
               name_of(first, task_) + shared_values(points) +
               (why.empty() ? "" : ": " + why.substr(0, why.find('\n'))) + "\n";
    }
  }

  /// Values that all of several failed points have, and not all that were measured.
  [[nodiscard]] std::string shared_values(const std::vector<const Evaluation*>& points) const {
    std::vector<std::string> shared;
    for (std::size_t i = 0; points.size() > 1 && i < task_.space.names().size(); ++i) {
      const auto value = [i](const Evaluation& one) {
        return i < one.values.size() ? one.values[i] : std::string();
      };
      const std::string first = value(*points.front());
      const bool same =
          !first.empty() && std::all_of(points.begin(), points.end(),
                                        [&](const Evaluation* one) { return value(*one) == first; });
      const bool everywhere = std::all_of(result_.evaluations.begin(), result_.evaluations.end(),
                                          [&](const Evaluation& one) { return value(one) == first; });
      if (same && !everywhere) shared.push_back(task_.space.names()[i].first + "=" + first);
    }
    return points.size() < 2 ? "" : " and others" + (shared.empty() ? "" : ", all with " + join(shared, " "));
  }

  void add_counts() {
    const auto measured =
        std::count_if(result_.evaluations.begin(), result_.evaluations.end(),
                      [](const Evaluation& one) { return one.outcome.kind != OutcomeKind::kFailed; });
    text_ += join(task_.space.summary(), "; ") + "; " + std::to_string(result_.asked) + " asked for, " +
             std::to_string(result_.evaluations.size()) + " different variants" +
             (result_.known > 0 ? " (" + std::to_string(result_.known) + " known)" : "") + ", " +
             std::to_string(measured) + " measured\n";
    text_ += "ended: " + result_.end + "; " + format_seconds(result_.seconds) + " in all: device " +
             format_seconds(result_.device_seconds) + ", waiting for code " +
             format_seconds(result_.wait_seconds) + "; compilers " + format_seconds(result_.compile_seconds) +
             "\n";
  }

  const TuneTask& task_;
  const TuneResult& result_;
  const TextStyle& style_;
  Objective objective_;
  std::string text_;
};

/// In YAML; quoted if it is not a plain word.
std::string yaml_text(const RawValue& value) {
  const bool plain = !value.quoted && !value.text.empty() &&
                     value.text.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789_.+-/") == std::string::npos;
  if (plain) return value.text;
  std::string quoted = "'";
  for (const char c : value.text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

void add_line(std::string& text, const std::string& name, const RawValue& value) {
  text += "  " + name + ": " + yaml_text(value) + "\n";
}

}  // namespace

std::string tune_report(const TuneTask& task, const TuneResult& result, const TextStyle& style) {
  return Report(task, result, style).text();
}

std::string best_job(const TuneTask& task, const TuneResult& result) {
  const JobSpec& job = task.job;
  if (!result.best || job.inline_workload) return "";
  const Evaluation& best = result.evaluations[*result.best];
  const bool by_path = job.workload.find('/') != std::string::npos;
  std::string text = "# The best variant that `kiln tune " + printable_line(job.file) + "` has found.\n";
  text += "workload: " +
          yaml_text(
              {by_path ? std::filesystem::absolute(task.workload.file).string() : job.workload, false, {}}) +
          "\ndevice: " + task.device + "\n";
  const auto& sizes = job.tune.sizes;
  const bool swept = std::all_of(sizes.begin(), sizes.end(), [&](const auto& size) {
    return size.size() == 1 && size.front().first == sizes.front().front().first;
  });
  std::string set;
  for (const auto& [name, value] : job.set) {
    if (sizes.empty() || !has_name(sizes.front(), name)) add_line(set, name, value);
  }
  if (!sizes.empty() && !swept) {
    for (const auto& [name, value] : sizes.front()) add_line(set, name, value);
  }
  for (std::size_t i = 0; i < best.values.size(); ++i) {
    const auto& [name, values] = task.space.names()[i];
    const auto value = std::find_if(values.begin(), values.end(),
                                    [&](const RawValue& one) { return one.text == best.values[i]; });
    add_line(set, name, *value);
  }
  if (!set.empty()) text += "set:\n" + set;
  if (!sizes.empty() && swept) {
    std::vector<std::string> values;
    for (const auto& size : sizes) values.push_back(yaml_text(size.front().second));
    text += "sweep:\n  " + sizes.front().front().first + ": [" + join(values, ", ") + "]\n";
  }
  const MeasureSpec& measure = job.measure;
  text += "measure: {min_time: " + format_number(measure.min_time) +
          ", max_time: " + format_number(measure.max_time) +
          ", min_samples: " + std::to_string(measure.min_samples) +
          ", max_samples: " + std::to_string(measure.max_samples) +
          (measure.cold ? ", cache: cold}\n" : "}\n");
  return text;
}

}  // namespace kiln
