#include "trial/device_compare.h"

#include <algorithm>
#include <limits>

#include "device/backend_kind.h"
#include "kiln_embedded_comparisons.h"

namespace kiln {
namespace {

constexpr std::uint64_t kThreads = 256;
constexpr std::uint64_t kMostBlocks = 1024;
constexpr std::size_t kMostDimensions = 8;  // of a buffer

/// As in kernels/compare_arrays.cu.
struct ComparedRegion {
  unsigned long long count, first;
  unsigned long long extents[kMostDimensions], strides[kMostDimensions];
  int dimensions;
};

/// Rows that lie side by side become one.
ComparedRegion compared_region(const BufferLayout& layout, const Region& region) {
  ComparedRegion result{1, 0, {}, {}, 0};
  std::uint64_t stride = layout.count;
  for (std::size_t i = 0; i < region.size(); ++i) {
    stride /= layout.shape[i];
    const std::uint64_t extent = region[i].second - region[i].first;
    result.count *= extent;
    result.first += region[i].first * stride;
    const int last = result.dimensions - 1;
    if (last >= 0 && result.strides[last] == extent * stride) {
      result.extents[last] *= extent;
      result.strides[last] = stride;
    } else {
      result.extents[result.dimensions] = extent;
      result.strides[result.dimensions++] = stride;
    }
  }
  return result;
}

Specialization make_specialization(const std::string& entry, std::string_view text, const Target& target) {
  Specialization result;
  result.source_name = "kiln_" + entry + ".cu";
  result.source_text = "#include \"kiln/portable.h\"\n";
  result.source_text += text;
  result.entries = {{entry, std::nullopt, ""}};
  result.target = target;
  // The host's arithmetic, which fuses nothing.
  result.options = {backend_kind(target.backend).unfused_option};
  return result;
}

Specialization same_bits_code(const Target& target) {
  return make_specialization("same_bits", embedded::kSameBits, target);
}

std::string device_name(ScalarType type) {
  return facts_of(type == ScalarType::kBool ? ScalarType::kUint8 : type).host_name;
}

Specialization compare_code(ScalarType values, ScalarType expected, const Target& target) {
  std::string text(embedded::kSmallFloat);
  text += embedded::kCompareRules;
  text += embedded::kCompareArrays;
  Specialization result = make_specialization("compare_arrays", text, target);
  result.defines = {{"VALUE", device_name(values)}, {"EXPECTED", device_name(expected)}};
  return result;
}

LaunchShape shape_for(std::uint64_t elements) {
  LaunchShape shape;
  shape.grid = {std::clamp<std::uint64_t>((elements + kThreads - 1) / kThreads, 1, kMostBlocks), 1, 1};
  shape.block = {kThreads, 1, 1};
  return shape;
}

struct BlockCounts {
  unsigned long long compared, skipped, mismatches, worst_place;
};
struct BlockSizes {
  double relative_error, worst_excess;
};

/// The worst of equally wrong elements is the first, whichever block has met it.
Comparison joined(const std::vector<BlockCounts>& counts, const std::vector<BlockSizes>& sizes) {
  Comparison result;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    result.compared += counts[i].compared;
    result.skipped += counts[i].skipped;
    result.mismatches += counts[i].mismatches;
    result.max_relative_error = std::max(result.max_relative_error, sizes[i].relative_error);
    const double excess = sizes[i].worst_excess;
    const bool earlier = excess == result.worst_excess && counts[i].worst_place < result.worst_index;
    if (excess > result.worst_excess || earlier) {
      result.worst_excess = excess;
      result.worst_index = counts[i].worst_place;
    }
  }
  return result;
}

/// Bytes that a check reads on the device.
std::uint64_t compared_bytes(const BufferLayout& layout, const std::optional<ScalarType>& expected) {
  return layout.bytes + (expected ? layout.count * size_of(*expected) : 0);
}

}  // namespace

DeviceFunction* DeviceCompare::function(const Specialization& specialization) {
  auto got = service_.get(specialization, compiler_, device_);
  auto* result = std::get_if<ServiceResult>(&got);
  if (result == nullptr) return nullptr;
  code_.push_back(std::move(result->code));
  return &code_.back()->function(specialization.entries.front().name_expression);
}

std::unique_ptr<DeviceBuffer> DeviceCompare::scratch(std::size_t bytes) {
  return pool_.take(*device_, bytes);
}

