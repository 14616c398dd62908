#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kiln {

/// The view of a buffer for a kernel's asynchronous tensor copies (NVIDIA's tensor memory accelerator): each
/// copy moves one box. Lists have one item for each dimension, the fastest first.
struct TensorMapLayout {
  static constexpr std::size_t kMaxRank = 5;  ///< dimensions of a tensor
  enum class Element { kU8, kU16, kU32, kI32, kU64, kI64, kF16, kBf16, kF32, kF64 };
  enum class Interleave { kNone, k16B, k32B };
  enum class Swizzle { kNone, k32B, k64B, k128B };
  enum class L2Promotion { kNone, k64B, k128B, k256B };
  enum class Fill { kZero, kNan };

  Element element = Element::kF32;
  std::vector<std::uint64_t> extents;          ///< of the tensor, in elements
  std::vector<std::uint64_t> strides;          ///< in bytes, of every dimension except the fastest
  std::vector<std::uint64_t> box;              ///< in elements
  std::vector<std::uint64_t> element_strides;  ///< 1: each element
  Interleave interleave = Interleave::kNone;
  Swizzle swizzle = Swizzle::kNone;
  L2Promotion l2_promotion = L2Promotion::kNone;
  Fill fill = Fill::kZero;  ///< the value of elements outside the tensor
};

[[nodiscard]] std::size_t element_bytes(TensorMapLayout::Element element);

/// The opaque descriptor, CUtensorMap in CUDA: a kernel takes it by value as `const __grid_constant__`.
struct alignas(64) TensorMap {
  std::array<std::byte, 128> bytes{};
};

/// The reason why the hardware refuses the layout, as a sentence with the values and the rule; `nullopt` if
/// it is valid. The rules are the rules of cuTensorMapEncodeTiled.
[[nodiscard]] std::optional<std::string> find_problem(const TensorMapLayout& layout);

}  // namespace kiln
