#include "launch/argument_values.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "config/expression.h"

namespace kiln {
namespace {

constexpr std::int64_t kMaxGridExtent = 2147483647;
constexpr std::int64_t kMaxClusterExtent = 65535;  // more than any device has; three of them fit into 64 bits

Dim3 extents_of(const Configuration& configuration, const std::vector<ExpressionText>& list,
                const Variables& variables, std::int64_t most = kMaxGridExtent) {
  std::array<std::uint64_t, 3> extents{1, 1, 1};
  for (std::size_t i = 0; i < list.size(); ++i) {
    extents.at(i) = static_cast<std::uint64_t>(configuration.evaluate_integer(list[i], 1, most, variables));
  }
  return {extents[0], extents[1], extents[2]};
}

std::vector<std::byte> expression_bytes(const Configuration& configuration, const ArgumentSpec& argument,
                                        const Variables& variables) {
  ParameterValue value;
  value.type = configuration.scalar_type(argument.type).value();
  if (is_real(value.type)) {
    const double number = configuration.evaluate(argument.value, variables);
    if (!fits_real(value.type, number)) {
      throw bad_input(argument.value.key + ": '" + argument.value.text + "' is " + format_number(number) +
                          ", which does not fit the type " + argument.type + "; expected " +
                          range_text(value.type),
                      argument.value.where);
    }
    value.value = number;
  } else {
    const IntegerRange range = integer_range(value.type);
    value.value = configuration.evaluate_integer(argument.value, range.least, range.most, variables);
  }
  return scalar_bytes(value.type, value);
}

/// Fastest dimension first.
std::vector<std::uint64_t> reversed_values(const Configuration& configuration,
                                           const std::vector<ExpressionText>& list) {
  std::vector<std::uint64_t> values;
  for (auto text = list.rbegin(); text != list.rend(); ++text) {
    values.push_back(static_cast<std::uint64_t>(configuration.evaluate_integer(*text, 1, kMaxExactInteger)));
  }
  return values;
}

/// The word's place in `words`; the reader has let no other through.
template <class Enumeration, std::size_t N>
Enumeration enumerator(const std::string& word, const std::array<const char*, N>& words) {
  const auto found = std::find(words.begin(), words.end(), word);
  return static_cast<Enumeration>(found - words.begin());
}

std::optional<TextureLayout::Format> texture_format(ScalarType type) {
  using Format = TextureLayout::Format;
  switch (type) {
    case ScalarType::kInt8:
      return Format::kI8;
    case ScalarType::kUint8:
      return Format::kU8;
    case ScalarType::kInt16:
      return Format::kI16;
    case ScalarType::kUint16:
      return Format::kU16;
    case ScalarType::kInt:
      return Format::kI32;
    case ScalarType::kUnsigned:
      return Format::kU32;
    case ScalarType::kHalf:
      return Format::kF16;
    case ScalarType::kFloat:
      return Format::kF32;
    default:
      return std::nullopt;
  }
}

}  // namespace

TensorMapLayout tensor_map_layout(const Configuration& configuration, const ArgumentSpec& argument) {
  const BufferSpec& buffer = *configuration.workload().find_buffer(argument.name);
  const TensorMapSpec& spec = argument.tensor_map;
  TensorMapLayout layout;
  layout.element = facts_of(configuration.scalar_type(buffer.type).value()).element;
  const auto shape = reversed_values(configuration.root(), buffer.shape);
  layout.extents = spec.extents.empty() ? shape : reversed_values(configuration, spec.extents);
  layout.box = reversed_values(configuration, spec.box);
  layout.element_strides = spec.element_strides.empty()
                               ? std::vector<std::uint64_t>(layout.extents.size(), 1)
                               : reversed_values(configuration, spec.element_strides);
  const std::uint64_t bytes = element_bytes(layout.element);
  layout.strides = reversed_values(configuration, spec.strides);
  for (std::uint64_t& stride : layout.strides) stride *= bytes;
  std::uint64_t pitch = bytes;
  for (std::size_t i = 0; spec.strides.empty() && i + 1 < layout.extents.size(); ++i)
    layout.strides.push_back(pitch *= layout.extents[i]);
  constexpr std::array<const char*, 3> kInterleaves = {"none", "16B", "32B"};
  constexpr std::array<const char*, 4> kSwizzles = {"none", "32B", "64B", "128B"};
  constexpr std::array<const char*, 4> kPromotions = {"none", "64B", "128B", "256B"};
  constexpr std::array<const char*, 2> kFills = {"zero", "nan"};
  layout.interleave = enumerator<TensorMapLayout::Interleave>(spec.interleave, kInterleaves);
  layout.swizzle = enumerator<TensorMapLayout::Swizzle>(spec.swizzle, kSwizzles);
  layout.l2_promotion = enumerator<TensorMapLayout::L2Promotion>(spec.l2_promotion, kPromotions);
  layout.fill = enumerator<TensorMapLayout::Fill>(spec.fill, kFills);
  if (const auto problem = find_problem(layout))
    throw bad_input("tensor_map of '" + buffer.name + "': " + *problem, argument.where);

  std::uint64_t available = bytes;
  for (const std::uint64_t extent : shape) available *= extent;
  // Extents and strides have no upper bound: comparing with the rest avoids an overflow of the product.
  std::uint64_t left = available - bytes;
  for (std::size_t i = 0; i < layout.extents.size(); ++i) {
    const std::uint64_t stride = i == 0 ? bytes : layout.strides[i - 1];
    if (layout.extents[i] - 1 > left / stride) {
      throw bad_input("tensor_map of '" + buffer.name +
                          "': its extents and strides reach beyond the buffer's " +
                          std::to_string(available) + " bytes",
                      argument.where);
    }
    left -= (layout.extents[i] - 1) * stride;
  }
  return layout;
}

TextureLayout texture_layout(const Configuration& configuration, const ArgumentSpec& argument) {
  const BufferSpec& buffer = *configuration.workload().find_buffer(argument.name);
  const TextureSpec& spec = argument.texture;
  const auto refuse = [&](const std::string& why) {
    throw bad_input("texture of '" + buffer.name + "': " + why, argument.where);
  };
  TextureLayout layout;
  const ElementType type = configuration.element_type(buffer).value();
  const auto format = texture_format(type.scalar);
  if (!format)
    refuse("no texture holds '" + to_string(type.scalar) +
           "'; expected integers of 8 to 32 bits, half or float");
  layout.format = *format;
  layout.channels = static_cast<unsigned>(type.lanes);
  const auto shape = reversed_values(configuration.root(), buffer.shape);
  const auto extents = spec.extents.empty() ? shape : reversed_values(configuration, spec.extents);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] > shape[i])
      refuse("an extent of " + std::to_string(extents[i]) + "; the buffer has " + std::to_string(shape[i]));
  }
  layout.width = extents[0];
  layout.height = extents.size() > 1 ? extents[1] : 0;
  layout.depth = extents.size() > 2 ? extents[2] : 0;
  layout.layers = spec.layers;
  layout.surface = spec.surface;
  if (extents.size() > 2 && extents[1] != shape[1])
    refuse("an extent of " + std::to_string(extents[1]) +
           " along y; of three dimensions those along z and x may be "
           "smaller than the buffer's");
  layout.pitch = shape[0] * type.lanes * element_bytes(layout.format);
  constexpr std::array<const char*, 4> kModes = {"wrap", "clamp", "mirror", "border"};
  if (!spec.address.empty()) {  // the slowest dimension first, as extents
    for (std::size_t axis = 0; axis < layout.address.size(); ++axis) {
      const std::size_t place = std::min(axis + 1, spec.address.size());
      layout.address[axis] =
          enumerator<TextureLayout::Address>(spec.address[spec.address.size() - place], kModes);
    }
  }
  layout.linear = spec.filter == "linear";
  layout.normalized_coordinates = spec.normalized;
  layout.normalized_values = spec.read == "normalized";
  if (const auto problem = find_problem(layout)) refuse(*problem);
  return layout;
}

