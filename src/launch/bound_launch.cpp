#include "launch/bound_launch.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.h"
#include "launch/argument_values.h"
#include "launch/shape_check.h"

namespace kiln {
namespace {

constexpr std::size_t kAlignment = 16;
static_assert(kAlignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
/// For the structs of a launch, each at a multiple of the alignment.
constexpr std::size_t kStructRoom = (BoundLaunch::kMaxStructBytes + kAlignment - 1) / kAlignment * kAlignment;

/// The drivers' interfaces take pointers to non-const; they only read.
void* address_of(const void* value) {
  return const_cast<void*>(value);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

}  // namespace

BoundLaunch::BoundLaunch(Device& device, DeviceFunction& function, const Configuration& configuration,
                         const KernelSpec& kernel, const ParamsStruct& params, const PlaceOf& place_of)
    : device_(&device),
      function_(&function),
      name_(kernel.name),
      explanation_(shape_changes(configuration.workload(), kernel) ? ""
                                                                   : explain_shape(configuration, kernel)),
      where_(kernel.where),
      scalars_(run_time_scalars(configuration, kernel, params)) {
  if (kernel.args.size() > kMaxArguments) {
    throw bad_input("kernel '" + name_ + "' has more than " + std::to_string(kMaxArguments) + " arguments",
                    where_);
  }
  bind(configuration, kernel, params, place_of);
  lay_out(kernel);
  std::vector<std::size_t> sizes;
  if (parameters_.empty()) {
    for (const Slot& slot : slots_) sizes.push_back(slot.size);
  }
  for (const Parameter& parameter : parameters_) sizes.push_back(parameter.size);
  if (const auto problem = check_arguments(sizes, function.attributes(), name_))
    throw bad_input(*problem, where_);
  if (!shape_changes(configuration.workload(), kernel)) fit(shape_of(configuration, kernel), explanation_);
}

void BoundLaunch::bind(const Configuration& configuration, const KernelSpec& kernel,
                       const ParamsStruct& params, const PlaceOf& place_of) {
  slots_.resize(kernel.args.size());
  const auto holds_parameters = [](const ArgumentSpec& argument) {
    return argument.kind == ArgumentSpec::Kind::kParams || argument.kind == ArgumentSpec::Kind::kParameter;
  };
  for (const bool run_time : {true, false}) {
    for (std::size_t i = 0; i < kernel.args.size(); ++i) {
      const ArgumentSpec& argument = kernel.args[i];
      if (argument.names_buffer() || holds_parameters(argument) != run_time) continue;
      add_bytes(argument_changes(configuration.workload(), argument, params)
                    ? std::vector<std::byte>(argument_size(configuration, argument, params))
                    : argument_bytes(configuration, argument, params),
                slots_[i]);
      add_offsets(argument, params, slots_[i].index);
    }
    if (run_time) run_time_bytes_ = bytes_.size();
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < kernel.args.size(); ++i) {
    const ArgumentSpec& argument = kernel.args[i];
    if (!argument.names_buffer()) continue;
    const std::size_t place = place_of ? place_of(argument) : next++;
    table_size_ = std::max(table_size_, place + 1);
    if (argument.kind == ArgumentSpec::Kind::kBuffer) {
      slots_[i] = {Slot::Kind::kPointer, place, sizeof(void*)};
      continue;
    }
    const bool tensor_map = argument.kind == ArgumentSpec::Kind::kTensorMap;
    slots_[i] = {Slot::Kind::kMap, maps_.size(), tensor_map ? sizeof(TensorMap) : sizeof(std::uint64_t)};
    unfit_where(ErrorKind::kBadInput, [&] {
      MapSlot map{{}, place, argument.name, argument.where};
      if (tensor_map)
        map.layout = tensor_map_layout(configuration, argument);
      else if (argument.kind == ArgumentSpec::Kind::kTexture)
        map.layout = texture_layout(configuration, argument);
      else
        map.layout = pointer_table(configuration, argument);
      maps_.push_back(std::move(map));
    });
  }
  if (maps_.size() > kMaxTensorMaps) {
    throw bad_input("kernel '" + name_ + "' has more than " + std::to_string(kMaxTensorMaps) +
                        " arguments that are tensor maps, textures or pointers to rows",
                    where_);
  }
}

void BoundLaunch::lay_out(const KernelSpec& kernel) {
  const auto in_struct = [](const ArgumentSpec& argument) { return argument.struct_number != 0; };
  if (std::none_of(kernel.args.begin(), kernel.args.end(), in_struct)) return;
  std::size_t all = 0;
  for (std::size_t i = 0; i < slots_.size();) {
    Parameter parameter{i, 0, slots_[i].size};
    const std::size_t number = kernel.args[i].struct_number;
    if (number == 0) {
      ++i;
    } else {
      std::size_t end = 0, alignment = 1;
      for (; i < slots_.size() && kernel.args[i].struct_number == number; ++i, ++parameter.members) {
        const std::size_t size = slots_[i].size;  // of a number or a pointer, which is its alignment, too
        slots_[i].offset = (end + size - 1) / size * size;
        end = slots_[i].offset + size;
        alignment = std::max(alignment, size);
      }
      parameter.size = (end + alignment - 1) / alignment * alignment;
      all += parameter.size;
      struct_bytes_ += (parameter.size + kAlignment - 1) / kAlignment * kAlignment;
    }
    parameters_.push_back(parameter);
  }
  if (all > kMaxStructBytes || struct_bytes_ > kStructRoom)
    throw bad_input("the structs that kernel '" + name_ + "' is passed have more than " +
                        std::to_string(kMaxStructBytes) + " bytes, each rounded up to a multiple of " +
                        std::to_string(kAlignment),
                    where_);
}

void BoundLaunch::add_bytes(std::span<const std::byte> bytes, Slot& slot) {
  slot = {Slot::Kind::kBytes, bytes_.size(), bytes.size()};
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  // Also an empty struct has an address of its own.
  bytes_.resize((bytes_.size() / kAlignment + 1) * kAlignment);
}

/// Notes where the scalars of an argument that begins at `offset` stand.
void BoundLaunch::add_offsets(const ArgumentSpec& argument, const ParamsStruct& params, std::size_t offset) {
  const auto add = [&](const std::string& parameter, std::size_t place) {
    for (RunTimeScalar& scalar : scalars_) {
      if (scalar.name == parameter) scalar.offsets.push_back(place);
    }
  };
  if (argument.kind == ArgumentSpec::Kind::kParameter) add(argument.name, offset);
  if (argument.kind != ArgumentSpec::Kind::kParams) return;
  for (const ParamsField& field : params.fields) add(field.name, offset + field.offset);
}

void BoundLaunch::set_shape(const LaunchShape& shape) {
  fit(shape, "");
  explanation_.clear();
}

void BoundLaunch::set_bytes(std::size_t argument, std::span<const std::byte> bytes) {
  const Slot& slot = slots_[argument];
  if (slot.kind != Slot::Kind::kBytes || slot.size != bytes.size())
    throw internal_error("an argument of kernel '" + name_ + "' changes its size");
  std::copy(bytes.begin(), bytes.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(slot.index));
}

/// Throws the driver's refusal with the kernel, its place and `explanation`.
template <class Call>
auto BoundLaunch::ask_driver(const std::string& explanation, const Call& call) const {
  try {
    return call();
  } catch (const Error& error) {
    refuse(error, explanation);
  }
}

void BoundLaunch::refuse(const Error& error, const std::string& explanation) const {
  if (error.kind() != ErrorKind::kUnfit) throw;
  throw unfit("kernel '" + name_ + "' cannot be launched: " + error.message(), explanation);
}

void BoundLaunch::fit(const LaunchShape& shape, const std::string& explanation) {
  const bool asked = resident_blocks_ && shape.block == shape_.block && shape.cluster == shape_.cluster &&
                     shape.dynamic_shared_bytes == shape_.dynamic_shared_bytes &&
                     shape.cooperative == shape_.cooperative;
  const DeviceInfo& device = device_->info();
  auto problem = check_shape(shape, device, function_->attributes(), name_);
  std::optional<std::uint64_t> resident = resident_blocks_;
  if (!problem) {
    if (!asked) resident = ask_driver(explanation, [&] { return function_->resident_blocks(shape); });
    problem = check_residency(shape, device, resident, name_);
  }
  if (problem) throw unfit(*problem, explanation);
  shape_ = shape;
  resident_blocks_ = resident;
}

const RunTimeScalar& BoundLaunch::scalar_of(const LaunchScalar& scalar) const {
  for (const RunTimeScalar& known : scalars_) {
    if (known.name == scalar.name()) return known;
  }
  std::vector<std::string> names;
  for (const RunTimeScalar& known : scalars_) {
    if (known.frozen.empty()) names.push_back(known.name);
  }
  const std::string name(scalar.name());
  throw bad_input("kernel '" + name_ + "' has no parameter '" + name + "'" + suggestion(name, names));
}

void BoundLaunch::set(const LaunchScalar& scalar) {
  scalar_of(scalar).store(scalar.value(), bytes_.data(), name_);
}

void BoundLaunch::restrict_scalars(const std::vector<RunTimeScalar>& other) {
  for (const RunTimeScalar& scalar : other) {
    for (RunTimeScalar& known : scalars_) {
      if (known.name == scalar.name && !scalar.frozen.empty()) known.frozen = scalar.frozen;
    }
  }
}

std::span<const std::byte> BoundLaunch::bytes_of(std::size_t argument) const {
  const Slot& slot = slots_[argument];
  if (slot.kind != Slot::Kind::kBytes) return {};
  return {bytes_.data() + slot.index, slot.size};
}

TensorMap BoundLaunch::encode(const MapSlot& map, const void* address) const {
  const auto* texture = std::get_if<TextureLayout>(&map.layout);
  const auto* tensor_map = std::get_if<TensorMapLayout>(&map.layout);
  try {
    if (tensor_map != nullptr) return device_->encode_tensor_map(*tensor_map, address);
    const std::uint64_t object = texture != nullptr
                                     ? device_->texture(*texture, address)
                                     : device_->pointer_table(std::get<PointerTable>(map.layout), address);
    TensorMap result;
    std::memcpy(result.bytes.data(), &object, sizeof object);
    return result;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    throw unfit_kernel((tensor_map != nullptr ? "tensor_map of '"
                        : texture != nullptr  ? "texture of '"
                                              : "pointers to '") +
                           map.buffer + "': " + error.message(),
                       map.where);
  }
}

void BoundLaunch::keep_maps(LaunchArguments addresses) {
  for (MapSlot& map : maps_) {
    const void* address = addresses[map.place];
    const bool known = std::any_of(map.kept.begin(), map.kept.end(),
                                   [&](const auto& kept) { return kept.first == address; });
    if (!known) map.kept.emplace_back(address, encode(map, address));
  }
}

template <class Enqueue>
void BoundLaunch::enqueue_with_maps(void** values, LaunchArguments addresses, const Enqueue& enqueue) const {
  std::array<std::optional<TensorMap>, kMaxTensorMaps> made;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].kind != Slot::Kind::kMap) continue;
    const MapSlot& map = maps_[slots_[i].index];
    const void* address = addresses[map.place];
    const auto kept = std::find_if(map.kept.begin(), map.kept.end(),
                                   [&](const auto& known) { return known.first == address; });
    values[i] = kept != map.kept.end() ? address_of(&kept->second)
                                       : &made[slots_[i].index].emplace(encode(map, address));
  }
  enqueue(values);
}

