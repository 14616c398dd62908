#include "compile/portable_header.h"

#include "kiln_embedded_portable.h"

namespace kiln {

const std::string& portable_header() {
  static const std::string text(embedded::kPortable);
  return text;
}

}  // namespace kiln
