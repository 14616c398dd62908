#include "trial/checks.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "measure/compare.h"
#include "trial/array_compare.h"
#include "trial/content_key.h"
#include "trial/host_fill.h"
#include "trial/tolerance.h"
#include "trial/unchecked.h"

namespace kiln {
namespace {

Region region_of(const Configuration& configuration, const CheckSpec& check, const BufferLayout& layout,
                 const Variables& variables) {
  Region region;
  if (check.region.empty()) {
    region = full_region(layout);
    region.front().second = used_extent(configuration, layout, variables);
    return region;
  }
  for (std::size_t i = 0; i < check.region.size(); ++i) {
    const std::uint64_t extent = layout.shape[i];
    const auto limit = static_cast<std::int64_t>(extent);
    const std::int64_t low = configuration.evaluate_integer(check.region[i].first, 0, limit, variables);
    const std::int64_t high = configuration.evaluate_integer(check.region[i].second, low, limit, variables);
    region.emplace_back(static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high));
  }
  if (region.size() < layout.shape.size()) region.emplace_back(0, layout.shape.back());  // a vector's lanes
  return region;
}

std::string tolerance_text(const Tolerance& tolerance) {
  std::vector<std::string> parts;
  if (tolerance.atol > 0) parts.push_back("atol " + format_number(tolerance.atol));
  if (tolerance.rtol > 0) parts.push_back("rtol " + format_number(tolerance.rtol));
  return parts.empty() ? "exact" : join(parts, ", ");
}

std::string file_name(const Configuration& configuration, const FileSource& file) {
  const auto path = configuration.expand_path(file.path.text, file.path.where);
  return "file " + std::filesystem::path(path.value_or(file.path.text)).filename().string();
}

ArrayContent read_array(const Configuration& configuration, const Workspace& workspace,
                        const BufferLayout& layout, const FileSource& file, FileSystem& files,
                        KeptBuffers* kept) {
  const std::string key =
      kept != nullptr && kept->enabled() ? file_key(configuration, layout, file, files) : std::string();
  if (kept != nullptr) {
    if (auto copy = kept->find(key)) return {workspace, std::move(copy)};
  }
  std::vector<std::byte> content(layout.bytes);
  fill_from_file(configuration, layout, file, files, content);
  if (kept != nullptr) {
    if (auto copy = kept->keep(key, workspace.device(), workspace.stream(), content))
      return {workspace, std::move(copy)};
  }
  return ArrayContent(std::move(content));
}

/// Type of elements that are compared one by one; records have several types.
ScalarType number_type(const BufferLayout& layout) {
  return layout.scalar.value_or(ScalarType::kDouble);
}

/// `nullopt`: an optional file is not there and nothing else is given.
std::optional<Expected> expected_number(const Configuration& configuration, const CheckSpec& check,
                                        const Variables& variables, FileSystem& files) {
  if (check.expected)
    return Expected{"expected value", configuration.evaluate(*check.expected, variables), {}, {}};
  const auto number = number_from_file(configuration, *check.expected_file, files);
  if (!number) return std::nullopt;
  return Expected{file_name(configuration, *check.expected_file), number, {}, {}};
}

std::optional<Expected> expected_of(const Configuration& configuration, const CheckSpec& check,
                                    const Variables& variables, const Workspace& workspace,
                                    const BufferLayout& layout, const ReferenceRunner& run_reference,
                                    FileSystem& files, KeptBuffers* kept) {
  if (check.expected || check.expected_file) return expected_number(configuration, check, variables, files);
  if (check.file) {
    FileSource file = *check.file;
    const bool optional_here = file.optional || !check.reference_kernel.empty();
    file.optional = optional_here;
    if (file_is_there(configuration, file, files)) {
      Expected expected{file_name(configuration, file), std::nullopt, {}, number_type(layout)};
      expected.array = read_array(configuration, workspace, layout, file, files, kept);
      return expected;
    }
    if (check.reference_kernel.empty()) return std::nullopt;
  }
  ReferenceContent reference = run_reference(check);
  const BufferLayout other =
      layout_of(configuration, *configuration.workload().find_buffer(check.reference_buffer));
  Expected expected{std::move(reference.name), std::nullopt, std::move(reference.content),
                    number_type(other)};
  if (check.reduce_sum) {
    expected.number = sum_of(other, full_region(other), expected.array);
  }
  return expected;
}

Comparison compare(const CheckSpec& check, const BufferLayout& layout, const Region& region,
                   const Tolerance& tolerance, const ArrayContent& values, const Expected& expected,
                   DeviceCompare* on_device) {
  if (check.reduce_sum) {
    Comparison result;
    compare_one(result, tolerance, 0, sum_of(layout, region, values), *expected.number);
    return result;
  }
  if (layout.record != nullptr) return compare_records(layout, region, tolerance, values, expected);
  if (on_device != nullptr) {
    if (const auto found = on_device->compare(layout, region, tolerance, values, expected)) return *found;
  }
  return compare_on_host(layout, region, tolerance, values, expected);
}

CheckResult start_result(const CheckSpec& check, const Tolerance& tolerance) {
  CheckResult result;
  result.name = check.name;
  result.rtol = tolerance.rtol;
  result.atol = tolerance.atol;
  return result;
}

/// Nothing was compared, for this reason.
CheckResult without_comparison(CheckResult result, const std::string& reason) {
  result.ok = true;
  result.against = "nothing";
  result.message = reason;
  return result;
}

void add_comparison(CheckResult& result, const Comparison& comparison) {
  result.compared = comparison.compared;
  result.skipped = comparison.skipped;
  result.mismatches = comparison.mismatches;
  result.ok = comparison.ok();
  result.worst_value = comparison.worst_value;
  result.worst_expected = comparison.worst_expected;
  result.max_relative_error = comparison.max_relative_error;
}

/// Found and expected value, in readable form.
struct ValueTexts {
  std::string value, expected;
};

ValueTexts worst_texts(const CheckSpec& check, const Comparison& found, const ArrayContent& values,
                       const BufferLayout& layout, const Expected& expected) {
  const std::uint64_t at = found.worst_index;
  ValueTexts texts;
  if (check.reduce_sum) {
    texts.value = format_number(found.worst_value);
  } else {
    texts.value = layout.record != nullptr ? record_number_text(values, *layout.record, at)
                                           : element_text(values, number_type(layout), at);
  }
  if (expected.number) {
    texts.expected = format_number(*expected.number);
  } else {
    texts.expected = layout.record != nullptr ? record_number_text(expected.array, *layout.record, at)
                                              : element_text(expected.array, expected.type, at);
  }
  return texts;
}

/// "[3, 17, 2]", of a record "[3].position[0]".
std::string worst_place(const BufferLayout& layout, std::uint64_t at) {
  if (layout.record == nullptr) return layout.index_text(at);
  const auto& members = layout.record->members;
  return layout.index_text(at / members.size()) + "." + members[at % members.size()].name;
}

std::string message_of(const CheckSpec& check, const CheckResult& result, const Tolerance& tolerance,
                       const ValueTexts& worst_values, bool records = false) {
  if (result.compared == 0) {
    return "compared nothing: " + std::string(check.reduce_sum ? "the sums are" : "all elements are") +
           " below skip_below (" + format_number(tolerance.skip_below) + ")";
  }
  const std::string values =
      worst_values.value + ", expected " + worst_values.expected + " (" + tolerance_text(tolerance) + ")";
  if (check.reduce_sum) return "the sum of '" + check.buffer + "' is " + values;
  if (!check.variable.empty()) return "'" + check.variable + "' is " + values;
  const std::string worst = check.buffer + result.worst_index + " is " + values;
  if (result.ok) return "worst: " + worst;
  return std::to_string(result.mismatches) + " of " + std::to_string(result.compared) +
         (records ? " numbers differ; worst: " : " elements differ; worst: ") + worst;
}

}  // namespace

