#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace kiln {

/// The view of a buffer for a kernel's texture fetches, `cudaTextureObject_t` in CUDA, or for reads and
/// writes of a surface. Rows, and planes of rows, follow each other.
struct TextureLayout {
  // The values are the values of CUDA's CUarray_format and CUaddress_mode.
  enum class Format : unsigned {
    kU8 = 1,
    kU16 = 2,
    kU32 = 3,
    kI8 = 8,
    kI16 = 9,
    kI32 = 10,
    kF16 = 16,
    kF32 = 32
  };
  enum class Address : unsigned { kWrap = 0, kClamp = 1, kMirror = 2, kBorder = 3 };

  Format format = Format::kF32;
  unsigned channels = 1;     ///< numbers in an element: 1, 2 or 4
  std::uint64_t width = 0;   ///< in elements
  std::uint64_t height = 0;  ///< 0: one dimension
  std::uint64_t pitch = 0;   ///< bytes from one row to the next
  /// Along x, y and z, outside of the texture.
  std::array<Address, 3> address{Address::kClamp, Address::kClamp, Address::kClamp};
  bool linear = false;  ///< interpolates between the four neighbours; else takes the nearest element
  bool normalized_coordinates = false;  ///< coordinates from 0 to 1 instead of 0 to the extent
  bool normalized_values = false;       ///< integers are read as numbers from 0, or -1, to 1
  std::uint64_t depth = 0;              ///< 0: one dimension or two
  bool layers = false;   ///< the slowest dimension counts layers, between which nothing is weighed
  bool surface = false;  ///< for surf1Dread, surf2Dwrite, ...; nothing is sampled

  friend auto operator<=>(const TextureLayout&,
                          const TextureLayout&) =
      default;  // NOLINT(modernize-use-nullptr): no pointer is here
};

[[nodiscard]] std::size_t element_bytes(TextureLayout::Format format);
[[nodiscard]] bool is_real(TextureLayout::Format format);

/// The reason why texture units refuse the layout, as a sentence with the rule; `nullopt` if it is valid. The
/// rules are the rules of cuTexObjectCreate, for linear memory and pitched memory of two dimensions.
[[nodiscard]] std::optional<std::string> find_problem(const TextureLayout& layout);
/// The reason why CUDA reads such a texture from an array only, which a buffer is not; `nullopt` if a buffer
/// will do.
[[nodiscard]] std::optional<std::string> needs_array(const TextureLayout& layout);

}  // namespace kiln
