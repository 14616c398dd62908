#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "device/cuda/cuda_context.h"
#include "device/texture.h"

namespace kiln {

/// The texture objects of a device, each made when it is first asked for and given back with this. Over
/// linear memory and pitched memory of two dimensions: no CUDA arrays.
class CudaTextures {
 public:
  explicit CudaTextures(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {}

  /// Throws bad_input for what the driver does not take.
  [[nodiscard]] std::uint64_t get(const TextureLayout& layout, const void* data);

 private:
  using Owner = GpuOwner<CudaDriver, &cuda_abi::Functions::texture_destroy>;
  [[nodiscard]] Owner make(const TextureLayout& layout, const void* data);

  std::shared_ptr<CudaContext> context_;
  std::mutex mutex_;  // of what follows
  std::map<std::pair<TextureLayout, const void*>, Owner> made_;
};

}  // namespace kiln
