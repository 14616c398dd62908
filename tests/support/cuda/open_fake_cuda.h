#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "device/cuda/cuda_backend.h"
#include "support/cuda/fake_cuda.h"

namespace kiln::test {

inline CudaPlaces fake_cuda_places(const std::string& folder) {
  CudaPlaces places;
  places.library_path = {folder};
  return places;
}

/// The one device of the fake driver in `folder`, through the back end that users have.
inline std::shared_ptr<Device> open_fake_cuda(const std::string& folder, FileSystem& files) {
  return make_cuda_backend(fake_cuda_places(folder), files)->open(0);
}

}  // namespace kiln::test
