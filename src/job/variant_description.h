#pragma once

#include <string>
#include <vector>

#include "job/job_runner.h"
#include "specialize/unit.h"
#include "trial/buffer_layout.h"

// What a variant needs and what its record says of it before anything is compiled.
namespace kiln {

/// Throws environment_error if this build has none for the back end.
[[nodiscard]] Compiler& compiler_for(const JobContext& context, const std::string& backend);

/// A reference that runs on the host beside another device.
[[nodiscard]] bool is_apart(const CheckSpec& check, const Device& device);

/// The kernels of a variant: of its step, those that make data on its device, and references apart.
struct KernelNames {
  std::vector<std::string> step, data, cpu;
};
[[nodiscard]] KernelNames kernels_of(const VariantNeeds& needs, const Device& device);

/// Those on the variant's device.
[[nodiscard]] std::vector<Unit> own_units(const Configuration& configuration, const KernelNames& names,
                                          const Target& target, FileSystem& files);

/// Adds the digest of the sources and which parameters are constants in the code of these units.
void describe_code(const Configuration& configuration, const std::vector<Unit>& units, Record& record);

/// What a record says of a variant before anything is specialised.
[[nodiscard]] Record start_record(const Variant& variant, const JobPlan& plan, const JobContext& context);

}  // namespace kiln
