#pragma once

#include <string>
#include <utility>
#include <vector>

#include "record/json_node.h"
#include "tune/recorded_space.h"

namespace kiln {

/// One measured or failed point of a file.
struct RecordedEntry {
  std::string path;                                         ///< in the file, for messages
  std::vector<std::pair<std::string, std::string>> values;  ///< by parameter name, as text
  RecordedPoint point;
};

/// A member of "cache": the values and the objective "time" or the word of a failure, times in ms.
[[nodiscard]] RecordedEntry read_kernel_tuner_entry(const JsonNode& entry);
/// `tune_params_keys` and `tune_params` of the whole file.
[[nodiscard]] std::vector<RecordedParameter> read_kernel_tuner_parameters(const JsonNode& root);
/// An item of "results". Both spellings of `compilation_time` are read.
[[nodiscard]] RecordedEntry read_t4_entry(const JsonNode& entry);

}  // namespace kiln
