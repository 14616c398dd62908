#pragma once

#include <string>
#include <vector>

#include "specialize/specialization.h"

namespace kiln {

/// For each of a program's headers the namespaces around its first `#include`, "a::b::" or "".
[[nodiscard]] std::vector<std::string> scopes_of_headers(const std::string& text,
                                                         const std::vector<IncludedHeader>& headers);

/// The texts of a program's headers. One that is included inside of a namespace stands in that namespace
/// here, so that what it declares has its full name.
[[nodiscard]] std::vector<std::string> texts_in_their_scopes(const std::string& text,
                                                             const std::vector<IncludedHeader>& headers);

}  // namespace kiln
