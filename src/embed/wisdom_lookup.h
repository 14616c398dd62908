#pragma once

#include <optional>
#include <string>

#include "embed/engine.h"
#include "job/wisdom_advice.h"
#include "wisdom/wisdom_book.h"

namespace kiln {

/// The wisdom of an engine's settings and folders for a workload: all records of `sources`, and the origin of
/// code made now.
[[nodiscard]] WisdomAdvice look_up_wisdom(Engine& engine, FileSystem& files, const Clock& clock, Log& log,
                                          const Workload& workload, const std::vector<WisdomSource>& sources);

/// The places of a job or, with an empty `job_file`, of a program.
[[nodiscard]] std::vector<WisdomSource> usual_wisdom(const Settings& settings, const Workload& workload,
                                                     const std::string& job_file);

}  // namespace kiln
