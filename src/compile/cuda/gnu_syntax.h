#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// A kernel text with GNU's extensions, which nvcc passes on to g++, and with marks of lambdas
/// (`[=] __device__(int i) {}`), as C++ that NVRTC compiles: a compound
/// literal `(float2){x, y}` as `float2{x, y}`, a statement expression `({ int a = x; a; })` as a lambda that
/// is called, `__typeof__` as decltype, `extern "C"__global__` with a blank, `const float a = 2.5f * b;` of
/// other constants, which is no constant to NVRTC, as constexpr, and `float* t = (float*)alloca(4 * N);` of
/// numbers and `constants` as an array, which the driver reserves memory for. Lines stay where they are;
/// other text is returned as it is.
[[nodiscard]] std::string without_gnu_syntax(const std::string& text,
                                             const std::set<std::string, std::less<>>& constants = {});

/// Names of a program's texts that stand for numbers: macros, constants, numbers of templates. Empty where no
/// text calls alloca.
[[nodiscard]] std::set<std::string, std::less<>> constants_for_sizes(
    const std::vector<std::string_view>& texts);

}  // namespace kiln