CheckResult run_check(const Configuration& configuration, const CheckSpec& check, const Variables& variables,
                      const Workspace& workspace, const ReferenceRunner& run_reference, FileSystem& files,
                      const CheckHelp& help) {
  const BufferLayout& layout = workspace.layout(check.buffer);
  const Tolerance tolerance = tolerance_of(configuration, check);
  CheckResult result = start_result(check, tolerance);
  const Region region = region_of(configuration, check, layout, variables);
  if (Runs(layout, region).count() == 0) return without_comparison(result, kEmptyRegion);
  const auto expected =
      expected_of(configuration, check, variables, workspace, layout, run_reference, files, help.kept);
  if (!expected) return without_comparison(result, kNoExpectedValue);
  const std::uint64_t bytes =
      layout.record != nullptr ? layout.bytes : layout.count * size_of(expected->type);
  if (!expected->number && expected->array.bytes() != bytes) {
    throw bad_input("'" + expected->source + "' has another size than buffer '" + check.buffer + "'",
                    check.where);
  }
  const ArrayContent values(workspace, check.buffer);
  const Comparison comparison = compare(check, layout, region, tolerance, values, *expected, help.on_device);
  result.against = expected->source;
  add_comparison(result, comparison);
  if (result.compared > 0) result.worst_index = worst_place(layout, comparison.worst_index);
  const ValueTexts texts =
      result.compared > 0 ? worst_texts(check, comparison, values, layout, *expected) : ValueTexts{};
  result.message = message_of(check, result, tolerance, texts, layout.record != nullptr);
  return result;
}

CheckResult check_variable(const Configuration& configuration, const CheckSpec& check,
                           const Variables& variables, FileSystem& files) {
  const Tolerance tolerance = tolerance_of(configuration, check);
  CheckResult result = start_result(check, tolerance);
  const auto expected = expected_number(configuration, check, variables, files);
  if (!expected) return without_comparison(result, kNoExpectedValue);
  Comparison comparison;
  // A variable that no statement has given a value, as in a loop of no iterations, agrees with nothing.
  const auto found = variables.find(check.variable);
  const double value = found == variables.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
  compare_one(comparison, tolerance, 0, value, *expected->number);
  add_comparison(result, comparison);
  result.against = expected->source;
  result.message =
      message_of(check, result, tolerance, {format_number(value), format_number(*expected->number)});
  return result;
}

}  // namespace kiln
