#include "kiln/kernel.h"

#include <algorithm>

#include "embed/handles.h"
#include "embed/made_kernel.h"

namespace kiln {
namespace {

template <class Change>
void change(std::shared_ptr<const KernelRequest::Impl>& request, const Change& how) {
  auto changed = std::make_shared<KernelRequest::Impl>(*request);
  how(*changed);
  request = std::move(changed);
}

/// The kernel that equal values were answered with before; null: none was.
std::shared_ptr<const Kernel::Impl> find_made(const KernelRequest::Impl& request) {
  auto found = request.memory->kernels.find(request);
  if (found) request.memory->counting.load(std::memory_order_relaxed)->count_memory_hit();
  return found;
}

std::shared_ptr<Kernel::Impl> make(const KernelRequest::Impl& request) {
  const PreparedRequest prepared = prepare(request);
  KernelService& service = request.service->engine.service();
  auto result = service.get(prepared.unit.specialization, *prepared.compiler, request.device->device,
                            request.caller_stream);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&result)) throw error_of(*diagnostic);
  auto made = make_kernel(request, prepared, std::get<ServiceResult>(std::move(result)));
  request.memory->counting.store(&service, std::memory_order_relaxed);
  return made;
}

/// Null where the code of the wisdom's point does not compile or fit.
std::shared_ptr<Kernel::Impl> try_wisdom(const AdvisedRequest& advised, const KernelRequest::Impl& request) {
  try {
    auto made = make(advised.request);
    made->wisdom = advised.sentence;
    return made;
  } catch (const Error& error) {
    const bool by_its_values = error.kind() == ErrorKind::kCompile || error.kind() == ErrorKind::kUnfit;
    if (advised.sentence.empty() || !by_its_values) throw;
    request.service->log->warn(advised.sentence + ": fails here (" + error.what() +
                               "); the defaults are taken in its place");
    return nullptr;
  }
}

/// The defaults, where the code of the wisdom's point does not compile or fit: for all ranks, where it does
/// not on rank 0.
std::shared_ptr<Kernel::Impl> make_by_wisdom(const KernelRequest::Impl& request) {
  constexpr const char* kTaken = "wisdom";
  AdvisedRequest advised = take_wisdom(request);
  std::shared_ptr<Kernel::Impl> made;
  const RankAgreement* ranks = request.device ? request.service->ranks.get() : nullptr;
  if (ranks == nullptr) {
    made = try_wisdom(advised, request);
  } else {
    const std::string decided = ranks->decided([&] {
      made = try_wisdom(advised, request);
      return made ? kTaken : "";
    });
    if (!ranks->leads() && decided == kTaken) {
      made = make(advised.request);
      made->wisdom = advised.sentence;
    }
  }
  if (made) return made;
  advised.request.assignments = request.assignments;
  return make(advised.request);
}

/// The kernel for later requests with the same values.
std::shared_ptr<const Kernel::Impl> as_from_memory(const Kernel::Impl& made) {
  auto kernel = std::make_shared<Kernel::Impl>(made);
  kernel->origin = to_string(Origin::kMemory);
  kernel->compile_seconds = 0;
  return kernel;
}

}  // namespace

void KernelRequest::Impl::set(const std::string& name, const KernelRequest::Value& value) {
  const auto place =
      std::lower_bound(assignments.begin(), assignments.end(), name,
                       [](const auto& known, const std::string& added) { return known.first < added; });
  if (place != assignments.end() && place->first == name)
    place->second = value;
  else
    assignments.emplace(place, name, value);
}

const std::string& DeviceHandle::id() const {
  return impl_->device->info().id;
}
const std::string& DeviceHandle::name() const {
  return impl_->device->info().name;
}
const std::string& DeviceHandle::arch() const {
  return impl_->device->info().target.arch;
}
std::uint64_t DeviceHandle::free_memory_bytes() const {
  return impl_->device->free_memory_bytes();
}

void DeviceHandle::synchronize() const {
  impl_->stream->synchronize();
}

KernelRequest& KernelRequest::on(const DeviceHandle& device) {
  return on(device, nullptr);
}

KernelRequest& KernelRequest::on(const DeviceHandle& device, void* stream) {
  if (stream != nullptr)
    static_cast<void>(device.impl_->device->is_capturing(stream));  // refuses where none is
  change(impl_, [&](Impl& request) {
    request.device = device.impl_;
    request.caller_stream = stream;
  });
  return *this;
}

KernelRequest& KernelRequest::set(const std::string& parameter, const Value& value) {
  change(impl_, [&](Impl& request) { request.set(parameter, value); });
  return *this;
}

KernelRequest& KernelRequest::wisdom(const std::string& file_or_folder) {
  change(impl_, [&](Impl& request) { request.wisdom = file_or_folder; });
  return *this;
}

KernelRequest& KernelRequest::header(const std::string& name, const std::string& text) {
  auto headers = std::make_shared<std::vector<IncludedHeader>>();
  if (impl_->headers) *headers = *impl_->headers;
  std::erase_if(*headers, [&](const IncludedHeader& known) { return known.name == name; });
  headers->push_back({name, "", text});
  change(impl_, [&](Impl& request) { request.headers = std::move(headers); });
  return *this;
}

Kernel KernelRequest::get() const {
  Kernel kernel = find();
  if (kernel.impl_) return kernel;
  kernel.impl_ = impl_->wisdom ? make_by_wisdom(*impl_) : make(*impl_);
  // A kernel with symbols has variables of its own, so no two requests share it.
  if (impl_->kernel->symbols.empty()) impl_->memory->kernels.add(*impl_, as_from_memory(*kernel.impl_));
  return kernel;
}

Kernel KernelRequest::find() const {
  Kernel kernel;
  kernel.impl_ = find_made(*impl_);
  return kernel;
}

std::shared_ptr<void> KernelRequest::announce() const {
  if (!impl_->device) return nullptr;
  return std::make_shared<ExpectedCompiles>(
      announce_compile(impl_->service->engine, impl_->device->device->info().target.backend));
}

void Kernel::launch(void* stream, LaunchArguments arguments, LaunchScalars scalars) const {
  launch_kernel(*impl_, stream, arguments, scalars);
}

void Kernel::run(LaunchArguments arguments, LaunchScalars scalars) const {
  launch(nullptr, arguments, scalars);
  DeviceHandle device;
  device.impl_ = impl_->device;
  device.synchronize();
}

const std::string& Kernel::name() const {
  return impl_->launch.name();
}
const std::string& Kernel::origin() const {
  return impl_->origin;
}
double Kernel::compile_seconds() const {
  return impl_->compile_seconds;
}
const std::string& Kernel::wisdom() const {
  return impl_->wisdom;
}
const std::string& Kernel::key() const {
  return impl_->key;
}

}  // namespace kiln
