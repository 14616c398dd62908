#include "capi/guard.h"
#include "capi/handles.h"

using kiln::capi::deref;
using kiln::capi::guarded;
using kiln::capi::making;
using kiln::capi::text;

namespace {

kiln::LaunchScalar scalar_of(const kiln_scalar& scalar) {
  const char* name = text(scalar.name, "scalars[].name");
  switch (scalar.kind) {
    case KILN_SCALAR_BOOL:
      return {name, scalar.value.boolean != 0};
    case KILN_SCALAR_INT:
      return {name, scalar.value.integer};
    case KILN_SCALAR_UINT:
      return {name, scalar.value.natural};
    case KILN_SCALAR_DOUBLE:
      return {name, scalar.value.real};
  }
  throw kiln::bad_input("scalar '" + std::string(name) + "': its kind is " +
                        std::to_string(static_cast<int>(scalar.kind)) + "; expected a KILN_SCALAR_ value");
}

template <class Launch>
void with_arguments(size_t count, const void* const* pointers, size_t scalar_count,
                    const kiln_scalar* scalars, const Launch& launch) {
  kiln::capi::array(pointers, count, "pointers");
  kiln::capi::array(scalars, scalar_count, "scalars");
  std::vector<kiln::LaunchScalar> own;
  own.reserve(scalar_count);
  for (size_t i = 0; i < scalar_count; ++i) own.push_back(scalar_of(scalars[i]));
  launch(kiln::LaunchArguments(pointers, count), kiln::LaunchScalars(own));
}

template <class Value>
kiln_status set(kiln_kernel_request* request, const char* parameter, const Value& value) {
  return guarded([&] {
    deref(request, "request").request.set(text(parameter, "parameter"), kiln::KernelRequest::Value(value()));
  });
}

}  // namespace

kiln_status kiln_workload_load(const kiln_service* service, const char* name_or_path,
                               kiln_workload** workload) {
  return making(workload, "workload", [&] {
    kiln::WorkloadHandle loaded =
        deref(service, "service").service.workload(text(name_or_path, "name_or_path"));
    std::vector<std::string> kernels = loaded.kernels();
    return new kiln_workload{std::move(loaded), std::move(kernels)};
  });
}

void kiln_workload_release(kiln_workload* workload) {
  delete workload;
}
const char* kiln_workload_name(const kiln_workload* workload) {
  return workload == nullptr ? nullptr : workload->workload.name().c_str();
}
size_t kiln_workload_kernel_count(const kiln_workload* workload) {
  return workload == nullptr ? 0 : workload->kernels.size();
}
const char* kiln_workload_kernel_name(const kiln_workload* workload, size_t index) {
  return index < kiln_workload_kernel_count(workload) ? workload->kernels[index].c_str() : nullptr;
}

kiln_status kiln_kernel_request_create(const kiln_workload* workload, const char* kernel,
                                       const kiln_device* device, void* stream,
                                       kiln_kernel_request** request) {
  return making(request, "request", [&] {
    kiln::KernelRequest made = deref(workload, "workload").workload.kernel(text(kernel, "kernel"));
    made.on(deref(device, "device").device, stream);
    return new kiln_kernel_request{std::move(made)};
  });
}

void kiln_kernel_request_release(kiln_kernel_request* request) {
  delete request;
}

kiln_status kiln_kernel_request_set_bool(kiln_kernel_request* request, const char* parameter, int value) {
  return set(request, parameter, [&] { return value != 0; });
}
kiln_status kiln_kernel_request_set_int(kiln_kernel_request* request, const char* parameter, int64_t value) {
  return set(request, parameter, [&] { return std::int64_t{value}; });
}
kiln_status kiln_kernel_request_set_double(kiln_kernel_request* request, const char* parameter,
                                           double value) {
  return set(request, parameter, [&] { return value; });
}
kiln_status kiln_kernel_request_set_text(kiln_kernel_request* request, const char* parameter,
                                         const char* value) {
  return set(request, parameter, [&] { return std::string(text(value, "value")); });
}

kiln_status kiln_kernel_request_header(kiln_kernel_request* request, const char* name, const char* header) {
  return guarded([&] { deref(request, "request").request.header(text(name, "name"), text(header, "text")); });
}

kiln_status kiln_kernel_request_wisdom(kiln_kernel_request* request, const char* file_or_folder) {
  return guarded(
      [&] { deref(request, "request").request.wisdom(file_or_folder == nullptr ? "" : file_or_folder); });
}

kiln_status kiln_kernel_get(const kiln_kernel_request* request, kiln_kernel** kernel) {
  return making(kernel, "kernel", [&] { return new kiln_kernel{deref(request, "request").request.get()}; });
}

void kiln_kernel_release(kiln_kernel* kernel) {
  delete kernel;
}

kiln_status kiln_kernel_get_info(const kiln_kernel* kernel, kiln_kernel_info* info) {
  return guarded([&] {
    const kiln::Kernel& own = deref(kernel, "kernel").kernel;
    kiln::capi::write_struct(kiln_kernel_info{0, own.name().c_str(), own.origin().c_str(), own.key().c_str(),
                                              own.wisdom().c_str(), own.compile_seconds()},
                             info, "info");
  });
}

kiln_status kiln_kernel_launch(const kiln_kernel* kernel, void* stream, size_t count,
                               const void* const* pointers, size_t scalar_count, const kiln_scalar* scalars) {
  return guarded([&] {
    const kiln::Kernel& own = deref(kernel, "kernel").kernel;
    with_arguments(count, pointers, scalar_count, scalars,
                   [&](auto arguments, auto values) { own.launch(stream, arguments, values); });
  });
}

kiln_status kiln_kernel_run(const kiln_kernel* kernel, size_t count, const void* const* pointers,
                            size_t scalar_count, const kiln_scalar* scalars) {
  return guarded([&] {
    const kiln::Kernel& own = deref(kernel, "kernel").kernel;
    with_arguments(count, pointers, scalar_count, scalars,
                   [&](auto arguments, auto values) { own.run(arguments, values); });
  });
}
