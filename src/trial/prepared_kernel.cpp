#include "trial/prepared_kernel.h"

#include <algorithm>

#include "launch/argument_values.h"
#include "specialize/symbol_expression.h"

namespace kiln {
namespace {

const LoadedUnit& unit_of(const std::vector<LoadedUnit>& units, const std::string& kernel, int child) {
  for (const LoadedUnit& unit : units) {
    if (unit.unit.child == child && unit.unit.name_expressions.contains(kernel)) return unit;
  }
  throw internal_error("kernel '" + kernel + "' is in no unit");
}

std::string size_text(const std::string& name, std::uint64_t bytes) {
  return "'" + name + "' holds " + std::to_string(bytes) + " bytes";
}

}  // namespace

std::optional<std::pair<void*, std::size_t>> find_variable(const std::string& name, const LoadedCode& code) {
  const auto& lowered = code.code().lowered_names;
  const auto known = lowered.find(entry_of_variable(name));
  if (known != lowered.end()) return code.module()->symbol(known->second);
  const auto plain = code.module()->symbol(name);
  return plain ? plain : code.module()->symbol(mangled_variable(name));
}

SymbolVariables find_symbols(const Configuration& configuration, const KernelSpec& kernel,
                             const LoadedCode& code, const Workspace& workspace, SymbolUse use) {
  SymbolVariables found;
  const bool sets = use == SymbolUse::kSet;
  const std::string place = "kernels." + kernel.name + (sets ? ".symbols: " : ".read_symbols: ");
  for (const auto& [name, buffer_name] : sets ? kernel.symbols : kernel.read_symbols) {
    const auto symbol = find_variable(symbol_expression(configuration, name), code);
    const DeviceBuffer& buffer = workspace.buffer(buffer_name);
    if (!symbol)
      throw bad_input(place + "'" + kernel.source + "' defines no variable '" + name + "'", kernel.where);
    if (symbol->second != buffer.bytes()) {
      throw unfit_kernel(place + "variable " + size_text(name, symbol->second) + ", buffer " +
                             size_text(buffer_name, buffer.bytes()),
                         kernel.where);
    }
    found.emplace_back(symbol->first, buffer_name);
  }
  return found;
}

void load_symbols(const SymbolVariables& symbols, Workspace& workspace) {
  for (const auto& [address, buffer_name] : symbols) {
    const HostContent content = workspace.content(buffer_name);
    workspace.device().copy_to_device(workspace.stream(), address, content.bytes.data(),
                                      content.bytes.size());
  }
}

void pass_functions(const Configuration& configuration, const KernelSpec& kernel, const LoadedCode& code,
                    Device& device, Stream& stream, BoundLaunch& launch) {
  for (std::size_t i = 0; i < kernel.args.size(); ++i) {
    const ArgumentSpec& argument = kernel.args[i];
    if (argument.kind != ArgumentSpec::Kind::kFunction) continue;
    const auto variable =
        find_variable(variable_of_function(symbol_expression(configuration, argument.name)), code);
    std::vector<std::byte> address(sizeof(void*));
    if (!variable || variable->second != address.size()) {
      throw bad_input("kernels." + kernel.name + ".args: '" + kernel.source + "' has no device function '" +
                          argument.name + "' with an address",
                      argument.where);
    }
    device.copy_to_host(stream, address.data(), variable->first, address.size());
    launch.set_bytes(i, address);
  }
}

PreparedKernel::PreparedKernel(const Configuration& configuration, const KernelSpec& kernel,
                               const std::vector<LoadedUnit>& units, Workspace& workspace)
    : PreparedKernel(configuration, kernel, unit_of(units, kernel.name, configuration.child()), workspace) {}

PreparedKernel::PreparedKernel(const Configuration& configuration, const KernelSpec& kernel,
                               const LoadedUnit& unit, Workspace& workspace)
    : configuration_(&configuration),
      kernel_(&kernel),
      params_(&unit.unit.params),
      workspace_(&workspace),
      specialization_(&unit.unit.specialization),
      code_(specialization_->unknown_input.empty() ? unit.digest : ""),
      entry_(unit.unit.name_expressions.at(kernel.name)),
      launch_(workspace.device(), unit.code->function(entry_), configuration, kernel, unit.unit.params),
      shape_changes_(kiln::shape_changes(configuration.workload(), kernel)) {
  for (std::size_t i = 0; i < kernel.args.size(); ++i) {
    const ArgumentSpec& argument = kernel.args[i];
    if (argument_changes(configuration.workload(), argument, *params_)) changing_arguments_.push_back(i);
    if (!argument.names_buffer()) continue;
    add_buffer(argument.name);
    places_.push_back(workspace.address(argument.name));
    addresses_.push_back(*places_.back());
  }
  launch_.keep_maps(addresses_);
  pass_functions(configuration, kernel, *unit.code, workspace.device(), workspace.stream(), launch_);
  symbols_ = find_symbols(configuration, kernel, *unit.code, workspace, SymbolUse::kSet);
  read_symbols_ = find_symbols(configuration, kernel, *unit.code, workspace, SymbolUse::kRead);
  for (const auto& read : read_symbols_) {
    const bool set = std::any_of(symbols_.begin(), symbols_.end(),
                                 [&](const auto& symbol) { return symbol.first == read.first; });
    if (set) continue;
    const std::size_t bytes = workspace.buffer(read.second).bytes();
    first_contents_.emplace_back(read.first,
                                 &unit.code->first_content(workspace.stream(), read.first, bytes));
  }
  for (const SymbolVariables* variables : {&symbols_, &read_symbols_})
    for (const auto& [address, buffer] : *variables) add_buffer(buffer);
}

void PreparedKernel::add_buffer(const std::string& buffer) {
  const std::string& name = workspace_->layout(buffer).memory->name;
  if (std::find(buffers_.begin(), buffers_.end(), name) != buffers_.end()) return;
  buffers_.push_back(name);
  for (const ExpressionText& pointee : workspace_->layout(name).spec->init.pointees())
    add_buffer(pointee.text);
}

bool PreparedKernel::add_to_key(FieldHasher& hasher) const {
  const auto add_extent = [&](const char* tag, const Dim3& extent) {
    for (const std::uint64_t number : {extent.x, extent.y, extent.z})
      hasher.field(tag, std::to_string(number));
  };
  const auto add_buffer_to_key = [&](const std::string& name) {
    const BufferLayout& layout = workspace_->layout(name);
    const auto index = std::find(buffers_.begin(), buffers_.end(), layout.memory->name) - buffers_.begin();
    hasher.field("buffer", index).field("offset", std::to_string(layout.offset));
  };
  hasher.field("code", code_).field("entry", entry_);
  add_extent("grid", shape().grid);
  add_extent("block", shape().block);
  add_extent("cluster", shape().cluster);
  hasher.field("shared", std::to_string(shape().dynamic_shared_bytes));
  hasher.field("cooperative", static_cast<std::int64_t>(shape().cooperative));
  for (std::size_t i = 0; i < kernel_->args.size(); ++i) {
    const ArgumentSpec& argument = kernel_->args[i];
    if (argument.names_buffer() && argument.kind != ArgumentSpec::Kind::kBuffer) return false;
    if (argument.kind == ArgumentSpec::Kind::kBuffer) {
      add_buffer_to_key(argument.name);
    } else if (argument.kind == ArgumentSpec::Kind::kFunction) {
      hasher.field("function", argument.name);
    } else {
      const std::span<const std::byte> bytes = launch_.bytes_of(i);
      hasher.field("argument", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
  }
  for (const auto& [name, buffer] : kernel_->symbols) {
    hasher.field("symbol", name).field("bytes", std::to_string(workspace_->layout(buffer).bytes));
    add_buffer_to_key(buffer);
  }
  for (const auto& [name, buffer] : kernel_->read_symbols) {
    hasher.field("read symbol", name);
    add_buffer_to_key(buffer);
  }
  return true;
}

void PreparedKernel::read_symbols(Stream& stream) {
  for (const auto& [address, buffer_name] : read_symbols_) {
    const DeviceBuffer& buffer = workspace_->buffer(buffer_name);
    workspace_->device().copy_on_device(stream, *workspace_->address(buffer_name), address, buffer.bytes());
  }
}

void PreparedKernel::read_symbols() {
  read_symbols(workspace_->stream());
}

void PreparedKernel::load_symbols() {
  kiln::load_symbols(symbols_, *workspace_);
  for (const auto& [address, content] : first_contents_)
    workspace_->device().copy_to_device(workspace_->stream(), address, content->data(), content->size());
}

void PreparedKernel::update(const Variables& variables) {
  for (const std::size_t index : changing_arguments_) {
    launch_.set_bytes(index, argument_bytes(*configuration_, kernel_->args[index], *params_, variables));
  }
  if (!shape_changes_) return;
  try {
    launch_.set_shape(shape_of(*configuration_, *kernel_, variables));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUnfit) throw;
    throw unfit_kernel(error.message() + " (" + explain_shape(*configuration_, *kernel_, variables) + ")",
                       error.location());
  }
}

std::set<std::string> PreparedKernel::variables() const {
  return variables_of(configuration_->workload(), *kernel_, *params_);
}

void PreparedKernel::follow_swaps() {
  bool moved = false;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    moved = moved || addresses_[i] != *places_[i];
    addresses_[i] = *places_[i];
  }
  if (moved) launch_.keep_maps(addresses_);
}

void PreparedKernel::enqueue(Stream& stream) {
  follow_swaps();
  launch_.enqueue(stream, addresses_);
}

}  // namespace kiln
