#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/file.h"

namespace kiln {

/// What a file that the user names for one purpose may be.
struct InputRules {
  std::uint64_t most_bytes;
  bool pipes = false;  ///< the file is read once and may come from a pipe: `kiln run <(sed ... job.yaml)`
  bool gzip = false;   ///< a gzip file is replaced by its content, which `most_bytes` bounds, too
};
inline constexpr InputRules kJobInput{std::uint64_t{16} << 20, true};  ///< jobs, studies, settings
inline constexpr InputRules kWorkloadInput{std::uint64_t{16} << 20};   ///< also for the files of a capsule
inline constexpr InputRules kKernelInput{std::uint64_t{64} << 20};     ///< kernel texts and headers
inline constexpr InputRules kResultInput{std::uint64_t{4} << 30};      ///< records, studies' results
inline constexpr InputRules kDataInput{std::uint64_t{4} << 30, false, true};  ///< numbers as text

/// The content of a file that the user named; links are followed. Throws bad_input with the file's path if it
/// is absent, a dangling link, not a plain file, larger than the rules allow, or not readable.
[[nodiscard]] std::string read_input(FileSystem& files, const std::filesystem::path& path,
                                     const InputRules& rules = kWorkloadInput);

/// The status of a plain file that the user named. Throws as `read_input` does.
[[nodiscard]] FileStatus input_status(FileSystem& files, const std::filesystem::path& path);

}  // namespace kiln
