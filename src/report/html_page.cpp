#include "report/html_page.h"

#include <algorithm>
#include <array>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "kiln_embedded_page.h"
#include "report/html.h"
#include "report/portability_text.h"
#include "report/record_table.h"
#include "report/study_report.h"

namespace kiln {
namespace {

std::string portability_section(const PageContent& content) {
  const Portability& report = content.report;
  std::string text =
      html_element("p", report.has_reference
                            ? "Efficiency: against the best of the reference's records on the same device."
                            : "Efficiency: against the best variant known on the same device.");
  TableMarks marks{{""}, {}};
  for (const std::string& device : report.devices) marks.devices.insert(marks.devices.end(), 2, device);
  for (std::size_t i = 0; i < report.rows.size(); i += portability_rows(report, i)) {
    const std::string title = portability_heading(report.rows[i]);
    marks.records.clear();
    for (std::size_t row = i; row < i + portability_rows(report, i); ++row)
      marks.records.push_back(records_of_row(content, row));
    text += "<section class=\"block\">" + html_element("h3", title) +
            html_table(portability_table(report, i), title, marks) + "</section>\n";
  }
  return text + (report.notes.empty() ? "" : html_list(report.notes));
}

/// The place where the script draws the plots of this kind.
std::string plots_of(const std::string& kind) {
  return "<div class=\"figures\" data-plots=\"" + kind + "\"></div>\n";
}

std::string study_section(const StudyReport& study) {
  std::string text = "<p class=\"dim\">" + escape_markup(study_origin(study)) + "</p>\n" + plots_of("study");
  const std::string title = study_title(study);
  for (const StudySection& section : study_sections(study, TextStyle{})) {
    text += html_element("h3", section.title);
    if (!section.table.rows.empty()) text += html_table(section.table, title + ": " + section.title);
    if (!section.lines.empty()) text += html_list(section.lines);
  }
  return text;
}

std::string metrics_text(const Record& record) {
  std::vector<std::string> words;
  for (const MetricValue& metric : record.metrics)
    words.push_back(metric.name + " " + short_number(metric.value) +
                    (metric.unit.empty() ? "" : " " + metric.unit));
  return join(words, "; ");
}

std::string error_text(const Record& record) {
  const std::optional<double> error = largest_error(record);
  return error ? short_number(*error) : "";
}

/// A property of machine code; absent where the back end does not report it.
struct Resource {
  const char* title;
  std::optional<std::string> (*text_of)(const LaunchUse&);
};

template <class Value>
std::optional<std::string> as_text(const std::optional<Value>& value) {
  return value ? std::optional(std::to_string(*value)) : std::nullopt;
}

constexpr std::array<Resource, 7> kResources = {
    {{"registers", [](const LaunchUse& launch) { return as_text(launch.attributes.registers); }},
     {"local bytes", [](const LaunchUse& launch) { return as_text(launch.attributes.local_bytes); }},
     {"static shared bytes",
      [](const LaunchUse& launch) { return as_text(launch.attributes.static_shared_bytes); }},
     {"most threads of a block",
      [](const LaunchUse& launch) { return as_text(launch.attributes.max_threads_per_block); }},
     {"occupancy",
      [](const LaunchUse& launch) {
        constexpr double kPercent = 100;
        return launch.occupancy ? std::optional(short_number(*launch.occupancy * kPercent) + " %")
                                : std::nullopt;
      }},
     {"binary bytes", [](const LaunchUse& launch) { return as_text(launch.attributes.binary_bytes); }},
     {"fibers because", [](const LaunchUse& launch) { return launch.attributes.fibers_because; }}}};

/// "32", or "copy 32; dot 40" for a step with several kernels.
std::string resource_text(const Record& record, const Resource& resource) {
  std::vector<std::string> words;
  for (const LaunchUse& launch : record.launches) {
    if (const auto text = resource.text_of(launch))
      words.push_back(record.launches.size() == 1 ? *text : launch.step + " " + *text);
  }
  return join(words, "; ");
}

/// Adds a column for each property that any of the records has.
void add_resources(const std::vector<Record>& records, TextTable& table) {
  for (const Resource& resource : kResources) {
    std::vector<std::string> texts;
    for (const Record& record : records) texts.push_back(resource_text(record, resource));
    if (std::all_of(texts.begin(), texts.end(), [](const std::string& text) { return text.empty(); }))
      continue;
    table.columns.push_back({resource.title, true});
    for (std::size_t i = 0; i < records.size(); ++i) table.rows[i].push_back({texts[i]});
  }
}

std::string record_section(const std::vector<Record>& records) {
  TextTable table{{{"time"},
                   {"workload"},
                   {"device"},
                   {"variant"},
                   {"status"},
                   {"median", true},
                   {"interval", true},
                   {"metrics"},
                   {"max. rel. error", true},
                   {"compiler"},
                   {"Kiln"}},
                  {}};
  for (const Record& record : records) {
    const Tone tone = record.status == RunStatus::kOk ? Tone::kPlain : tone_of(record.status);
    const std::string interval =
        record.step ? format_seconds(record.step->ci_low) + " to " + format_seconds(record.step->ci_high)
                    : "";
    table.rows.push_back({{record.time},
                          {record.workload},
                          {record.device.name},
                          {record.label},
                          {to_string(record.status), tone},
                          {record.step ? format_seconds(record.step->median) : ""},
                          {interval},
                          {metrics_text(record)},
                          {error_text(record)},
                          {record.compiler.name + " " + record.compiler.version},
                          {record.kiln_version + " " + record.kiln_revision}});
  }
  add_resources(records, table);
  TableMarks marks;
  for (std::size_t i = 0; i < records.size(); ++i) marks.records.push_back(std::to_string(i));
  return html_table(table, "All records", marks);
}

std::string workloads_text(const PageContent& content) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const Record& record : content.records) add(record.workload);
  for (const StudyReport& study : content.studies) add(study.workload);
  return join(names, ", ");
}