std::optional<Comparison> DeviceCompare::compare(const BufferLayout& layout, const Region& region,
                                                 const Tolerance& tolerance, const ArrayContent& values,
                                                 const Expected& expected) {
  const ScalarType type = layout.scalar.value();
  const bool number = expected.number.has_value();
  if (values.on_device() == nullptr || (!number && expected.array.on_device() == nullptr)) return {};
  const auto expected_type = number ? std::nullopt : std::optional(expected.type);
  if (compared_bytes(layout, expected_type) < least_bytes_) return {};
  ComparedRegion compared = compared_region(layout, region);
  if (compared.count == 0) return {};
  try {
    DeviceFunction* kernel =
        function(compare_code(type, number ? ScalarType::kDouble : expected.type, device_->info().target));
    if (kernel == nullptr) return {};
    const LaunchShape shape = shape_for(compared.count);
    std::vector<BlockCounts> counts(shape.grid.x);
    std::vector<BlockSizes> sizes(shape.grid.x);
    const std::size_t counts_bytes = counts.size() * sizeof(BlockCounts);
    const std::size_t sizes_bytes = sizes.size() * sizeof(BlockSizes);
    auto room = scratch(kMostBlocks * (sizeof(BlockCounts) + sizeof(BlockSizes)) + sizeof(double));
    auto* counts_at = static_cast<std::byte*>(room->data());
    auto* sizes_at = counts_at + counts_bytes;
    auto* number_at = sizes_at + sizes_bytes;
    if (number) device_->copy_to_device(stream_, number_at, &*expected.number, sizeof(double));
    const void* values_at = values.on_device()->data();
    const void* expected_at = number ? number_at : expected.array.on_device()->data();
    unsigned long long stride = number ? 0 : 1;
    Tolerance tolerance_value = tolerance;
    double infinity = std::numeric_limits<double>::infinity();
    void* arguments[] = {&values_at,       &expected_at, &stride,    &compared,
                         &tolerance_value, &infinity,    &counts_at, &sizes_at};
    kernel->launch(stream_, shape, arguments);
    device_->copy_to_host(stream_, counts.data(), counts_at, counts_bytes);
    device_->copy_to_host(stream_, sizes.data(), sizes_at, sizes_bytes);
    pool_.give(std::move(room));
    Comparison result = joined(counts, sizes);
    if (result.compared == 0) return result;
    result.worst_value = element_of(values, type, result.worst_index);
    result.worst_expected =
        number ? *expected.number : element_of(expected.array, expected.type, result.worst_index);
    return result;
  } catch (const Error&) {
    return {};
  }
}

std::optional<bool> DeviceCompare::same_bits(const void* a, const void* b, std::size_t bytes) {
  if (bytes < least_bytes_ / 2) return {};  // of each
  try {
    DeviceFunction* kernel = function(same_bits_code(device_->info().target));
    if (kernel == nullptr) return {};
    auto room = scratch(sizeof(int));
    void* differs_at = room->data();
    device_->fill_bytes(stream_, differs_at, 0, sizeof(int));
    unsigned long long count = bytes;
    void* arguments[] = {&a, &b, &count, &differs_at};
    kernel->launch(stream_, shape_for(bytes / sizeof(std::uint64_t)), arguments);
    int differs = 0;
    device_->copy_to_host(stream_, &differs, differs_at, sizeof differs);
    pool_.give(std::move(room));
    return differs == 0;
  } catch (const Error&) {
    return {};
  }
}

std::vector<Specialization> comparisons_of(const TrialNeeds& needs, const Target& target) {
  std::vector<Specialization> wanted;
  if (backend_kind(target.backend).host_memory) return wanted;
  const Configuration& configuration = needs.configuration();
  const Workload& workload = configuration.workload();
  for (const CheckSpec* check : needs.checks()) {
    if (!check->variable.empty()) continue;
    const BufferLayout layout = layout_of(configuration, *workload.find_buffer(check->buffer));
    if (check->reduce_sum || !layout.scalar) continue;
    std::optional<ScalarType> expected;
    if (check->file) expected = layout.scalar;
    if (!check->reference_buffer.empty()) {
      expected = layout_of(configuration, *workload.find_buffer(check->reference_buffer)).scalar;
      if (!expected) continue;
    }
    if (compared_bytes(layout, expected) < kLeastBytesOnDevice) continue;
    wanted.push_back(compare_code(*layout.scalar, expected.value_or(ScalarType::kDouble), target));
    if (!check->reference_kernel.empty()) wanted.push_back(same_bits_code(target));
  }
  return wanted;
}

}  // namespace kiln
