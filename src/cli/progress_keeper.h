#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/world.h"
#include "record/progress.h"

namespace kiln {

/// Keeps the state of this command in its output folder, for `kiln watch`. A disk that refuses is no error:
/// the results, which matter, are written by others. One thread at a time.
class ProgressKeeper {
 public:
  /// An empty `folder`: nothing is kept. `name`: of the file, without its ending.
  ProgressKeeper(World& world, const std::filesystem::path& folder, const std::string& name,
                 const std::string& unit);

  /// The state of the next write.
  [[nodiscard]] Progress& state() { return state_; }
  /// Adds a line for the reader, who sees the last few.
  void add_message(const std::string& line);
  /// Whether the last write was so long ago that a costly state is worth computing.
  [[nodiscard]] bool is_due() const;
  void write();
  void write_if_due() {
    if (is_due()) write();
  }
  /// The time that rates are computed from is now.
  void restart_clock();
  /// The last write.
  void end(int exit_code);

 private:
  World& world_;
  std::optional<ProgressFile> file_;
  Progress state_;
  std::int64_t written_ns_ = 0;
};

}  // namespace kiln
