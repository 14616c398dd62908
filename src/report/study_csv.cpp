#include "base/text.h"
#include "report/csv.h"
#include "report/study_report.h"

namespace kiln {
namespace {

/// The lines of one study on one device.
class StudyLines {
 public:
  StudyLines(const StudyReport& report, std::string& text) : report_(report), text_(text) {}

  void add_all() {
    for (const CaseResult& which : report_.cases) add_case(which);
    for (const auto* list : {&report_.constants, &report_.all_but, &report_.factorial, &report_.switches,
                             &report_.compilers, &report_.controls}) {
      for (const CaseRatio& ratio : *list)
        add(ratio.subject, "speed_up", ratio.base, ratio.speedup, "", ratio.verdict);
    }
    for (const CaseBreakEven& found : report_.break_even) {
      add(found.subject, "price", found.base, found.price, "s", "");
      add(found.subject, "saved_by_a_launch", found.base, found.saved, "s", "");
      line(found.subject, "break_even", found.base, text_of(found.result.launches), text_of(found.result.low),
           text_of(found.result.high), "launches", found.verdict);
    }
    for (const FirstResult& first : report_.first_results)
      add(first.subject, std::string("first_result.") + to_string(first.way), "", first.seconds, "s",
          first.verdict);
  }

 private:
  static std::string text_of(const std::optional<double>& value) {
    return value ? format_number(*value) : "";
  }

  void add_case(const CaseResult& which) {
    line(which.name, "status", "", to_string(which.status), "", "", "", which.message);
    const auto seconds = [&](const char* figure, const Interval& value) {
      add(which.name, figure, "", value, "s", "");
    };
    const auto count = [&](const char* figure, const auto& value, const char* unit) {
      if (value) line(which.name, figure, "", std::to_string(*value), "", "", unit, "");
    };
    if (which.step) seconds("step", *which.step);
    const CaseCosts* costs = report_.costs_of(which.name);
    if (costs != nullptr) {
      seconds("compile", range_of(costs->compile_seconds));
      seconds("disk_hit", range_of(costs->disk_seconds));
      seconds("load", range_of(costs->load_seconds));
    }
    count("registers", which.resources.registers, "");
    count("local_bytes", which.resources.local_bytes, "B");
    count("shared_bytes", which.resources.shared_bytes, "B");
    if (costs != nullptr) count("binary_bytes", std::optional(costs->binary_bytes), "B");
    count("code_bytes", which.code_bytes, "B");
    count("instructions", which.instructions, "");
    if (const auto& occupancy = which.resources.occupancy)
      line(which.name, "occupancy", "", format_number(*occupancy), "", "", "", "");
    if (which.error) line(which.name, "max_relative_error", "", format_number(*which.error), "", "", "", "");
  }

  void add(const std::string& name, const std::string& figure, const std::string& against,
           const Interval& value, const char* unit, const std::string& words) {
    line(name, figure, against, format_number(value.median), format_number(value.low),
         format_number(value.high), unit, words);
  }

  void line(const std::string& name, const std::string& figure, const std::string& against,
            const std::string& value, const std::string& low, const std::string& high,
            const std::string& unit, const std::string& words) {
    text_ += csv_line({report_.run_id, report_.section, report_.device_name, name, figure, against, value,
                       low, high, unit, words});
  }

  const StudyReport& report_;
  std::string& text_;
};

}  // namespace

std::string studies_to_csv(const std::vector<StudyReport>& reports) {
  std::string text = "run_id,section,device,case,figure,against,value,low,high,unit,words\r\n";
  for (const StudyReport& report : reports) StudyLines(report, text).add_all();
  return text;
}

}  // namespace kiln
