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
  if (layout.width > kMost || layout.height > kMost)
    return "an extent of more than " + std::to_string(kMost) + " elements";
  const bool small_integers = !is_real(layout.format) && element_bytes(layout.format) < 4;
  if (layout.normalized_values && !small_integers)
    return "`read: normalized` is for integers of 8 and 16 bits";
  if (layout.height == 0) {
    if (layout.linear || layout.normalized_coordinates || layout.address[0] != Address::kClamp)
      return "one dimension is read by index (tex1Dfetch): it has no `filter`, `address` and `normalized`";
    return std::nullopt;
  }
  if (layout.linear && !is_real(layout.format) && !layout.normalized_values)
    return "`filter: linear` needs numbers of floating point; expected a buffer of float or half, or `read: "
           "normalized`";
  for (const Address address : layout.address) {
    if (!layout.normalized_coordinates && (address == Address::kWrap || address == Address::kMirror))
      return "`address: wrap` and `mirror` need `normalized: true`";
  }
  return std::nullopt;
}

}  // namespace kiln