PointerTable pointer_table(const Configuration& configuration, const ArgumentSpec& argument) {
  const Workload& workload = configuration.workload();
  const BufferSpec& buffer = *workload.find_buffer(argument.name);
  const RecordType* record = workload.find_type(buffer.type);
  auto shape = reversed_values(configuration.root(), buffer.shape);
  PointerTable table{shape.back(),
                     record != nullptr ? record->bytes : configuration.element_type(buffer).value().bytes()};
  shape.pop_back();
  for (const std::uint64_t extent : shape) table.pitch *= extent;
  return table;
}

void require_layouts(const Configuration& configuration, const KernelSpec& kernel) {
  for (const ArgumentSpec& argument : kernel.args) {
    if (argument.kind == ArgumentSpec::Kind::kTensorMap)
      static_cast<void>(tensor_map_layout(configuration, argument));
    if (argument.kind == ArgumentSpec::Kind::kTexture)
      static_cast<void>(texture_layout(configuration, argument));
  }
}

bool shape_changes(const Workload& workload, const KernelSpec& kernel) {
  const auto any = [&](const std::vector<ExpressionText>& list) {
    return std::any_of(list.begin(), list.end(),
                       [&](const ExpressionText& text) { return workload.changes(text); });
  };
  return any(kernel.grid) || any(kernel.block) || any(kernel.cluster) ||
         (kernel.shared && workload.changes(*kernel.shared)) ||
         (kernel.overlap && workload.changes(*kernel.overlap));
}

