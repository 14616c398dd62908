#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/cpu/lane_values.h"
#include "compile/outline.h"
#include "device/target.h"
#include "specialize/specialization.h"

namespace kiln {

/// The least and the largest number that the entries of a kernel give to a parameter of its template.
struct NumberRange {
  int least = 0, most = 0;
};

/// A function's parameter, as far as its lanes' accesses matter.
struct LaneParameter {
  bool address = false;  ///< a pointer, or an object that stands for an array in shared memory
  bool changed = false;  ///< not to constants
};

/// What the texts and entries of a unit say of the lanes of its kernels. The views point into the texts.
struct UnitLanes {
  std::set<std::string> one_warp_kernels;  ///< those whose blocks have at most 32 work-items
  /// By kernel the numbers that entries give to each parameter of its template; none: one of them gives no
  /// number.
  std::map<std::string, std::vector<std::optional<NumberRange>>> template_arguments;
  std::map<std::string, int> macros;  ///< of the workload
  /// The shapes of blocks, each once; none: one that is not known when the code is compiled.
  std::map<std::string, std::vector<std::optional<Dim3>>> blocks;
  KnownNumbers numbers;

  std::set<std::string_view> shared;  ///< arrays in shared memory that a text declares outside of functions
  std::set<std::string_view> views;   ///< classes whose operators give elements of such arrays
  std::map<std::string_view, std::vector<LaneParameter>> functions;
  /// By function the parameters that get an address in shared memory.
  std::map<std::string_view, std::set<std::size_t>> shared_parameters;
  std::set<std::string_view> synchronizing;  ///< functions with barriers or operations of a warp
  /// Kernels that use shared memory without any barrier or operation of a warp, so that only lanes in step
  /// can see what others stored, and the functions that only these call.
  std::set<std::string_view> without_waits;
};

[[nodiscard]] UnitLanes unit_lanes(const Specialization& specialization,
                                   const std::vector<const Outline*>& texts);

/// The numbers of the specialization alone.
[[nodiscard]] UnitLanes unit_numbers(const Specialization& specialization);

/// Names by which several work-items may use common memory in a function: `everywhere`, its arrays in shared
/// memory, its parameters of the numbers `parameters`, and pointers to these.
[[nodiscard]] std::set<std::string_view> common_arrays(const std::vector<Token>& tokens,
                                                       const DefinitionOutline& definition,
                                                       const std::set<std::string_view>& everywhere,
                                                       const std::set<std::size_t>& parameters);

/// Whether a name is a barrier or an operation of a warp, as `__syncthreads`, `__shfl_down`, `sync`, or a
/// macro with such a name.
[[nodiscard]] bool synchronizes(std::string_view name);

}  // namespace kiln
