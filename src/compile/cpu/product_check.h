#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kiln {

/// The first of a user's options that makes a C++ compiler do something else than write a shared object to
/// the file that Kiln names: "-c", "-E", "-o x", "--version". What an option file holds ("@file") is not
/// known.
[[nodiscard]] std::optional<std::string> find_option_against_code(const std::vector<std::string>& options);

/// Why what a C++ compiler wrote is not the code of these kernels (name expression -> symbol), as a clause;
/// it is looked at before anything is kept or loaded. Absent: it is.
[[nodiscard]] std::optional<std::string> defect_of_product(
    const std::string& binary, const std::map<std::string, std::string>& lowered_names);

}  // namespace kiln
