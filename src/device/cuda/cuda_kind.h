#pragma once

#include "device/backend_kind.h"

namespace kiln {

[[nodiscard]] BackendKind cuda_kind();

}  // namespace kiln
