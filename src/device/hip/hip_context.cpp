#include "device/hip/hip_context.h"

namespace kiln {

SelectedDevice HipContext::enter() {
  int current = 0;
  run(call().get_device, &current);
  if (current == place_) return SelectedDevice();
  run(call().set_device, place_);
  return SelectedDevice({driver_.get(), current});
}

}  // namespace kiln
