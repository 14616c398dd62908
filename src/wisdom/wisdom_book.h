#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/folder_trust.h"
#include "base/log.h"
#include "wisdom/wisdom_record.h"
#include "workload/workload.h"

namespace kiln {

/// A place where records of a workload may be.
struct WisdomSource {
  std::filesystem::path path;  ///< a folder, or one file
  TrustedOwners owners;        ///< whose file is read; none: anyone's
  bool named = false;          ///< by the user: what is wrong with it is an error, else a warning
};

/// Folders of the user and of the site, as the settings say; an empty path: none.
struct WisdomFolders {
  std::filesystem::path own;
  std::vector<std::filesystem::path> read_only;
};

/// Where a job finds wisdom, in order: beside the job, the user's, the site's, and what is shipped beside the
/// workload. `job_file` empty: no job.
[[nodiscard]] std::vector<WisdomSource> usual_wisdom(const Workload& workload, const std::string& job_file,
                                                     const WisdomFolders& folders);
/// A file or a folder that the user named. Throws bad_input where there is none.
[[nodiscard]] WisdomSource named_wisdom(FileSystem& files, const std::filesystem::path& path,
                                        const SourceLocation& where);

/// The records of all sources, merged.
[[nodiscard]] std::vector<WisdomRecord> load_wisdom(FileSystem& files,
                                                    const std::vector<WisdomSource>& sources,
                                                    const std::string& workload, Log& log);

/// Digest of a workload's file, its kernel texts and the headers beside them: what a record calls `source`.
[[nodiscard]] std::string wisdom_source_digest(const Workload& workload, FileSystem& files);

}  // namespace kiln
