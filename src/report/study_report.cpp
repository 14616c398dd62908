#include "report/study_report.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/print.h"
#include "base/text.h"
#include "report/record_table.h"

namespace kiln {
namespace {

TableCell nothing() {
  return {"-", Tone::kDim};
}

/// The median of the seconds in one list of the costs.
TableCell seconds_cell(const CaseCosts* costs, std::vector<double> CaseCosts::*list) {
  return costs != nullptr ? TableCell{format_seconds(range_of(costs->*list).median)} : nothing();
}

template <class Count>
TableCell count_cell(const std::optional<Count>& count) {
  return count ? TableCell{std::to_string(*count)} : nothing();
}

TableCell step_cell(const std::optional<RoundsSummary>& step, const TextStyle& style) {
  if (!step) return nothing();
  Summary summary;
  summary.median = step->median;
  summary.ci_low = step->low;
  summary.ci_high = step->high;
  return {time_text(summary, style)};
}

TableCell speedup_cell(const CaseRatio* ratio) {
  if (ratio == nullptr) return nothing();
  const Interval& speedup = ratio->speedup;
  const Tone tone = ratio->effect == Effect::kFaster   ? Tone::kGood
                    : ratio->effect == Effect::kSlower ? Tone::kBad
                                                       : Tone::kDim;
  return {print("%.3f [%.3f, %.3f]", speedup.median, speedup.low, speedup.high), tone};
}

TextTable case_table(const StudyReport& report, const TextStyle& style) {
  TextTable table;
  table.columns = {{"case"},
                   {"status"},
                   {"median", true},
                   {"speed-up\n[95 %]", true},
                   {"compile\ncold", true},
                   {"disk\nhit", true},
                   {"load", true},
                   {"regs", true},
                   {"local\nbytes", true},
                   {"shared\nbytes", true},
                   {"machine\ncode", true},
                   {"instruc-\ntions", true},
                   {"occu-\npancy", true},
                   {"max. rel.\nerror", true}};
  for (const CaseResult& which : report.cases) {
    const CaseCosts* costs = report.costs_of(which.name);
    table.rows.push_back(
        {{which.name},
         {to_string(which.status), tone_of(which.status)},
         step_cell(which.step, style),
         speedup_cell(report.ratio_of(which.name)),
         seconds_cell(costs, &CaseCosts::compile_seconds),
         seconds_cell(costs, &CaseCosts::disk_seconds),
         seconds_cell(costs, &CaseCosts::load_seconds),
         count_cell(which.resources.registers),
         count_cell(which.resources.local_bytes),
         count_cell(which.resources.shared_bytes),
         which.code_bytes ? TableCell{format_bytes(*which.code_bytes)} : nothing(),
         count_cell(which.instructions),
         which.resources.occupancy ? TableCell{print("%.0f %%", *which.resources.occupancy * 100)}
                                   : nothing(),
         which.error ? TableCell{*which.error == 0 ? "0" : print("%.1e", *which.error)} : nothing()});
  }
  return table;
}

template <class Items>
std::vector<std::string> verdicts(const Items& items) {
  std::vector<std::string> lines;
  lines.reserve(items.size());
  for (const auto& item : items) lines.push_back(item.verdict);
  return lines;
}

/// A line for each reason, with the cases that it applies to.
void add_unchecked(const StudyReport& report, std::vector<std::string>& lines) {
  std::map<std::string, std::vector<std::string>> cases;
  for (const CaseResult& which : report.cases) {
    if (which.status == RunStatus::kUnchecked) cases[which.message].push_back(which.name);
  }
  for (const auto& [reason, names] : cases) {
    const bool all = names.size() == report.cases.size();
    lines.push_back("unchecked: " + (all ? "all cases" : join(names, ", ")) + ": " + reason);
  }
}

std::vector<std::string> problem_lines(const StudyReport& report) {
  std::vector<std::string> lines;
  for (const CaseResult& which : report.cases) {
    if (may_be_measured(which.status)) continue;
    lines.push_back(which.name + ": " + to_string(which.status) +
                    (which.message.empty() ? "" : ": " + which.message));
  }
  for (const std::string& point : report.left_out) lines.push_back("left out: " + point);
  add_unchecked(report, lines);
  return lines;
}

std::vector<std::string> compiler_lines(const StudyReport& report) {
  std::vector<std::string> lines = verdicts(report.compilers);
  if (!report.no_ahead.empty()) lines.push_back("not compared: " + report.no_ahead);
  return lines;
}

std::string section_lines(const std::vector<std::string>& lines, const TextStyle& style) {
  constexpr int kIndent = 2;
  const int width = style.width == 0 ? 0 : std::max(style.width - 2 * kIndent, 2 * kIndent);
  std::string text;
  for (const std::string& line : lines) {
    bool first = true;
    for (const std::string& part : wrap_text(line, static_cast<std::size_t>(width))) {
      text += std::string(first ? kIndent : 2 * kIndent, ' ') + part + "\n";
      first = false;
    }
  }
  return text;
}

}  // namespace

std::string way_text(FirstWay way) {
  switch (way) {
    case FirstWay::kAhead:
      return "compiled ahead";
    case FirstWay::kCold:
      return "compiled now";
    case FirstWay::kDisk:
      return "found on disk";
    case FirstWay::kBackground:
      return "in the background";
    case FirstWay::kBackgroundDisk:
      break;
  }
  return "in the background, generic from disk";
}

std::string study_title(const StudyReport& report) {
  return report.section + " on " + report.device_name;
}

std::string study_origin(const StudyReport& report) {
  constexpr std::size_t kDay = 10;
  return report.device + ", " + std::to_string(report.cases.size()) + " cases, " +
         std::to_string(report.samples) + (report.samples == 1 ? " sample" : " samples") +
         " of a case in each round, rounds in shuffled order (seed " + std::to_string(report.seed) +
         "), Kiln " + report.kiln_version + " (" + report.kiln_revision + "), " + report.time.substr(0, kDay);
}

std::vector<StudySection> study_sections(const StudyReport& report, const TextStyle& style) {
  const std::vector<StudySection> all = {
      {"Cases", case_table(report, style), {}},
      {"Problems", {}, problem_lines(report)},
      {"Constants, each against jit_generic", {}, verdicts(report.constants)},
      {"Not read by the kernels of a step",
       {},
       report.unread.empty() ? std::vector<std::string>() : std::vector{join(report.unread, ", ")}},
      {"All but one, each against jit_specialised", {}, verdicts(report.all_but)},
      {"Combinations, each against jit_generic", {}, verdicts(report.factorial)},
      {"Switches, of jit_specialised", {}, verdicts(report.switches)},
      {"Compilers of programs, against the run-time compiler", {}, compiler_lines(report)},
      {"Break-even", {}, verdicts(report.break_even)},
      {"Time to the first result", {}, verdicts(report.first_results)},
      {"Control", {}, verdicts(report.controls)}};
  std::vector<StudySection> sections;
  std::copy_if(all.begin(), all.end(), std::back_inserter(sections), [](const StudySection& section) {
    return !section.table.rows.empty() || !section.lines.empty();
  });
  return sections;
}

std::string study_to_terminal(const StudyReport& report, const TextStyle& style) {
  std::string text =
      paint("Study: " + study_title(report), Tone::kStrong, style) + "\n" +
      join(wrap_text(study_origin(report), static_cast<std::size_t>(std::max(style.width, 0))), "\n") + "\n";
  for (const StudySection& section : study_sections(report, style)) {
    text += "\n" + (section.table.rows.empty() ? paint(section.title, Tone::kStrong, style) + "\n"
                                               : render_terminal(section.table, style));
    text += section_lines(section.lines, style);
  }
  return text;
}

std::string study_to_markdown(const StudyReport& report) {
  std::string text =
      "## Study: " + markdown_text(study_title(report)) + "\n\n" + markdown_text(study_origin(report)) + "\n";
  for (const StudySection& section : study_sections(report, TextStyle{})) {
    text += "\n### " + section.title + "\n\n";
    if (!section.table.rows.empty()) text += render_markdown(section.table);
    for (const std::string& line : section.lines) text += "- " + markdown_text(line) + "\n";
  }
  return text;
}

}  // namespace kiln
