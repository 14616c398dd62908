#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/read_only_files.h"

namespace kiln {

/// Files as they were when they were first asked for, also those that were not there: what is made of one
/// workload is made of one state of its texts. Large files, and parts of files, are read again. Thread-safe.
class KeptTexts final : public ReadOnlyFiles {
 public:
  explicit KeptTexts(FileSystem& files) : ReadOnlyFiles(files) {}

  std::optional<FileStatus> status(const Path& path) override;
  std::optional<FileStatus> target_status(const Path& path) override;
  std::optional<std::string> read(const Path& path, const ReadRange& range) override;

 private:
  template <class Value>
  using ByPath = std::map<std::string, std::optional<Value>>;

  /// The cached value of a path, or else the answer of `ask` now. A disk that fails is asked again.
  template <class Value, class Ask, class Keep>
  std::optional<Value> known_or(ByPath<Value>& known, const Path& path, const Ask& ask, const Keep& is_kept);

  std::mutex mutex_;  // protects the members below; not held while the disk is read
  ByPath<FileStatus> statuses_, target_statuses_;
  ByPath<std::string> texts_;
};

}  // namespace kiln
