#pragma once

#include <string>
#include <vector>

#include "trial/buffer_contents.h"
#include "trial/checks.h"
#include "trial/context.h"
#include "trial/prepared_kernel.h"

namespace kiln {

/// Runs the reference kernels of a variant's checks on its device, or on the host beside it; takes the
/// outcome of an earlier variant where nothing that it depends on has changed. All that it refers to outlives
/// it, and the workspace outlives what it returns.
class References {
 public:
  References(const Configuration& configuration, const JobContext& context, Workspace& workspace,
             BufferContents& contents, const std::vector<LoadedUnit>& units,
             const std::vector<LoadedUnit>& cpu_units)
      : configuration_(configuration),
        context_(context),
        workspace_(workspace),
        contents_(contents),
        units_(units),
        cpu_units_(cpu_units) {}

  [[nodiscard]] ReferenceContent run(const CheckSpec& check);

 private:
  [[nodiscard]] ArrayContent run_here(const CheckSpec& check);
  [[nodiscard]] ArrayContent run_on_host(const CheckSpec& check);
  void copy_inputs(Workspace& host, const std::vector<std::string>& names);
  [[nodiscard]] const KernelSpec& kernel_of(const CheckSpec& check) const;

  const Configuration& configuration_;
  const JobContext& context_;
  Workspace& workspace_;
  BufferContents& contents_;
  const std::vector<LoadedUnit>& units_;      // on the variant's device
  const std::vector<LoadedUnit>& cpu_units_;  // on the host beside it
};

}  // namespace kiln
