#include "study/study_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/text.h"
#include "report/record_table.h"

namespace kiln {
namespace {

constexpr const char* kNothing = "-";

template <class... Values>
std::string print(const char* format, Values... values) {
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), format, values...);
  return {text.data(), static_cast<std::size_t>(std::max(length, 0))};
}

TableCell nothing() {
  return {kNothing, Tone::kDim};
}

TableCell seconds_cell(const std::optional<CaseCosts>& costs, std::vector<double> CaseCosts::*which) {
  if (!costs || ((*costs).*which).empty()) return nothing();
  return {format_seconds(summarize((*costs).*which).median)};
}

TableCell count_cell(const std::optional<std::int64_t>& count) {
  return count ? TableCell{std::to_string(*count)} : nothing();
}

/// Ratios of all kinds by their subject: a case has one against the generic case, the control its own.
const CaseRatio* ratio_of(const Findings& findings, const std::string& name) {
  for (const auto* list : {&findings.constants, &findings.factorial, &findings.controls}) {
    const auto found = std::find_if(list->begin(), list->end(),
                                    [&](const CaseRatio& ratio) { return ratio.subject == name; });
    if (found != list->end()) return &*found;
  }
  return nullptr;
}

TableCell speedup_cell(const CaseRatio* ratio) {
  if (ratio == nullptr) return nothing();
  const Interval& speedup = ratio->speedup;
  const Effect effect = effect_of(speedup);
  const Tone tone =
      effect == Effect::kNone ? Tone::kDim : (effect == Effect::kFaster ? Tone::kGood : Tone::kBad);
  return {print("%.3f [%.3f, %.3f]", speedup.median, speedup.low, speedup.high), tone};
}

void add_section(std::string& text, const std::string& title, const std::vector<std::string>& lines,
                 const TextStyle& style) {
  if (lines.empty()) return;
  text += paint(title, Tone::kStrong, style) + "\n";
  constexpr int kIndent = 2;
  const int width = style.width == 0 ? 0 : std::max(style.width - 2 * kIndent, 2 * kIndent);
  for (const std::string& line : lines) {
    bool first = true;
    for (const std::string& part : wrap_text(line, static_cast<std::size_t>(width))) {
      text += std::string(first ? kIndent : 2 * kIndent, ' ') + part + "\n";
      first = false;
    }
  }
  text += "\n";
}

template <class Items>
std::vector<std::string> sentences(const Items& items) {
  std::vector<std::string> lines;
  for (const auto& item : items) lines.push_back(item.sentence());
  return lines;
}

std::vector<std::string> problem_lines(const DeviceCases& cases, const DeviceResult& result) {
  std::vector<std::string> lines;
  for (const StudyCase& which : cases.cases) {
    const auto found = result.data.find(which.name);
    if (found == result.data.end() || found->second.record.status == RunStatus::kOk) continue;
    const Record& record = found->second.record;
    lines.push_back(which.name + ": " + to_string(record.status) + ": " + record.message);
  }
  for (const std::string& point : cases.plan.excluded) lines.push_back("left out: " + point);
  return lines;
}

}  // namespace

TextTable case_table(const DeviceCases& cases, const DeviceResult& result, const TextStyle& style) {
  TextTable table;
  table.columns = {{"case"},
                   {"status"},
                   {"median", true},
                   {"speed-up\n[95 %]", true},
                   {"compile\ncold", true},
                   {"disk\nhit", true},
                   {"load", true},
                   {"regs", true},
                   {"spilt\nbytes", true},
                   {"shared\nbytes", true},
                   {"machine\ncode", true},
                   {"instruc-\ntions", true},
                   {"occu-\npancy", true},
                   {"max. rel.\nerror", true}};
  for (const StudyCase& which : cases.cases) {
    const auto found = result.data.find(which.name);
    if (found == result.data.end()) continue;
    const CaseData& data = found->second;
    const Resources resources = resources_of(data.record);
    const auto error = worst_error(data.record);
    const bool ok = data.record.status == RunStatus::kOk;
    const auto code_bytes = data.costs ? data.costs->code_bytes() : std::nullopt;
    const auto instructions = data.costs ? data.costs->instructions() : std::nullopt;
    table.rows.push_back(
        {{which.name},
         {to_string(data.record.status), ok ? Tone::kGood : Tone::kBad},
         data.record.step ? TableCell{time_text(*data.record.step, style)} : nothing(),
         speedup_cell(ratio_of(result.findings, which.name)),
         seconds_cell(data.costs, &CaseCosts::compile_seconds),
         seconds_cell(data.costs, &CaseCosts::disk_seconds),
         seconds_cell(data.costs, &CaseCosts::load_seconds),
         count_cell(resources.registers),
         count_cell(resources.local_bytes),
         count_cell(resources.shared_bytes),
         code_bytes ? TableCell{format_bytes(*code_bytes)} : nothing(),
         instructions ? TableCell{std::to_string(*instructions)} : nothing(),
         resources.occupancy ? TableCell{print("%.0f %%", *resources.occupancy * 100)} : nothing(),
         error ? TableCell{*error == 0 ? "0" : print("%.1e", *error)} : nothing()});
  }
  return table;
}

std::string study_text(const StudyPlan& plan, const StudyOutcome& outcome, const TextStyle& style) {
  std::string text;
  for (std::size_t i = 0; i < outcome.devices.size(); ++i) {
    const DeviceCases& cases = plan.devices[i];
    const DeviceResult& result = outcome.devices[i];
    const Findings& findings = result.findings;
    text += paint(cases.section, Tone::kStrong, style) + style.dot() + cases.device.name + " (" +
            cases.device.id + ")" + style.dot() + std::to_string(cases.cases.size()) + " cases" +
            style.dot() + std::to_string(plan.spec.rounds) + " rounds in shuffled order, seed " +
            std::to_string(plan.spec.seed) + "\n\n";
    text += render_terminal(case_table(cases, result, style), style) + "\n";
    add_section(text, "Problems", problem_lines(cases, result), style);
    add_section(text, "Constants, each against jit_generic", sentences(findings.constants), style);
    if (!cases.unread.empty()) {
      add_section(text, "Not read by the kernels of a step", {join(cases.unread, ", ")}, style);
    }
    add_section(text, "All but one, each against jit_specialised", sentences(findings.all_but), style);
    add_section(text, "Combinations, each against jit_generic", sentences(findings.factorial), style);
    add_section(text, "Switches, of jit_specialised", sentences(findings.switches), style);
    std::vector<std::string> compilers = sentences(findings.compilers);
    if (!cases.no_ahead.empty()) compilers.push_back("not compared: " + cases.no_ahead);
    add_section(text, "Compilers of programs, against the run-time compiler", compilers, style);
    add_section(text, "Break-even", sentences(findings.break_even), style);
    add_section(text, "Time to the first result", sentences(findings.first_results), style);
    add_section(text, "Control", sentences(findings.controls), style);
  }
  return text;
}

}  // namespace kiln
