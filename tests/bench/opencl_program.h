#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace kiln::bench {

/// An argument of an OpenCL kernel: memory of the host, or a scalar. What it points to outlives the launch.
struct OpenClArgument {
  void* memory = nullptr;  ///< null: a scalar of `bytes`
  const void* scalar = nullptr;
  std::size_t bytes = 0;
};

/// CUDA kernels without warp operations, translated word by word to OpenCL C, on the first OpenCL device of
/// the CPU. The device works in the host's memory.
class OpenClProgram {
 public:
  /// Throws Error where there is no such device, or its compiler refuses the text.
  explicit OpenClProgram(const std::string& cuda_text);

  /// "Portable Computing Language 3.1: pthread-haswell-..."
  [[nodiscard]] const std::string& device() const { return device_; }
  /// Returns once the kernel has run. Throws Error where OpenCL reports one.
  void run(const std::string& kernel, std::array<std::size_t, 2> block, std::array<std::size_t, 2> grid,
           const std::vector<OpenClArgument>& arguments);

 private:
  struct State;
  std::shared_ptr<State> state_;  // in a build without OpenCL nothing knows its type
  std::string device_;
};

}  // namespace kiln::bench
