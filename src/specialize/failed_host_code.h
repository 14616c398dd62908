#pragma once

#include <string>
#include <vector>

#include "specialize/specialization.h"

namespace kiln {

/// A line of the kernel's file or of a header, as compilers write it: by the name or the path of the file.
struct TextLine {
  std::string file;
  int line = 0;
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

}  // namespace kiln
