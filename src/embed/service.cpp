#include "kiln/service.h"

#include <functional>
#include <future>
#include <map>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "embed/engine.h"
#include "embed/handles.h"

namespace kiln {

namespace {

/// Saves the first kernel the time. A problem with a compiler is reported when it is needed.
void ask_compiler(Engine& engine, const std::string& backend) noexcept {
  try {
    const std::map<std::string, Compiler*> compilers = engine.compilers();
    const auto found = compilers.find(backend);
    if (found != compilers.end()) static_cast<void>(found->second->identity());
  } catch (const std::exception&) {
    return;
  }
}

}  // namespace

Service::Service(const Settings& settings, LogFunction log, ProgressFunction progress)
    : impl_(std::make_shared<Impl>(settings, std::move(log), std::move(progress))) {}

DeviceHandle Service::device(const std::string& name) const {
  const std::string& wanted = name == "auto" ? impl_->engine.settings().device : name;
  // The compiler and its version are looked up while a driver makes its context.
  const auto compiler = std::async(std::launch::async, ask_compiler, std::ref(impl_->engine),
                                   wanted.substr(0, wanted.find(':')));
  DeviceHandle handle;
  handle.impl_ = std::make_shared<DeviceHandle::Impl>(impl_, impl_->engine.devices().open(wanted));
  compiler.wait();
  if (wanted == "auto") ask_compiler(impl_->engine, handle.impl_->device->info().target.backend);
  return handle;
}

WorkloadHandle Service::workload(const std::string& name_or_path) const {
  WorkloadHandle handle;
  handle.impl_ =
      std::make_shared<WorkloadHandle::Impl>(impl_, impl_->engine.library().load(name_or_path, {}));
  return handle;
}

void Service::add_bundle(std::span<const std::byte> bundle) const {
  impl_->engine.service().add_bundle({reinterpret_cast<const char*>(bundle.data()), bundle.size()});
}

void Service::share(const Communicator& communicator) const {
  impl_->ranks = std::make_shared<const RankAgreement>(communicator);
}

ServiceStatistics Service::statistics() const {
  const ServiceCounters counters = impl_->engine.service().counters();
  ServiceStatistics statistics;
  statistics.memory_hits = counters.memory_hits;
  statistics.disk_hits = counters.disk_hits;
  statistics.compiled = counters.compiled;
  statistics.waited = counters.waited;
  statistics.failed = counters.failed;
  statistics.compile_seconds = counters.compile_seconds;
  statistics.load_seconds = counters.read_seconds + counters.load_seconds;
  statistics.bytes_read = counters.bytes_read;
  statistics.bytes_written = counters.bytes_written;
  statistics.read_seconds = counters.read_seconds;
  statistics.write_seconds = counters.write_seconds;
  statistics.wait_seconds = counters.wait_seconds;
  statistics.failed_seconds = counters.failed_seconds;
  return statistics;
}

void Service::write_trace() const {
  impl_->engine.write_trace();
}

const std::string& WorkloadHandle::name() const {
  return impl_->workload->name;
}

std::vector<std::string> WorkloadHandle::kernels() const {
  std::vector<std::string> names;
  for (const KernelSpec& kernel : impl_->workload->kernels) names.push_back(kernel.name);
  return names;
}

KernelRequest WorkloadHandle::kernel(const std::string& name) const {
  const KernelSpec* kernel = impl_->workload->find_kernel(name);
  if (kernel == nullptr) {
    throw bad_input("workload '" + impl_->workload->name + "' has no kernel '" + name + "'" +
                    suggestion(name, kernels()));
  }
  auto request = std::make_shared<KernelRequest::Impl>();
  request->service = impl_->service;
  request->workload = impl_->workload;
  request->memory = impl_->memory;
  request->kernel = kernel;
  KernelRequest result;
  result.impl_ = std::move(request);
  return result;
}

}  // namespace kiln
