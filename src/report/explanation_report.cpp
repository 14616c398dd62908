#include "report/explanation_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"

namespace kiln {
namespace {

constexpr std::size_t kDigestShown = 12;

TableCell answer_cell(const ExplainedUnit& unit) {
  return {answer_of(unit), unit.explanation.hit() ? Tone::kGood : Tone::kBad};
}

/// "target sm_90 -> sm_80; kiln/params.h: nx 512 -> 48, ny 512 -> 48".
std::string differences_text(const std::vector<KeyDifference>& differences) {
  constexpr std::string_view kParams = "kiln/params.h: ";
  std::string text;
  bool params = false;  // the last difference was in params.h
  for (const KeyDifference& difference : differences) {
    const bool more = params && difference.text.starts_with(kParams);
    if (!text.empty()) text += more ? ", " : "; ";
    text += more ? difference.text.substr(kParams.size()) : difference.text;
    params = difference.text.starts_with(kParams);
  }
  return text;
}

std::string reason_of(const ExplainedUnit& unit) {
  const KeyExplanation& explanation = unit.explanation;
  if (!unit.unknown_input.empty()) return unit.unknown_input;
  if (explanation.hit()) return "in " + explanation.layer.string();
  if (!explanation.damage.empty()) return "its entry is damaged: " + explanation.damage;
  if (!explanation.nearest) return "no entry of this kernel";
  return differences_text(explanation.nearest->differences);
}

nlohmann::json nearest_json(const NearestEntry& nearest) {
  nlohmann::json differences = nlohmann::json::array();
  for (const KeyDifference& difference : nearest.differences) {
    differences.push_back({{"ingredient", difference.ingredient},
                           {"name", difference.name},
                           {"from", difference.from},
                           {"to", difference.to},
                           {"text", difference.text}});
  }
  return {{"key", nearest.digest}, {"layer", nearest.layer.string()}, {"differences", differences}};
}

std::string counted(std::size_t count, const std::string& one, const std::string& more) {
  return std::to_string(count) + " " + (count == 1 ? one : more);
}

}  // namespace

const char* answer_of(const ExplainedUnit& unit) {
  if (!unit.unknown_input.empty()) return "not kept";
  if (unit.explanation.hit()) return "hit";
  return unit.explanation.damage.empty() ? "miss" : "damaged";
}

TextTable explanation_table(const std::vector<ExplainedUnit>& units) {
  TextTable table{{{"variant"}, {"unit"}, {"key"}, {"answer"}, {"nearest"}, {"why"}}, {}};
  for (const ExplainedUnit& unit : units) {
    const auto& nearest = unit.explanation.nearest;
    table.rows.push_back({{unit.label.empty() ? "-" : unit.label},
                          {unit.source + ": " + join(unit.entries, ", ")},
                          {unit.key.substr(0, kDigestShown), Tone::kStrong},
                          answer_cell(unit),
                          {nearest ? nearest->digest.substr(0, kDigestShown) : "-"},
                          {reason_of(unit)}});
  }
  return table;
}

std::string explanation_summary(const std::vector<ExplainedUnit>& units) {
  const auto hits = static_cast<std::size_t>(
      std::count_if(units.begin(), units.end(), [](const auto& unit) { return unit.explanation.hit(); }));
  return counted(hits, "hit", "hits") + ", " + counted(units.size() - hits, "miss", "misses");
}

std::string left_out_lines(const std::vector<ExplainedUnit>& units) {
  std::set<std::string> lines;
  for (const ExplainedUnit& unit : units) {
    for (const std::string& phrase : unit.left_out) lines.insert("left out as host code: " + phrase + "\n");
  }
  return join({lines.begin(), lines.end()}, "");
}

std::string explanation_to_json(const std::vector<ExplainedUnit>& units) {
  nlohmann::json all = nlohmann::json::array();
  for (const ExplainedUnit& unit : units) {
    const KeyExplanation& explanation = unit.explanation;
    nlohmann::json one = {{"variant", unit.label},    {"target", unit.target}, {"source", unit.source},
                          {"entries", unit.entries},  {"key", unit.key},       {"answer", answer_of(unit)},
                          {"layer", nullptr},         {"why", nullptr},        {"nearest", nullptr},
                          {"left_out", unit.left_out}};
    if (explanation.hit()) one["layer"] = explanation.layer.string();
    if (!explanation.hit()) one["why"] = reason_of(unit);
    if (explanation.nearest) one["nearest"] = nearest_json(*explanation.nearest);
    all.push_back(std::move(one));
  }
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kiln
