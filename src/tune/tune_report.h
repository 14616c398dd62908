#pragma once

#include <string>

#include "report/text_table.h"
#include "tune/tuner.h"

namespace kiln {

/// The results of a search for people: the best against default and paper variant, with intervals; the
/// finalists; the effect of each name of the space; failures by kind; numbers of points; where the time went.
[[nodiscard]] std::string tune_report(const TuneTask& task, const TuneResult& result, const TextStyle& style);

/// A job that runs the best variant by `kiln run`. Empty where nothing was measured, and where the workload
/// stands in the tuned job.
[[nodiscard]] std::string best_job(const TuneTask& task, const TuneResult& result);

}  // namespace kiln