std::string summary_text(const PageContent& content) {
  std::vector<std::string> words;
  const std::size_t records = content.records.size();
  const std::size_t studies = content.studies.size();
  if (records > 0)
    words.push_back(std::to_string(records) + (records == 1 ? " record on " : " records on ") +
                    join(content.report.devices, ", "));
  if (studies > 0) words.push_back(std::to_string(studies) + (studies == 1 ? " study" : " studies"));
  return join(words, "; ");
}

/// A part of the page.
struct Part {
  std::string id, title, text;
  std::string attributes = "";
};

std::vector<Part> parts_of(const PageContent& content) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < content.studies.size(); ++i)
    parts.push_back({"study-" + std::to_string(i + 1), "Study: " + study_title(content.studies[i]),
                     study_section(content.studies[i]), " data-study=\"" + std::to_string(i) + "\""});
  if (!content.records.empty()) {
    parts.push_back({"times", "Times of a step", plots_of("times")});
    parts.push_back({"maps", "Two parameters", plots_of("maps")});
    parts.push_back({"curves", "Best so far", plots_of("curves")});
  }
  if (!content.ceilings.empty()) parts.push_back({"rooflines", "Rooflines", plots_of("rooflines")});
  if (!content.timelines.empty()) parts.push_back({"timelines", "Timelines", plots_of("timelines")});
  if (!content.records.empty()) {
    parts.push_back({"devices", "Devices and variants", portability_section(content)});
    parts.push_back({"records", "All records", record_section(content.records)});
  }
  return parts;
}

std::string contents(const std::vector<Part>& parts) {
  std::string text = "<nav aria-label=\"Contents\"><ul>\n";
  for (const Part& part : parts)
    text += "<li><a href=\"#" + part.id + "\">" + escape_markup(part.title) + "</a></li>\n";
  return text + "</ul></nav>\n";
}

constexpr const char* kHowToRead =
    "Times are medians; a bracket is the interval of the median at 95 %, by order statistics, which assume "
    "no "
    "distribution. Where the brackets of two bars or dots overlap, the data do not tell them apart. A value "
    "is shown where the pointer is, on a tap, and by the arrow keys in a plot. A table is sorted by a click "
    "on a "
    "title.";

std::string page_title(const PageContent& content) {
  return "Kiln: " + workloads_text(content);
}

/// Heading, contents and parts: the part of the page that a live page replaces.
std::string main_text(const PageContent& content) {
  std::string text = html_element("h1", page_title(content)) + "<p class=\"dim\">" +
                     escape_markup(summary_text(content)) + "</p>\n";
  const std::vector<Part> parts = parts_of(content);
  text += contents(parts) + html_element("p", kHowToRead);
  for (const Part& part : parts)
    text += "<section id=\"" + part.id + "\"" + part.attributes + ">\n" + html_element("h2", part.title) +
            part.text + "</section>\n";
  return text;
}

std::string script_element(std::string_view text) {
  return "<script>" + std::string(text) + "</script>\n";
}

std::string page_text(const PageContent& content, std::string_view charts, bool live) {
  // The page loads nothing from elsewhere; a live page asks its own server alone.
  const std::string policy =
      std::string(
          "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; ") +
      "form-action 'none'; connect-src " + (live ? "'self'" : "'none'");
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
      policy + "\">\n";
  text += html_element("title", page_title(content));
  text += "<style>" + std::string(embedded::kPageStyle) + "</style>\n</head>\n<body>\n";
  text += "<div id=\"filters\" role=\"group\" aria-label=\"Filters\" hidden></div>\n";
  if (live) text += "<p class=\"dim\" id=\"live\" role=\"status\">live</p>\n";
  if (charts.empty())
    text +=
        "<p class=\"bad\">This page has no plots: kiln was built without Chart.js (package libjs-chart.js, "
        "or "
        "-D KILN_CHART_JS=FILE).</p>\n";
  text += "<noscript><p class=\"bad\">Plots, filters and sorting need JavaScript.</p></noscript>\n";
  text += "<main id=\"content\">\n" + main_text(content) + "</main>\n";
  text += "<script type=\"application/json\" id=\"data\">" + page_data_json(content) + "</script>\n";
  if (!charts.empty()) text += script_element(charts);
  return text + script_element(embedded::kPageScript) + "</body>\n</html>\n";
}

}  // namespace

std::string_view page_chart_library() {
  return embedded::kChart;
}

std::string html_page(const PageContent& content, std::string_view charts) {
  return page_text(content, charts, false);
}

std::string live_page(const PageContent& content, std::string_view charts) {
  return page_text(content, charts, true);
}

std::string page_update_json(const PageContent& content, const std::string& version) {
  const nlohmann::json text = {{"version", version}, {"content", main_text(content)}};
  std::string json = text.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  json.pop_back();
  return json + ",\"data\":" + page_data_json(content) + "}";
}

}  // namespace kiln
