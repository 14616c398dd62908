#include <algorithm>
#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/arguments.h"
#include "cli/help.h"
#include "cli/job_arguments.h"
#include "cli/output_file.h"
#include "cli/wisdom_commands.h"
#include "job/plan.h"
#include "tune/foreign_points.h"
#include "wisdom/wisdom_choice.h"
#include "wisdom/wisdom_file.h"

namespace kiln {
namespace {

struct ImportArguments {
  JobArguments job;  ///< the job, then the files
  std::vector<std::string> map;
  std::string sizes, device_name, output;
};

/// True and False of Python are words of YAML in small letters.
std::string own_word(const std::string& text) {
  return text == "True" ? "true" : text == "False" ? "false" : text;
}

/// The question that a point of the file answers: the job's, with the file's problem size.
WisdomQuestion question_of(const WisdomQuestion& job, const ForeignPoint& point,
                           const std::vector<std::string>& sizes) {
  WisdomQuestion question = job;
  for (std::size_t i = 0; i < std::min(sizes.size(), point.problem_size.size()); ++i) {
    std::erase_if(question.set, [&](const auto& one) { return one.first == sizes[i]; });
    question.set.emplace_back(sizes[i],
                              RawValue{std::to_string(point.problem_size[i]), false, {"--sizes", 0, 0}});
  }
  return question;
}

/// Throws bad_input for a name that the workload does not have.
void require_names(const NamedTexts& values, const Workload& workload, const std::string& file) {
  std::vector<std::string> known{"launch_bounds", "graph"};
  for (const ParameterSpec& parameter : workload.parameters) known.push_back(parameter.name);
  for (const auto& [name, value] : values) {
    const std::string bare = name.starts_with("bind.") ? name.substr(5) : name;
    if (std::find(known.begin(), known.end(), bare) != known.end()) continue;
    const std::string map = "--map " + name;
    throw bad_input("workload " + in_quotes(workload.name) + " has no parameter " + in_quotes(name) +
                        suggestion(name, known) + "; " + assignment(map, "PARAMETER") +
                        " gives it another name, " + assignment(map, "") + " leaves it out",
                    {file, 0, 0});
  }
}

WisdomRecord record_of(const ForeignPoint& point, NamedTexts values, const WisdomQuestion& question,
                       FileSystem& files) {
  std::vector<std::string> tuned;
  for (const auto& [name, value] : values) tuned.push_back(name);
  WisdomRecord record;
  record.key = wisdom_key(question, tuned, files);
  record.values = std::move(values);
  record.result.time = {point.seconds};
  record.made.date = point.date.substr(0, std::string("2026-11-22").size());
  return record;
}

/// Throws bad_input for points of another device, unless the user named it.
void require_device(const ImportArguments& arguments, const std::vector<ForeignPoint>& points,
                    const DeviceInfo& device, const std::string& file) {
  if (!arguments.device_name.empty()) return;
  for (const ForeignPoint& point : points) {
    if (point.device.empty() || point.device == device.name) continue;
    throw bad_input("holds points of " + in_quotes(point.device) + ", and the job's device is " +
                        in_quotes(device.name) + ": --device chooses another, --device-name " +
                        in_quotes(device.name) + " takes them for this one",
                    {file, 0, 0});
  }
}

/// The fastest points that the workload takes, at least the best five of each size; `said` gets a line about
/// them.
std::vector<WisdomRecord> import_file(World& world, const ImportArguments& arguments, const std::string& file,
                                      const WisdomQuestion& job, std::string& said) {
  const std::map<std::string, std::string> map = name_map(arguments.map);
  const std::vector<std::string> sizes =
      arguments.sizes.empty() ? std::vector<std::string>() : split(arguments.sizes, ',');
  std::vector<ForeignPoint> points = read_foreign_points(world.files(), file);
  require_device(arguments, points, job.device, file);
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  std::vector<WisdomRecord> records;
  std::map<std::vector<std::int64_t>, std::size_t> taken;
  std::size_t refused = 0;
  for (const ForeignPoint& point : points) {
    if (taken[point.problem_size] >= kRanks) continue;
    NamedTexts values = renamed(point.values, map);
    for (auto& [name, value] : values) value = own_word(value);
    require_names(values, *job.workload, file);
    const WisdomQuestion question = question_of(job, point, sizes);
    WisdomRecord record = record_of(point, std::move(values), question, world.files());
    if (choose_wisdom(WisdomBook({record}), question, world.files()).empty()) {
      ++refused;
      continue;
    }
    ++taken[point.problem_size];
    records.push_back(std::move(record));
  }
  const std::string measured = std::to_string(points.size()) + " measured points";
  if (records.empty()) throw bad_input("the workload takes none of the " + measured, {file, 0, 0});
  said += file + ": " + measured + ", " + std::to_string(records.size()) + " taken, " +
          std::to_string(refused) + " faster ones that the workload does not allow\n";
  return records;
}

int import(World& world, const ImportArguments& arguments) {
  std::vector<std::string> words = arguments.job.words;
  if (words.size() < 2)
    throw bad_input("expected a job and at least one file: kiln wisdom import JOB FILE...");
  JobArguments job_only = arguments.job;
  job_only.words.resize(1);
  const JobSpec job = read_job(world, job_only);
  WisdomQuestion question{workload_of(job, world.engine().library()), job.set, {}, {}};
  question.device =
      world.engine().devices().open(device_names(job.devices, world.settings().values).front())->info();
  if (!arguments.device_name.empty()) question.device.name = arguments.device_name;
  std::vector<WisdomRecord> records;
  std::string said;
  for (std::size_t i = 1; i < words.size(); ++i) {
    for (WisdomRecord& record : import_file(world, arguments, words[i], question, said))
      records.push_back(std::move(record));
  }
  const std::string output =
      arguments.output.empty() ? own_wisdom_file(world, question.workload->name) : arguments.output;
  update_wisdom_file(world.files(), output, std::move(records));
  world.out() << said << "written: " << output << "\n";
  return kExitDone;
}

struct ExportArguments {
  std::string file, format = "kernel-launcher", output;
  std::size_t key = 0;
  std::vector<std::string> map;
};

int export_file(World& world, const ExportArguments& arguments) {
  require_word("--format", arguments.format, words_of<ForeignFormat>());
  const ForeignFormat format = *from_word<ForeignFormat>(arguments.format);
  require_output(world, arguments.output);
  std::vector<WisdomRecord> chosen;
  std::vector<std::string> keys;
  for (WisdomRecord& record : merge_wisdom(read_wisdom_file(world.files(), arguments.file))) {
    const std::string key = wisdom_key_text(record.key);
    if (keys.empty() || keys.back() != key) keys.push_back(key);
    if (arguments.key != 0 && keys.size() != arguments.key) continue;
    record.values = renamed(record.values, name_map(arguments.map));
    chosen.push_back(std::move(record));
  }
  if (arguments.key > keys.size())
    throw bad_input("--key: the file has " + std::to_string(keys.size()) + " keys");
  if (format != ForeignFormat::kKernelLauncher && arguments.key == 0 && keys.size() > 1)
    throw bad_input("such a file is of one device and one size, and " + in_quotes(arguments.file) + " has " +
                    std::to_string(keys.size()) + " keys: choose one with --key, 1 to " +
                    std::to_string(keys.size()) + " (kiln wisdom list)");
  write_output(world, arguments.output, foreign_text(chosen, format));
  return kExitDone;
}

}  // namespace

Subcommand add_wisdom_import_command(CLI::App& wisdom) {
  CLI::App* command = wisdom.add_subcommand("import", "Import results of another tuner");
  const auto arguments = std::make_shared<ImportArguments>();
  add_job_options(*command, arguments->job);
  command->get_option("JOB")->description(
      "A job that says workload, sizes, types and device, then files: cache files of Kernel Tuner, T4 "
      "results, wisdom "
      "of Kernel Launcher, JSON of KTT");
  command
      ->add_option(
          "--map", arguments->map,
          "Map the file's names to the workload's, THEIRS=OURS; a name without text after '=' is left out")
      ->type_name("NAME=PARAMETER");
  command->add_option("--sizes", arguments->sizes, "Parameters that are the file's problem size, in order")
      ->type_name("NAME,...");
  command
      ->add_option("--device-name", arguments->device_name, "Device of the file's results; default the job's")
      ->type_name("NAME");
  command
      ->add_option("-o,--output", arguments->output,
                   "File to merge into, instead of the user's in wisdom_dir")
      ->type_name("FILE");
  command->footer(examples({"kiln wisdom import job.yaml gemm-A100.json.gz --map MWG=tile_m NWG=tile_n",
                            "kiln wisdom import job.yaml scale.wisdom --sizes n --map block_size_x=block"}));
  return {command, [arguments](World& world) { return import(world, *arguments); }};
}

Subcommand add_wisdom_export_command(CLI::App& wisdom) {
  CLI::App* command = wisdom.add_subcommand("export", "Write wisdom for another tuner");
  const auto arguments = std::make_shared<ExportArguments>();
  command->add_option("FILE", arguments->file, "A file of wisdom")->required()->type_name("");
  command->add_option("--format", arguments->format, "kernel-launcher, kernel-tuner or t4")
      ->type_name("FORMAT");
  command
      ->add_option("--key", arguments->key, "Only the records of one key, by its number in kiln wisdom list")
      ->type_name("N");
  command->add_option("--map", arguments->map, "Map the workload's names to the file's, OURS=THEIRS")
      ->type_name("PARAMETER=NAME");
  command->add_option("-o,--output", arguments->output, "File to write, instead of standard output")
      ->type_name("FILE");
  command->footer(
      examples({"kiln wisdom export minibude.wisdom.yaml --format kernel-tuner --key 1 -o minibude.json"}));
  return {command, [arguments](World& world) { return export_file(world, *arguments); }};
}

}  // namespace kiln
