#pragma once

#include <string>
#include <vector>

#include "specialize/specialization.h"

namespace kiln {

/// The texts of a program's headers. One that is included inside of a namespace stands in that namespace
/// here, so that what it declares has its full name.
[[nodiscard]] std::vector<std::string> texts_in_their_scopes(const std::string& text,
                                                             const std::vector<IncludedHeader>& headers);

}  // namespace kiln
