#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "config/job_spec.h"
#include "embed/engine.h"
#include "job/job_runner.h"
#include "job/wisdom_advice.h"

// The parts of an engine that a job needs, for the command line and for programs.
namespace kiln {

/// The job of a file or, if `job` contains a line break, of that text.
[[nodiscard]] JobSpec read_job(FileSystem& files, const std::string& job);

/// `written`: names as in a job or study ("auto", "cuda"). "auto" is replaced by the setting `device`.
[[nodiscard]] std::vector<std::string> device_names(const std::vector<std::string>& written,
                                                    const Settings& settings);

/// Opened, each once; held for the whole run, so that the job layer gets the same devices.
[[nodiscard]] std::vector<std::shared_ptr<Device>> open_devices(Engine& engine,
                                                                const std::vector<std::string>& names);
[[nodiscard]] std::vector<DeviceInfo> infos_of(const std::vector<std::shared_ptr<Device>>& devices);

/// With a run id of its own. `isolation`: of compilers, as Engine::compilers. `start_ns`: when it all began.
[[nodiscard]] JobContext make_job_context(Engine& engine, FileSystem& files, const Clock& clock, Log& log,
                                          const std::string& isolation, std::int64_t start_ns);

/// Absent where the job asks for none.
[[nodiscard]] std::optional<WisdomAdvice> advice_for(Engine& engine, FileSystem& files, const Clock& clock,
                                                     Log& log, const JobSpec& job, const Workload& workload);

/// The folder's records of the plan's variants; `context` continues the newest run among them.
[[nodiscard]] KnownRecords resume_records(const JobPlan& plan, const std::vector<Record>& records,
                                          JobContext& context);

}  // namespace kiln
