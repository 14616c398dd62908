#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "config/job_fields.h"
#include "config/yaml_node.h"
#include "workload/expression_text.h"

namespace kiln {

struct Workload;

/// Values by name, as a job's `sweep` has them: of parameters, `bind.<parameter>` and switches.
using ValueLists = std::vector<std::pair<std::string, std::vector<RawValue>>>;

/// `tune:` of a workload: what a search varies, and what it cannot choose.
struct TuneSpec {
  std::vector<std::string> sizes_by;  ///< parameters that say how large the problem is; empty: found
  /// By name, then by back end; "otherwise" for the rest. An empty list: not varied there.
  std::vector<std::pair<std::string, std::map<std::string, std::vector<RawValue>>>> values;
  std::vector<ExpressionText> constraints;  ///< constraints of searches, beside the workload's own
};

/// Throws bad_input for what has not this form; names are checked with the rest of the workload.
[[nodiscard]] TuneSpec read_tune(const YamlNode& node);
/// Throws bad_input where `tune` names what the workload does not have.
void check_tune(const Workload& workload, const YamlNode& node);

/// The names and values that a search varies on a back end: the workload's, else every number and choice with
/// `values` except `implementation`, which is a comparison and not a parameter to tune. In the order of the
/// workload file.
[[nodiscard]] ValueLists tuned_values(const Workload& workload, const std::string& backend);

/// Parameters that say how large a problem is, in the order of the workload file: `sizes_by`, else whole
/// numbers without `values` that buffer shapes and grids depend on and block shapes do not.
[[nodiscard]] std::vector<std::string> size_parameters(const Workload& workload);

}  // namespace kiln
