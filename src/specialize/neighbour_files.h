#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "specialize/include_scan.h"
#include "specialize/includes.h"
#include "specialize/specialization.h"

namespace kiln {

/// The headers that no search found, each as the program and its headers write it: in quotes if it is quoted
/// anywhere.
[[nodiscard]] std::vector<HeaderName> missing_headers(const Includes& includes);

/// The folders near a program (include, common, ... beside it and up to three folders above) that have the
/// headers which were not found: each name is taken from the first folder that has it, folders of the build's
/// files in front. Names with a folder in them, such as "core/math.h", are looked for in all folders of the
/// project and in each folder above the program, too; names without one in the nearest folder of the project,
/// where they are quoted or have a suffix such as ".cuh", which no header of C has. Other names are taken
/// where one folder of the project alone has them and no header of the C library or of CUDA is called so.
[[nodiscard]] std::vector<std::filesystem::path> folders_of_headers(
    FileSystem& files, const std::filesystem::path& source, const std::vector<HeaderName>& missing,
    const std::vector<std::filesystem::path>& of_build = {});

/// A Makefile, a CMakeLists.txt, or setup.py and its modules.
struct BuildFile {
  std::filesystem::path path;
  std::string text;
  bool cmake = false;
};

/// Build files of the program's folder and of the folders above it, up to the repository's root and at most
/// eight above, and files that a Makefile includes by a plain path or a setup.py with macros imports. What
/// cannot be read is passed over.
[[nodiscard]] std::vector<BuildFile> build_files_of(FileSystem& files, const std::filesystem::path& source);

/// The files beside a program and beside its headers that have the bodies of device functions, members of
/// classes among them, or the definitions of device variables, which the program and its headers only
/// declare; and those that these files need.
[[nodiscard]] std::vector<std::filesystem::path> files_of_device_code(
    FileSystem& files, const std::filesystem::path& source, const std::string& text,
    const std::vector<IncludedHeader>& headers);

/// A function that a program calls and that none of its texts declares, and the one header near the program,
/// which it does not include, that defines it for the device: a build may put that header in front of the
/// text.
struct UndeclaredFunction {
  std::string name;
  std::filesystem::path header;
};

/// At most one for each header, in the order of the headers.
[[nodiscard]] std::vector<UndeclaredFunction> undeclared_functions(
    FileSystem& files, const std::filesystem::path& source, const std::string& text,
    const std::vector<IncludedHeader>& headers);

/// The file of the project that includes a text of kernels which itself includes nothing: what such a text
/// names often stands in front of the #include. One that launches a kernel of the text is taken, else the
/// first CUDA file; the program's folder comes first. Of a text that includes headers of the language and of
/// CUDA alone, and uses macros that it does not define, one that launches a kernel of it. Empty: none.
[[nodiscard]] std::filesystem::path including_file(FileSystem& files, const std::filesystem::path& source,
                                                   const std::string& text,
                                                   const std::vector<std::string>& kernels);

}  // namespace kiln
