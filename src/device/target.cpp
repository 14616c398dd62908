#include "device/target.h"

#include "device/backend_kind.h"

namespace kiln {

int Target::compute_capability() const {
  return backend_kind(backend).compute_capability(arch);
}

}  // namespace kiln
