#include "device/tensor_map.h"

namespace kiln {
namespace {

constexpr std::uint64_t kMaxBox = 256;
constexpr std::uint64_t kMaxElementStride = 8;
constexpr std::uint64_t kMaxExtent = std::uint64_t{1} << 32;
constexpr std::uint64_t kMaxStride = std::uint64_t{1} << 40;
constexpr std::uint64_t kGranule = 16;

using Layout = TensorMapLayout;

std::string digits(std::uint64_t number) {
  return std::to_string(number);
}

std::uint64_t swizzle_span(Layout::Swizzle swizzle) {
  switch (swizzle) {
    case Layout::Swizzle::kNone:
      return 0;
    case Layout::Swizzle::k32B:
      return 32;
    case Layout::Swizzle::k64B:
      return 64;
    case Layout::Swizzle::k128B:
      return 128;
  }
  return 0;
}

std::optional<std::string> check_lengths(const Layout& layout) {
  const std::size_t rank = layout.extents.size();
  if (rank < 1 || rank > Layout::kMaxRank) return "a tensor map has 1 to 5 dimensions, not " + digits(rank);
  if (layout.interleave != Layout::Interleave::kNone && rank < 3)
    return "an interleaved tensor map has at least 3 dimensions, not " + digits(rank);
  if (layout.box.size() != rank || layout.element_strides.size() != rank ||
      layout.strides.size() != rank - 1) {
    return "the tensor has " + digits(rank) + " dimensions; its box has " + digits(layout.box.size()) +
           ", its element strides " + digits(layout.element_strides.size()) + " and its strides " +
           digits(layout.strides.size()) + " (expected " + digits(rank - 1) + ")";
  }
  return std::nullopt;
}

std::optional<std::string> check_values(const Layout& layout) {
  for (std::size_t i = 0; i < layout.extents.size(); ++i) {
    if (layout.extents[i] < 1 || layout.extents[i] > kMaxExtent)
      return "an extent of " + digits(layout.extents[i]) + " elements; expected 1 to 2^32";
    if (layout.box[i] < 1 || layout.box[i] > kMaxBox)
      return "a box extent of " + digits(layout.box[i]) + "; expected 1 to 256";
    if (layout.element_strides[i] < 1 || layout.element_strides[i] > kMaxElementStride)
      return "an element stride of " + digits(layout.element_strides[i]) + "; expected 1 to 8";
  }
  const std::uint64_t granule = layout.interleave == Layout::Interleave::k32B ? 2 * kGranule : kGranule;
  for (const std::uint64_t stride : layout.strides) {
    if (stride % granule != 0 || stride >= kMaxStride) {
      return "a stride of " + digits(stride) + " bytes; expected a multiple of " + digits(granule) +
             " below 2^40";
    }
  }
  return std::nullopt;
}

std::optional<std::string> check_box_row(const Layout& layout) {
  const std::uint64_t row = layout.box.front() * element_bytes(layout.element);
  const auto of_row = [&](const std::string& rule) {  // a function, so that the text is made only for a
                                                      // refusal: each launch comes here
    return "the box's fastest extent of " + digits(layout.box.front()) + " elements is " + digits(row) +
           " bytes; " + rule;
  };
  if (layout.interleave == Layout::Interleave::kNone && row % kGranule != 0)
    return of_row("expected a multiple of 16");
  const std::uint64_t span = swizzle_span(layout.swizzle);
  if (layout.interleave == Layout::Interleave::kNone && span != 0 && row > span)
    return of_row("a swizzle of " + digits(span) + "B takes at most " + digits(span));
  if (layout.interleave == Layout::Interleave::k32B && layout.swizzle != Layout::Swizzle::k32B)
    return "an interleave of 32B goes with a swizzle of 32B";
  const bool real = layout.element >= Layout::Element::kF16;
  if (layout.fill == Layout::Fill::kNan && !real) return "a fill of nan goes with floating-point elements";
  return std::nullopt;
}

}  // namespace

std::size_t element_bytes(TensorMapLayout::Element element) {
  using Element = TensorMapLayout::Element;
  switch (element) {
    case Element::kU8:
      return 1;
    case Element::kU16:
    case Element::kF16:
    case Element::kBf16:
      return 2;
    case Element::kU32:
    case Element::kI32:
    case Element::kF32:
      return 4;
    case Element::kU64:
    case Element::kI64:
    case Element::kF64:
      return 8;
  }
  return 0;
}

std::optional<std::string> find_problem(const TensorMapLayout& layout) {
  if (auto problem = check_lengths(layout)) return problem;
  if (auto problem = check_values(layout)) return problem;
  return check_box_row(layout);
}

}  // namespace kiln
