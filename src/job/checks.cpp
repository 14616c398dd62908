#include "job/checks.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/text.h"
#include "job/host_fill.h"
#include "measure/compare.h"
#include "service/task_threads.h"
#include "workload/scalar_dispatch.h"

namespace kiln {
namespace {

/// Half-open ranges, one for each extent.
using Region = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Region full_region(const BufferLayout& layout) {
  Region region;
  for (const std::uint64_t extent : layout.shape) region.emplace_back(0, extent);
  return region;
}

Region region_of(const Configuration& configuration, const CheckSpec& check, const BufferLayout& layout) {
  if (check.region.empty()) return full_region(layout);
  Region region;
  for (std::size_t i = 0; i < layout.shape.size(); ++i) {
    const std::uint64_t extent = layout.shape[i];
    const auto limit = static_cast<std::int64_t>(extent);
    const std::int64_t low = configuration.evaluate_integer(check.region[i].first, 0, limit);
    const std::int64_t high = configuration.evaluate_integer(check.region[i].second, low, limit);
    region.emplace_back(static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high));
  }
  return region;
}

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

/// Arrays are read part by part, and on all cores: neither memory nor time are to limit what is checked. What
/// is summed depends on the parts, so their size does not depend on the machine.
constexpr std::uint64_t kPartElements = std::uint64_t{1} << 20;

/// Calls `visit(part, range, ranges)` for each part that the region meets, on several threads at a time, with
/// the linear indices of the part and those in it that belong to the region.
template <class Visit>
void for_each_part(const Runs& runs, const Visit& visit) {
  if (runs.count() == 0) return;
  const std::uint64_t begin = runs.run(0).begin;
  const std::uint64_t end = runs.run(runs.count() - 1).end;
  const auto parts = static_cast<std::size_t>((end - begin + kPartElements - 1) / kPartElements);
  for_each_task(parts, [&](std::size_t part) {
    const std::uint64_t first = begin + part * kPartElements;
    const Range range{first, std::min(end, first + kPartElements)};
    std::vector<Range> ranges;
    for (std::uint64_t n = runs.first_beyond(range.begin); n < runs.count(); ++n) {
      const Range run = runs.run(n);
      if (run.begin >= range.end) break;
      ranges.push_back({std::max(run.begin, range.begin), std::min(run.end, range.end)});
    }
    if (!ranges.empty()) visit(part, range, ranges);
  });
}

std::size_t parts_of(const BufferLayout& layout) {
  return static_cast<std::size_t>((layout.count + kPartElements - 1) / kPartElements);
}

/// Elements of one part of an array. Its view may be of its own room.
class Part {
 public:
  Part(const Part&) = delete;
  Part(Part&&) = default;
  Part& operator=(const Part&) = delete;
  Part& operator=(Part&&) = delete;
  ~Part() = default;
  Part(const ArrayContent& array, ScalarType type, Range range)
      : type_(type),
        begin_(range.begin),
        bytes_(array.part(range.begin * size_of(type),
                          static_cast<std::size_t>((range.end - range.begin) * size_of(type)), room_)) {}

  template <class T>
  [[nodiscard]] double at(std::uint64_t index) const {
    T value;
    std::memcpy(&value, bytes_.data() + (index - begin_) * sizeof(T), sizeof(T));
    return static_cast<double>(value);
  }
  [[nodiscard]] double at(std::uint64_t index) const {
    return visit_scalar(type_, [&]<class T>() { return at<T>(index); });
  }

