#pragma once

#include <memory>
#include <string>
#include <vector>

#include "error.h"
#include "kiln.h"
#include "python.h"

// The handles of kiln.h as values that share one reference.
namespace kiln::python {

template <class T, void (*release)(T*)>
class Handle {
 public:
  /// Takes over.
  explicit Handle(T* handle) : handle_(handle, release) {}
  [[nodiscard]] T* get() const { return handle_.get(); }

 private:
  std::shared_ptr<T> handle_;
};

using Service = Handle<kiln_service, kiln_service_release>;
using Device = Handle<kiln_device, kiln_device_release>;
using Program = Handle<kiln_program, kiln_program_release>;
using Request = Handle<kiln_function_request, kiln_function_request_release>;
using Event = Handle<kiln_event, kiln_event_release>;
using Graph = Handle<kiln_graph, kiln_graph_release>;
using Workload = Handle<kiln_workload, kiln_workload_release>;

struct Stream {
  Handle<kiln_stream, kiln_stream_release> handle;
  Device device;
};

/// Makes one by a function of kiln.h whose last parameter is the result.
template <class H, class T, class Call>
H make(const Call& call) {
  T* made = nullptr;
  const kiln_status status = without_gil([&] { return call(&made); });
  if (status != KILN_OK) throw_last_error();
  return H(made);
}

/// The strings as C takes them; they outlive the result.
[[nodiscard]] inline std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

/// Waits for work on the stream; called without the GIL.
[[nodiscard]] inline kiln_status wait_for(const Device& device, void* stream) {
  kiln_stream* borrowed = nullptr;
  kiln_status status = kiln_stream_borrow(device.get(), stream, &borrowed);
  if (status == KILN_OK) status = kiln_stream_synchronize(borrowed);
  kiln_stream_release(borrowed);
  return status;
}

void bind_service(nb::module_& module);
void bind_functions(nb::module_& module);
void bind_streams(nb::module_& module);
void bind_arrays(nb::module_& module);
void bind_workloads(nb::module_& module);
void bind_jobs(nb::module_& module);
void bind_steps(nb::module_& module);

}  // namespace kiln::python
