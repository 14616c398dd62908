#pragma once

#include "base/file.h"
#include "job/plan.h"

namespace kiln {

/// Gives each variant the files of the job's `keep`: names with {parameter}, {device} and {variant}, its
/// number from 1, replaced. Throws bad_input, before anything runs: for a buffer that is not there, an ending
/// that names no format, a folder that is not there, one file for two buffers or variants, and a file that
/// the job reads.
void plan_outputs(JobPlan& plan, FileSystem& files);

}  // namespace kiln
