#include "record/study_reader.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/input_file.h"
#include "base/statistics.h"
#include "base/text.h"
#include "kiln/error.h"
#include "record/json_lines.h"
#include "record/json_node.h"
#include "record/study_fields.h"

namespace kiln {
namespace {

using Case = StudyReport::Case;
using Estimate = StudyReport::Estimate;
using Ratio = StudyReport::Ratio;

std::vector<double> numbers_of(const JsonNode& node) {
  std::vector<double> numbers;
  for (const JsonNode& item : node.items()) numbers.push_back(item.number());
  return numbers;
}

std::optional<double> known_number(const JsonNode& node) {
  return node.is_null() ? std::nullopt : std::optional(node.number());
}

std::optional<std::int64_t> known_integer(const JsonNode& node) {
  return node.is_null() ? std::nullopt : std::optional(node.integer());
}

Estimate estimate_of(const JsonNode& node) {
  const std::vector<JsonNode> ends = node.at("interval").items();
  if (ends.size() != 2) throw node.at("interval").expected("a list of two numbers");
  return {node.at("median").number(), ends[0].number(), ends[1].number()};
}

/// Median and range of what was seen.
Estimate range_of(const JsonNode& node) {
  const std::vector<double> values = numbers_of(node);
  if (values.empty()) throw node.expected("at least one number");
  const Summary summary = summarize(values);
  return {summary.median, summary.min, summary.max};
}

/// What is known of a case before the rounds.
Case case_of(const JsonNode& node) {
  Case result;
  result.name = node.at("case").text();
  result.group = node.at("group").text();
  result.compiler = node.at("compiler").text();
  result.compiled_by = node.at("compiled_by").text();
  result.constants = node.at("constants").texts();
  result.fast_math = node.at("fast_math").truth();
  result.launch_bounds = node.at("launch_bounds").truth();
  if (const JsonNode costs = node.at("costs"); !costs.is_null()) {
    result.compile = range_of(costs.at("compile_seconds"));
    result.load = range_of(costs.at("load_seconds"));
    result.disk = range_of(costs.at("disk_seconds"));
    result.binary_bytes = costs.at("binary_bytes").integer();
  }
  return result;
}

void add_result(Case& known, const JsonNode& node) {
  known.status = node.at("status").text();
  known.message = node.at("message").text_or_empty();
  if (const JsonNode step = node.at("step_seconds"); !step.is_null()) known.step = estimate_of(step);
  known.code_bytes = known_integer(node.at("code_bytes"));
  known.instructions = known_integer(node.at("instructions"));
  known.registers = known_integer(node.at("registers"));
  known.local_bytes = known_integer(node.at("local_bytes"));
  known.shared_bytes = known_integer(node.at("shared_bytes"));
  known.occupancy = known_number(node.at("occupancy"));
  known.error = known_number(node.at("max_relative_error"));
}

std::vector<Ratio> ratios_of(const JsonNode& node) {
  std::vector<Ratio> ratios;
  for (const JsonNode& item : node.items()) {
    ratios.push_back({item.at("case").text(), item.at("base").text(), estimate_of(item.at("speedup")),
                      item.at("effect").text(), known_integer(item.at("registers_saved")),
                      item.at("verdict").text()});
  }
  return ratios;
}

std::vector<StudyReport::BreakEven> break_even_of(const JsonNode& node) {
  std::vector<StudyReport::BreakEven> all;
  for (const JsonNode& item : node.items()) {
    const std::vector<JsonNode> ends = item.at("interval").items();
    if (ends.size() != 2) throw item.at("interval").expected("a list of two numbers");
    all.push_back({item.at("case").text(), item.at("base").text(), estimate_of(item.at("price_seconds")),
                   estimate_of(item.at("saved_seconds")), known_number(item.at("launches")),
                   known_number(ends[0]), known_number(ends[1]), item.at("verdict").text()});
  }
  return all;
}

std::vector<StudyReport::First> first_results_of(const JsonNode& node) {
  std::vector<StudyReport::First> all;
  for (const JsonNode& item : node.items()) {
    all.push_back({item.at("case").text(), item.at("way").text(), estimate_of(item.at("seconds")),
                   item.at("verdict").text()});
  }
  return all;
}

std::vector<StudyReport::Amortisation> amortisation_of(const JsonNode& node) {
  std::vector<StudyReport::Amortisation> all;
  for (const JsonNode& item : node.items()) {
    StudyReport::Amortisation one{
        item.at("fast_math").truth(), item.at("launch_bounds").truth(), numbers_of(item.at("launches")), {}};
    for (const JsonNode& curve : item.at("curves").items()) {
      one.curves.push_back(
          {curve.at("case").text(), curve.at("way").text(), numbers_of(curve.at("seconds"))});
      if (one.curves.back().seconds.size() != one.launches.size())
        throw curve.at("seconds").expected("a number for each of `launches`");
    }
    all.push_back(std::move(one));
  }
  return all;
}

std::string cut_short(const std::string& file, const std::string& section, const std::string& device) {
  return file + ": the study of " + section + " was cut short on " + device +
         "; kiln study --resume goes on with it";
}

/// Takes the lines of one file.
class Reader {
 public:
  void read(const JsonNode& node, const std::string& line) {
    const std::string kind = node.at("kind").text();
    if (kind == "study") {
      read_header(node, line);
    } else if (!begun_) {
      throw node.at("kind").expected("study, as the first line's");
    } else if (kind == "case") {
      Block& block = blocks_[key_of(node)];
      block.device_name = node.at("record").at("device").at("name").text();
      Case known = case_of(node);
      block.cases[known.name] = known;
    } else if (kind == "result") {
      read_result(node, line);
    } else if (kind != "visit") {
      throw node.at("kind").expected("study, case, visit or result");
    }
  }

