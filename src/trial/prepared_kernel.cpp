#include "trial/prepared_kernel.h"

#include <algorithm>

#include "launch/argument_values.h"
#include "launch/shape_check.h"

namespace kiln {
namespace {

const LoadedUnit& unit_of(const std::vector<LoadedUnit>& units, const std::string& kernel) {
  for (const LoadedUnit& unit : units) {
    if (unit.unit.name_expressions.contains(kernel)) return unit;
  }
  throw internal_error("kernel '" + kernel + "' is in no unit");
}

/// What is wrong at `where` in the workload, so that this variant cannot run.
UnfitKernel unfit(const SourceLocation& where, const std::string& problem) {
  return UnfitKernel(where.to_string() + ": " + problem);
}

TensorMap encode(const Configuration& configuration, const ArgumentSpec& argument, Workspace& workspace) {
  try {
    const TensorMapLayout layout = tensor_map_layout(configuration, argument);
    return workspace.device().encode_tensor_map(layout, workspace.buffer(argument.name).data());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    if (error.location().line > 0) throw UnfitKernel(error.what());
    throw unfit(argument.where, "tensor_map of '" + argument.name + "': " + error.message());
  }
}

std::string size_text(const std::string& name, std::uint64_t bytes) {
  return "'" + name + "' holds " + std::to_string(bytes) + " bytes";
}

}  // namespace

SymbolVariables find_symbols(const KernelSpec& kernel, Module& module, const Workspace& workspace) {
  SymbolVariables found;
  const std::string place = "kernels." + kernel.name + ".symbols: ";
  for (const auto& [name, buffer_name] : kernel.symbols) {
    const auto symbol = module.symbol(name);
    const DeviceBuffer& buffer = workspace.buffer(buffer_name);
    if (!symbol)
      throw bad_input(place + "'" + kernel.source + "' defines no variable '" + name + "'", kernel.where);
    if (symbol->second != buffer.bytes()) {
      throw unfit(kernel.where, place + "variable " + size_text(name, symbol->second) + ", buffer " +
                                    size_text(buffer_name, buffer.bytes()));
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

PreparedKernel::PreparedKernel(const Configuration& configuration, const KernelSpec& kernel,
                               const std::vector<LoadedUnit>& units, Workspace& workspace)
    : configuration_(&configuration),
      kernel_(&kernel),
      workspace_(&workspace),
      shape_(shape_of(configuration, kernel)) {
  const LoadedUnit& unit = unit_of(units, kernel.name);
  entry_ = unit.unit.name_expressions.at(kernel.name);
  function_ = &unit.code->function(entry_);
  specialization_ = &unit.unit.specialization;
  if (specialization_->unknown_input.empty()) code_ = unit.digest;
  for (const ArgumentSpec& argument : kernel.args) {
    if (argument.names_buffer()) add_buffer(argument.name);
    if (argument.kind == ArgumentSpec::Kind::kBuffer) {
      arguments_.add_pointer(workspace.buffer(argument.name).data());
    } else if (argument.kind == ArgumentSpec::Kind::kTensorMap) {
      arguments_.add_bytes(encode(configuration, argument, workspace).bytes);
    } else {
      arguments_.add_bytes(argument_bytes(configuration, argument, unit.unit.params));
    }
  }
  if (const auto mismatch = check_arguments(arguments_.sizes(), function_->attributes(), kernel.name)) {
    throw bad_input(*mismatch, kernel.where);
  }
  const DeviceInfo& device = workspace.device().info();
  auto problem = check_shape(shape_, device, function_->attributes(), kernel.name);
  if (!problem) {
    try {
      resident_blocks_ = function_->resident_blocks(shape_);
    } catch (const DeviceRefusal& refusal) {
      throw refused(refusal);
    }
    problem = check_residency(shape_, device, resident_blocks_, kernel.name);
  }
  if (problem) {
    throw unfit(kernel.where, *problem + " (" + explain_shape(configuration, kernel) + ")");
  }
  symbols_ = find_symbols(kernel, *unit.code->module(), workspace);
  for (const auto& [address, buffer] : symbols_) add_buffer(buffer);
}

void PreparedKernel::add_buffer(const std::string& name) {
  if (std::find(buffers_.begin(), buffers_.end(), name) == buffers_.end()) buffers_.push_back(name);
}

bool PreparedKernel::add_to_key(FieldHasher& hasher) const {
  const auto add_extent = [&](const char* tag, const Dim3& extent) {
    for (const std::uint64_t number : {extent.x, extent.y, extent.z})
      hasher.field(tag, std::to_string(number));
  };
  const auto index_of = [&](const std::string& name) {
    return std::find(buffers_.begin(), buffers_.end(), name) - buffers_.begin();
  };
  hasher.field("code", code_).field("entry", entry_);
  add_extent("grid", shape_.grid);
  add_extent("block", shape_.block);
  add_extent("cluster", shape_.cluster);
  hasher.field("shared", std::to_string(shape_.dynamic_shared_bytes));
  hasher.field("cooperative", static_cast<std::int64_t>(shape_.cooperative));
  for (std::size_t i = 0; i < kernel_->args.size(); ++i) {
    const ArgumentSpec& argument = kernel_->args[i];
    if (argument.kind == ArgumentSpec::Kind::kTensorMap) return false;
    if (argument.kind == ArgumentSpec::Kind::kBuffer) {
      hasher.field("buffer", index_of(argument.name));
    } else {
      hasher.field("argument", {static_cast<const char*>(arguments_.data()[i]), arguments_.sizes()[i]});
    }
  }
  for (const auto& [name, buffer] : kernel_->symbols)
    hasher.field("symbol", name).field("buffer", index_of(buffer));
  return true;
}

void PreparedKernel::load_symbols() {
  kiln::load_symbols(symbols_, *workspace_);
}

void PreparedKernel::enqueue() {
  try {
    function_->launch(workspace_->stream(), shape_, arguments_.data());
  } catch (const DeviceRefusal& refusal) {
    throw refused(refusal);
  }
}

UnfitKernel PreparedKernel::refused(const DeviceRefusal& refusal) const {
  return unfit(kernel_->where, "kernel '" + kernel_->name + "' cannot be launched: " + refusal.message() +
                                   " (" + explain_shape(*configuration_, *kernel_) + ")");
}

}  // namespace kiln
