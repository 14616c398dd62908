#pragma once

#include <optional>
#include <vector>

#include "record/record.h"

namespace kiln {

/// For each of `wanted` (of describe_variant) the newest record among `kept` of the same variant: on the same
/// device, by the same compiler and version of Kiln, with the same values, bindings and sources. The records
/// may come from several runs and files, in any order. A record of a variant that was not run does not count.
[[nodiscard]] std::vector<std::optional<Record>> find_known_records(const std::vector<Record>& kept,
                                                                    const std::vector<Record>& wanted);

}  // namespace kiln
