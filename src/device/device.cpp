#include "device/device.h"

#include "kiln/error.h"

namespace kiln {

bool Device::is_capturing(void* native) {
  if (native == nullptr) return false;
  throw bad_input("'" + info().id + "' has no streams of a caller's; pass a null stream");
}

TensorMap Device::encode_tensor_map(const TensorMapLayout& /*layout*/, const void* /*data*/) {
  throw bad_input("'" + info().id + "' has no tensor maps; NVIDIA's GPUs have them from sm_90 on");
}

}  // namespace kiln
