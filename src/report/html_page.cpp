#include "report/html_page.h"

#include <algorithm>

#include "base/text.h"
#include "report/html_style.h"
#include "report/page_plots.h"
#include "report/plots.h"
#include "report/portability_text.h"
#include "report/record_table.h"
#include "report/svg.h"

namespace kiln {
namespace {

std::string element(const std::string& name, const std::string& text) {
  return "<" + name + ">" + escape_markup(text) + "</" + name + ">\n";
}

/// A title's line ends are for terminals: "effi-\nciency" is one word here.
std::string title_text(std::string title) {
  for (std::size_t at = title.find("-\n"); at != std::string::npos; at = title.find("-\n"))
    title.erase(at, 2);
  std::replace(title.begin(), title.end(), '\n', ' ');
  return title;
}

std::string cell(const char* name, bool number, bool bad, const std::string& text) {
  const std::string css = bad ? " class=\"bad\"" : number ? " class=\"number\"" : "";
  return std::string("<") + name + css + ">" + escape_markup(text) + "</" + name + ">";
}

std::string html_table(const TextTable& table) {
  std::string text = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const TableColumn& column : table.columns)
    text += cell("th", column.right, false, title_text(column.title));
  text += "</tr></thead>\n<tbody>\n";
  for (const std::vector<TableCell>& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      text += cell("td", table.columns[i].right, row[i].tone == Tone::kBad, row[i].text);
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string figure(const Plot& plot) {
  return "<figure>\n" + plot.svg + element("figcaption", plot.caption) + "</figure>\n";
}

std::string portability_section(const Portability& report) {
  std::string text = element("h2", "Devices and variants");
  text += element("p", report.has_reference
                           ? "Efficiency: against the best of the reference's records on the same device."
                           : "Efficiency: against the best variant known on the same device.");
  for (std::size_t i = 0; i < report.rows.size(); i += portability_rows(report, i))
    text += element("h3", portability_heading(report.rows[i])) + html_table(portability_table(report, i));
  if (report.notes.empty()) return text;
  text += "<ul>\n";
  for (const std::string& note : report.notes) text += element("li", note);
  return text + "</ul>\n";
}

std::string plot_section(const std::string& title, const std::vector<Plot>& plots) {
  if (plots.empty()) return "";
  std::string text = element("h2", title);
  for (const Plot& plot : plots) text += figure(plot);
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
  double error = 0;
  for (const CheckResult& check : record.checks) error = std::max(error, check.max_relative_error);
  return record.checks.empty() ? "" : short_number(error);
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
    const bool ok = record.status == RunStatus::kOk;
    const std::string interval =
        record.step ? format_seconds(record.step->ci_low) + " to " + format_seconds(record.step->ci_high)
                    : "";
    table.rows.push_back({{record.time},
                          {record.workload},
                          {record.device.name},
                          {record.label},
                          {to_string(record.status), ok ? Tone::kPlain : Tone::kBad},
                          {record.step ? format_seconds(record.step->median) : ""},
                          {interval},
                          {metrics_text(record)},
                          {error_text(record)},
                          {record.compiler.name + " " + record.compiler.version},
                          {record.kiln_version + " " + record.kiln_revision}});
  }
  return element("h2", "All records") + html_table(table);
}

std::string workloads_text(const std::vector<Record>& records) {
  std::vector<std::string> names;
  for (const Record& record : records) {
    if (std::find(names.begin(), names.end(), record.workload) == names.end())
      names.push_back(record.workload);
  }
  return join(names, ", ");
}

}  // namespace

std::string html_page(const std::vector<Record>& records, const Portability& report,
                      const std::vector<DeviceCeilings>& ceilings) {
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  text += element("title", "Kiln: " + workloads_text(records));
  text += std::string("<style>") + kHtmlStyle + "</style>\n</head>\n<body>\n";
  text += element("h1", "Kiln: " + workloads_text(records));
  text += "<p class=\"dim\">" +
          escape_markup(std::to_string(records.size()) + " records on " + join(report.devices, ", ")) +
          "</p>\n";
  text += plot_section("Times of a step", time_plots(report));
  text += plot_section("Two parameters", heat_maps(records, report));
  text += plot_section("Rooflines", rooflines(records, ceilings));
  text += portability_section(report);
  text += record_section(records);
  return text + "</body>\n</html>\n";
}

}  // namespace kiln
