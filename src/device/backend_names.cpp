#include "device/backend_names.h"

namespace kiln {

const std::vector<std::string>& backend_names() {
  static const std::vector<std::string> names{"cpu", "cuda", "hip"};
  return names;
}

}  // namespace kiln