std::string explain_shape(const Configuration& configuration, const KernelSpec& kernel,
                          const Variables& variables) {
  std::vector<std::string> parts;
  std::set<std::string> names;
  const auto add = [&](const char* key, const std::vector<ExpressionText>& list) {
    std::vector<std::string> texts;
    for (const ExpressionText& text : list) {
      texts.push_back(text.text);
      for (std::string& name : configuration.workload().names_in(text)) names.insert(std::move(name));
    }
    if (!texts.empty()) parts.push_back(std::string(key) + ": [" + join(texts, ", ") + "]");
  };
  add("grid", kernel.grid);
  add("block", kernel.block);
  add("cluster", kernel.cluster);
  if (kernel.shared) add("shared", {*kernel.shared});
  for (const std::string& name : names) {
    const ExpressionText text{name, kernel.where, "kernels." + kernel.name};
    parts.push_back(name + " = " + format_number(configuration.evaluate(text, variables)));
  }
  return join(parts, ", ");
}

LaunchShape shape_of(const Configuration& configuration, const KernelSpec& kernel,
                     const Variables& variables) {
  LaunchShape shape;
  shape.grid = extents_of(configuration, kernel.grid, variables);
  shape.block = extents_of(configuration, kernel.block, variables);
  shape.cluster = extents_of(configuration, kernel.cluster, variables, kMaxClusterExtent);
  shape.cooperative = kernel.cooperative;
  shape.overlap = kernel.overlap && configuration.evaluate_condition(*kernel.overlap, variables);
  if (kernel.shared) {
    shape.dynamic_shared_bytes = static_cast<std::uint64_t>(
        configuration.evaluate_integer(*kernel.shared, 0, kMaxGridExtent, variables));
  }
  return shape;
}

bool argument_changes(const Workload& workload, const ArgumentSpec& argument, const ParamsStruct& params) {
  switch (argument.kind) {
    case ArgumentSpec::Kind::kParams:
      return std::any_of(params.fields.begin(), params.fields.end(),
                         [&](const ParamsField& field) { return workload.is_variable(field.name); });
    case ArgumentSpec::Kind::kParameter:
      return workload.is_variable(argument.name);
    case ArgumentSpec::Kind::kValue:
      return workload.changes(argument.value);
    default:
      return false;
  }
}

std::set<std::string> variables_of(const Workload& workload, const KernelSpec& kernel,
                                   const ParamsStruct& params) {
  std::set<std::string> names;
  const auto add = [&](const ExpressionText& text) {
    for (std::string& name : workload.names_in(text)) names.insert(std::move(name));
  };
  for (const auto* extents : {&kernel.grid, &kernel.block, &kernel.cluster}) {
    for (const ExpressionText& text : *extents) add(text);
  }
  if (kernel.shared) add(*kernel.shared);
  if (kernel.overlap) add(*kernel.overlap);
  for (const ArgumentSpec& argument : kernel.args) {
    if (argument.kind == ArgumentSpec::Kind::kValue) add(argument.value);
    if (argument.kind == ArgumentSpec::Kind::kParameter) names.insert(argument.name);
    if (argument.kind != ArgumentSpec::Kind::kParams) continue;
    for (const ParamsField& field : params.fields) names.insert(field.name);
  }
  std::erase_if(names, [&](const std::string& name) {
    return std::find(workload.variables.begin(), workload.variables.end(), name) == workload.variables.end();
  });
  return names;
}

std::size_t argument_size(const Configuration& configuration, const ArgumentSpec& argument,
                          const ParamsStruct& params) {
  switch (argument.kind) {
    case ArgumentSpec::Kind::kParams:
      return params.bytes;
    case ArgumentSpec::Kind::kParameter:
      return size_of(configuration.value(argument.name).type);
    case ArgumentSpec::Kind::kValue:
      return size_of(configuration.scalar_type(argument.type).value());
    default:
      return sizeof(void*);
  }
}

std::vector<std::byte> argument_bytes(const Configuration& configuration, const ArgumentSpec& argument,
                                      const ParamsStruct& params, const Variables& variables) {
  switch (argument.kind) {
    case ArgumentSpec::Kind::kParams:
      return pack_params(params, configuration, variables);
    case ArgumentSpec::Kind::kParameter: {
      const ParameterValue value = configuration.value(argument.name, variables);
      return scalar_bytes(value.type, value);
    }
    case ArgumentSpec::Kind::kValue:
      return expression_bytes(configuration, argument, variables);
    case ArgumentSpec::Kind::kNull:
    case ArgumentSpec::Kind::kFunction:  // known when the code is loaded
      return std::vector<std::byte>(sizeof(void*));
    case ArgumentSpec::Kind::kBuffer:
    case ArgumentSpec::Kind::kTensorMap:
    case ArgumentSpec::Kind::kTexture:
    case ArgumentSpec::Kind::kPointers:
    case ArgumentSpec::Kind::kGiven:
      break;
  }
  throw internal_error("a buffer has no value of its own");
}

}  // namespace kiln
