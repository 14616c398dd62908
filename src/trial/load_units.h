#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/trace.h"
#include "load/loaded_kernel.h"
#include "service/kernel_service.h"
#include "specialize/unit.h"

namespace kiln {

/// A unit with its code loaded on a device, and what it cost to get that.
struct LoadedUnit {
  Unit unit;
  std::shared_ptr<LoadedCode> code;
  std::string digest = {};  ///< digest of the code's key; empty: unknown
  Origin origin = Origin::kMemory;
  double compile_seconds = 0, load_seconds = 0;
};

/// The result of loading a list of units.
struct LoadedUnits {
  std::vector<LoadedUnit> units;  ///< in order, up to the first without code
  std::optional<Diagnostic>
      failure;            ///< of the first unit without code; absent if it was stopped, or if all have code
  bool complete = false;  ///< all have code
};

/// Gets the code of one unit from a service; `nullopt`: stopped before the compile began.
using GetCode = std::function<std::optional<std::variant<ServiceResult, Diagnostic>>(const Unit& unit)>;

/// One unit after the other, until one has no code.
[[nodiscard]] LoadedUnits load_units(std::vector<Unit> units, const GetCode& get);
/// All at once, each on a thread of its own but the last, which the caller's thread gets.
[[nodiscard]] LoadedUnits load_units_at_once(std::vector<Unit> units, const GetCode& get, Trace* trace);

}  // namespace kiln
