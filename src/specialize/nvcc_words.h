#pragma once

#include <optional>
#include <string>
#include <vector>

#include "specialize/specialization.h"

namespace kiln {

/// In the conditionals of the user's texts `__NVCC__`, and the guards of CUDA's headers of vectors, become
/// `__CUDACC__`: the text is compiled as nvcc does it, by compilers that do not define these. Votes without a
/// mask, such as `__any(x)`, become votes of the active work-items, and `const __restrict__ float2* a` loses
/// the word that no other compiler takes in this place. For the hip back end only that, and the word is left
/// out of `uint32_t __restrict__ n`, too. Variables of the device that no text defines are defined.
void translate_nvcc_words(Specialization& specialization);

/// Makes definitions of variables in a device's memory that are used and only declared: `extern "C"
/// __constant__ Params params;` loses `extern "C"`, as nvcc takes it in a program of one file. All places
/// stay where they are.
void define_external_variables(const std::vector<std::string*>& texts);

/// The specialization whose texts ask in their conditionals for the compiler and the processor of nvcc's host
/// (`#ifdef __GNUC__`, `#if defined(__x86_64__)`) as with nvcc and g++ 12 on x86-64; none: no text asks.
[[nodiscard]] std::optional<Specialization> with_compiler_of_nvcc(const Specialization& specialization);

}  // namespace kiln