 private:
  std::vector<std::byte> room_;
  ScalarType type_;
  std::uint64_t begin_;
  std::span<const std::byte> bytes_;
};

double sum_of(const BufferLayout& layout, const Region& region, const ArrayContent& values) {
  std::vector<double> sums(parts_of(layout));
  const ScalarType type = layout.scalar.value();
  for_each_part(Runs(layout, region), [&](std::size_t index, Range range, const std::vector<Range>& ranges) {
    const Part part(values, type, range);
    CompensatedSum sum;
    visit_scalar(type, [&]<class T>() {
      for (const Range& run : ranges) {
        for (std::uint64_t i = run.begin; i < run.end; ++i) sum.add(part.at<T>(i));
      }
    });
    sums[index] = sum.value();
  });
  CompensatedSum sum;
  for (const double of_part : sums) sum.add(of_part);
  return sum.value();
}

Tolerance tolerance_of(const Configuration& configuration, const CheckSpec& check) {
  const auto number = [&](const std::optional<ExpressionText>& text) {
    return text ? configuration.evaluate(*text) : 0.0;
  };
  return {number(check.rtol), number(check.atol), number(check.skip_below)};
}

std::string tolerance_text(const Tolerance& tolerance) {
  std::vector<std::string> parts;
  if (tolerance.atol > 0) parts.push_back("atol " + format_number(tolerance.atol));
  if (tolerance.rtol > 0) parts.push_back("rtol " + format_number(tolerance.rtol));
  return parts.empty() ? "exact" : join(parts, ", ");
}

/// What the buffer is compared with: one number, or an array of as many elements.
struct Expected {
  std::string source;
  std::optional<double> number;
  ArrayContent array;
  ScalarType type = ScalarType::kDouble;  ///< of the array's elements
};

std::string file_name(const Configuration& configuration, const FileSource& file) {
  const auto path = configuration.expand_path(file.path.text, file.path.where);
  return "file " + std::filesystem::path(path.value_or(file.path.text)).filename().string();
}

/// `nullopt`: an optional file is not there and nothing else is given.
std::optional<Expected> expected_of(const Configuration& configuration, const CheckSpec& check,
                                    const BufferLayout& layout, const ReferenceRunner& run_reference,
                                    FileSystem& files) {
  if (check.expected) return Expected{"expected value", configuration.evaluate(*check.expected), {}, {}};
  if (check.expected_file) {
    const auto number = number_from_file(configuration, *check.expected_file, files);
    if (!number) return std::nullopt;
    return Expected{file_name(configuration, *check.expected_file), number, {}, {}};
  }
  if (check.file) {
    FileSource file = *check.file;
    const bool optional_here = file.optional || !check.reference_kernel.empty();
    file.optional = optional_here;
    if (file_is_there(configuration, file, files)) {
      Expected expected{file_name(configuration, file), std::nullopt, {}, layout.scalar.value()};
      std::vector<std::byte> content(layout.bytes);
      fill_from_file(configuration, layout, file, files, content);
      expected.array = ArrayContent(std::move(content));
      return expected;
    }
    if (check.reference_kernel.empty()) return std::nullopt;
  }
  ReferenceContent reference = run_reference(check);
  const BufferLayout other =
      layout_of(configuration, *configuration.workload().find_buffer(check.reference_buffer));
  if (!other.scalar)
    throw bad_input("buffer '" + check.reference_buffer + "' holds records, which cannot be compared",
                    check.where);
  Expected expected{std::move(reference.name), std::nullopt, std::move(reference.content), *other.scalar};
  if (check.reduce_sum) {
    expected.number = sum_of(other, full_region(other), expected.array);
  }
  return expected;
}

Comparison compare(const CheckSpec& check, const BufferLayout& layout, const Region& region,
                   const Tolerance& tolerance, const ArrayContent& values, const Expected& expected) {
  Comparison result;
  if (check.reduce_sum) {
    compare_one(result, tolerance, 0, sum_of(layout, region, values), *expected.number);
    return result;
  }
  std::vector<Comparison> found(parts_of(layout));
  const ScalarType type = layout.scalar.value();
  for_each_part(Runs(layout, region), [&](std::size_t index, Range range, const std::vector<Range>& ranges) {
    const Part part(values, type, range);
    const std::optional<Part> other =
        expected.number ? std::nullopt
                        : std::optional<Part>(std::in_place, expected.array, expected.type, range);
    Comparison of_part;
    visit_scalar(type, [&]<class T>() {
      const auto compare_run = [&](const Range& run, auto wanted) {
        for (std::uint64_t i = run.begin; i < run.end; ++i)
          compare_one(of_part, tolerance, i, part.at<T>(i), wanted(i));
      };
      for (const Range& run : ranges) {
        if (expected.number) {
          compare_run(run, [&](std::uint64_t) { return *expected.number; });
        } else if (expected.type == type) {
          compare_run(run, [&](std::uint64_t i) { return other->at<T>(i); });
        } else if (expected.type == ScalarType::kDouble) {
          compare_run(run, [&](std::uint64_t i) { return other->at<double>(i); });
        } else {
          compare_run(run, [&](std::uint64_t i) { return other->at(i); });
        }
      }
    });
    found[index] = of_part;
  });
  for (const Comparison& of_part : found) merge(result, of_part);
  return result;
}

std::string message_of(const CheckSpec& check, const CheckResult& result, const Tolerance& tolerance) {
  if (result.compared == 0 && result.skipped == 0) return "compared nothing: the region is empty";
  const std::string values = format_number(result.worst_value) + ", expected " +
                             format_number(result.worst_expected) + " (" + tolerance_text(tolerance) + ")";
  if (check.reduce_sum) return "the sum of '" + check.buffer + "' is " + values;
  const std::string worst = check.buffer + result.worst_index + " is " + values;
  if (result.ok) return "worst: " + worst;
  return std::to_string(result.mismatches) + " of " + std::to_string(result.compared) +
         " elements differ; worst: " + worst;
}

}  // namespace

CheckResult run_check(const Configuration& configuration, const CheckSpec& check, const Workspace& workspace,
                      const ReferenceRunner& run_reference, FileSystem& files) {
  const BufferLayout& layout = workspace.layout(check.buffer);
  if (!layout.scalar)
    throw bad_input("buffer '" + check.buffer + "' holds records, which cannot be compared", check.where);
  const Tolerance tolerance = tolerance_of(configuration, check);
  CheckResult result;
  result.name = check.name;
  result.rtol = tolerance.rtol;
  result.atol = tolerance.atol;
  const Region region = region_of(configuration, check, layout);
  const auto expected = expected_of(configuration, check, layout, run_reference, files);
  if (!expected) {
    result.ok = true;
    result.against = "nothing";
    result.message = "skipped: there is no expected value in the input";
    return result;
  }
  if (!expected->number && expected->array.bytes() != layout.count * size_of(expected->type)) {
    throw bad_input("'" + expected->source + "' has another size than buffer '" + check.buffer + "'",
                    check.where);
  }
  const ArrayContent values(workspace, check.buffer);
  const Comparison comparison = compare(check, layout, region, tolerance, values, *expected);
  result.against = expected->source;
  result.compared = comparison.compared;
  result.skipped = comparison.skipped;
  result.mismatches = comparison.mismatches;
  result.ok = comparison.ok() && comparison.compared + comparison.skipped > 0;
  result.worst_index = layout.index_text(comparison.worst_index);
  result.worst_value = comparison.worst_value;
  result.worst_expected = comparison.worst_expected;
  result.max_relative_error = comparison.max_relative_error;
  result.message = message_of(check, result, tolerance);
  return result;
}

}  // namespace kiln
