#include "trial/load_units.h"

#include <future>
#include <thread>
#include <utility>

#include "base/async.h"

namespace kiln {
namespace {

using Outcome = std::optional<std::variant<ServiceResult, Diagnostic>>;

/// False if the unit has no code.
bool add(LoadedUnits& loaded, Unit unit, Outcome outcome) {
  if (!outcome) return false;
  if (auto* diagnostic = std::get_if<Diagnostic>(&*outcome)) {
    loaded.failure = std::move(*diagnostic);
    return false;
  }
  auto& result = std::get<ServiceResult>(*outcome);
  loaded.units.push_back({std::move(unit), std::move(result.code), result.key.digest, result.origin,
                          result.compile_seconds, result.load_seconds});
  return true;
}

}  // namespace

LoadedUnits load_units(std::vector<Unit> units, const GetCode& get) {
  LoadedUnits loaded;
  for (Unit& unit : units) {
    Outcome outcome = get(unit);
    if (!add(loaded, std::move(unit), std::move(outcome))) return loaded;
  }
  loaded.complete = true;
  return loaded;
}

LoadedUnits load_units_at_once(std::vector<Unit> units, const GetCode& get, Trace* trace) {
  std::vector<std::future<Outcome>> results;
  for (const Unit& unit : units) {
    const auto get_one = [&, caller = std::this_thread::get_id()] {
      if (std::this_thread::get_id() != caller && trace != nullptr)
        trace->name_thread("gets code beside another");
      return get(unit);
    };
    results.push_back(&unit == &units.back() ? std::async(std::launch::deferred, get_one)
                                             : run_beside(get_one));
  }
  std::vector<Outcome> outcomes(results.size());
  for (std::size_t i = results.size(); i-- > 0;) outcomes[i] = results[i].get();
  LoadedUnits loaded;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!add(loaded, std::move(units[i]), std::move(outcomes[i]))) return loaded;
  }
  loaded.complete = true;
  return loaded;
}

}  // namespace kiln
