#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kiln {

/// The system's limit on processes and threads (EAGAIN), for messages.
inline constexpr const char* kProcessLimit = "the limit `ulimit -u`, or one of the control group";

/// A program to run. Never through a shell.
struct Command {
  std::string program;                 ///< searched in PATH if it has no slash
  std::vector<std::string> arguments;  ///< without argv[0]
  std::string standard_input;
  std::string directory;                    ///< working directory; empty: the caller's
  std::chrono::milliseconds time_limit{0};  ///< 0: none
  std::size_t output_limit = std::size_t{8}
                             << 20;  ///< kept bytes of each stream; the rest is dropped, with a note
  std::size_t output_cutoff = std::size_t{64} << 20;  ///< a program that prints more to a stream is ended
  std::stop_token stop = {};                          ///< the program is ended when a stop is requested
};

/// The end of a process. `started` is false if there is no such program (then `error` says why).
struct ProcessResult {
  bool started = false;
  int exit_code = -1;  ///< valid when `signal` is 0
  int signal = 0;      ///< the signal that ended it, or 0
  bool timed_out = false;
  bool flooded = false;  ///< ended because it printed more than `output_cutoff`
  bool stopped = false;  ///< ended because a stop was requested
  std::string output;
  std::string error;
  double seconds = 0;
  [[nodiscard]] bool ok() const {
    return started && signal == 0 && exit_code == 0 && !timed_out && !flooded && !stopped;
  }
};

class Conversation;

/// Starts programs with posix_spawn (safe in a host that runs MPI or many threads); tests pass a fake.
class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  [[nodiscard]] virtual ProcessResult run(const Command& command) = 0;
  /// Starts a program that stays (base/conversation.h); one that does not start reports that at the first
  /// question.
  [[nodiscard]] virtual std::unique_ptr<Conversation> converse(const Command& command) = 0;
  /// Full path of a program, as execvp would find it.
  [[nodiscard]] virtual std::optional<std::string> find_program(const std::string& name) = 0;
};

/// A child's process group. In its own group, its children end with it at the time limit; in the parent's
/// group, the child ends with that group.
enum class ProcessGroup { kOwn, kOfParent };

std::unique_ptr<ProcessRunner> make_process_runner(ProcessGroup group = ProcessGroup::kOwn);

/// "signal 11 (Segmentation fault)".
[[nodiscard]] std::string signal_text(int signal);

}  // namespace kiln
