#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "job/plan.h"
#include "service/kernel_service.h"
#include "trial/context.h"

namespace kiln {

/// Variants whose code is compiled before the first of them runs: enough for every core, few enough to keep
/// their sources in memory and the first result near.
inline constexpr std::size_t kVariantsAhead = 64;

/// A variant, and the compilers and settings that it is compiled with. Both outlive what is made of them.
struct VariantToCompile {
  const Variant& variant;
  const JobContext& context;
};

/// The code that the variants will request from the service. A variant that cannot be specialised is left
/// out: that occurs again, and is reported, when its turn comes. So is one without a compiler.
[[nodiscard]] std::vector<WantedCode> code_of(const std::vector<VariantToCompile>& variants);

/// Compiles all of it on all cores, and waits until it is done or the job is stopped: nothing compiles while
/// a variant is measured. What fails is met again when it is asked for; the result keeps the code till then.
[[nodiscard]] std::unique_ptr<CompileAhead> compile_and_wait(std::vector<WantedCode> wanted,
                                                             const JobContext& context);

}  // namespace kiln
