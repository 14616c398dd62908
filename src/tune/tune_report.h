#pragma once

#include <string>

#include "report/text_table.h"
#include "tune/tuner.h"

namespace kiln {

/// What a search has found, for people: the best against default and paper variant, with intervals; the
/// finalists; what each name of the space does; what failed, by kind; how many points there were; where the
/// time went.
[[nodiscard]] std::string tune_report(const TuneTask& task, const TuneResult& result, const TextStyle& style);

/// A job that runs the best variant by `kiln run`. Empty where nothing was measured, and where the workload
/// stands in the tuned job.
[[nodiscard]] std::string best_job(const TuneTask& task, const TuneResult& result);

}  // namespace kiln
