#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/progress.h"
#include "report/text_table.h"

// What `kiln watch` shows: pure text, made from the states that commands keep (record/progress.h).
namespace kiln {

/// A job of a batch, a shard, or a single run, study or search.
struct WatchedRun {
  std::string name = {};                  ///< "stencil7", "shard 2 of 8"; empty for a single run
  std::string state;                      ///< "waiting", "running", else how it ended
  std::optional<Progress> progress = {};  ///< absent for a job that has not begun, or keeps none
  std::uint64_t total = 0;                ///< of a batch's job, when its own file does not say
  double seconds = 0;                     ///< that a batch's job took
};

struct Watched {
  std::string command;  ///< "kiln run batch.yaml"
  std::int64_t begin_ns = 0;
  std::vector<WatchedRun> runs = {};
  std::vector<std::string> messages = {};  ///< the last ones, the newest last
  std::optional<int> exit_code = {};       ///< absent while it is at work
  std::string end = {};                    ///< then: how it ended, as state_of_exit()
};

/// How far something is. A rate and the time left are absent until they can be known.
struct WatchedCounts {
  std::uint64_t done = 0, failed = 0;
  std::optional<std::uint64_t> total;
  std::optional<double> rate;          ///< per second, of what earlier runs had not measured
  std::optional<double> seconds_left;  ///< if the rest takes as long as the mean of what was measured
};
[[nodiscard]] WatchedCounts counts_of(const WatchedRun& run, std::int64_t now_ns);
[[nodiscard]] WatchedCounts counts_of(const Watched& watched, std::int64_t now_ns);

/// How a command that has ended with this code ended: "done", "failed", "refused", "interrupted", ...
[[nodiscard]] std::string state_of_exit(int exit_code);

/// "12 of 40 variants, 1 failed; best block=64 (7.83 ms)": all that changes only when something happens.
[[nodiscard]] std::string watched_state(const Watched& watched);
/// "18.2 per minute, 92 s left"; empty while neither is known.
[[nodiscard]] std::string watched_pace(const Watched& watched, std::int64_t now_ns);
/// The command, its state and pace, a table of the runs if there are several, the last messages. `most`: how
/// many rows the table may have; runs that wait or are done are then only counted. 0: no limit.
[[nodiscard]] std::string watched_text(const Watched& watched, std::int64_t now_ns, const TextStyle& style,
                                       std::size_t most = 0);

}  // namespace kiln
