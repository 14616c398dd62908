#include "device/target.h"

#include <charconv>

namespace kiln {

int Target::compute_capability() const {
  const std::size_t underscore = arch.find('_');
  if (backend != "cuda" || underscore == std::string::npos) return 0;
  int number = 0;
  std::from_chars(arch.data() + underscore + 1, arch.data() + arch.size(), number);
  return number;
}

}  // namespace kiln
