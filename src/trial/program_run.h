#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trial/prepared_kernel.h"
#include "trial/run_watch.h"
#include "trial/workspace.h"
#include "workload/configuration.h"
#include "workload/program.h"

namespace kiln {

/// An expression of a program: a number where no program variable is in it, else evaluated each time.
class ProgramScalar {
 public:
  /// Both outlive it.
  ProgramScalar(const Configuration& configuration, const ExpressionText& text);

  [[nodiscard]] double value(const Variables& variables) const;
  /// Throws bad_input for what is no whole number in [low, high].
  [[nodiscard]] std::int64_t whole(const Variables& variables, std::int64_t low, std::int64_t high) const;
  [[nodiscard]] bool holds(const Variables& variables) const { return value(variables) != 0; }
  /// The program variables in it.
  [[nodiscard]] std::set<std::string> names() const;

 private:
  const Configuration* configuration_;
  const ExpressionText* text_;
  std::optional<double> number_;
};

/// How a run of a program is done.
struct ProgramRunOptions {
  /// Enqueues a graph with launches of `kernels` ("halve, shift"); empty: no graphs.
  using Replay = std::function<void(Graph& graph, const std::string& kernels, Stream& stream)>;

  Variables first = {};  ///< values that its variables begin with; parameters else with the configuration's
  Replay replay = {};
  RunWatch* watch = nullptr;  ///< notified of each kernel that the run enqueues itself; may be null
  bool concurrent = false;    ///< branches of `parallel` go to streams of their own
  Stream* stream = nullptr;   ///< of the workspace's device; null: the workspace's own
};

/// A program with its kernels bound to a workspace, ready to run any number of times. Configuration, workload
/// and workspace outlive it.
class ProgramRun {
 public:
  /// Makes a launch's kernel: `launch.configured` in `configuration.of(launch)`.
  using Prepare = std::function<PreparedKernel(const LaunchSpec& launch)>;
  /// Enqueues a kernel, the `index`-th of `launches`. What it throws ends the run. Empty: the run does it,
  /// which costs fewer levels of calls (launch/bound_launch.h).
  using Enqueue = std::function<void(std::size_t index, PreparedKernel& kernel, Stream& stream)>;
  /// A graph may hold so many launches, copies and fills.
  static constexpr std::size_t kMostOperations = 100'000;
  /// So many graphs are made of one stretch of statements; in further cases it runs plainly.
  static constexpr std::size_t kMostCases = 8;
  /// The branches of a `parallel` share so many streams.
  static constexpr std::size_t kMostStreams = 16;

  /// Throws bad_input where buffers of `swap` or `copy` differ, and what `prepare` throws.
  ProgramRun(const Configuration& configuration, const ProgramSpec& program, Workspace& workspace,
             const Prepare& prepare);
  ~ProgramRun();

  /// Loads the variables of all kernels' `symbols:`, once the buffers are filled.
  void load_symbols();
  /// Of all launches, behind what the stream has; see PreparedKernel.
  void read_symbols(Stream& stream);
  /// Runs the program once, on one stream; waits for the device only to read from it.
  ///
  /// With `options.replay`, statements that follow each other and need nothing that was read from the device
  /// run as one graph, which is captured when they are first met with their values of variables and their
  /// buffers in these places: a step with an odd number of swaps has two graphs, which take turns.
  void run(const Enqueue& enqueue, const ProgramRunOptions& options = {});
  /// Waits for the streams beside the workspace's, which wait for nothing that is not enqueued there.
  void wait_beside();

  /// Program variables at the end of the last run.
  [[nodiscard]] const Variables& variables() const { return variables_; }
  /// How often the last run has waited for the device.
  [[nodiscard]] std::uint64_t waits() const { return waits_; }
  /// How many graphs the last run has enqueued.
  [[nodiscard]] std::uint64_t graphs() const { return graphs_; }
  /// The launches that may run, in the order of the text; each once.
  [[nodiscard]] const std::vector<std::pair<const LaunchSpec*, PreparedKernel*>>& launches() const {
    return launches_;
  }
  /// The names of the calls of libraries that may run, with the names for records.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& library_calls() const {
    return library_calls_;
  }
  /// The buffers with memory that its launches take and its statements name, themselves or a view of them.
  [[nodiscard]] std::set<std::string> buffers() const;
  /// Those that a statement `swap` may exchange.
  [[nodiscard]] const std::set<std::string>& swapped() const { return swapped_; }

