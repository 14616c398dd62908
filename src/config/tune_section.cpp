#include "config/tune_section.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace kiln {
namespace {

constexpr const char* kAll = "all";

std::vector<TunedName> read_space(const YamlNode& node) {
  std::vector<TunedName> space;
  for (const auto& [name, value] : node.entries()) {
    TunedName tuned{name, std::nullopt, node.key_location(name)};
    if (!value.is_scalar() || value.text() != kAll) {
      tuned.values = raw_values(value);
      require_distinct(value.path() + ": ", *tuned.values);
    }
    space.push_back(std::move(tuned));
  }
  return space;
}

std::vector<TuneSize> read_sizes(const YamlNode& node) {
  std::vector<TuneSize> sizes;
  for (const YamlNode& item : node.items()) {
    TuneSize& size = sizes.emplace_back();
    for (const auto& [name, value] : item.entries()) size.emplace_back(name, raw_value(value));
    if (size.empty()) throw item.error("expected values, such as {n: 1024}");
  }
  if (sizes.empty()) throw node.error("expected at least one size, such as [{n: 1024}]");
  return sizes;
}

TuneObjective read_objective(const YamlNode& node) {
  TuneObjective objective;
  objective.where = node.where();
  if (node.is_scalar()) {
    objective.metrics = {node.text()};
    return objective;
  }
  node.require_keys({"worst", "mean", "pareto"});
  const auto entries = node.entries();
  if (entries.size() != 1) throw node.error("expected one of worst, mean, pareto");
  const auto& [kind, value] = entries.front();
  objective.metrics.clear();
  for (const YamlNode& item : value.items_or_self()) objective.metrics.push_back(item.text());
  const std::size_t wanted = kind == "pareto" ? 2 : 1;
  if (objective.metrics.size() != wanted)
    throw value.error(wanted == 2 ? "expected two metrics, such as [time, bandwidth]"
                                  : "expected one metric");
  if (wanted == 2 && objective.metrics[0] == objective.metrics[1])
    throw value.error("expected two different metrics; found " + in_quotes(objective.metrics[0]) + " twice");
  objective.kind = kind == "worst"    ? TuneObjective::Kind::kWorst
                   : kind == "pareto" ? TuneObjective::Kind::kPareto
                                      : TuneObjective::Kind::kMean;
  return objective;
}

std::uint64_t read_evaluations(const YamlNode& node) {
  const std::int64_t count = node.integer();
  if (count < 1) throw node.error("expected a number of evaluations, at least 1; found " + node.text());
  return static_cast<std::uint64_t>(count);
}

TuneTarget read_target(const YamlNode& node) {
  if (node.is_scalar()) return {"", raw_value(node)};
  const auto entries = node.entries();
  if (entries.size() != 1) throw node.error("expected one metric and its value, such as {time: 1e-3}");
  return {entries.front().first, raw_value(entries.front().second)};
}

TuneBudget read_budget(const YamlNode& node) {
  TuneBudget budget;
  node.require_keys({"time", "evaluations", "fraction", "target", "stall"});
  if (const auto value = node.find("time")) budget.seconds = value->duration();
  if (const auto value = node.find("evaluations")) budget.evaluations = read_evaluations(*value);
  if (const auto value = node.find("fraction")) {
    budget.fraction = value->real();
    if (!(*budget.fraction > 0 && *budget.fraction <= 1))
      throw value->error("expected a part of the points, above 0 and at most 1; found " + value->text());
  }
  if (const auto value = node.find("target")) budget.target = read_target(*value);
  if (const auto value = node.find("stall")) budget.stall = read_evaluations(*value);
  return budget;
}

void read_searcher(const YamlNode& node, TuneSection& tune) {
  const YamlNode name = node.is_scalar() ? node : node.find("name").value_or(node);
  if (!node.is_scalar()) {
    node.require_keys({"name", "seed"});
    if (const auto seed = node.find("seed")) {
      const std::int64_t value = seed->integer();
      if (value < 0) throw seed->error("expected a whole number of at least 0; found " + seed->text());
      tune.seed = static_cast<std::uint64_t>(value);
    }
  }
  if (!name.is_scalar()) return;
  tune.searcher = name.text();
  tune.searcher_where = name.where();
}

std::optional<double> read_cut(const YamlNode& node) {
  if (node.text() == "off" || (!node.quoted() && node.text() == "false")) return std::nullopt;
  const auto factor = parse_real(node.text());
  if (!factor || !(*factor >= 1) || !std::isfinite(*factor))
    throw node.error("expected a factor of at least 1, such as 1.1, or off; found " + in_quotes(node.text()));
  return factor;
}

/// A YAML value that stands on the command line.
YamlNode node_of(const std::string& text, const std::string& option) {
  return YamlNode::parse("value: " + text, option).at("value");
}

}  // namespace

TuneSection read_tune_section(const YamlNode& node) {
  node.require_keys({"space", "constraints", "sizes", "objective", "budget", "searcher", "cut"});
  TuneSection tune;
  tune.given = true;
  if (const auto value = node.find("space")) tune.space = read_space(*value);
  if (const auto value = node.find("constraints")) {
    for (const YamlNode& item : value->items_or_self()) tune.constraints.push_back(raw_value(item));
  }
  if (const auto value = node.find("sizes")) tune.sizes = read_sizes(*value);
  if (const auto value = node.find("objective")) tune.objective = read_objective(*value);
  if (const auto value = node.find("budget")) tune.budget = read_budget(*value);
  if (const auto value = node.find("searcher")) read_searcher(*value, tune);
  if (const auto value = node.find("cut")) tune.cut = read_cut(*value);
  return tune;
}

void apply_space(TuneSection& tune, const std::string& assignment) {
  const auto [name, list] = split_assignment("--space", assignment);
  TunedName tuned{name, std::nullopt, {"--space " + name, 0, 0}};
  if (trim(list) != kAll) tuned.values = listed_values("--space", assignment);
  std::erase_if(tune.space, [&named = name](const TunedName& one) { return one.name == named; });
  tune.space.push_back(std::move(tuned));
}

void apply_budget(TuneSection& tune, const std::string& text) {
  tune.budget = {};
  if (const auto count = parse_integer(text)) {
    tune.budget.evaluations = read_evaluations(node_of(text, "--budget"));
  } else {
    tune.budget.seconds = node_of("'" + text + "'", "--budget").duration();
  }
}

void apply_objective(TuneSection& tune, const std::string& text) {
  tune.objective = read_objective(node_of(text, "--objective"));
}

}  // namespace kiln
