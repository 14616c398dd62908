#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "device/cuda/cuda_context.h"
#include "device/texture.h"

namespace kiln {

/// The texture objects of a device, each made at its first request and destroyed with this object. They refer
/// to linear memory and to pitched memory of two dimensions: no CUDA arrays.
class CudaTextures {
 public:
  explicit CudaTextures(std::shared_ptr<CudaContext> context) : context_(std::move(context)) {}

  /// Throws bad_input for a layout that the driver refuses.
  [[nodiscard]] std::uint64_t get(const TextureLayout& layout, const void* data);

 private:
  using Owner = GpuOwner<CudaDriver, &cuda_abi::Functions::texture_destroy>;
  [[nodiscard]] Owner make(const TextureLayout& layout, const void* data);

  std::shared_ptr<CudaContext> context_;
  std::mutex mutex_;  // guards the members below
  std::map<std::pair<TextureLayout, const void*>, Owner> made_;
};

}  // namespace kiln
