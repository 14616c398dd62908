#pragma once

#include "device/backend_kind.h"

namespace kiln {

[[nodiscard]] BackendKind cpu_kind();

}  // namespace kiln
