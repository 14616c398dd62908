#include "job/checks.h"

#include <cstring>
#include <limits>

#include "base/text.h"
#include "job/host_fill.h"
#include "measure/compare.h"
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

/// Calls `visit(begin, end)` for each contiguous run of linear indices in the region.
template <class Visit>
void for_each_run(const BufferLayout& layout, const Region& region, Visit visit) {
  const std::size_t last = region.size() - 1;
  std::vector<std::uint64_t> index(region.size());
  for (std::size_t i = 0; i < region.size(); ++i) {
    index[i] = region[i].first;
    if (region[i].first == region[i].second) return;
  }
  for (;;) {
    std::uint64_t row = 0;
    for (std::size_t i = 0; i < last; ++i) row = (row + index[i]) * layout.shape[i + 1];
    visit(row + region[last].first, row + region[last].second);
    std::size_t i = last;
    while (i > 0) {
      --i;
      if (++index[i] < region[i].second) break;
      index[i] = region[i].first;
      if (i == 0) return;
    }
    if (last == 0) return;
  }
}

template <class T>
double element(std::span<const std::byte> bytes, std::uint64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

double sum_of(const BufferLayout& layout, const Region& region, std::span<const std::byte> values) {
  CompensatedSum sum;
  visit_scalar(layout.scalar.value(), [&]<class T>() {
    for_each_run(layout, region, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) sum.add(element<T>(values, i));
    });
  });
  return sum.value();
}

double element_as(ScalarType type, std::span<const std::byte> bytes, std::uint64_t index) {
  return visit_scalar(type, [&]<class T>() { return element<T>(bytes, index); });
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
  HostContent array;
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
      expected.array.copy.resize(layout.bytes);
      fill_from_file(configuration, layout, file, files, expected.array.copy);
      expected.array.bytes = expected.array.copy;
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
    expected.number = sum_of(other, full_region(other), expected.array.bytes);
  }
  return expected;
}

Comparison compare(const CheckSpec& check, const BufferLayout& layout, const Region& region,
                   const Tolerance& tolerance, std::span<const std::byte> values, const Expected& expected) {
  Comparison result;
  if (check.reduce_sum) {
    compare_one(result, tolerance, 0, sum_of(layout, region, values), *expected.number);
    return result;
  }
  visit_scalar(layout.scalar.value(), [&]<class T>() {
    const bool same_type = !expected.number && expected.type == *layout.scalar;
    for_each_run(layout, region, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) {
        const double wanted = expected.number ? *expected.number
                              : same_type     ? element<T>(expected.array.bytes, i)
                                              : element_as(expected.type, expected.array.bytes, i);
        compare_one(result, tolerance, i, element<T>(values, i), wanted);
      }
    });
  });
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
  if (!expected->number && expected->array.bytes.size() != layout.count * size_of(expected->type)) {
    throw bad_input("'" + expected->source + "' has another size than buffer '" + check.buffer + "'",
                    check.where);
  }
  const HostContent values = workspace.content(check.buffer);
  const Comparison comparison = compare(check, layout, region, tolerance, values.bytes, *expected);
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
