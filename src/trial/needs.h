#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "specialize/unit.h"
#include "trial/temporaries.h"
#include "workload/configuration.h"

namespace kiln {

using Kernels = std::vector<const KernelSpec*>;

/// A launch of a program, with the kernel as the launch modifies it.
struct NeededLaunch {
  const LaunchSpec* launch = nullptr;  ///< null: of a kernel that no program launches
  const KernelSpec* kernel = nullptr;
  const Configuration* configuration = nullptr;  ///< of its values
};

/// A reference with `on: cpu` that runs on the host beside another device.
[[nodiscard]] bool is_apart(const Configuration& configuration, const CheckSpec& check);

/// The needs of one configuration on its device: launches, buffers, checks, and the code of the kernels. Code
/// that compiles, counts, checks or runs a configuration uses it. Lists have the order of the workload file.
/// The configuration outlives it.
class TrialNeeds {
 public:
  /// kNone: the step and its inputs are all that is needed.
  enum class Checks : std::uint8_t { kAll, kNone };

  /// Throws bad_input for a step without a launch, for a buffer that is needed and not there, and for
  /// statements that share bytes and must not (trial/overlap_check.h).
  explicit TrialNeeds(const Configuration& configuration, Checks checks = Checks::kAll);

  [[nodiscard]] const Configuration& configuration() const { return *configuration_; }
  /// Launches of the step's program that may run, in the order of the text.
  [[nodiscard]] const std::vector<NeededLaunch>& step() const { return step_; }
  /// Launches of the program that runs once after the checked steps.
  [[nodiscard]] const std::vector<NeededLaunch>& verify_run() const { return verify_run_; }
  /// In the order in which they run.
  [[nodiscard]] const Kernels& init_kernels() const { return init_kernels_; }
  /// All three: what is launched whatever the checks are.
  [[nodiscard]] std::vector<NeededLaunch> launches() const;
  /// On the device.
  [[nodiscard]] const std::vector<std::string>& buffers() const { return buffers_; }
  /// Places of the temporary buffers.
  [[nodiscard]] TemporaryPlan temporaries() const { return plan_temporaries(*configuration_, buffers_); }
  /// The memory of all buffers together; the largest number for more than it holds. Throws bad_input for
  /// shapes that cannot be.
  [[nodiscard]] std::uint64_t bytes() const;
  /// Bytes of all buffers if temporary ones did not share memory.
  [[nodiscard]] std::uint64_t unshared_bytes() const;
  /// Checks whose condition holds.
  [[nodiscard]] const std::vector<const CheckSpec*>& checks() const { return checks_; }

  /// The units of the step alone, as a program would ask for them.
  [[nodiscard]] std::vector<Unit> step_units(const Target& target, FileSystem& files) const;
  /// All units on the device. Kernels of the step are specialised apart from those that make inputs and
  /// references, but for kernels that share a variable of their text (trial/shared_variables.h): these belong
  /// to one unit, the step's. Throws bad_input where macros or options keep them from that.
  [[nodiscard]] std::vector<Unit> units(const Target& target, FileSystem& files) const;
  /// Whether a reference runs on the host beside the device; mostly none does.
  [[nodiscard]] bool has_host_references() const { return !host_kernels_.empty(); }
  /// The units of those.
  [[nodiscard]] std::vector<Unit> host_units(const Target& host, FileSystem& files) const;

 private:
  [[nodiscard]] std::uint64_t bytes_with(const TemporaryPlan& plan) const;

  const Configuration* configuration_;
  std::vector<NeededLaunch> step_, verify_run_;
  Kernels init_kernels_;
  std::vector<std::string> host_kernels_, buffers_;
  std::vector<const CheckSpec*> checks_;
};

}  // namespace kiln
