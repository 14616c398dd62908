#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "specialize/params_struct.h"
#include "specialize/specialization.h"
#include "workload/configuration.h"

namespace kiln {

/// The role of a kernel: one of `run`, or one that makes inputs or references. The latter take their
/// parameters at run time if they can.
enum class Role { kRun, kData };

/// Kernels of one source file that are compiled together.
struct Unit {
  Role role = Role::kRun;
  int child = 0;  ///< Configuration::child of its values
  Specialization specialization;
  ParamsStruct params;
  std::vector<std::string> more_sources;  ///< KernelSpec::more_sources
  std::vector<std::string> options;       ///< of the kernels, as the workload writes them
  std::map<std::string, std::string>
      name_expressions;  ///< kernel's name in the workload -> entry's name expression
};

/// Groups `kernels` (names in the workload) by source, macros and options, and specialises each group for
/// `target`. `supplied` are headers in memory, found by name before any file. Throws bad_input, at the
/// kernel's place in the workload file, for a source that does not exist.
[[nodiscard]] std::vector<Unit> make_units(const Configuration& configuration,
                                           const std::vector<std::string>& kernels, Role role,
                                           const Target& target, FileSystem& files,
                                           const std::vector<IncludedHeader>& supplied = {});

/// True if no run-time parameter can change the expression's value.
[[nodiscard]] bool is_compile_time(const Configuration& configuration, const ExpressionText& expression);

}  // namespace kiln
