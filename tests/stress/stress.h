#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/scratch_folder.h"
#include "cache/cache_key.h"
#include "cache/disk_cache.h"
#include "service/kernel_service.h"
#include "support/fake_compiler.h"
#include "support/recording_log.h"

namespace kiln::stress {

/// One line of the table.
struct Row {
  enum class Verdict { kHolds, kFails, kSkipped, kFigure };
  std::string what;     ///< "1000 writers killed while they publish"
  std::string outcome;  ///< what was counted, or why it was skipped
  Verdict verdict = Verdict::kHolds;
};

struct Options {
  bool quick = false;
  std::filesystem::path folder;  ///< where caches are made
};

using Rows = std::vector<Row>;

[[nodiscard]] Rows kill_writers(const Options& options);
[[nodiscard]] Rows herd(const Options& options);
[[nodiscard]] Rows damage(const Options& options);
[[nodiscard]] Rows faults(const Options& options);
[[nodiscard]] Rows bundles(const Options& options);
[[nodiscard]] Rows compilers(const Options& options);
[[nodiscard]] Rows throughput(const Options& options);

[[nodiscard]] inline Row::Verdict holds_if(bool holds) {
  return holds ? Row::Verdict::kHolds : Row::Verdict::kFails;
}

/// The real disk and clock, and a folder of one's own that goes with it.
struct Place {
  explicit Place(const Options& options);
  std::unique_ptr<FileSystem> files;
  std::unique_ptr<Clock> clock;
  ScratchFolder scratch;
  [[nodiscard]] std::filesystem::path path(const std::string& name) const {
    return scratch.get().path / name;
  }
};

/// Code that is determined by a number, so that every reader knows the expected content.
[[nodiscard]] CacheKey key_of(std::uint64_t number);
[[nodiscard]] CodeObject code_of(std::uint64_t number, std::size_t bytes);

/// Runs `body` in a forked child, which ends with what that returns; the parent must have one thread.
[[nodiscard]] pid_t start_child(const std::function<int()>& body);
/// The exit code; 1000 and more: ended by a signal.
int wait_for(pid_t child);

/// A compiler of `bytes` of code that writes a line into a file for each compile, and takes its time.
class CountingCompiler : public test::FakeCompiler {
 public:
  CountingCompiler(FileSystem& files, std::filesystem::path count, std::size_t bytes, int milliseconds)
      : files_(files), count_(std::move(count)), bytes_(bytes), milliseconds_(milliseconds) {}
  CompileResult compile(const Specialization& specialization, const std::stop_token& stop) override;

 private:
  FileSystem& files_;
  std::filesystem::path count_;
  std::size_t bytes_;
  int milliseconds_;
};

/// What that compiler makes.
[[nodiscard]] std::string counted_binary(const Specialization& specialization, std::size_t bytes);

}  // namespace kiln::stress
