#pragma once

#include "device/backend_kind.h"

namespace kiln {

[[nodiscard]] BackendKind hip_kind();

}  // namespace kiln
