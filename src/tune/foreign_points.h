#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/word_table.h"
#include "wisdom/wisdom_record.h"

// Points that other tuners measured, and points for them.
namespace kiln {

enum class ForeignFormat { kKernelTuner, kT4, kKernelLauncher, kKtt };
template <>
inline constexpr auto kWords<ForeignFormat> =
    std::to_array<Word<ForeignFormat>>({{ForeignFormat::kKernelTuner, "kernel-tuner"},
                                        {ForeignFormat::kT4, "t4"},
                                        {ForeignFormat::kKernelLauncher, "kernel-launcher"},
                                        {ForeignFormat::kKtt, "ktt"}});

/// A point with the names and values of its file.
struct ForeignPoint {
  NamedTexts values;
  double seconds = 0;
  std::vector<std::int64_t> problem_size;  ///< empty where the file does not say
  std::string device, date;                ///< empty where the file does not say
};

/// The measured points of a cache file of Kernel Tuner, of T4 results, of a wisdom file of Kernel Launcher
/// 1.0 or of KTT's JSON, without failed ones. Throws bad_input with file and place for any other file.
[[nodiscard]] std::vector<ForeignPoint> read_foreign_points(FileSystem& files,
                                                            const std::filesystem::path& path);

/// Records in the format of such a file. Kernel Tuner's and T4's must have one key; KTT's is not written.
/// Throws bad_input for records whose values have different names.
[[nodiscard]] std::string foreign_text(const std::vector<WisdomRecord>& records, ForeignFormat format);

}  // namespace kiln
