#include "job/wisdom_advice.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "base/text.h"
#include "config/job_spec.h"
#include "launch/argument_values.h"
#include "launch/shape_check.h"
#include "trial/needs.h"
#include "wisdom/wisdom_file.h"
#include "workload/selection.h"
#include "workload/tune_spec.h"

namespace kiln {
namespace {

using Assignments = std::vector<std::pair<std::string, RawValue>>;

WisdomUse use_of(const WisdomChoice& choice, const std::string& sentence) {
  WisdomUse use;
  use.file = choice.record.where.file;
  use.sentence = sentence;
  use.device = choice.record.key.device.name;
  use.date = choice.record.made.date;
  use.distance = choice.distance;
  use.stale = choice.stale;
  return use;
}

/// Absent where a constraint does not hold, or the device refuses it before anything is compiled.
std::optional<Configuration> configuration_of(const WisdomQuestion& question, const Assignments& added,
                                              FileSystem& files) {
  auto assignments = question.set;
  assignments.insert(assignments.end(), added.begin(), added.end());
  ConfigurationResult result = configure(question.workload, assignments, question.device, files);
  if (result.violated || find_launch_problem(result.configuration, question.device)) return std::nullopt;
  return std::move(result.configuration);
}

void require_fresh(const WisdomAdvice& advice, const WisdomChoice& choice) {
  if (advice.strict && !choice.stale.empty())
    throw bad_input(
        "--strict-wisdom: " + choice.sentence(advice.today) + "; kiln wisdom check measures it again",
        choice.record.where);
}

/// A point for one launch: values by `<launch>.<parameter>`.
struct LaunchPoint {
  std::string launch;
  WisdomChoice choice;
  Assignments values;
};

/// Chooses points for the launches of one configuration.
class LaunchAdviser {
 public:
  LaunchAdviser(const WisdomAdvice& advice, const WisdomQuestion& question,
                const Configuration& configuration, FileSystem& files)
      : advice_(advice), question_(question), configuration_(configuration), files_(files) {}

  /// In the order of the program; launches of one name share a point.
  [[nodiscard]] std::vector<LaunchPoint> points() {
    std::vector<LaunchPoint> found;
    for (const LaunchSpec* launch : selected_launches(configuration_, configuration_.workload().run)) {
      if (!launch->wisdom || !seen_.insert(launch->timing).second) continue;
      if (auto point = point_for(*launch)) found.push_back(std::move(*point));
    }
    return found;
  }
  /// How many launches asked.
  [[nodiscard]] std::size_t asked() const { return seen_.size(); }

 private:
  [[nodiscard]] std::optional<LaunchPoint> point_for(const LaunchSpec& launch) const {
    const double most = std::log(2.0);
    const auto wisdom =
        std::find_if(advice_.launches.begin(), advice_.launches.end(),
                     [&](const LaunchWisdom& one) { return one.name == launch.wisdom->text; });
    if (wisdom == advice_.launches.end()) return std::nullopt;
    WisdomQuestion question{wisdom->workload, set_for(launch, *wisdom->workload), question_.device,
                            question_.now};
    question.now.source = wisdom->source;
    for (WisdomChoice& choice : choose_wisdom(wisdom->book, question, files_, kRanks)) {
      if (choice.nearness > DeviceNearness::kAlike || choice.distance >= most) continue;
      if (auto values = values_for(launch, *wisdom->workload, choice)) {
        return LaunchPoint{launch.timing, std::move(choice), std::move(*values)};
      }
    }
    return std::nullopt;
  }

  /// What the launch fixes of the other workload's parameters: its sizes, types and choices, which decide
  /// what is launched, and what the job or the launch's `with` gives.
  [[nodiscard]] Assignments set_for(const LaunchSpec& launch, const Workload& workload) const {
    const Configuration& own = configuration_.of(launch);
    const std::vector<std::string> sizes = size_parameters(workload);
    Assignments set;
    for (const ParameterSpec& parameter : workload.parameters) {
      const std::string& name = parameter.name;
      const ParameterSpec* same = own.workload().find_parameter(name);
      if (same == nullptr || same->kind != parameter.kind || parameter.kind == ParameterKind::kPath) continue;
      const bool fixed = parameter.kind != ParameterKind::kScalar || has_name(launch.with, name) ||
                         has_name(question_.set, name) ||
                         has_name(question_.set, launch.timing + "." + name) ||
                         std::find(sizes.begin(), sizes.end(), name) != sizes.end();
      if (fixed) set.emplace_back(name, RawValue{own.value(name).to_string(), false, launch.where});
    }
    return set;
  }

  /// Absent for a point with a value that a launch cannot have, or found without a word for a choice: the
  /// launch may have another one than the search had.
  [[nodiscard]] std::optional<Assignments> values_for(const LaunchSpec& launch, const Workload& workload,
                                                      const WisdomChoice& choice) const {
    for (const auto& [name, list] : tuned_values(workload, question_.device.target.backend)) {
      const bool chosen = has_name(choice.record.values, name);
      if (!chosen && workload.find_parameter(name)->kind == ParameterKind::kChoice) return std::nullopt;
    }
    Assignments values;
    for (const auto& [name, value] : choice.values) {
      if (!configuration_.workload().find_parameter(name)) return std::nullopt;
      values.emplace_back(launch.timing + "." + name, value);
    }
    return values;
  }

