#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "specialize/specialization.h"

namespace kiln {

/// A line of the kernel's file or of a header, as compilers write it: by the name or the path of the file.
struct TextLine {
  std::string file;
  int line = 0;
};

/// A name that a compiler does not know, and where it stands.
struct UnknownName {
  std::string name;
  TextLine place;
};

/// A function that is defined again: the compiler's words, which have its name, and where it stands.
struct Redefinition {
  std::string message;
  TextLine place;
};

/// Leaves out declarations for the host that leave_out_host_code() has not recognised: those around `lines`,
/// where a compiler has found errors, each with everything of its name; of a class with members for the
/// device only the members that fail. What has a mark of the device stays, with everything of its name, so
/// that code for the device never gets another meaning: it fails if it needs what was left out. In a text
/// without host code only classes of its headers go.
///
/// Returns the names of what was left out; empty: nothing was, and the specialization is as before.
[[nodiscard]] std::vector<std::string> leave_out_failed_host_code(Specialization& specialization,
                                                                  const std::vector<TextLine>& lines);

/// Leaves out functions for the device, of which a compiler has found that they define again what it has
/// (`__hmax_nan` for older devices). Returns their names; empty: none, and the specialization is as before.
[[nodiscard]] std::vector<std::string> leave_out_redefinitions(Specialization& specialization,
                                                               const std::vector<Redefinition>& redefined);

/// Leaves out functions, kernels and classes with errors at `lines` that `is_reached` does not name: whatever
/// it does, the kernels of the specialization do not use them. Operators stay. Returns their names; empty:
/// none, and the specialization is as before.
[[nodiscard]] std::vector<std::string> leave_out_unreached(
    Specialization& specialization, const std::vector<TextLine>& lines,
    const std::function<bool(std::string_view)>& is_reached);

/// Defines the functions of CUDA's or HIP's runtime among `unknown` that functions with marks of both sides
/// call, as macros: there nvcc takes calls of functions of the host, which no kernel reaches. A kernel that
/// reaches one after all gets "not supported" from it. Returns the names; empty: none, and the specialization
/// is as before.
[[nodiscard]] std::vector<std::string> define_runtime_of_host(Specialization& specialization,
                                                              const std::vector<UnknownName>& unknown);

}  // namespace kiln
