#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "cli/world.h"
#include "config/job_spec.h"
#include "device/device.h"
#include "embed/job_setup.h"

namespace kiln {

/// A job file and what the command line changes of it. A list option takes all words up to the next option;
/// one without '=' among them is the job file, so that `kiln run --set nx=64 job.yaml` means what it says.
struct JobArguments {
  std::vector<std::string> words;
  std::vector<std::string> set;
  std::vector<std::string> sweep;
};

void add_job_options(CLI::App& app, JobArguments& arguments);

/// With all job files in `words`, wherever they stood.
[[nodiscard]] JobArguments sort_words(JobArguments arguments);

/// Reads the file and applies the changes.
[[nodiscard]] JobSpec read_job(World& world, const JobArguments& arguments);

/// A device for each name: enough to resolve and check a job where no device is needed. What expressions may
/// ask of a device is that of an able one, so that nothing is refused for want of it.
[[nodiscard]] std::vector<DeviceInfo> assumed_devices(const std::vector<std::string>& names);

}  // namespace kiln
