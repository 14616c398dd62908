#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trial/library_call.h"
#include "trial/program_run.h"

// The statements of a ProgramRun: for program_run.cpp and program_graphs.cpp.
namespace kiln {

/// The program variables and waits that restrict the order of statements.
struct ProgramFlow {
  std::set<std::string> needs;  ///< whose values come from before
  std::set<std::string> gives;  ///< that may get a value
  std::set<std::string> sure;   ///< that do get one
  bool waits = false;           ///< reads from the device

  void need(const std::set<std::string>& names) {
    std::set_difference(names.begin(), names.end(), sure.begin(), sure.end(),
                        std::inserter(needs, needs.end()));
  }
  void give(const std::string& name) {
    gives.insert(name);
    sure.insert(name);
  }
  /// Appends the flow that follows, executed each time if `surely`.
  void then(const ProgramFlow& next, bool surely) {
    need(next.needs);
    gives.insert(next.gives.begin(), next.gives.end());
    if (surely) sure.insert(next.sure.begin(), next.sure.end());
    waits = waits || next.waits;
  }
  [[nodiscard]] bool needs_any(const std::set<std::string>& names) const {
    return std::any_of(needs.begin(), needs.end(), [&](const auto& name) { return names.contains(name); });
  }
};

struct ProgramRun::Loop {
  std::optional<ProgramScalar> count, from, to, by, until, most, every;
};

/// Statements that follow each other and enqueue the same each time that the variables they need and the
/// buffers' places are the same. For each such case there is a graph.
struct ProgramRun::Stretch {
  struct Case {
    std::vector<double> values;                              ///< values of the variables that it needs
    std::vector<const void*> addresses;                      ///< of ProgramRun::graph_buffers_
    std::unique_ptr<Graph> graph;                            ///< null: nothing is enqueued
    std::string kernels;                                     ///< "halve, shift"
    std::vector<std::pair<std::string, double>> after;       ///< what variables are at the end
    std::vector<std::pair<std::string, std::string>> swaps;  ///< swaps of the buffers, all of them together
  };
  std::size_t statements = 0;
  std::set<std::string> needs, gives;
  std::vector<std::unique_ptr<Case>> cases;
};

struct ProgramRun::Statement {
  const StatementSpec* spec;
  std::optional<ProgramScalar> when;       // absent: always
  std::unique_ptr<PreparedKernel> kernel;  // of a launch
  std::size_t index = 0;                   // of that launch
  std::unique_ptr<LibraryCall> library;    // of a library's routine
  std::unique_ptr<Loop> loop;              // of a repeat
  std::vector<Statements> bodies;          // for repeat: one; for parallel: one a branch
  std::vector<ProgramScalar> scalars;      // for read: elements; for set and fill: values
  ProgramFlow flow;
  std::unique_ptr<Stretch> stretch;  // that begins here

  /// A stream beside the one that a parallel begins on, and where it has come to its end.
  struct Side {
    std::unique_ptr<Stream> stream;
    std::unique_ptr<Event> end;
  };
  std::unique_ptr<Event> fork;  // for a parallel whose branches have streams
  std::vector<Side> sides;
};

}  // namespace kiln
