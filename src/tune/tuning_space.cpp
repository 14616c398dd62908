#include "tune/tuning_space.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/hash.h"
#include "base/text.h"

namespace kiln {
namespace {

/// Values of a size over the job's `set`.
std::vector<std::pair<std::string, RawValue>> set_of(const JobSpec& job, const TuneSize& size) {
  auto set = job.set;
  std::erase_if(set, [&](const auto& entry) { return has_name(size, entry.first); });
  set.insert(set.end(), size.begin(), size.end());
  return set;
}

/// Whether what the job gives without a search has a value that this constraint of searches excludes, such as
/// a tile that the job's method does not use: then it would exclude all points.
bool excludes_the_job(const ExpressionText& constraint, const JobSpec& job, const Workload& workload,
                      const DeviceInfo& device, FileSystem& files) {
  auto copy = std::make_shared<Workload>(workload);
  copy->constraints = {constraint};
  const std::vector<TuneSize> sizes = job.tune.sizes.empty() ? std::vector<TuneSize>(1) : job.tune.sizes;
  return std::any_of(sizes.begin(), sizes.end(), [&](const TuneSize& size) {
    return configure(copy, set_of(job, size), device, files).violated.has_value();
  });
}

/// The constraints of the workload, of its searches and of the job's search.
std::shared_ptr<const Workload> constrained(const Workload& workload, const JobSpec& job,
                                            const DeviceInfo& device, FileSystem& files) {
  auto copy = std::make_shared<Workload>(workload);
  auto& all = copy->constraints;
  for (const ExpressionText& constraint : workload.tune.constraints) {
    if (!excludes_the_job(constraint, job, workload, device, files)) all.push_back(constraint);
  }
  const TuneSection& tune = job.tune;
  for (std::size_t i = 0; i < tune.constraints.size(); ++i) {
    const RawValue& one = tune.constraints[i];
    all.push_back({one.text, one.where, "tune.constraints[" + std::to_string(i) + "]"});
  }
  return copy;
}

/// `all` of a name.
std::vector<RawValue> all_values(const TunedName& tuned, const Workload& workload, const ValueLists& usual) {
  const auto known =
      std::find_if(usual.begin(), usual.end(), [&](const auto& entry) { return entry.first == tuned.name; });
  if (known != usual.end()) return known->second;
  std::vector<RawValue> values;
  std::vector<std::string> names;
  for (const ParameterSpec& parameter : workload.parameters) {
    if (!parameter.values.empty()) names.push_back(parameter.name);
    if (parameter.name != tuned.name) continue;
    for (const ExpressionText& text : parameter.values) values.push_back({text.text, false, text.where});
  }
  if (values.empty())
    throw bad_input("tune.space." + tuned.name + ": workload " + in_quotes(workload.name) +
                        " lists no values of that name" + suggestion(tuned.name, names) + "; or give a list",
                    tuned.where);
  return values;
}

/// The tuned names: `tune: space`, else the names that the workload tunes and the job does not set; and
/// `sweep`.
ValueLists tuned_names(const JobSpec& job, const Workload& workload, const std::string& backend) {
  const ValueLists usual = tuned_values(workload, backend);
  ValueLists names;
  for (const TunedName& tuned : job.tune.space) {
    if (has_name(job.set, tuned.name))
      throw bad_input("tune.space." + tuned.name + ": is also in `set`; keep one", tuned.where);
    names.emplace_back(tuned.name, tuned.values ? *tuned.values : all_values(tuned, workload, usual));
  }
  for (const auto& swept : job.sweep) {
    if (!has_name(names, swept.first)) names.push_back(swept);
  }
  for (const auto& tuned : usual) {
    const auto is_size = [&](const auto& size) { return has_name(size, tuned.first); };
    const bool bound =
        tuned.first.starts_with("bind.") && (has_name(job.set, "bind.all") || has_name(names, "bind.all"));
    const bool given = bound || has_name(job.set, tuned.first) || has_name(names, tuned.first) ||
                       std::any_of(job.tune.sizes.begin(), job.tune.sizes.end(), is_size);
    if (job.tune.space.empty() && !given) names.push_back(tuned);
  }
  if (names.empty())
    throw bad_input(
        "there is nothing to tune: workload " + in_quotes(workload.name) +
            " lists no values that the job leaves free; name some in `tune: {space: ...}` or --space",
        job.workload_where);
  return names;
}

std::string size_label(const TuneSize& size) {
  std::vector<std::string> words;
  for (const auto& [name, value] : size) words.push_back(name + "=" + value.text);
  return join(words, " ");
}

constexpr std::string_view kBind = "bind.";
constexpr char kRun = 'r';

/// The value of a name of the space in a configuration, as text; for bindings a letter for each parameter.
std::string aspect(const Configuration& configuration, const std::string& name) {
  const auto switch_text = [](bool on) { return std::string(on ? "true" : "false"); };
  if (name == "fast_math") return switch_text(configuration.fast_math());
  if (name == "launch_bounds") return switch_text(configuration.launch_bounds());
  if (name == "lineinfo") return switch_text(configuration.lineinfo());
  if (name == "graph") return switch_text(configuration.graph());
  if (!name.starts_with(kBind)) return configuration.find_value(name)->to_string();
  std::string bindings;
  for (const auto& [parameter, value] : configuration.values()) {
    if (name == "bind.all" || name.substr(kBind.size()) == parameter)
      bindings += value.binding == Binding::kRun ? kRun : 'c';
  }
  return bindings;
}

}  // namespace

TuningSpace::TuningSpace(const JobSpec& job, const std::shared_ptr<const Workload>& workload,
                         const DeviceInfo& device, FileSystem& files)
    : workload_(constrained(*workload, job, device, files)),
      device_(device),
      files_(files),
      names_(tuned_names(job, *workload, device.target.backend)) {
  if (job.tune.sizes.empty()) add_size(job, {});
  for (const auto& size : job.tune.sizes) add_size(job, size);
  if (sizes_.size() > 1) {
    std::vector<SpaceConstraint> constraints;
    for (const auto& size : sizes_) {
      const auto& own = size->space->points().constraints();
      constraints.insert(constraints.end(), own.begin(), own.end());
    }
    joint_.emplace(sizes_.front()->space->points().parameters(), std::move(constraints));
  }
  if (points().count() == 0)
    throw bad_input("no point of the space satisfies all constraints: " + join(summary(), "; "),
                    job.workload_where);
  if (const auto usual = rank_of(untuned(0).configuration)) usual_ = points().point(*usual);
}

std::string TuningSpace::short_label(const Point& point) const {
  if (!usual_) return label(point);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const auto& [name, values] = names_[i];
    if (point[i] != (*usual_)[i]) words.push_back(name + "=" + values[point[i]].text);
  }
  return words.empty() ? "default" : join(words, " ");
}

