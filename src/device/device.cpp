#include "device/device.h"

#include "kiln/error.h"

namespace kiln {

std::unique_ptr<Stream> Device::borrow_stream(void* /*native*/) {
  throw bad_input("'" + info().id + "' has no streams of a caller's; pass a null stream");
}

}  // namespace kiln
