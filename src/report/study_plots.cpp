#include "report/study_plots.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/plots.h"
#include "report/record_table.h"
#include "report/study_report.h"

namespace kiln {
namespace {

bool drawable(const Interval& estimate) {
  return std::isfinite(estimate.median) && std::isfinite(estimate.low) && std::isfinite(estimate.high);
}

Plot case_times(const StudyReport& report) {
  std::vector<Bar> bars;
  for (const CaseResult& which : report.cases) {
    Bar bar;
    const bool unchecked = which.status == RunStatus::kUnchecked;
    bar.label = which.name + (unchecked ? " (unchecked)" : "");
    if (which.step && drawable(*which.step)) {
      bar.value = which.step->median;
      bar.low = which.step->low;
      bar.high = which.step->high;
      bar.text = format_seconds(bar.value);
    } else {
      bar.failure = may_be_measured(which.status) ? "not timed" : to_string(which.status);
    }
    bars.push_back(bar);
  }
  mark_best(bars);
  return time_plot("Median time of a step of each case, with its 95 % interval", bars);
}

/// `named`: by subject and base, where the bases differ.
void add_ratios(std::vector<Plot>& plots, const std::string& caption, const std::vector<CaseRatio>& ratios,
                bool named) {
  std::vector<RatioMark> marks;
  for (const CaseRatio& ratio : ratios) {
    if (!drawable(ratio.speedup)) continue;
    marks.push_back({named ? ratio.subject + " / " + ratio.base : ratio.subject, ratio.speedup.median,
                     ratio.speedup.low, ratio.speedup.high});
  }
  if (!marks.empty()) plots.push_back({ratio_plot(caption, "speed-up", marks), caption});
}

/// Those of the generic kernel that a program would have without compiling at run time.
const AmortisationCurve& baseline_of(const Amortisation& amortisation) {
  const auto found =
      std::find_if(amortisation.curves.begin(), amortisation.curves.end(),
                   [](const AmortisationCurve& curve) { return curve.way == FirstWay::kAhead; });
  return found != amortisation.curves.end() ? *found : amortisation.curves.front();
}

/// The caption tells the switches.
std::string without_switches(const std::string& name) {
  return name.substr(0, name.find(' '));
}

std::string switches_text(const Amortisation& amortisation) {
  return std::string(amortisation.fast_math ? ", fast-math" : "") +
         (amortisation.launch_bounds ? "" : ", without launch bounds");
}

Plot amortisation_plot(const Amortisation& amortisation) {
  const AmortisationCurve& base = baseline_of(amortisation);
  std::vector<Curve> curves;
  for (const AmortisationCurve& known : amortisation.curves) {
    Curve curve;
    curve.label = without_switches(known.subject) + ", " + way_text(known.way);
    for (std::size_t i = 0; i < amortisation.launches.size(); ++i) {
      curve.values.push_back(base.seconds[i] / known.seconds[i]);
      curve.titles.push_back(curve.label + ": " + format_number(amortisation.launches[i]) + " launches in " +
                             format_seconds(known.seconds[i]));
    }
    curves.push_back(std::move(curve));
  }
  const std::string caption = "Amortisation" + switches_text(amortisation) + ": speed-up over " +
                              without_switches(base.subject) +
                              " after so many launches, all that came before the first one counted; from 1 "
                              "on the price is earned back";
  return {
      curve_plot(caption, "speed-up over " + without_switches(base.subject), amortisation.launches, curves),
      caption};
}

}  // namespace

std::vector<Plot> study_plots(const StudyReport& report) {
  std::vector<Plot> plots;
  if (!report.cases.empty()) plots.push_back(case_times(report));
  add_ratios(plots,
             "What each constant buys at compile time: speed-up over jit_generic, with its 95 % interval",
             report.constants, false);
  for (const Amortisation& amortisation : report.amortisation) {
    if (!amortisation.curves.empty()) plots.push_back(amortisation_plot(amortisation));
  }
  add_ratios(plots, "All constants but one: speed-up over jit_specialised, with its 95 % interval",
             report.all_but, false);
  add_ratios(plots, "Combinations of constants: speed-up over jit_generic, with its 95 % interval",
             report.factorial, false);
  add_ratios(plots, "Switches: speed-up of the first over the second, with its 95 % interval",
             report.switches, true);
  add_ratios(plots,
             "Compilers that programs are built with: speed-up over the same case by the run-time compiler, "
             "with its 95 % interval",
             report.compilers, true);
  add_ratios(plots, "Control, the same code twice: an interval should hold 1 in 19 of 20 studies",
             report.controls, true);
  return plots;
}

}  // namespace kiln
