#include "device/cuda/cuda_tensor_map.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kiln/error.h"

namespace kiln {
namespace {

constexpr std::uintptr_t kAlignment = 16;

cuda_abi::TensorMapElement element_of(TensorMapLayout::Element element) {
  using Ours = TensorMapLayout::Element;
  using Theirs = cuda_abi::TensorMapElement;
  switch (element) {
    case Ours::kU8:
      return Theirs::kU8;
    case Ours::kU16:
      return Theirs::kU16;
    case Ours::kU32:
      return Theirs::kU32;
    case Ours::kI32:
      return Theirs::kI32;
    case Ours::kU64:
      return Theirs::kU64;
    case Ours::kI64:
      return Theirs::kI64;
    case Ours::kF16:
      return Theirs::kF16;
    case Ours::kBf16:
      return Theirs::kBf16;
    case Ours::kF32:
      return Theirs::kF32;
    case Ours::kF64:
      return Theirs::kF64;
  }
  throw internal_error("a tensor map of an unknown element type");
}

/// `values` has at most as many items as a tensor map has dimensions (find_problem).
std::array<std::uint32_t, TensorMapLayout::kMaxRank> narrow(const std::vector<std::uint64_t>& values) {
  std::array<std::uint32_t, TensorMapLayout::kMaxRank> result{};
  std::transform(values.begin(), values.end(), result.begin(),
                 [](std::uint64_t value) { return static_cast<std::uint32_t>(value); });
  return result;
}

}  // namespace

TensorMap encode_cuda_tensor_map(CudaContext& context, const TensorMapLayout& layout, const void* data) {
  const auto encode = context.call().tensor_map_encode_tiled;
  if (encode == nullptr) {
    throw bad_input("this NVIDIA driver (" + context.driver().description() +
                    ") has no tensor maps; CUDA 12 brought them");
  }
  if (const auto problem = find_problem(layout)) throw bad_input(*problem);
  if (reinterpret_cast<std::uintptr_t>(data) % kAlignment != 0)
    throw bad_input("a tensor map's buffer starts at an address that is no multiple of 16");
  const auto box = narrow(layout.box);
  const auto element_strides = narrow(layout.element_strides);
  TensorMap map;
  const cuda_abi::Result result =
      encode(map.bytes.data(), static_cast<int>(element_of(layout.element)),
             static_cast<unsigned>(layout.extents.size()),
             const_cast<void*>(data),  // NOLINT(cppcoreguidelines-pro-type-const-cast): it only notes it
             layout.extents.data(), layout.strides.data(), box.data(), element_strides.data(),
             static_cast<int>(layout.interleave), static_cast<int>(layout.swizzle),
             static_cast<int>(layout.l2_promotion), static_cast<int>(layout.fill));
  if (result == cuda_abi::kInvalidValue) {
    throw bad_input("the driver does not take this tensor map: " + context.driver().describe(result) +
                    "; the rules of cuTensorMapEncodeTiled apply");
  }
  context.check(result, encode.symbol);
  return map;
}

}  // namespace kiln
