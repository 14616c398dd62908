#pragma once

#include <string>

namespace kiln {

/// A kernel text with GNU's extensions, which nvcc passes on to g++, and with marks of lambdas
/// (`[=] __device__(int i) {}`), as C++ that NVRTC compiles: a compound
/// literal `(float2){x, y}` as `float2{x, y}`, a statement expression `({ int a = x; a; })` as a lambda that
/// is called, `__typeof__` as decltype,
/// `extern "C"__global__` with a blank, `const float a = 2.5f * b;` of other constants, which is no constant
/// to NVRTC, as constexpr. Lines stay where they are; other text is returned as it is.
[[nodiscard]] std::string without_gnu_syntax(const std::string& text);

}  // namespace kiln
