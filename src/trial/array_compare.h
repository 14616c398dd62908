#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measure/compare.h"
#include "trial/buffer_layout.h"
#include "trial/workspace.h"

namespace kiln {

/// Half-open ranges, one for each extent.
using Region = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

[[nodiscard]] Region full_region(const BufferLayout& layout);

/// Half-open range of linear indices.
struct Range {
  std::uint64_t begin = 0, end = 0;
};

/// The contiguous runs of linear indices in a region, in order.
class Runs {
 public:
  Runs(const BufferLayout& layout, const Region& region) : layout_(layout), region_(region) {
    for (const auto& [first, end] : region) {
      if (first == end) count_ = 0;
    }
    for (std::size_t i = 0; i + 1 < region.size(); ++i) count_ *= region[i].second - region[i].first;
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] Range run(std::uint64_t number) const {
    const std::size_t last = region_.size() - 1;
    std::uint64_t row = 0;
    std::uint64_t stride = layout_.shape[last];
    for (std::size_t i = last; i-- > 0; stride *= layout_.shape[i]) {
      const std::uint64_t extent = region_[i].second - region_[i].first;
      row += (region_[i].first + number % extent) * stride;
      number /= extent;
    }
    return {row + region_[last].first, row + region_[last].second};
  }
  /// The first run that ends beyond `index`; count() if none does.
  [[nodiscard]] std::uint64_t first_beyond(std::uint64_t index) const {
    std::uint64_t low = 0;
    std::uint64_t high = count_;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (run(middle).end <= index)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

 private:
  const BufferLayout& layout_;
  const Region& region_;
  std::uint64_t count_ = 1;
};

/// The reference of a comparison: one number, or an array of as many elements.
struct Expected {
  std::string source;
  std::optional<double> number;
  ArrayContent array;
  ScalarType type = ScalarType::kDouble;  ///< type of the array's elements
};

/// Compares the elements of a region on the host, on all cores.
[[nodiscard]] Comparison compare_on_host(const BufferLayout& layout, const Region& region,
                                         const Tolerance& tolerance, const ArrayContent& values,
                                         const Expected& expected);

/// compare() for records, number by number; both arrays hold records of the layout's type. The index of a
/// number is the record's index times the numbers of a record, plus the number's place in it.
[[nodiscard]] Comparison compare_records(const BufferLayout& layout, const Region& region,
                                         const Tolerance& tolerance, const ArrayContent& values,
                                         const Expected& expected);
/// The number at such a place.
[[nodiscard]] std::string record_number_text(const ArrayContent& array, const RecordType& record,
                                             std::uint64_t place);

/// Rounded where it has 64 bits.
[[nodiscard]] double element_of(const ArrayContent& array, ScalarType type, std::uint64_t index);
/// With all digits of a whole number.
[[nodiscard]] std::string element_text(const ArrayContent& array, ScalarType type, std::uint64_t index);

/// The sum of a region's elements, with compensation.
[[nodiscard]] double sum_of(const BufferLayout& layout, const Region& region, const ArrayContent& values);

}  // namespace kiln
