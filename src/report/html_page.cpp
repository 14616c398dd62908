#include "report/html_page.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "report/html.h"
#include "report/html_style.h"
#include "report/page_plots.h"
#include "report/portability_text.h"
#include "report/record_table.h"
#include "report/study_plots.h"
#include "report/study_report.h"
#include "report/svg.h"

namespace kiln {
namespace {

/// A heading that the list of contents can name.
std::string heading(const std::string& id, const std::string& title) {
  return "<h2 id=\"" + id + "\">" + escape_markup(title) + "</h2>\n";
}

std::string portability_section(const Portability& report) {
  std::string text =
      html_element("p", report.has_reference
                            ? "Efficiency: against the best of the reference's records on the same device."
                            : "Efficiency: against the best variant known on the same device.");
  for (std::size_t i = 0; i < report.rows.size(); i += portability_rows(report, i)) {
    const std::string title = portability_heading(report.rows[i]);
    text += html_element("h3", title) + html_table(portability_table(report, i), title);
  }
  return text + (report.notes.empty() ? "" : html_list(report.notes));
}

std::string study_section(const StudyReport& study) {
  std::string text = "<p class=\"dim\">" + escape_markup(study_origin(study)) + "</p>\n";
  const std::vector<Plot> plots = study_plots(study);
  if (!plots.empty()) text += html_figures(plots);
  for (const StudySection& section : study_sections(study, TextStyle{})) {
    text += html_element("h3", section.title);
    if (!section.table.rows.empty()) text += html_table(section.table, section.title);
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

/// A figure of machine code; nothing where the back end does not tell.
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

/// "32", or "copy 32; dot 40" of a step with several kernels.
std::string resource_text(const Record& record, const Resource& resource) {
  std::vector<std::string> words;
  for (const LaunchUse& launch : record.launches) {
    if (const auto text = resource.text_of(launch))
      words.push_back(record.launches.size() == 1 ? *text : launch.step + " " + *text);
  }
  return join(words, "; ");
}

/// A column for each figure that any of the records has.
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
  return html_table(table, "All records");
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

/// A part of the page; without text it is left out.
struct Part {
  std::string id, title, text;
};

std::vector<Part> parts_of(const PageContent& content) {
  const auto figures = [](const std::vector<Plot>& plots) {
    return plots.empty() ? std::string() : html_figures(plots);
  };
  std::vector<Part> parts;
  for (std::size_t i = 0; i < content.studies.size(); ++i)
    parts.push_back({"study-" + std::to_string(i + 1), "Study: " + study_title(content.studies[i]),
                     study_section(content.studies[i])});
  parts.push_back({"times", "Times of a step", figures(time_plots(content.report))});
  parts.push_back({"maps", "Two parameters", figures(heat_maps(content.records, content.report))});
  parts.push_back({"rooflines", "Rooflines", figures(rooflines(content.records, content.ceilings))});
  if (!content.records.empty()) {
    parts.push_back({"devices", "Devices and variants", portability_section(content.report)});
    parts.push_back({"records", "All records", record_section(content.records)});
  }
  std::erase_if(parts, [](const Part& part) { return part.text.empty(); });
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
    "distribution. Where the brackets of two bars or dots overlap, the data do not tell them apart. The best "
    "of a picture has the stronger colour.";

}  // namespace

std::string html_page(const PageContent& content) {
  const std::string title = "Kiln: " + workloads_text(content);
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  text += html_element("title", title);
  text += std::string("<style>") + kHtmlStyle + "</style>\n</head>\n<body>\n";
  text += html_element("h1", title);
  text += "<p class=\"dim\">" + escape_markup(summary_text(content)) + "</p>\n";
  const std::vector<Part> parts = parts_of(content);
  text += contents(parts) + html_element("p", kHowToRead);
  for (const Part& part : parts) text += heading(part.id, part.title) + part.text;
  return text + "</body>\n</html>\n";
}

}  // namespace kiln
