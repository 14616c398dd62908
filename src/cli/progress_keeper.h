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
  /// A command that an error ended before anything was done leaves no file.
  ~ProgressKeeper();
  ProgressKeeper(const ProgressKeeper&) = delete;
  ProgressKeeper& operator=(const ProgressKeeper&) = delete;

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
  /// The last write. A command that was stopped before anything was done leaves no file.
  void end(int exit_code);

 private:
  /// Of a study each stage is a message and counts from 0.
  [[nodiscard]] bool has_done_nothing() const {
    return state_.done == 0 && state_.messages.size() < 2 && state_.jobs.empty();
  }
  void remove() noexcept;

  World& world_;
  std::optional<ProgressFile> file_;
  Progress state_;
  std::int64_t written_ns_ = 0;
};

}  // namespace kiln
