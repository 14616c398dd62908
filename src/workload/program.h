#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "workload/expression_text.h"

namespace kiln {

struct KernelSpec;
struct StatementSpec;

/// The statements of `run:` or of a body, in order.
using ProgramSpec = std::vector<StatementSpec>;

/// A launch's own value for one of its kernel's arguments.
struct LaunchArgument {
  std::string name;      ///< the kernel's name of the argument
  ExpressionText value;  ///< a buffer's name, or a scalar by an expression that may use program variables
};

/// One launch of a kernel.
struct LaunchSpec {
  std::string kernel;
  std::string timing;  ///< the name of its time: `as`, else the kernel's
  std::vector<LaunchArgument> args;
  std::vector<std::pair<std::string, ExpressionText>>
      with;                                          ///< parameter -> value; they make a child configuration
  std::vector<ExpressionText> grid, block, cluster;  ///< empty: the kernel's
  std::optional<ExpressionText> shared;              ///< absent: the kernel's
  std::optional<ExpressionText> wisdom;              ///< the workload whose wisdom has points for this launch
  /// The kernel with this launch's arguments and shape; the workload's kernel itself where the launch changes
  /// nothing. Set once the workload's names are resolved.
  std::shared_ptr<const KernelSpec> configured;
  SourceLocation where;
};

/// A program variable that gets an element of a buffer. The device is waited for.
struct ReadItem {
  std::string variable, buffer;
  std::optional<ExpressionText> element;  ///< absent: 0
  SourceLocation where;
};
struct ReadSpec {
  std::vector<ReadItem> items;
};

/// Exactly one of `count`, `to`, `until` is there.
struct RepeatSpec {
  std::optional<ExpressionText> count;
  std::optional<ExpressionText> from, to, by;  ///< from <= index < to, or downwards by a negative `by`
  std::optional<ExpressionText> until;         ///< looked at after an iteration
  std::optional<ExpressionText> most;          ///< with `until`: so many iterations end the loop, too
  std::optional<ExpressionText> every;         ///< with `until`: look only after so many iterations
  std::vector<ReadItem> read;                  ///< with `until`: read before each look
  std::string index;  ///< a program variable; empty: none. After the loop: iterations done
  ProgramSpec body;
};

/// The buffers exchange their contents, by exchanging their names.
struct SwapSpec {
  std::string first, second;
};
struct CopySpec {
  std::string from, to;
};
/// All elements get one value.
struct FillSpec {
  std::string buffer;
  ExpressionText value;
};
/// An argument of a library's routine: a buffer's name, or a number by an expression.
struct LibraryArgument {
  std::string name;
  ExpressionText value;
  bool buffer = false;  ///< set once the workload's names are resolved
};
/// A routine of a library that the machine may have, such as cuBLAS (trial/vendor_plugin.h).
struct LibrarySpec {
  std::string routine;
  std::string timing;  ///< for records: `as`, else the routine
  std::vector<LibraryArgument> args;
  SourceLocation where;
};
/// Program variables get the values of expressions, one after the other.
struct SetSpec {
  std::vector<std::pair<std::string, ExpressionText>> items;
};
/// Branches that do not depend on each other; each may run on a stream of its own.
struct ParallelSpec {
  std::vector<ProgramSpec> branches;
};

struct StatementSpec {
  std::variant<LaunchSpec, RepeatSpec, SwapSpec, CopySpec, FillSpec, ReadSpec, SetSpec, ParallelSpec,
               LibrarySpec>
      action;
  std::optional<ExpressionText> when;
  SourceLocation where;
};

/// Calls `visit(statement)` for each statement, the statements of bodies and branches after their parent.
template <class Statements, class Visit>
void for_each_statement(Statements& program, const Visit& visit);

/// Calls `visit(launch)` for each launch, in the order of the text.
template <class Statements, class Visit>
void for_each_launch(Statements& program, const Visit& visit) {
  for_each_statement(program, [&](auto& statement) {
    if (auto* launch = std::get_if<LaunchSpec>(&statement.action)) visit(*launch);
  });
}

template <class Statements, class Visit>
void for_each_statement(Statements& program, const Visit& visit) {
  for (auto& statement : program) {
    visit(statement);
    if (auto* repeat = std::get_if<RepeatSpec>(&statement.action)) for_each_statement(repeat->body, visit);
    if (auto* parallel = std::get_if<ParallelSpec>(&statement.action)) {
      for (auto& branch : parallel->branches) for_each_statement(branch, visit);
    }
  }
}

}  // namespace kiln
