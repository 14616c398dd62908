#pragma once

#include <string>
#include <string_view>

#include "specialize/specialization.h"

namespace kiln {

/// Fits the user's texts to HIP's compiler where it refuses what nvcc takes: `float4 a[2] = {0}` (HIP's
/// vectors have constructors) becomes `{}`, `#pragma unroll 0` is `nounroll`, and a specialisation for both
/// sides of a template for devices is for devices. Lines stay where they are.
void fit_cuda_for_hip(Specialization& specialization);

/// Whether one of the user's texts declares a function template `name`.
[[nodiscard]] bool declares_template(const Specialization& specialization, std::string_view name);

/// Whether one of them declares a function `name` that is no template, for real numbers by address:
/// `float atomicMin(float* a, float b)`.
[[nodiscard]] bool declares_for_reals(const Specialization& specialization, std::string_view name);

/// Makes functions without a mark in the user's texts functions for both sides, by clang's pragma, outside of
/// which kernels stand.
void make_functions_for_both_sides(Specialization& specialization);

}  // namespace kiln
