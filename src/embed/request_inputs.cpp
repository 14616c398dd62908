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

/// What makes the inputs that kernels make. Where it has `symbols:`, the module is nobody else's.
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
  for (const auto& [symbol, buffer] : kernel.symbols) {
    for (const ArgumentSpec& argument : kernel.args) {
      if (argument.names_buffer() && argument.name == buffer)
        refuse(symbol, "its buffer '" + buffer + "' is an argument, too, which comes with each launch");
    }
    const InitSpec& init = effective_init(configuration, configuration.workload().find_buffer(buffer)->init);
    if (init.kind == InitSpec::Kind::kPoison)
      refuse(symbol, "its buffer '" + buffer + "' has no 'init:' that says it");
  }
}

/// The memory of a workspace, on a stream that nothing else waits for.
struct PrivateWorkspace {
  PrivateWorkspace(const KernelRequest::Impl& request, const PreparedRequest& prepared)
      : stream(request.device->device->create_stream()),
        workspace(*request.device->device, *stream, prepared.configuration, *request.service->files, pool) {}

  std::unique_ptr<Stream> stream;
  BufferPool pool;
  Workspace workspace;
};

}  // namespace

void make_inputs(const KernelRequest::Impl& request, const PreparedRequest& prepared,
                 const std::set<std::string>& buffers, Workspace& workspace) {
  const std::vector<std::string> names(buffers.begin(), buffers.end());
  workspace.allocate(names);
  for (const std::string& name : names) workspace.fill(name);
  const std::vector<std::string> kernels = in_init_order(prepared.configuration, buffers);
  const std::vector<LoadedUnit> units = load_init_units(request, prepared, kernels);
  for (const std::string& name : kernels) {
    PreparedKernel kernel(prepared.configuration, *request.workload->find_kernel(name), units, workspace);
    kernel.load_symbols();
    kernel.enqueue();
  }
  workspace.stream().synchronize();  // before the units go
}

std::shared_ptr<LoadedCode> load_with_symbols(const KernelRequest::Impl& request,
                                              const PreparedRequest& prepared, const LoadedCode& shared) {
  require_no_capture(*request.device->device, request.caller_stream, "kernel '" + request.kernel->name + "'",
                     "the variables of 'symbols:' cannot be loaded");
  require_known_content(prepared.configuration, *request.kernel);
  KernelSpec without_arguments = *request.kernel;
  without_arguments.args.clear();
  std::set<std::string> buffers;
  std::set<std::string> init_kernels;
  add_needs_of_kernel(prepared.configuration, without_arguments, buffers, init_kernels);
  PrivateWorkspace inputs(request, prepared);
  make_inputs(request, prepared, buffers, inputs.workspace);
  auto code = std::make_shared<LoadedCode>(shared.code(), request.device->device);
  load_symbols(find_symbols(*request.kernel, *code->module(), inputs.workspace), inputs.workspace);
  return code;
}

}  // namespace kiln
