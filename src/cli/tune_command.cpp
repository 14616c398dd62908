#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output_file.h"
#include "cli/tune_job_command.h"
#include "kiln/error.h"
#include "report/text_table.h"
#include "tune/compare.h"
#include "tune/recorded_file.h"

namespace kiln {
namespace {

struct CompareArguments {
  std::vector<std::string> files;
  std::string searchers = "default,wolf_pack,genetic,random";
  std::uint64_t seeds = 20, evaluations = 220, batch = 1;
  unsigned jobs = 0;
  std::string format = "table";
  std::string output, curves;
};

std::string decimals(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

TextTable table_of(const std::vector<SearcherResult>& results) {
  TextTable table{{{"space"}, {"searcher"}}, {}};
  for (const std::uint64_t n : kShownEvaluations)
    table.columns.push_back({"after\n" + std::to_string(n), true});
  for (const char* title : {"score over\nevaluations", "score over\ntime", "exact\nscore",
                            "within 2 %\nafter", "part of the\nwhole time", "s/run"})
    table.columns.push_back({title, true});
  for (const SearcherResult& one : results) {
    std::vector<TableCell> row = {{one.space}, {one.searcher}};
    for (const std::uint64_t n : kShownEvaluations) row.push_back({decimals(one.fraction_after(n), 3)});
    for (const double score : {one.score.evaluations, one.score.time, one.score.exact})
      row.push_back({decimals(score, 2)});
    row.push_back({decimals(one.near.evaluations, 0)});
    row.push_back({decimals(100 * one.near.time, 1) + " %"});
    row.push_back({decimals(one.seconds, 3)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

CompareOptions options_of(const CompareArguments& arguments) {
  CompareOptions options;
  for (const std::string& name : split(arguments.searchers, ',')) {
    const std::string searcher(trim(name));
    options.searchers.emplace_back(searcher_kind(searcher).name);
  }
  options.seeds = arguments.seeds;
  options.replay = {arguments.evaluations, static_cast<std::size_t>(arguments.batch)};
  options.threads = arguments.jobs > 0 ? arguments.jobs : std::max(1U, std::thread::hardware_concurrency());
  return options;
}

std::string text_of(World& world, const CompareArguments& arguments, std::vector<SearcherResult> results) {
  const std::vector<SearcherResult> means = means_over_spaces(results);
  if (arguments.files.size() > 1) results.insert(results.end(), means.begin(), means.end());
  if (arguments.format == "csv") return scores_to_csv(results);
  if (arguments.format == "markdown") return render_markdown(table_of(results));
  return render_terminal(table_of(results), arguments.output.empty() ? world.style() : TextStyle{});
}

int compare(World& world, const CompareArguments& arguments) {
  require_word("--format", arguments.format, {"table", "markdown", "csv"});
  const CompareOptions options = options_of(arguments);
  require_output(world, arguments.output);
  if (!arguments.curves.empty()) require_output(world, arguments.curves);
  std::vector<RecordedSpace> spaces;
  for (const std::string& file : arguments.files) spaces.push_back(read_recorded_space(world.files(), file));
  const std::vector<SearcherResult> results = compare_searchers(spaces, options);
  if (!arguments.curves.empty()) write_output(world, arguments.curves, curves_to_csv(results));
  write_output(world, arguments.output, text_of(world, arguments, results));
  return kExitDone;
}

Subcommand add_compare_command(CLI::App& tune) {
  CLI::App* command = tune.add_subcommand(
      "compare",
      "Replay searches over completely measured spaces. Shows what part of the best speed "
      "each searcher has found after 20, 50, 100 and 200 evaluations, the community's scores, and after "
      "how many evaluations and what part of the time of all points half of the searches are within 2 %");
  const auto arguments = std::make_shared<CompareArguments>();
  command
      ->add_option("FILES", arguments->files,
                   "Journals of kiln tune, cache files of Kernel Tuner, or T4 results; also .gz")
      ->required()
      ->type_name("");
  command->add_option("--searchers", arguments->searchers, "Names: " + searcher_names())
      ->type_name("NAME,...");
  command->add_option("--seeds", arguments->seeds, "Runs of each searcher on each space; default 20")
      ->type_name("N")
      ->check(CLI::Range(1, 10000));
  command->add_option("--evaluations", arguments->evaluations, "Evaluations of a run; default 220")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--batch", arguments->batch, "Points that are requested at once; default 1")
      ->type_name("N")
      ->check(CLI::Range(1, 10000));
  command->add_option("-j,--jobs", arguments->jobs, "Threads; default one for each core")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command->add_option("--format", arguments->format, "table, markdown or csv")->type_name("FORMAT");
  command
      ->add_option("--curves", arguments->curves,
                   "File for the means after each evaluation, as CSV: tools/plot.py searches draws them")
      ->type_name("FILE");
  command->add_option("-o,--output", arguments->output, "File to write, instead of standard output")
      ->type_name("FILE");
  command->footer(examples({"kiln tune compare gemm-RTX_3090.json.gz --searchers default,genetic,random",
                            "kiln tune compare spaces/*.json.gz --seeds 100 --curves curves.csv"}));
  return {command, [arguments](World& world) { return compare(world, *arguments); }};
}

}  // namespace

Subcommand add_tune_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "tune", "Search for a job's fastest variant; `compare`: compare searchers over recorded spaces");
  command->require_subcommand(0, 1);
  const Subcommand job = add_tune_job(*command);
  const Subcommand comparison = add_compare_command(*command);
  return {command, [job, comparison](World& world) {
            return comparison.app->parsed() ? comparison.run(world) : job.run(world);
          }};
}

}  // namespace kiln
