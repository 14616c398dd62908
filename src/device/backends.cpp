#include "device/backends.h"

namespace kiln {

std::vector<std::unique_ptr<Backend>> make_all_backends(const BackendOptions& options, FileSystem& files) {
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(make_cpu_backend(options.cpu, files));
  return backends;
}

}  // namespace kiln
