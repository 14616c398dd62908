#include "embed/shadow_check.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "base/text.h"
#include "config/scalar_dispatch.h"
#include "embed/request_inputs.h"
#include "measure/compare.h"
#include "trial/prepared_kernel.h"
#include "trial/tolerance.h"
#include "trial/workspace.h"

namespace kiln {
namespace {

/// The contents of the buffers after one side has run on new inputs.
using Contents = std::map<std::string, std::vector<std::byte>>;

Contents run(const KernelRequest::Impl& request, const ShadowSide& side, RequestBuffers& buffers) {
  const std::vector<LoadedUnit> units = {{side.prepared.unit, side.kernel.code}};
  Workspace& workspace = buffers.workspace();
  PreparedKernel kernel(side.prepared.configuration, *request.kernel, units, workspace);
  kernel.enqueue();
  workspace.stream().synchronize();
  Contents contents;
  for (const std::string& name : buffers.names()) {
    const HostContent content = workspace.content(name);
    contents[name].assign(content.bytes.begin(), content.bytes.end());
  }
  return contents;
}

template <class T>
T element(std::span<const std::byte> bytes, std::uint64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// 64 roundings of the largest value; 0 for whole numbers.
template <class T>
Tolerance default_tolerance(std::span<const std::byte> values, std::uint64_t count) {
  if constexpr (!std::is_floating_point_v<T>) return {};
  constexpr double kRoundings = 64;
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  double largest = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double size = std::abs(static_cast<double>(element<T>(values, i)));
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  return {kRoundings * epsilon, kRoundings * epsilon * largest, 0};
}

/// The tolerance of the workload's check of this buffer, if it has one.
std::optional<Tolerance> checked_tolerance(const Configuration& configuration, const std::string& buffer) {
  for (const CheckSpec& check : configuration.workload().checks) {
    if (check.buffer != buffer || (!check.rtol && !check.atol)) continue;
    if (check.when && !configuration.evaluate_condition(*check.when)) continue;
    return tolerance_of(configuration, check);
  }
  return std::nullopt;
}

std::string mismatch_text(const std::string& name, const BufferLayout& layout, const Comparison& found,
                          const Tolerance& tolerance) {
  return std::to_string(found.mismatches) + " of " + std::to_string(layout.count) + " elements of '" + name +
         "' differ; worst: " + name + layout.index_text(found.worst_index) + " is " +
         format_number(found.worst_value) + ", and " + format_number(found.worst_expected) +
         " with generic code (rtol " + format_number(tolerance.rtol) + ", atol " +
         format_number(tolerance.atol) + ")";
}

std::optional<std::string> compare_buffer(const BufferLayout& layout, const Configuration& configuration,
                                          std::span<const std::byte> expected,
                                          std::span<const std::byte> found,
                                          const BackgroundOptions& options) {
  const std::string& name = layout.spec->name;
  if (std::equal(expected.begin(), expected.end(), found.begin())) return std::nullopt;
  if (!layout.scalar) return "the records in '" + name + "' differ";
  return visit_scalar(*layout.scalar, [&]<class T>() -> std::optional<std::string> {
    const auto checked = checked_tolerance(configuration, name);
    Tolerance tolerance = checked ? *checked : default_tolerance<T>(expected, layout.count);
    if (options.rtol || options.atol) tolerance = {options.rtol.value_or(0), options.atol.value_or(0), 0};
    Comparison comparison;
    for (std::uint64_t i = 0; i < layout.count; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * sizeof(T);
      // Elements that neither side has written are NaN, with equal bits.
      if (std::memcmp(expected.data() + at, found.data() + at, sizeof(T)) == 0) continue;
      compare_one(comparison, tolerance, i, element<T>(found, i), element<T>(expected, i));
    }
    if (comparison.ok()) return std::nullopt;
    return mismatch_text(name, layout, comparison, tolerance);
  });
}

}  // namespace

std::optional<std::string> find_mismatch(const KernelRequest::Impl& request, const ShadowSide& generic,
                                         const ShadowSide& specialised, const BackgroundOptions& options) {
  if (!request.kernel->symbols.empty()) {
    throw bad_input("kernel '" + request.kernel->name +
                        "' cannot be verified: its launches share the variables of 'symbols:'",
                    request.kernel->where);
  }
  const Configuration& configuration = specialised.prepared.configuration;
  RequestBuffers buffers(request, specialised.prepared, *request.kernel);
  if (buffers.names().empty()) return "nothing can be compared: the kernel takes no buffer";
  const Contents expected = run(request, generic, buffers);
  buffers.fill();
  const Contents found = run(request, specialised, buffers);
  for (const std::string& name : buffers.names()) {
    if (auto mismatch = compare_buffer(buffers.workspace().layout(name), configuration, expected.at(name),
                                       found.at(name), options))
      return mismatch;
  }
  return std::nullopt;
}

}  // namespace kiln
