#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/world.h"
#include "config/batch_spec.h"

namespace kiln {

/// Remarks about a correct file.
struct CheckedFile {
  std::string remark;        ///< "; its results would be unchecked: ..."
  std::size_t variants = 0;  ///< of a job or a batch, cases of a study, on assumed devices
};

/// Checks a job, study, batch, workload or wisdom file without a device or a compiler. Throws bad_input.
[[nodiscard]] CheckedFile check_file(const std::string& path, World& world);

/// The file of a batch's job, with what the batch and the command line (`sweep`) change.
[[nodiscard]] CheckedFile check_batch_job(const BatchJob& job, const std::vector<std::string>& sweep,
                                          World& world);

}  // namespace kiln
