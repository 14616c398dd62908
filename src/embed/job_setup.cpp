#include "embed/job_setup.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>

#include "base/text.h"
#include "base/version.h"
#include "embed/wisdom_lookup.h"
#include "wisdom/wisdom_file.h"

namespace kiln {
namespace {

std::string new_run_id() {
  std::random_device random;
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%08x%08x", random(), random());
  return text.data();
}

std::vector<WisdomSource> wisdom_sources(Engine& engine, FileSystem& files, const JobSpec& job,
                                         const Workload& workload) {
  if (job.wisdom_from.empty()) return usual_wisdom(engine.settings(), workload, job.file);
  return {named_wisdom(files, job.wisdom_from, job.wisdom_where)};
}

/// Whether the file or folder that the job names, if any, is there and may have wisdom of the workload.
bool names_file_of(FileSystem& files, const JobSpec& job, const Workload& workload) {
  if (job.wisdom_from.empty()) return true;
  const std::filesystem::path path = named_wisdom(files, job.wisdom_from, job.wisdom_where).path;
  const auto status = files.target_status(path);
  const bool folder = status && status->type == FileStatus::Type::kDirectory;
  return !folder || files.target_status(path / wisdom_file_name(workload.name)).has_value();
}

}  // namespace

JobSpec read_job(FileSystem& files, const std::string& job) {
  return job.find('\n') != std::string::npos ? parse_job(job, "job") : load_job(files, job);
}

std::vector<std::string> device_names(const std::vector<std::string>& written, const Settings& settings) {
  std::vector<std::string> names;
  for (const std::string& name : written) {
    if (name == "auto") {
      const std::vector<std::string> preferred = split(settings.device, ',');
      names.insert(names.end(), preferred.begin(), preferred.end());
    } else {
      names.push_back(name);
    }
  }
  return names;
}

std::vector<std::shared_ptr<Device>> open_devices(Engine& engine, const std::vector<std::string>& names) {
  std::vector<std::shared_ptr<Device>> devices;
  for (const std::string& name : names) {
    for (std::shared_ptr<Device>& device : engine.devices().open_all(name)) {
      if (std::find(devices.begin(), devices.end(), device) == devices.end())
        devices.push_back(std::move(device));
    }
  }
  return devices;
}

std::vector<DeviceInfo> infos_of(const std::vector<std::shared_ptr<Device>>& devices) {
  std::vector<DeviceInfo> infos;
  infos.reserve(devices.size());
  for (const auto& device : devices) infos.push_back(device->info());
  return infos;
}

JobContext make_job_context(Engine& engine, FileSystem& files, const Clock& clock, Log& log,
                            const std::string& isolation, std::int64_t start_ns) {
  const BuildInfo build = build_info();
  return {.devices = engine.devices(),
          .compilers = engine.compilers(isolation),
          .service = engine.service(),
          .files = files,
          .clock = clock,
          .log = log,
          .run_id = new_run_id(),
          .kiln_version = build.version,
          .kiln_revision = build.revision,
          .start_ns = start_ns,
          .trace = engine.trace()};
}

std::optional<WisdomAdvice> advice_for(Engine& engine, FileSystem& files, const Clock& clock, Log& log,
                                       const JobSpec& job, const Workload& workload) {
  if (!job.wisdom) return std::nullopt;
  std::vector<std::pair<std::string, std::shared_ptr<const Workload>>> named;
  for_each_launch(workload.run, [&](const LaunchSpec& launch) {
    if (launch.wisdom && !has_name(named, launch.wisdom->text))
      named.emplace_back(launch.wisdom->text, engine.library().load(launch.wisdom->text, launch.wisdom->where,
                                                                    launch.wisdom->key));
  });
  // A folder that a job names may have the points of launches alone.
  const auto has_file = [&](const auto& one) { return names_file_of(files, job, *one.second); };
  const bool launches_alone =
      !names_file_of(files, job, workload) && std::any_of(named.begin(), named.end(), has_file);
  WisdomAdvice advice = look_up_wisdom(
      engine, files, clock, log, workload,
      launches_alone ? std::vector<WisdomSource>() : wisdom_sources(engine, files, job, workload));
  advice.strict = job.strict_wisdom;
  for (auto& [name, of] : named) {
    if (!names_file_of(files, job, *of)) continue;
    WisdomAdvice own =
        look_up_wisdom(engine, files, clock, log, *of, wisdom_sources(engine, files, job, *of));
    advice.launches.push_back({name, std::move(of), std::move(own.book), std::move(own.now.source)});
  }
  return advice;
}

KnownRecords resume_records(const JobPlan& plan, const std::vector<Record>& records, JobContext& context) {
  KnownRecords known = find_known(plan, records, context);
  std::string newest;
  for (const auto& record : known) {
    if (!record || record->time < newest) continue;
    newest = record->time;
    context.run_id = record->run_id;
  }
  return known;
}

}  // namespace kiln
