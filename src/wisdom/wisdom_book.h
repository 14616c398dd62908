#pragma once

#include <filesystem>
#include <map>
#include <optional>
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
  bool named = false;          ///< named by the user: a mistake in it is an error, else a warning
};

/// Folders of the user and of the site, as the settings say; an empty path: none.
struct WisdomFolders {
  std::filesystem::path own;
  std::vector<std::filesystem::path> read_only;
};

/// The places of wisdom for a job, in order: beside the job, the user's, the site's, and the shipped one
/// beside the workload. `job_file` empty: no job.
[[nodiscard]] std::vector<WisdomSource> usual_wisdom(const Workload& workload, const std::string& job_file,
                                                     const WisdomFolders& folders);
/// A file or a folder that the user named. Throws bad_input where there is none.
[[nodiscard]] WisdomSource named_wisdom(FileSystem& files, const std::filesystem::path& path,
                                        const SourceLocation& where);

/// The records of all sources for a workload. Of files that Kiln wrote only the keys are read at first, and
/// the records of a key on demand, which takes a program's start a fraction of the time.
class WisdomBook {
 public:
  WisdomBook() = default;
  /// A mistake in a file throws bad_input if the user named it, and else is a warning.
  WisdomBook(FileSystem& files, const std::vector<WisdomSource>& sources, const std::string& workload,
             Log& log);
  explicit WisdomBook(const std::vector<WisdomRecord>& records);

  /// Each once.
  [[nodiscard]] const std::vector<WisdomKey>& keys() const { return keys_; }
  /// The best points of keys()[key], ranked; of more than `most` at least so many. Throws bad_input for a
  /// damaged record of a named file.
  [[nodiscard]] std::vector<WisdomRecord> records(std::size_t key, std::size_t most = kRanks) const;

 private:
  /// A record as text, or read.
  struct Entry {
    std::string file;
    int line = 1;
    std::string text;
    bool named = false;
    std::optional<WisdomRecord> record = {};
  };
  void read(FileSystem& files, const WisdomSource& source, const std::string& workload);
  [[nodiscard]] bool add_blocks(const Entry& file, const std::string& workload);
  /// Place of the key in `keys_` and `entries_`.
  [[nodiscard]] std::size_t place_of(const WisdomKey& key);
  void add(const WisdomKey& key, Entry entry);
  [[nodiscard]] std::vector<WisdomRecord> read(const Entry& entry) const;

  std::vector<WisdomKey> keys_;
  std::vector<std::vector<Entry>> entries_;         // by key
  std::map<std::string, std::size_t> key_by_text_;  // as files write it
  Log* log_ = nullptr;
};

/// Digest of a workload's file, its kernel texts and the headers beside them: what a record calls `source`.
[[nodiscard]] std::string wisdom_source_digest(const Workload& workload, FileSystem& files);

}  // namespace kiln
