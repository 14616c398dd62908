#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "specialize/specialization.h"

namespace kiln {

/// The folders near a program (include, common, ... beside it and up to three folders above) that have the
/// headers which were not found: each name is taken from the first folder that has it. Those that none has
/// are looked for in all folders of the project, where only one may have a name without a folder in it; names
/// such as "core/math.h" are looked for in each folder above the program, too. Copies of headers of the C
/// library and of CUDA are not meant.
[[nodiscard]] std::vector<std::filesystem::path> folders_of_headers(FileSystem& files,
                                                                    const std::filesystem::path& source,
                                                                    const std::vector<std::string>& missing);

/// The files beside a program and beside its headers that have the bodies of device functions, members of
/// classes among them, or the definitions of device variables, which the program and its headers only
/// declare; and those that these files need.
[[nodiscard]] std::vector<std::filesystem::path> files_of_device_code(
    FileSystem& files, const std::filesystem::path& source, const std::string& text,
    const std::vector<IncludedHeader>& headers);

}  // namespace kiln
