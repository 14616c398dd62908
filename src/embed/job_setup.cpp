#include "embed/job_setup.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>

#include "base/text.h"
#include "base/version.h"
#include "embed/wisdom_lookup.h"

namespace kiln {
namespace {

std::string new_run_id() {
  std::random_device random;
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%08x%08x", random(), random());
  return text.data();
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
  const auto look_up = [&](const Workload& of) {
    const std::vector<WisdomSource> sources =
        job.wisdom_from.empty()
            ? usual_wisdom(engine.settings(), of, job.file)
            : std::vector<WisdomSource>{named_wisdom(files, job.wisdom_from, job.wisdom_where)};
    return look_up_wisdom(engine, files, clock, log, of, sources);
  };
  WisdomAdvice advice = look_up(workload);
  advice.strict = job.strict_wisdom;
  for_each_launch(workload.run, [&](const LaunchSpec& launch) {
    const auto knows = [&](const LaunchWisdom& one) { return one.name == launch.wisdom->text; };
    if (!launch.wisdom || std::any_of(advice.launches.begin(), advice.launches.end(), knows)) return;
    auto named = engine.library().load(launch.wisdom->text, launch.wisdom->where);
    WisdomAdvice own = look_up(*named);
    advice.launches.push_back(
        {launch.wisdom->text, std::move(named), std::move(own.book), std::move(own.now.source)});
  });
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
