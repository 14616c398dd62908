#include "report/study_report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "base/text.h"
#include "report/record_table.h"

namespace kiln {
namespace {

using Case = StudyReport::Case;
using Estimate = StudyReport::Estimate;

constexpr std::array<std::pair<const char*, const char*>, 5> kWays = {
    {{"ahead", "compiled ahead"},
     {"cold", "compiled now"},
     {"disk", "found on disk"},
     {"background", "in the background"},
     {"background_disk", "in the background, generic from disk"}}};

template <class... Values>
std::string print(const char* format, Values... values) {
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), format, values...);
  return {text.data(), static_cast<std::size_t>(std::max(length, 0))};
}

TableCell nothing() {
  return {"-", Tone::kDim};
}

TableCell seconds_cell(const std::optional<Estimate>& seconds) {
  return seconds ? TableCell{format_seconds(seconds->median)} : nothing();
}

TableCell count_cell(const std::optional<std::int64_t>& count) {
  return count ? TableCell{std::to_string(*count)} : nothing();
}

TableCell step_cell(const std::optional<Estimate>& step, const TextStyle& style) {
  if (!step) return nothing();
  Summary summary;
  summary.median = step->median;
  summary.ci_low = step->low;
  summary.ci_high = step->high;
  return {time_text(summary, style)};
}

TableCell speedup_cell(const StudyReport::Ratio* ratio) {
  if (ratio == nullptr) return nothing();
  const Estimate& speedup = ratio->speedup;
  const Tone tone = ratio->effect == "faster"   ? Tone::kGood
                    : ratio->effect == "slower" ? Tone::kBad
                                                : Tone::kDim;
  return {print("%.3f [%.3f, %.3f]", speedup.median, speedup.low, speedup.high), tone};
}

Tone tone_of(const std::string& status) {
  if (status == to_string(RunStatus::kUnchecked)) return Tone::kWarn;
  return status == to_string(RunStatus::kOk) ? Tone::kGood : Tone::kBad;
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
  for (const Case& which : report.cases) {
    const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(which.code_bytes.value_or(0), 0));
    table.rows.push_back(
        {{which.name},
         {which.status, tone_of(which.status)},
         step_cell(which.step, style),
         speedup_cell(report.ratio_of(which.name)),
         seconds_cell(which.compile),
         seconds_cell(which.disk),
         seconds_cell(which.load),
         count_cell(which.registers),
         count_cell(which.local_bytes),
         count_cell(which.shared_bytes),
         which.code_bytes ? TableCell{format_bytes(bytes)} : nothing(),
         count_cell(which.instructions),
         which.occupancy ? TableCell{print("%.0f %%", *which.occupancy * 100)} : nothing(),
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

/// A line for each reason, with the cases that it is the reason of.
void add_unchecked(const StudyReport& report, std::vector<std::string>& lines) {
  std::map<std::string, std::vector<std::string>> cases;
  for (const Case& which : report.cases) {
    if (which.status == "unchecked") cases[which.message].push_back(which.name);
  }
  for (const auto& [reason, names] : cases) {
    const bool all = names.size() == report.cases.size();
    lines.push_back("unchecked: " + (all ? "all cases" : join(names, ", ")) + ": " + reason);
  }
}

std::vector<std::string> problem_lines(const StudyReport& report) {
  std::vector<std::string> lines;
  for (const Case& which : report.cases) {
    if (which.status == "ok" || which.status == "unchecked") continue;
    lines.push_back(which.name + ": " + which.status + (which.message.empty() ? "" : ": " + which.message));
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

std::string way_text(const std::string& way) {
  const auto* const found =
      std::find_if(kWays.begin(), kWays.end(), [&](const auto& known) { return way == known.first; });
  return found == kWays.end() ? way : found->second;
}

std::string study_title(const StudyReport& report) {
  return report.section + " on " + report.device_name;
}

std::string study_origin(const StudyReport& report) {
  constexpr std::size_t kDay = 10;
  return report.device_id + ", " + std::to_string(report.cases.size()) + " cases, " +
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
