#include "trial/inputs.h"

#include "trial/buffer_layout.h"

namespace kiln {

Inputs::Inputs(const Configuration& configuration, std::vector<std::string> buffers,
               const std::vector<LoadedUnit>& units, Workspace& workspace, BufferContents& contents)
    : configuration_(configuration),
      buffers_(std::move(buffers)),
      contents_(contents),
      copies_(copies_after_init(configuration, buffers_)) {
  for (const std::string& name : in_init_order(configuration, {buffers_.begin(), buffers_.end()}))
    kernels_.emplace_back(configuration, *configuration.workload().find_kernel(name), units, workspace);
}

void Inputs::make(const std::function<void(PreparedKernel&)>& launch) {
  contents_.fill_all(buffers_);
  for (PreparedKernel& kernel : kernels_) {
    contents_.run(kernel, [&] {
      kernel.load_symbols();
      launch(kernel);
      kernel.read_symbols();
    });
  }
  for (const auto& [name, from] : copies_) contents_.copy(name, from);
  configuration_.workload().inputs->forget_entries();
}

}  // namespace kiln
