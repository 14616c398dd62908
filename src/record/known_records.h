#pragma once

#include <optional>
#include <vector>

#include "record/record.h"

namespace kiln {

/// For each of `wanted` (of describe_variant) the record among `kept` of the same variant: on the same
/// device, by the same compiler and version of Kiln, with the same values, bindings and sources. Only the
/// newest run counts that has one of them, and nothing that says that a variant was not run.
[[nodiscard]] std::vector<std::optional<Record>> find_known_records(const std::vector<Record>& kept,
                                                                    const std::vector<Record>& wanted);

}  // namespace kiln
