#include <algorithm>
#include <functional>
#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/hash.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/live_report.h"
#include "cli/output_file.h"
#include "kiln/error.h"
#include "record/record_file.h"
#include "record/study_reader.h"
#include "report/html_page.h"
#include "report/paper_csv.h"
#include "report/portability.h"
#include "report/portability_text.h"
#include "report/result_files.h"
#include "report/study_report.h"

namespace kiln {
namespace {

struct ReportArguments {
  std::vector<std::string> results;
  std::vector<std::string> reference, ceilings, timelines;
  std::string devices, problem, metric, workload;
  std::string format = "table";
  std::string output;
  bool serve = false;
  int port = 0;
};

/// The content of the files named on the command line, for the requested workload.
struct Results {
  std::vector<Record> records;
  std::vector<StudyReport> studies;
  std::vector<std::string> notes = {};
};

std::vector<Record> read_reference(World& world, const std::vector<std::string>& paths) {
  const ResultFiles found = find_result_files(world.files(), {paths.begin(), paths.end()});
  if (found.records.empty() && !found.studies.empty())
    throw bad_input("--reference: '" + found.studies.front().string() +
                    "' is a study's; expected records, as in the records.jsonl beside it");
  return read_records(world.files(), found.records, world.log());
}

/// Keeps the results of `workload`; all if none is named.
void keep_only(Results& results, const std::string& workload) {
  if (workload.empty()) return;
  std::vector<std::string> known;
  const auto add = [&](const std::string& name) {
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  };
  for (const Record& record : results.records) add(record.workload);
  for (const StudyReport& study : results.studies) add(study.workload);
  if (std::find(known.begin(), known.end(), workload) == known.end())
    throw bad_input("--workload: no record is of '" + workload + "'" + suggestion(workload, known));
  std::erase_if(results.records, [&](const Record& record) { return record.workload != workload; });
  std::erase_if(results.studies, [&](const StudyReport& study) { return study.workload != workload; });
}

Results read_results(World& world, const ReportArguments& arguments, Log& log) {
  const ResultFiles found =
      find_result_files(world.files(), {arguments.results.begin(), arguments.results.end()});
  StudyReports studies = read_studies(world.files(), found.studies);
  Results results{read_records(world.files(), found.records, log), std::move(studies.reports)};
  if (results.records.empty() && results.studies.empty())
    throw bad_input(studies.notes.empty() ? "the files hold no records: " + join(arguments.results, ", ")
                                          : join(studies.notes, "\n"));
  results.notes = studies.notes;
  keep_only(results, arguments.workload);
  return results;
}

std::vector<DeviceCeilings> read_all_ceilings(World& world, const std::vector<std::string>& paths) {
  std::vector<DeviceCeilings> all;
  all.reserve(paths.size());
  for (const std::string& path : paths) all.push_back(read_ceilings(world.files(), path));
  return all;
}

std::vector<Timeline> read_timelines(World& world, const std::vector<std::string>& paths) {
  std::vector<Timeline> all;
  all.reserve(paths.size());
  for (const std::string& path : paths) all.push_back(read_timeline(world.files(), path));
  return all;
}

std::vector<std::string> words(const std::string& text) {
  return text.empty() ? std::vector<std::string>() : split(text, ',');
}

void print_notes(World& world, const Results& results) {
  for (const std::string& note : results.notes) world.status_line().write("note: " + note);
}

/// For records a line for each application and device; for studies alone a line for each of their figures.
std::string csv_text(const Results& results, const Portability& report) {
  return results.records.empty() ? studies_to_csv(results.studies) : portability_to_csv(report);
}

std::string paper_text(const Results& results) {
  if (results.records.empty())
    throw bad_input(
        "--format paper: the files hold no records; a study's are in the records.jsonl beside it");
  return records_to_paper_csv(results.records);
}

/// The comparison of the records, then each study.
std::string people_text(const Results& results, const std::string& comparison,
                        const std::function<std::string(const StudyReport&)>& study_text) {
  std::string text = results.records.empty() ? "" : comparison;
  for (const StudyReport& study : results.studies) text += (text.empty() ? "" : "\n") + study_text(study);
  return text;
}

Portability compare(World& world, const ReportArguments& arguments, const Results& results) {
  return compare_devices(results.records, read_reference(world, arguments.reference),
                         {words(arguments.devices), words(arguments.problem), arguments.metric});
}

std::string report_text(World& world, const ReportArguments& arguments) {
  const Results results = read_results(world, arguments, world.log());
  print_notes(world, results);
  if (arguments.format == "paper") return paper_text(results);
  const Portability report = compare(world, arguments, results);
  if (arguments.format == "json") return portability_to_json(report, results.studies);
  if (arguments.format == "csv") return csv_text(results, report);
  if (arguments.format == "html") {
    const std::vector<DeviceCeilings> ceilings = read_all_ceilings(world, arguments.ceilings);
    return html_page(
        {results.records, report, ceilings, results.studies, read_timelines(world, arguments.timelines)});
  }
  if (arguments.format == "markdown")
    return people_text(results, portability_to_markdown(report), study_to_markdown);
  const TextStyle style = arguments.output.empty() ? world.style() : TextStyle{};
  return people_text(results, portability_to_terminal(report, style),
                     [&](const StudyReport& study) { return study_to_terminal(study, style); });
}

/// Of all files that the report is made of: places, sizes and times.
std::string files_version(World& world, const ReportArguments& arguments) {
  const ResultFiles found =
      find_result_files(world.files(), {arguments.results.begin(), arguments.results.end()});
  FieldHasher hasher;
  const auto add = [&](const std::filesystem::path& path) {
    const auto status = world.files().target_status(path);
    hasher.field("file", path.string());
    if (!status) return;
    hasher.field("size", static_cast<std::int64_t>(status->size)).field("modified", status->modified_ns);
  };
  for (const auto* list : {&found.records, &found.studies}) std::for_each(list->begin(), list->end(), add);
  for (const auto* list : {&arguments.reference, &arguments.ceilings, &arguments.timelines})
    std::for_each(list->begin(), list->end(), add);
  return hasher.hex();
}

std::string update_text(World& world, const ReportArguments& arguments, const std::string& version) {
  // A line that is being written is no warning here.
  const Results results = read_results(world, arguments, *make_null_log());
  const Portability report = compare(world, arguments, results);
  const std::vector<DeviceCeilings> ceilings = read_all_ceilings(world, arguments.ceilings);
  return page_update_json(
      {results.records, report, ceilings, results.studies, read_timelines(world, arguments.timelines)},
      version);
}

int serve(World& world, const ReportArguments& arguments) {
  constexpr int kMostPort = 65535;
  if (!arguments.output.empty() || arguments.format != "table")
    throw bad_input("--serve shows a page in a browser; expected no --output and no --format");
  if (arguments.port < 0 || arguments.port > kMostPort)
    throw bad_input("--port: expected 0 to 65535, found " + std::to_string(arguments.port));
  const std::string token = new_token();
  LiveReport live(token,
                  {live_page({{}, {}, {}, {}}), [&] { return files_version(world, arguments); },
                   [&](const std::string& version) { return update_text(world, arguments, version); }});
  return serve_report(world, live, token, arguments.port);
}

int report(World& world, const ReportArguments& arguments) {
  require_word("--format", arguments.format, {"table", "markdown", "csv", "json", "html", "paper"});
  if (arguments.serve) return serve(world, arguments);
  if (arguments.port != 0) throw bad_input("--port: expected --serve with it");
  if (!arguments.ceilings.empty() && arguments.format != "html")
    throw bad_input("--ceilings: rooflines are drawn by --format html; found --format " + arguments.format);
  if (!arguments.timelines.empty() && arguments.format != "html")
    throw bad_input("--timeline: timelines are drawn by --format html; found --format " + arguments.format);
  require_output(world, arguments.output);
  write_output(world, arguments.output, report_text(world, arguments));
  return kExitDone;
}

}  // namespace

Subcommand add_report_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("report",
                                         "Compare devices and variants from result files, and show what "
                                         "studies found: tables, CSV, JSON, a page");
  const auto arguments = std::make_shared<ReportArguments>();
  command
      ->add_option("RESULTS", arguments->results,
                   "Files records.jsonl and study.jsonl, or folders that contain them")
      ->required()
      ->type_name("");
  command
      ->add_option("--reference", arguments->reference,
                   "Records with an efficiency of 1, instead of the best in RESULTS")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      ->add_option("--ceilings", arguments->ceilings,
                   "Output of `kiln roofline` for a device: --format html draws its roofline")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      ->add_option("--timeline", arguments->timelines,
                   "What `--trace` wrote of a run: --format html draws its spans")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->add_option("--devices", arguments->devices, "The set of devices, by names or parts of them")
      ->type_name("DEVICE,...");
  command
      ->add_option("--problem", arguments->problem,
                   "Parameters that results must share to be compared, beside types; default: those that no "
                   "sweep varies")
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
  command->add_flag("--serve", arguments->serve,
                    "Show the page of --format html at an address of this machine, and what is new while "
                    "results come; until Ctrl-C");
  command
      ->add_option("--port", arguments->port, "Of the address of --serve; 0, the default: one that is free")
      ->type_name("N");
  command->footer(examples({"kiln report results --devices H200,MI300A --problem T,nx --format markdown",
                            "kiln report results --format html --ceilings h200.json -o report.html",
                            "kiln report results --serve",
                            "kiln report results/studies/minibude_constants/study.jsonl --format csv"}));
  return {command, [arguments](World& world) { return report(world, *arguments); }};
}

}  // namespace kiln
