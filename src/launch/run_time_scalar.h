#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kiln/arguments.h"
#include "specialize/params_struct.h"
#include "workload/configuration.h"

namespace kiln {

/// A number parameter of the workload as one kernel's launches see it: where its bytes stand in the
/// arguments, and which values it may have there. Launches may give a value to those that are bound at run
/// time, unless something that the launch keeps was made of the request's value; `frozen` then says what.
class RunTimeScalar {
 public:
  RunTimeScalar(const Configuration& configuration, const ParameterSpec& parameter);

  std::string name;
  std::string frozen;                ///< why a launch cannot give it; empty: it can
  std::vector<std::size_t> offsets;  ///< in the launch's run-time bytes

  /// Writes the value to its places in `bytes`. Throws bad_input that names the kernel, the parameter and
  /// what was expected for a value of another kind, one that does not fit the type, and one that the workload
  /// does not allow. Allocates nothing otherwise.
  void store(const LaunchScalar::Value& value, std::byte* bytes, const std::string& kernel) const;

 private:
  /// Empty: none.
  [[nodiscard]] std::string problem_of(const LaunchScalar::Value& value) const;
  void find_usual();
  /// False: the value needs problem_of's look.
  [[nodiscard]] bool store_usual(const LaunchScalar::Value& value, std::byte* bytes) const;

  ScalarType type_ = ScalarType::kInt;
  /// Range of int, long, float and double without rounding to 0 or beyond a bound; empty: ask problem_of.
  double usual_low_ = 1, usual_high_ = 0;
  std::optional<Number> least_, most_;
  std::vector<Number> allowed_;  // empty: all between the bounds
};

/// One for each parameter of the workload, those that launches may give first; without offsets.
[[nodiscard]] std::vector<RunTimeScalar> run_time_scalars(const Configuration& configuration,
                                                          const KernelSpec& kernel,
                                                          const ParamsStruct& params);

}  // namespace kiln
