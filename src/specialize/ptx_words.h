#pragma once

#include <string>

#include "specialize/specialization.h"

namespace kiln {

/// A text with `asm` statements of PTX as C++: reads of special registers (%laneid, %lanemask_lt, %smid,
/// %tid.x, %clock64), loads, stores and atomic operations of global memory, fences, `bar.sync 0`, and
/// arithmetic of numbers in registers; several instructions with registers of their own, predicates and a
/// carry, which other statements may take. All other `asm` stays. Lines stay where they are.
[[nodiscard]] std::string without_simple_ptx(const std::string& text);

/// The same for HIP. PTX that has no translation becomes KILN_REFUSED_PTX(tag, message), an error where code
/// with it is kept; `name` of the text and the line begin the message. `asm` of AMD's GPUs stays.
[[nodiscard]] std::string ptx_as_hip(const std::string& text, const std::string& name);

/// The same for the texts of a unit for the cpu or for hip.
void translate_ptx_words(Specialization& specialization);

}  // namespace kiln
