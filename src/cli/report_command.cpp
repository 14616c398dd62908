#include <algorithm>
#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/output_file.h"
#include "kiln/error.h"
#include "report/html_page.h"
#include "report/paper_csv.h"
#include "report/portability.h"
#include "report/portability_text.h"
#include "report/record_reader.h"

namespace kiln {
namespace {

struct ReportArguments {
  std::vector<std::string> results;
  std::vector<std::string> reference, ceilings;
  std::string devices, problem, metric, workload;
  std::string format = "table";
  std::string output;
};

std::vector<Record> read(World& world, const std::vector<std::string>& paths) {
  return read_records(world.files(), {paths.begin(), paths.end()});
}

/// Those of `workload`; all where none is named.
std::vector<Record> only(std::vector<Record> records, const std::string& workload) {
  if (workload.empty()) return records;
  std::vector<std::string> known;
  for (const Record& record : records) {
    if (std::find(known.begin(), known.end(), record.workload) == known.end())
      known.push_back(record.workload);
  }
  std::erase_if(records, [&](const Record& record) { return record.workload != workload; });
  if (records.empty())
    throw bad_input("--workload: no record is of '" + workload + "'" + suggestion(workload, known));
  return records;
}

std::vector<DeviceCeilings> read_all_ceilings(World& world, const std::vector<std::string>& paths) {
  std::vector<DeviceCeilings> all;
  for (const std::string& path : paths) all.push_back(read_ceilings(world.files(), path));
  return all;
}

std::vector<std::string> words(const std::string& text) {
  return text.empty() ? std::vector<std::string>() : split(text, ',');
}

std::string report_text(World& world, const ReportArguments& arguments) {
  const std::vector<Record> all = read(world, arguments.results);
  if (all.empty()) throw bad_input("the files hold no records: " + join(arguments.results, ", "));
  const std::vector<Record> records = only(all, arguments.workload);
  if (arguments.format == "paper") return records_to_paper_csv(records);
  const Portability report =
      compare_devices(records, read(world, arguments.reference),
                      {words(arguments.devices), words(arguments.problem), arguments.metric});
  if (arguments.format == "json") return portability_to_json(report);
  if (arguments.format == "csv") return portability_to_csv(report);
  if (arguments.format == "html")
    return html_page(records, report, read_all_ceilings(world, arguments.ceilings));
  if (arguments.format == "markdown") return portability_to_markdown(report);
  return portability_to_terminal(report, arguments.output.empty() ? world.style() : TextStyle{});
}

int report(World& world, const ReportArguments& arguments) {
  require_word("--format", arguments.format, {"table", "markdown", "csv", "json", "html", "paper"});
  write_output(world, arguments.output, report_text(world, arguments));
  return kExitDone;
}

}  // namespace

Subcommand add_report_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "report", "Compare devices and variants from result files: efficiencies and performance portability");
  const auto arguments = std::make_shared<ReportArguments>();
  command->add_option("RESULTS", arguments->results, "Files records.jsonl, or folders that contain them")
      ->required()
      ->type_name("");
  command
      ->add_option("--reference", arguments->reference,
                   "Records that an efficiency of 1 stands for, instead of the best in RESULTS")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      ->add_option("--ceilings", arguments->ceilings,
                   "What `kiln roofline` wrote of a device: --format html draws its roofline")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->add_option("--devices", arguments->devices, "The set of devices, by names or parts of them")
      ->type_name("DEVICE,...");
  command
      ->add_option(
          "--problem", arguments->problem,
          "Parameters that results must share to be compared, beside types; else those that no sweep varies")
      ->type_name("NAME,...");
  command->add_option("--metric", arguments->metric, "Only this metric, or time")->type_name("NAME");
  command->add_option("--workload", arguments->workload, "Only records of this workload")->type_name("NAME");
  command
      ->add_option("--format", arguments->format,
                   "table, markdown, csv, json, html (one page with plots), or paper (the columns of the "
                   "paper's result files)")
      ->type_name("FORMAT");
  command->add_option("-o,--output", arguments->output, "File to write, instead of standard output")
      ->type_name("FILE");
  command->footer(examples({"kiln report results/stencil7",
                            "kiln report results --devices H200,MI300A --problem T,nx --format markdown",
                            "kiln report results --reference vendor/records.jsonl --format json",
                            "kiln report results --format html --ceilings h200.json -o report.html"}));
  return {command, [arguments](World& world) { return report(world, *arguments); }};
}

}  // namespace kiln
