#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kiln {

/// An instruction that computes with numbers of 16 or 8 bits, by the functions of CUDA's headers for them.
struct SmallNumberPtx {
  std::string pattern;  ///< "$1", "$2": the operands behind the target, as numbers of `operand`
  std::string operand;  ///< "b16", "b32", "f32", ...
  bool real = false;    ///< the result is of float or double, and not bits
};

/// Of an instruction's words without `rn`, `ftz` and `approx`: `fma.f16x2`, `cvt.rz.bf16.f32`. Absent if it
/// has no such numbers, or is not one that is known.
[[nodiscard]] std::optional<SmallNumberPtx> small_number_ptx(const std::vector<std::string>& words);

/// The type in CUDA's headers of numbers in registers of bits: "__half2" of "f16x2"; empty for others.
[[nodiscard]] std::string small_number_type(const std::string& suffix);

/// "b32" of "f16x2": registers hold the bits of small numbers. Other suffixes are as they are.
[[nodiscard]] std::string register_of_bits(const std::string& suffix);

}  // namespace kiln