  StudyReports result(const std::string& file) && {
    StudyReports all;
    for (const auto& [section, workload] : header_.sections) {
      for (const std::string& device : header_.devices) {
        auto& found = blocks_[{section, device}].report;
        if (found) {
          all.reports.push_back(std::move(*found));
        } else {
          all.notes.push_back(cut_short(file, section, device));
        }
      }
    }
    return all;
  }

 private:
  /// Section and device.
  using Key = std::pair<std::string, std::string>;
  struct Block {
    std::string device_name;
    std::map<std::string, Case> cases;  ///< by name
    std::optional<StudyReport> report;
  };

  static Key key_of(const JsonNode& node) { return {node.at("section").text(), node.at("device").text()}; }

  void read_header(const JsonNode& node, const std::string& line) {
    if (const JsonNode format = node.at("format"); format.integer() != kStudyFormat)
      throw format.expected("format " + std::to_string(kStudyFormat) + " of Kiln's studies");
    begun_ = true;
    JsonReader reader(node);
    fields(reader, header_);
    header_json_ = line;
  }

  /// The last one of a section and device counts.
  void read_result(const JsonNode& node, const std::string& line) {
    Block& block = blocks_[key_of(node)];
    StudyReport report;
    static_cast<StudyHeader&>(report) = header_;
    report.header_json = header_json_;
    std::tie(report.section, report.device_id) = key_of(node);
    const auto section = std::find_if(header_.sections.begin(), header_.sections.end(),
                                      [&](const auto& known) { return known.name == report.section; });
    if (section == header_.sections.end())
      throw node.at("section").expected("a section that the first line names");
    report.workload = section->workload;
    report.device_name = block.device_name;
    for (const JsonNode& item : node.at("cases").items()) {
      const auto found = block.cases.find(item.at("case").text());
      if (found == block.cases.end()) throw item.at("case").expected("a case that a line above describes");
      report.cases.push_back(found->second);
      add_result(report.cases.back(), item);
    }
    report.no_ahead = node.at("no_ahead").text();
    report.unread = node.at("unread").texts();
    report.left_out = node.at("left_out").texts();
    report.constants = ratios_of(node.at("constants"));
    report.all_but = ratios_of(node.at("all_but"));
    report.factorial = ratios_of(node.at("factorial"));
    report.switches = ratios_of(node.at("switches"));
    report.compilers = ratios_of(node.at("compilers"));
    report.controls = ratios_of(node.at("controls"));
    report.break_even = break_even_of(node.at("break_even"));
    report.first_results = first_results_of(node.at("first_results"));
    report.amortisation = amortisation_of(node.at("amortisation"));
    report.result_json = line;
    block.report = std::move(report);
  }

  bool begun_ = false;
  StudyHeader header_;
  std::string header_json_;
  std::map<Key, Block> blocks_;
};

}  // namespace

const Ratio* StudyReport::ratio_of(const std::string& name) const {
  for (const auto* list : {&constants, &factorial, &controls}) {
    const auto found =
        std::find_if(list->begin(), list->end(), [&](const Ratio& ratio) { return ratio.subject == name; });
    if (found != list->end()) return &*found;
  }
  return nullptr;
}

StudyReports study_from_text(const std::string& text, const std::string& file) {
  Reader reader;
  JsonLines content = split_json_lines(text, file, kStudyBeginning);
  for (const JsonLines::Line& line : content.lines)
    read_json(line.text, file, line.number, [&](const JsonNode& node) { reader.read(node, line.text); });
  StudyReports all = std::move(reader).result(file);
  for (std::string& note : content.notes) all.notes.push_back(std::move(note));
  return all;
}

StudyReports read_studies(FileSystem& files, const std::vector<std::filesystem::path>& paths) {
  StudyReports all;
  for (const std::filesystem::path& path : paths) {
    StudyReports found = study_from_text(read_input(files, path, kResultInput), path.string());
    for (StudyReport& report : found.reports) all.reports.push_back(std::move(report));
    for (std::string& note : found.notes) all.notes.push_back(std::move(note));
  }
  return all;
}

}  // namespace kiln
