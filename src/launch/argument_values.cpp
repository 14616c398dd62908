#include "launch/argument_values.h"

#include <array>

namespace kiln {
namespace {

constexpr std::int64_t kMaxGridExtent = 2147483647;
constexpr std::int64_t kMaxExactInteger = std::int64_t{1} << 53;

Dim3 extents_of(const Configuration& configuration, const std::vector<ExpressionText>& list) {
  std::array<std::uint64_t, 3> extents{1, 1, 1};
  for (std::size_t i = 0; i < list.size(); ++i) {
    extents.at(i) = static_cast<std::uint64_t>(configuration.evaluate_integer(list[i], 1, kMaxGridExtent));
  }
  return {extents[0], extents[1], extents[2]};
}

std::vector<std::byte> expression_bytes(const Configuration& configuration, const ArgumentSpec& argument) {
  ParameterValue value;
  value.type = configuration.scalar_type(argument.type).value();
  if (is_real(value.type)) {
    value.value = configuration.evaluate(argument.value);
  } else {
    value.value = configuration.evaluate_integer(argument.value, -kMaxExactInteger, kMaxExactInteger);
  }
  return scalar_bytes(value.type, value);
}

}  // namespace

LaunchShape shape_of(const Configuration& configuration, const KernelSpec& kernel) {
  LaunchShape shape;
  shape.grid = extents_of(configuration, kernel.grid);
  shape.block = extents_of(configuration, kernel.block);
  if (kernel.shared) {
    shape.dynamic_shared_bytes =
        static_cast<std::uint64_t>(configuration.evaluate_integer(*kernel.shared, 0, kMaxGridExtent));
  }
  return shape;
}

std::vector<std::byte> argument_bytes(const Configuration& configuration, const ArgumentSpec& argument,
                                      const ParamsStruct& params) {
  switch (argument.kind) {
    case ArgumentSpec::Kind::kParams:
      return pack_params(params, configuration);
    case ArgumentSpec::Kind::kParameter: {
      const ParameterValue& value = configuration.value(argument.name);
      return scalar_bytes(value.type, value);
    }
    case ArgumentSpec::Kind::kValue:
      return expression_bytes(configuration, argument);
    case ArgumentSpec::Kind::kNull:
      return std::vector<std::byte>(sizeof(void*));
    case ArgumentSpec::Kind::kBuffer:
      break;
  }
  throw internal_error("a buffer has no value of its own");
}

}  // namespace kiln
