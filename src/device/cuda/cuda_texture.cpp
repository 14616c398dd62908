#include "device/cuda/cuda_texture.h"

#include "device/cuda/cuda_vendor.h"
#include "kiln/error.h"

namespace kiln {
namespace {

/// cudaDeviceProp::texturePitchAlignment of all GPUs known so far.
constexpr std::uint64_t kPitchAlignment = 32;

cuda_abi::ResourceDescription describe_resource(const TextureLayout& layout, const void* data) {
  cuda_abi::ResourceDescription description{};
  const auto format = static_cast<unsigned>(layout.format);
  const cuda_abi::DevicePointer address = CudaVendor::address(data);
  const std::uint64_t bytes = layout.channels * element_bytes(layout.format);
  if (layout.height == 0) {
    description.type = cuda_abi::ResourceType::kLinear;
    description.resource.linear = {address, format, layout.channels, layout.width * bytes};
  } else {
    description.type = cuda_abi::ResourceType::kPitch2D;
    description.resource.pitch_2d = {address,      format,        layout.channels,
                                     layout.width, layout.height, layout.pitch};
  }
  return description;
}

cuda_abi::TextureDescription describe_sampling(const TextureLayout& layout) {
  cuda_abi::TextureDescription description{};
  description.address_modes[0] = static_cast<unsigned>(layout.address[0]);
  description.address_modes[1] = static_cast<unsigned>(layout.address[1]);
  description.address_modes[2] = static_cast<unsigned>(layout.address[1]);
  description.filter = layout.linear ? 1 : 0;
  if (!is_real(layout.format) && !layout.normalized_values) description.flags |= cuda_abi::kReadAsInteger;
  if (layout.normalized_coordinates) description.flags |= cuda_abi::kNormalizedCoordinates;
  return description;
}

}  // namespace

std::uint64_t CudaTextures::get(const TextureLayout& layout, const void* data) {
  const std::lock_guard lock(mutex_);
  const auto [place, fresh] = made_.try_emplace({layout, data});
  if (fresh) {
    try {
      place->second = make(layout, data);
    } catch (...) {
      made_.erase(place);
      throw;
    }
  }
  return place->second.get().object;
}

CudaTextures::Owner CudaTextures::make(const TextureLayout& layout, const void* data) {
  if (const auto problem = find_problem(layout)) throw bad_input(*problem);
  if (const auto reason = needs_array(layout)) throw bad_input(*reason);
  if (layout.height > 0 && layout.pitch % kPitchAlignment != 0) {
    throw bad_input("a row of " + std::to_string(layout.pitch) +
                    " bytes; a GPU's texture units take a multiple of " + std::to_string(kPitchAlignment));
  }
  const CurrentContext current = context_->enter();
  const auto resource = describe_resource(layout, data);
  const auto sampling = describe_sampling(layout);
  cuda_abi::TextureObject object = 0;
  const auto& create = context_->call().texture_create;
  const cuda_abi::Result result = create(&object, &resource, &sampling, nullptr);
  if (result == cuda_abi::kInvalidValue) {
    throw bad_input("the driver does not take this texture: " + context_->driver().describe(result) +
                    "; the rules of cuTexObjectCreate apply");
  }
  context_->check(result, create.symbol);
  return Owner(context_->handle(object));
}

}  // namespace kiln
