#include "embed/request_inputs.h"

#include <algorithm>
#include <vector>

#include "device/stream_capture.h"
#include "trial/prepared_kernel.h"

namespace kiln {
namespace {

bool have_symbols(const Unit& unit, const Workload& workload) {
  return std::any_of(unit.name_expressions.begin(), unit.name_expressions.end(),
                     [&](const auto& entry) { return !workload.find_kernel(entry.first)->symbols.empty(); });
}

/// The units of kernels that make inputs. A unit with `symbols:` has its own module.
std::vector<LoadedUnit> load_init_units(const KernelRequest::Impl& request, const PreparedRequest& prepared,
                                        const std::vector<std::string>& kernels) {
  const std::shared_ptr<Device>& device = request.device->device;
  LoadedUnits loaded = load_units(make_units(prepared.configuration, kernels, Role::kData,
                                             device->info().target, *request.service->files),
                                  [&](const Unit& unit) {
                                    return request.service->engine.service().get(unit.specialization,
                                                                                 *prepared.compiler, device);
                                  });
  if (loaded.failure) throw error_of(*loaded.failure);
  for (LoadedUnit& one : loaded.units) {
    if (have_symbols(one.unit, *request.workload))
      one.code = std::make_shared<LoadedCode>(one.code->code(), device);
  }
  return std::move(loaded.units);
}

/// Throws where `symbols:` takes a content that a job has and a program's request has not.
void require_known_content(const Configuration& configuration, const KernelSpec& kernel) {
  const auto refuse = [&](const std::string& symbol, const std::string& why) {
    throw bad_input("kernels." + kernel.name + ".symbols: the content of '" + symbol +
                        "' is not known to a program that launches the kernel: " + why,
                    kernel.where);
  };
  const Workload& workload = configuration.workload();
  const auto memory_of = [&](const std::string& name) -> const BufferSpec& {
    return workload.memory_of(*workload.find_buffer(name));
  };
  for (const auto& [symbol, buffer] : kernel.symbols) {
    for (const ArgumentSpec& argument : kernel.args) {
      if (argument.names_buffer() && &memory_of(argument.name) == &memory_of(buffer))
        refuse(symbol, "its buffer '" + buffer + "' is an argument, too, which comes with each launch");
    }
    const InitSpec& init = effective_init(configuration, memory_of(buffer).init);
    if (!init.pointees().empty())
      refuse(symbol, "its buffer '" + buffer + "' holds addresses of buffers, which come with each launch; " +
                         "a Program's symbol() sets it");
    if (init.kind == InitSpec::Kind::kPoison)
      refuse(symbol, "its buffer '" + buffer + "' has no 'init:' that says it");
  }
}

}  // namespace

RequestBuffers::RequestBuffers(const KernelRequest::Impl& request, const PreparedRequest& prepared,
                               const KernelSpec& kernel)
    : stream_(request.device->device->create_stream()),
      workspace_(*request.device->device, *stream_, prepared.configuration, *request.service->files, pool_),
      contents_(prepared.configuration, *request.service->files, workspace_, pool_.kept()) {
  std::set<std::string> buffers;
  std::set<std::string> init_kernels;
  add_needs_of_kernel(prepared.configuration, kernel, buffers, init_kernels);
  names_.assign(buffers.begin(), buffers.end());
  workspace_.allocate(names_);
  units_ = load_init_units(request, prepared, in_init_order(prepared.configuration, buffers));
  inputs_.emplace(prepared.configuration, names_, units_, workspace_, contents_);
  fill();
}

void RequestBuffers::fill() {
  inputs_->make([](PreparedKernel& kernel) { kernel.enqueue(); });
  stream_->synchronize();
}

std::shared_ptr<LoadedCode> load_with_symbols(const KernelRequest::Impl& request,
                                              const PreparedRequest& prepared, const LoadedCode& shared) {
  require_no_capture(*request.device->device, request.caller_stream, "kernel '" + request.kernel->name + "'",
                     "the variables of 'symbols:' cannot be loaded");
  require_known_content(prepared.configuration, *request.kernel);
  KernelSpec without_arguments = *request.kernel;
  without_arguments.args.clear();
  without_arguments.read_symbols.clear();
  RequestBuffers buffers(request, prepared, without_arguments);
  auto code = std::make_shared<LoadedCode>(shared.code(), request.device->device);
  load_symbols(
      find_symbols(prepared.configuration, *request.kernel, *code, buffers.workspace(), SymbolUse::kSet),
      buffers.workspace());
  return code;
}

}  // namespace kiln
