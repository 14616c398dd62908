#include "cli/job_arguments.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/text.h"
#include "device/backend_kind.h"
#include "kiln/error.h"

namespace kiln {
namespace {

/// Moves words that are no assignments out of a list option.
void take_files(std::vector<std::string>& assignments, std::vector<std::string>& files) {
  for (const std::string& word : assignments) {
    if (word.find('=') == std::string::npos) files.push_back(word);
  }
  std::erase_if(assignments, [](const std::string& word) { return word.find('=') == std::string::npos; });
}

}  // namespace

void add_job_options(CLI::App& app, JobArguments& arguments) {
  app.add_option("JOB", arguments.words, "Job file, or a workload's file (YAML)")->type_name("");
  app.add_option("--set", arguments.set, "Set parameters, in place of the job's `set` and `sweep`")
      ->type_name("NAME=VALUE");
  app.add_option("--sweep", arguments.sweep,
                 "Sweep a parameter over values; bind.NAME=compile,run sweeps its binding")
      ->type_name("NAME=V1,V2");
}

JobArguments sort_words(JobArguments arguments) {
  take_files(arguments.set, arguments.words);
  take_files(arguments.sweep, arguments.words);
  return arguments;
}

JobSpec read_job(World& world, const JobArguments& arguments) {
  const JobArguments sorted = sort_words(arguments);
  if (sorted.words.empty()) throw bad_input("a job file is missing, such as configs/quickstart.yaml");
  if (sorted.words.size() > 1) {
    const std::string& extra = sorted.words[1];
    const bool assignment = extra.find('=') != std::string::npos;
    throw bad_input("one job at a time: '" + extra + "' is one argument too many" +
                    (assignment ? "; did you mean --set " + extra + "?" : ""));
  }
  JobSpec job = load_job(world.files(), sorted.words.front());
  for (const std::string& assignment : sorted.set) apply_set(job, assignment);
  for (const std::string& assignment : sorted.sweep) apply_sweep(job, assignment);
  return job;
}

std::vector<DeviceInfo> assumed_devices(const std::vector<std::string>& names) {
  std::vector<DeviceInfo> devices;
  for (const std::string& name : names) {
    const std::string id =
        name == "auto" ? std::string(host_kind().name) : backend_of_all(name).value_or(name);
    const std::string backend = id.substr(0, id.find(':'));
    const BackendKind& kind = backend_kind(backend);
    DeviceInfo device = unknown_device({backend, kind.assumed_architecture});
    device.id = id;
    device.compute_units = 128;
    device.memory_bandwidth = kind.assumed_bandwidth;
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace kiln
