#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kiln {

/// The first of a user's options with which a C++ compiler would not write a shared object to the file that
/// Kiln names: "-c", "-E", "-o x", "--version". The content of an option file ("@file") is not checked.
[[nodiscard]] std::optional<std::string> find_option_against_code(const std::vector<std::string>& options);

/// The reason, as a clause, why the compiler's output is not the code of these kernels (name expression ->
/// symbol). It is checked before the code is kept or loaded. Absent if the output is correct.
[[nodiscard]] std::optional<std::string> defect_of_product(
    const std::string& binary, const std::map<std::string, std::string>& lowered_names);

}  // namespace kiln
