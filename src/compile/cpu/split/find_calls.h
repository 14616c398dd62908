#pragma once

#include <vector>

#include "compile/cpu/split/sync_calls.h"

namespace kiln::fission {

/// The calls in [range) that wait, inner ones first. `groups`: the group of each variable of the body.
[[nodiscard]] std::vector<SyncCall> find_sync_calls(const Body& body, const SyncFunctions& functions,
                                                    const std::vector<Group>& groups, TokenRange range);

}  // namespace kiln::fission