 private:
  struct Statement;
  using Statements = std::vector<Statement>;
  struct Loop;
  struct Stretch;
  /// Modes of running a statement: enqueue; prepare a capture and count; enqueue onto a captured stream.
  enum class Mode { kRun, kPrepare, kCapture };

  [[nodiscard]] Statements bind(const ProgramSpec& program, const Prepare& prepare);
  void bind_action(const LaunchSpec& launch, Statement& statement, const Prepare& prepare);
  void bind_action(const RepeatSpec& repeat, Statement& statement, const Prepare& prepare);
  void bind_action(const ParallelSpec& parallel, Statement& statement, const Prepare& prepare);
  void bind_action(const SwapSpec& swap, Statement& statement, const Prepare& prepare);
  void bind_action(const CopySpec& copy, Statement& statement, const Prepare& prepare);
  void bind_action(const FillSpec& fill, Statement& statement, const Prepare& prepare);
  void bind_action(const ReadSpec& read, Statement& statement, const Prepare& prepare);
  void bind_action(const SetSpec& set, Statement& statement, const Prepare& prepare);
  void bind_action(const LibrarySpec& library, Statement& statement, const Prepare& prepare);

  void run(Statements& statements);
  void run(Statement& statement);
  void run_action(const LaunchSpec& launch, Statement& statement);
  void run_action(const RepeatSpec& repeat, Statement& statement);
  void run_action(const ParallelSpec& parallel, Statement& statement);
  void make_streams(Statement& parallel);
  void run_action(const SwapSpec& swap, Statement& statement);
  void run_action(const CopySpec& copy, Statement& statement);
  void run_action(const FillSpec& fill, Statement& statement);
  void run_action(const ReadSpec& read, Statement& statement);
  void run_action(const SetSpec& set, Statement& statement);
  void run_action(const LibrarySpec& library, Statement& statement);
  void repeat_range(const RepeatSpec& repeat, Statement& statement);
  void repeat_until(const RepeatSpec& repeat, Statement& statement);
  void read(const std::vector<ReadItem>& items, const std::vector<ProgramScalar>& elements);
  void launch(Statement& statement);
  [[nodiscard]] std::set<std::string> variables_in(const ExpressionText& text) const;
  void assign(const std::string& variable, double value);
  void set_index(const RepeatSpec& repeat, std::int64_t value);
  void bind_element(const ReadItem& item, Statement& statement);

  // Graphs (program_graphs.cpp).
  void find_flow(Statement& statement) const;
  void find_unsteady(const Statements& statements, bool again, bool depends,
                     std::set<std::string>& names) const;
  void divide(Statements& statements, const std::set<std::string>& unsteady);
  [[nodiscard]] std::size_t run_stretch(Statements& statements, std::size_t first);
  void capture(Statements& statements, std::size_t first, Stretch& stretch);
  void count_operation(const SourceLocation& where);
  [[nodiscard]] std::vector<double> values_of(const std::set<std::string>& names) const;
  [[nodiscard]] std::vector<const void*> addresses() const;
  /// Throws bad_input unless the buffers have one type and size.
  void require_alike(const std::string& action, const std::string& first, const std::string& second,
                     const SourceLocation& where) const;

  const Configuration& configuration_;
  const ProgramSpec& program_;
  Workspace& workspace_;
  Statements statements_;
  std::vector<std::pair<const LaunchSpec*, PreparedKernel*>> launches_;
  std::vector<std::pair<std::string, std::string>> library_calls_;
  std::vector<std::string> graph_buffers_;
  std::set<std::string> swapped_;
  std::vector<std::pair<const BufferLayout*, std::set<std::string>>> partly_used_;  // and what says how much

  std::vector<Stream*> streams_beside_;

  const Enqueue* enqueue_ = nullptr;            // of the current run
  const ProgramRunOptions* options_ = nullptr;  // of that run
  Stream* stream_ = nullptr;                    // that the next operation goes to
  Mode mode_ = Mode::kRun;
  std::size_t operations_ = 0;      // of the current capture
  std::set<std::string> captured_;  // kernels of that capture
  std::uint64_t graphs_ = 0;
  Variables variables_;
  std::uint64_t waits_ = 0;
};

}  // namespace kiln
