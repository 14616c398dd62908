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

/// `#include` lines for the compiler's headers that the texts include inside of a namespace or of
/// `extern "C"`: in front of the text they declare the names outside of it, and their guards make the others
/// empty. Includes that are not compiled do not count. Empty: there are none.
[[nodiscard]] std::string includes_in_front(const Specialization& specialization);

}  // namespace kiln
