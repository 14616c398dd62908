#pragma once

#include <functional>
#include <string>

namespace kiln::fission {

/// A preprocessed text in which lambdas with barriers or warp operations stand in place of their calls:
/// "auto sum = [&](float v) { ...; return v; }; x = sum(y);" becomes "float v = y; ...; auto r = v; x = r;",
/// with names of their own. `seen`: a text of the same length for the analysis, with system headers blank.
/// A lambda for which that is not possible stays; why_in_lambda() gives the reason.
[[nodiscard]] std::string place_lambdas(std::string text,
                                        const std::function<std::string(const std::string&)>& seen);

/// Why the lambda around a barrier at the token stays: "a lambda that is passed on".
class Body;
class SyncFunctions;
[[nodiscard]] std::string why_in_lambda(const Body& body, const SyncFunctions& functions, std::size_t token);

}  // namespace kiln::fission