template <class Enqueue>
void BoundLaunch::enqueue_with_structs(void** values, const Enqueue& enqueue) const {
  // The used elements of these two are assigned, or cleared.
  std::array<void*, kMaxArguments> passed;                         // NOLINT(*-member-init)
  alignas(kAlignment) std::array<std::byte, kStructRoom> structs;  // NOLINT(*-member-init)
  std::memset(structs.data(), 0, struct_bytes_);
  std::size_t used = 0;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& parameter = parameters_[i];
    if (parameter.members == 0) {
      passed[i] = values[parameter.first];
      continue;
    }
    std::byte* whole = structs.data() + used;
    for (std::size_t slot = parameter.first; slot < parameter.first + parameter.members; ++slot)
      std::memcpy(whole + slots_[slot].offset, values[slot], slots_[slot].size);
    passed[i] = whole;
    used += (parameter.size + kAlignment - 1) / kAlignment * kAlignment;
  }
  enqueue(passed.data());
}

template <class Enqueue>
inline void BoundLaunch::enqueue_with(LaunchArguments addresses, LaunchScalars scalars,
                                      const Enqueue& enqueue) const {
  if (addresses.size() < table_size_) {
    throw internal_error("kernel '" + name_ + "' is launched with " + std::to_string(addresses.size()) +
                         " addresses of " + std::to_string(table_size_));
  }
  // The used elements of these two are assigned.
  std::array<void*, kMaxArguments> values;                               // NOLINT(*-member-init)
  alignas(kAlignment) std::array<std::byte, kMaxRunTimeBytes> run_time;  // NOLINT(*-member-init)
  const std::byte* given = bytes_.data();
  if (!scalars.empty()) {
    if (run_time_bytes_ > run_time.size())
      throw bad_input("kernel '" + name_ + "': scalars cannot be given to a launch with more than " +
                      std::to_string(kMaxRunTimeBytes) + " bytes of parameters");
    std::memcpy(run_time.data(), bytes_.data(), run_time_bytes_);
    for (const LaunchScalar& scalar : scalars)
      scalar_of(scalar).store(scalar.value(), run_time.data(), name_);
    given = run_time.data();
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.kind == Slot::Kind::kPointer)
      values[i] = address_of(&addresses[slot.index]);
    else if (slot.kind == Slot::Kind::kBytes)
      values[i] = address_of((slot.index < run_time_bytes_ ? given : bytes_.data()) + slot.index);
  }
  const auto launch = [&](void** all) {
    ask_driver(explanation_, [&] {
      if (parameters_.empty())
        enqueue(all);
      else
        enqueue_with_structs(all, enqueue);
    });
  };
  if (maps_.empty())
    launch(values.data());
  else
    enqueue_with_maps(values.data(), addresses, launch);
}

void BoundLaunch::enqueue(Stream& stream, LaunchArguments addresses, LaunchScalars scalars) const {
  enqueue_with(addresses, scalars, [&](void** values) { function_->launch(stream, shape_, values); });
}

void BoundLaunch::enqueue_native(void* native, LaunchArguments addresses, LaunchScalars scalars) const {
  enqueue_with(addresses, scalars, [&](void** values) { function_->launch_native(native, shape_, values); });
}

Error BoundLaunch::unfit(const std::string& problem, const std::string& explanation) const {
  return unfit_kernel(explanation.empty() ? problem : problem + " (" + explanation + ")", where_);
}

}  // namespace kiln
