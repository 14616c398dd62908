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

 private:
  const Configuration* configuration_;
  const ExpressionText* text_;
  std::optional<double> number_;
};

/// A program with its kernels bound to a workspace, ready to run any number of times. Configuration, workload
/// and workspace outlive it.
class ProgramRun {
 public:
  /// Makes a launch's kernel: `launch.configured` in `configuration.of(launch)`.
  using Prepare = std::function<PreparedKernel(const LaunchSpec& launch)>;
  /// Enqueues a kernel, the `index`-th of `launches`. What it throws ends the run.
  using Enqueue = std::function<void(std::size_t index, PreparedKernel& kernel)>;

  /// Throws bad_input where buffers of `swap` or `copy` differ, and what `prepare` throws.
  ProgramRun(const Configuration& configuration, const ProgramSpec& program, Workspace& workspace,
             const Prepare& prepare);
  ~ProgramRun();

  /// Loads the variables of all kernels' `symbols:`, once the buffers are filled.
  void load_symbols();
  /// Runs the program once, on the workspace's stream; waits for the device only to read from it. Program
  /// variables begin with the values of `first`, and those that are parameters else with the configuration's.
  void run(const Enqueue& enqueue, const Variables& first = {});

  /// Program variables at the end of the last run.
  [[nodiscard]] const Variables& variables() const { return variables_; }
  /// How often the last run has waited for the device.
  [[nodiscard]] std::uint64_t waits() const { return waits_; }
  /// The launches that may run, in the order of the text; each once.
  [[nodiscard]] const std::vector<std::pair<const LaunchSpec*, PreparedKernel*>>& launches() const {
    return launches_;
  }
  /// The buffers that its launches take and its statements name.
  [[nodiscard]] std::set<std::string> buffers() const;
  /// The run changes nothing but buffers: it reads nothing from the device and each run enqueues the same.
  [[nodiscard]] bool is_static() const { return static_; }

 private:
  struct Statement;
  using Statements = std::vector<Statement>;
  struct Loop;

  [[nodiscard]] Statements bind(const ProgramSpec& program, const Prepare& prepare);
  void bind_action(const LaunchSpec& launch, Statement& statement, const Prepare& prepare);
  void bind_action(const RepeatSpec& repeat, Statement& statement, const Prepare& prepare);
  void bind_action(const ParallelSpec& parallel, Statement& statement, const Prepare& prepare);
  void bind_action(const SwapSpec& swap, Statement& statement, const Prepare& prepare);
  void bind_action(const CopySpec& copy, Statement& statement, const Prepare& prepare);
  void bind_action(const FillSpec& fill, Statement& statement, const Prepare& prepare);
  void bind_action(const ReadSpec& read, Statement& statement, const Prepare& prepare);
  void bind_action(const SetSpec& set, Statement& statement, const Prepare& prepare);

  void run(Statements& statements);
  void run_action(const LaunchSpec& launch, Statement& statement);
  void run_action(const RepeatSpec& repeat, Statement& statement);
  void run_action(const ParallelSpec& parallel, Statement& statement);
  void run_action(const SwapSpec& swap, Statement& statement);
  void run_action(const CopySpec& copy, Statement& statement);
  void run_action(const FillSpec& fill, Statement& statement);
  void run_action(const ReadSpec& read, Statement& statement);
  void run_action(const SetSpec& set, Statement& statement);
  void repeat_range(const RepeatSpec& repeat, Statement& statement);
  void repeat_until(const RepeatSpec& repeat, Statement& statement);
  void read(const std::vector<ReadItem>& items, const std::vector<ProgramScalar>& elements);
  void set_index(const RepeatSpec& repeat, std::int64_t value);
  void bind_element(const ReadItem& item, Statement& statement);
  /// Throws bad_input unless the buffers have one type and size.
  void require_alike(const std::string& action, const std::string& first, const std::string& second,
                     const SourceLocation& where) const;

  const Configuration& configuration_;
  const ProgramSpec& program_;
  Workspace& workspace_;
  Statements statements_;
  std::vector<std::pair<const LaunchSpec*, PreparedKernel*>> launches_;
  bool static_ = true;

  const Enqueue* enqueue_ = nullptr;  // of the run that is under way
  Variables variables_;
  std::uint64_t waits_ = 0;
};

}  // namespace kiln