  const WisdomAdvice& advice_;
  const WisdomQuestion& question_;
  const Configuration& configuration_;
  FileSystem& files_;
  std::set<std::string> seen_;
};

/// Leaves out points with which the whole does not fit its constraints or the device.
std::optional<Configuration> fit(std::vector<LaunchPoint>& points, const WisdomQuestion& question,
                                 const Assignments& chosen, FileSystem& files) {
  const auto with = [&](const std::vector<LaunchPoint>& some) {
    Assignments all = chosen;
    for (const LaunchPoint& point : some) all.insert(all.end(), point.values.begin(), point.values.end());
    return configuration_of(question, all, files);
  };
  std::optional<Configuration> fitting = with(points);
  if (fitting) return fitting;
  std::vector<LaunchPoint> kept;
  for (LaunchPoint& point : points) {
    kept.push_back(std::move(point));
    if (auto configuration = with(kept)) {
      fitting = std::move(configuration);
    } else {
      kept.pop_back();
    }
  }
  points = std::move(kept);
  return fitting;
}

/// "wisdom: points of NVIDIA H100 for 17 of 20 launches, measured 2 days ago, driver differs".
std::string sentence_of(const std::vector<LaunchPoint>& points, std::size_t asked, const std::string& today) {
  std::set<std::string> devices, stale;
  const WisdomChoice* oldest = &points.front().choice;
  for (const LaunchPoint& point : points) {
    devices.insert(point.choice.record.key.device.name);
    stale.insert(point.choice.stale.begin(), point.choice.stale.end());
    if (point.choice.record.made.date < oldest->record.made.date) oldest = &point.choice;
  }
  std::string text = "wisdom: points of " + join({devices.begin(), devices.end()}, " and ") + " for " +
                     std::to_string(points.size()) + " of " + std::to_string(asked) + " launches, " +
                     age_text(oldest->record.made.date, today);
  if (!stale.empty())
    text += ", " + join({stale.begin(), stale.end()}, " and ") + (stale.size() == 1 ? " differs" : " differ");
  return text;
}

void take(Variant& variant, Configuration configuration) {
  if (!variant.otherwise)
    variant.otherwise = std::make_shared<const Configuration>(std::move(variant.configuration));
  variant.configuration = std::move(configuration);
}

/// The values of the nearest record of the workload itself; empty: none fits. `chosen`: what it gives.
std::string advise_workload(const WisdomAdvice& advice, const WisdomQuestion& question, FileSystem& files,
                            Variant& variant, Assignments& chosen) {
  for (const WisdomChoice& choice : choose_wisdom(advice.book, question, files, kRanks)) {
    std::optional<Configuration> configuration = configuration_of(question, choice.values, files);
    if (!configuration) continue;
    require_fresh(advice, choice);
    std::string sentence = choice.sentence(advice.today);
    take(variant, *std::move(configuration));
    variant.wisdom = use_of(choice, sentence);
    chosen = choice.values;
    return sentence;
  }
  return "";
}

/// The same for launches that name a workload.
std::string advise_launches(const WisdomAdvice& advice, const WisdomQuestion& question, FileSystem& files,
                            Variant& variant, const Assignments& chosen) {
  LaunchAdviser adviser(advice, question, variant.configuration, files);
  std::vector<LaunchPoint> points = adviser.points();
  std::optional<Configuration> configuration = fit(points, question, chosen, files);
  if (!configuration || points.empty()) return "";
  for (const LaunchPoint& point : points) require_fresh(advice, point.choice);
  std::string sentence = sentence_of(points, adviser.asked(), advice.today);
  if (!variant.wisdom) {
    variant.wisdom = use_of(points.front().choice, sentence);
  } else {
    variant.wisdom->sentence += "; " + sentence;
  }
  for (const LaunchPoint& point : points) {
    variant.wisdom->distance = std::max(variant.wisdom->distance, point.choice.distance);
    for (const std::string& field : point.choice.stale) {
      auto& stale = variant.wisdom->stale;
      if (std::find(stale.begin(), stale.end(), field) == stale.end()) stale.push_back(field);
    }
  }
  take(variant, *std::move(configuration));
  return sentence;
}

}  // namespace

std::string take_advice(const WisdomAdvice& advice, const std::vector<std::pair<std::string, RawValue>>& set,
                        const DeviceInfo& device, FileSystem& files, Variant& variant) {
  WisdomQuestion question{variant.configuration.shared_workload(), set, device, advice.now};
  question.now.compiler = advice.compiler(device.target.backend);
  question.now.driver = device.driver;
  Assignments chosen;
  std::string sentence = advise_workload(advice, question, files, variant, chosen);
  if (!advice.launches.empty()) {
    const std::string more = advise_launches(advice, question, files, variant, chosen);
    sentence += (sentence.empty() || more.empty() ? "" : "; ") + more;
  }
  if (!sentence.empty()) return sentence;
  const std::string none = "wisdom: none for " + question.workload->name + " on " + device.name;
  if (advice.strict) throw bad_input("--strict-wisdom: " + none);
  return none + "; the defaults run";
}

std::optional<Error> find_launch_problem(const Configuration& configuration, const DeviceInfo& device) {
  const TrialNeeds needs(configuration);
  for (const auto& [launch, kernel, own] : needs.launches()) {
    if (!shape_changes(own->workload(), *kernel)) {
      if (const auto problem = check_shape(shape_of(*own, *kernel), device, {}, kernel->name))
        return bad_input(*problem + " (" + explain_shape(*own, *kernel) + ")", kernel->where);
    }
    require_layouts(*own, *kernel);
  }
  return std::nullopt;
}

}  // namespace kiln
