#include "report/page_study_data.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/study_report.h"

namespace kiln {
namespace {

using Json = nlohmann::ordered_json;

Json interval_json(const Interval& estimate) {
  if (!std::isfinite(estimate.median) || !std::isfinite(estimate.low) || !std::isfinite(estimate.high))
    return {};
  return Json::array({estimate.median, estimate.low, estimate.high});
}

Json case_json(const CaseResult& which) {
  const Json step = which.step ? interval_json(*which.step) : Json();
  const char* remark = which.status == RunStatus::kUnchecked ? " (unchecked)" : "";
  const std::string failure = may_be_measured(which.status) ? "not timed" : to_string(which.status);
  return {{"name", printable_line(which.name + remark)},
          {"failure", step.is_null() ? failure : ""},
          {"step", step}};
}

/// With `named`, a mark is labelled by subject and base, because the bases differ.
void add_ratios(Json& list, const std::string& caption, const std::vector<CaseRatio>& ratios, bool named) {
  Json marks = Json::array();
  for (const CaseRatio& ratio : ratios) {
    const Json value = interval_json(ratio.speedup);
    if (value.is_null()) continue;
    const std::string label = named ? ratio.subject + " / " + ratio.base : ratio.subject;
    marks.push_back({{"label", printable_line(label)}, {"value", value}});
  }
  if (!marks.empty()) list.push_back({{"caption", caption}, {"marks", marks}});
}

Json ratios_json(const StudyReport& report) {
  Json list = Json::array();
  add_ratios(list,
             "What each constant buys at compile time: speed-up over jit_generic, with its 95 % interval",
             report.constants, false);
  add_ratios(list, "All constants but one: speed-up over jit_specialised, with its 95 % interval",
             report.all_but, false);
  add_ratios(list, "Combinations of constants: speed-up over jit_generic, with its 95 % interval",
             report.factorial, false);
  add_ratios(list, "Switches: speed-up of the first over the second, with its 95 % interval", report.switches,
             true);
  add_ratios(list,
             "Compilers that programs are built with: speed-up over the same case by the run-time compiler, "
             "with its 95 % interval",
             report.compilers, true);
  add_ratios(list, "Control, the same code twice: an interval should hold 1 in 19 of 20 studies",
             report.controls, true);
  return list;
}

/// The curve of the generic kernel that a program without run-time compilation would use.
const AmortisationCurve& baseline_of(const Amortisation& amortisation) {
  const auto found =
      std::find_if(amortisation.curves.begin(), amortisation.curves.end(),
                   [](const AmortisationCurve& curve) { return curve.way == FirstWay::kAhead; });
  return found != amortisation.curves.end() ? *found : amortisation.curves.front();
}

/// Removes the switches, which the caption names.
std::string without_switches(const std::string& name) {
  return printable_line(name.substr(0, name.find(' ')));
}

std::string switches_text(const Amortisation& amortisation) {
  return std::string(amortisation.fast_math ? ", fast-math" : "") +
         (amortisation.launch_bounds ? "" : ", without launch bounds");
}

Json curve_json(const Amortisation& amortisation, const AmortisationCurve& curve,
                const AmortisationCurve& base) {
  const std::string label = without_switches(curve.subject) + ", " + printable_line(way_text(curve.way));
  Json ratios = Json::array();
  Json texts = Json::array();
  for (std::size_t i = 0; i < amortisation.launches.size(); ++i) {
    const double ratio = base.seconds[i] / curve.seconds[i];
    ratios.push_back(std::isfinite(ratio) ? Json(ratio) : Json());
    texts.push_back(label + ": " + format_number(amortisation.launches[i]) + " launches in " +
                    format_seconds(curve.seconds[i]));
  }
  return {{"label", label}, {"ratios", ratios}, {"texts", texts}};
}

Json amortisation_json(const Amortisation& amortisation) {
  const AmortisationCurve& base = baseline_of(amortisation);
  Json curves = Json::array();
  for (const AmortisationCurve& curve : amortisation.curves)
    curves.push_back(curve_json(amortisation, curve, base));
  const std::string over = "speed-up over " + without_switches(base.subject);
  return {
      {"caption", "Amortisation" + switches_text(amortisation) + ": " + over +
                      " after so many launches, all that came before the first one counted; from 1 on the "
                      "price is earned back"},
      {"axis", over},
      {"launches", amortisation.launches},
      {"curves", curves}};
}

}  // namespace

Json page_study_json(const StudyReport& report) {
  Json cases = Json::array();
  for (const CaseResult& which : report.cases) cases.push_back(case_json(which));
  Json amortisation = Json::array();
  for (const Amortisation& one : report.amortisation) {
    if (!one.curves.empty()) amortisation.push_back(amortisation_json(one));
  }
  return {{"workload", printable_line(report.workload)},
          {"device", printable_line(report.device_name)},
          {"cases", cases},
          {"ratios", ratios_json(report)},
          {"amortisation", amortisation}};
}

}  // namespace kiln
