#include "device/texture.h"

namespace kiln {

std::size_t element_bytes(TextureLayout::Format format) {
  using Format = TextureLayout::Format;
  switch (format) {
    case Format::kU8:
    case Format::kI8:
      return 1;
    case Format::kU16:
    case Format::kI16:
    case Format::kF16:
      return 2;
    case Format::kU32:
    case Format::kI32:
    case Format::kF32:
      return 4;
  }
  return 0;
}

bool is_real(TextureLayout::Format format) {
  return format == TextureLayout::Format::kF16 || format == TextureLayout::Format::kF32;
}

std::optional<std::string> find_problem(const TextureLayout& layout) {
  using Address = TextureLayout::Address;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 27;  // of linear memory; larger than the limit of rows
  if (layout.channels != 1 && layout.channels != 2 && layout.channels != 4)
    return "elements of " + std::to_string(layout.channels) + " numbers; expected 1, 2 or 4";
  if (layout.width > kMost || layout.height > kMost || layout.depth > kMost)
    return "an extent of more than " + std::to_string(kMost) + " elements";
  const bool small_integers = !is_real(layout.format) && element_bytes(layout.format) < 4;
  if (layout.normalized_values && !small_integers)
    return "`read: normalized` is for integers of 8 and 16 bits";
  if (layout.layers && layout.height == 0)
    return "layers are the slowest of two or three dimensions; the buffer has one";
  const bool sampled = layout.linear || layout.normalized_coordinates || layout.normalized_values;
  if (layout.surface && (sampled || layout.address[0] != Address::kClamp))
    return "a surface is not sampled: it has no `filter`, `address`, `normalized` and `read`";
  if (layout.linear && !is_real(layout.format) && !layout.normalized_values)
    return "`filter: linear` needs numbers of floating point; expected a buffer of float or half, or `read: "
           "normalized`";
  const std::size_t dimensions = layout.height == 0 ? 1 : layout.depth == 0 ? 2 : 3;
  for (std::size_t axis = 0; axis < dimensions; ++axis) {
    const Address address = layout.address[axis];
    if (!layout.normalized_coordinates && (address == Address::kWrap || address == Address::kMirror))
      return "`address: wrap` and `mirror` need `normalized: true`";
  }
  return std::nullopt;
}

std::optional<std::string> needs_array(const TextureLayout& layout) {
  const std::string rest = ", which a GPU reads from a CUDA array only; the cpu has it";
  if (layout.surface) return "a surface" + rest;
  if (layout.layers) return "a texture of layers" + rest;
  if (layout.depth != 0) return "a texture of three dimensions" + rest;
  if (layout.height == 0 &&
      (layout.linear || layout.normalized_coordinates || layout.address[0] != TextureLayout::Address::kClamp))
    return "one dimension with `filter`, `address` or `normalized`" + rest +
           "; without them it is read by index (tex1Dfetch)";
  return std::nullopt;
}

}  // namespace kiln
