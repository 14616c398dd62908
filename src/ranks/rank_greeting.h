#pragma once

#include <string>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "cache/disk_cache.h"

namespace kiln {

/// A folder with a random name in the cache folder. Another rank that finds the name in its own cache folder
/// has the same cache folder.
class CacheFolderSign {
 public:
  CacheFolderSign(FileSystem& files, const DiskCache& cache);

  /// The path below the cache folder; empty if it cannot be written.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Whether the sign of another rank is in this rank's cache folder.
  [[nodiscard]] static bool is_seen(FileSystem& files, const DiskCache& cache, const std::string& name);

 private:
  ScratchFolder folder_;
  std::string name_;
};

/// The first message of rank 0.
struct RankGreeting {
  std::string sign;      ///< of its cache folder
  std::string question;  ///< a variant of the job (job/trial_question.h)

  [[nodiscard]] std::string to_text() const;
  [[nodiscard]] static RankGreeting from_text(const std::string& text);
};

struct RankGreetingAnswer {
  std::string host;
  bool shares_cache = false;
  std::string pci_address;  ///< of the rank's device; empty for the cpu
  std::string record;       ///< the record of the variant before it runs, or an error_answer()

  [[nodiscard]] std::string to_text() const;
  [[nodiscard]] static RankGreetingAnswer from_text(const std::string& text);
};

}  // namespace kiln