void TuningSpace::add_size(JobSpec job, const TuneSize& size) {
  for (const auto& [name, value] : size) {
    if (has_name(names_, name))
      throw bad_input("tune.sizes: " + in_quotes(name) + " is also tuned; keep one", value.where);
  }
  job.set = set_of(job, size);
  job.sweep = names_;
  sizes_.push_back(std::make_unique<Size>(Size{std::move(job), nullptr}));
  Size& added = *sizes_.back();
  added.space = std::make_unique<SweepSpace>(added.job, workload_, device_, files_, SpaceOrder::kCheapest);
  size_labels_.push_back(size_label(size));
}

std::optional<std::vector<std::string>> TuningSpace::untuned_values() const {
  const Configuration usual = untuned(0).configuration;
  std::vector<std::string> values;
  for (const auto& [name, listed] : names_) {
    std::string value = aspect(usual, name);
    if (name.starts_with(kBind)) {
      const bool alike = !value.empty() && value.find_first_not_of(value.front()) == std::string::npos;
      if (!alike) return std::nullopt;
      value = value.front() == kRun ? "run" : "compile";
    }
    values.push_back(std::move(value));
  }
  return values;
}

std::vector<std::string> TuningSpace::values(const Point& point) const {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < point.size(); ++i) values.push_back(names_[i].second[point[i]].text);
  return values;
}

std::optional<std::uint64_t> TuningSpace::rank(const std::vector<std::string>& values) const {
  if (values.size() != names_.size()) return std::nullopt;
  Point point;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::vector<RawValue>& list = names_[i].second;
    const auto place =
        std::find_if(list.begin(), list.end(), [&](const RawValue& one) { return one.text == values[i]; });
    if (place == list.end()) return std::nullopt;
    point.push_back(static_cast<std::uint32_t>(place - list.begin()));
  }
  return points().rank(point);
}

ConfigurationResult TuningSpace::configuration(const Point& point, std::size_t size) const {
  return sizes_[size]->space->configuration(point);
}

ConfigurationResult TuningSpace::untuned(std::size_t size,
                                         const std::vector<std::pair<std::string, RawValue>>& extra) const {
  auto assignments = sizes_[size]->job.set;
  assignments.insert(assignments.end(), extra.begin(), extra.end());
  return configure(workload_, assignments, device_, files_);
}

std::optional<std::uint64_t> TuningSpace::rank_of(const Configuration& configuration) const {
  Point found;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto& [name, values] = names_[i];
    const std::string wanted = aspect(configuration, name);
    Point point(names_.size(), 0);
    std::uint32_t place = 0;
    for (; place < values.size(); ++place) {
      point[i] = place;
      if (aspect(this->configuration(point, 0).configuration, name) == wanted) break;
    }
    if (place == values.size()) return std::nullopt;
    found.push_back(place);
  }
  return points().rank(found);
}

std::vector<std::string> TuningSpace::summary() const {
  std::vector<std::string> lines = {format_number(points().raw_count()) + " points, " +
                                    std::to_string(points().count()) + " valid"};
  for (std::size_t i = 0; i < points().constraints().size(); ++i) {
    const auto part = points().excluded_by(i);
    if (part && *part > 0)
      lines.push_back(in_quotes(points().constraints()[i].text) + " alone excludes " +
                      format_number(std::round(*part * 1000) / 10) + " %");
  }
  return lines;
}

std::string TuningSpace::hash() const {
  FieldHasher hasher;
  for (const auto& [name, values] : names_) {
    hasher.field("name", name);
    for (const RawValue& value : values) hasher.field("value", value.text);
  }
  for (const ExpressionText& constraint : workload_->constraints) hasher.field("constraint", constraint.text);
  for (const std::string& size : size_labels_) hasher.field("size", size);
  return hasher.hex();
}

}  // namespace kiln
