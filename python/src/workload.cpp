#include "array.h"
#include "function.h"
#include "log.h"

// Kernels of workload files.
namespace kiln::python {
namespace {

using KernelHandle = Handle<kiln_kernel, kiln_kernel_release>;
using KernelRequest = Handle<kiln_kernel_request, kiln_kernel_request_release>;

struct Kernel {
  KernelHandle handle;
  Device device;
};

Workload load(const Service& service, const std::string& name) {
  auto workload = make<Workload, kiln_workload>(
      [&](kiln_workload** made) { return kiln_workload_load(service.get(), name.c_str(), made); });
  deliver_messages();
  return workload;
}

std::vector<std::string> kernels_of(const Workload& workload) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kiln_workload_kernel_count(workload.get()); ++i)
    names.emplace_back(kiln_workload_kernel_name(workload.get(), i));
  return names;
}

void set_value(kiln_kernel_request* request, const std::string& name, nb::handle value) {
  PyObject* object = value.ptr();
  if (PyBool_Check(object))
    return check(kiln_kernel_request_set_bool(request, name.c_str(), object == Py_True ? 1 : 0));
  if (PyFloat_Check(object))
    return check(kiln_kernel_request_set_double(request, name.c_str(), PyFloat_AsDouble(object)));
  if (PyUnicode_Check(object))
    return check(kiln_kernel_request_set_text(request, name.c_str(), nb::cast<std::string>(value).c_str()));
  check(kiln_kernel_request_set_int(request, name.c_str(), nb::cast<std::int64_t>(value)));
}

Kernel get_kernel(const Workload& workload, const std::string& kernel, const Device& device,
                  std::uintptr_t stream, const nb::dict& values, const nb::dict& headers,
                  const std::optional<std::string>& wisdom) {
  auto request = make<KernelRequest, kiln_kernel_request>([&](kiln_kernel_request** made) {
    return kiln_kernel_request_create(workload.get(), kernel.c_str(), device.get(),
                                      reinterpret_cast<void*>(stream), made);
  });
  for (auto [name, value] : values) set_value(request.get(), nb::cast<std::string>(name), value);
  for (auto [name, text] : headers)
    check(kiln_kernel_request_header(request.get(), nb::cast<std::string>(name).c_str(),
                                     nb::cast<std::string>(text).c_str()));
  if (wisdom) check(kiln_kernel_request_wisdom(request.get(), wisdom->empty() ? nullptr : wisdom->c_str()));
  auto made =
      make<KernelHandle, kiln_kernel>([&](kiln_kernel** to) { return kiln_kernel_get(request.get(), to); });
  deliver_messages();
  return {std::move(made), device};
}

kiln_scalar scalar_of(const char* name, nb::handle value) {
  PyObject* object = value.ptr();
  kiln_scalar scalar{name, KILN_SCALAR_INT, {}};
  if (PyBool_Check(object)) {
    scalar.kind = KILN_SCALAR_BOOL;
    scalar.value.boolean = object == Py_True ? 1 : 0;
  } else if (PyFloat_Check(object)) {
    scalar.kind = KILN_SCALAR_DOUBLE;
    scalar.value.real = PyFloat_AsDouble(object);
  } else {
    const Owned number(PyNumber_Index(object));
    if (!number) throw nb::python_error();
    int overflow = 0;
    scalar.value.integer = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
    if (overflow != 0) {
      scalar.kind = KILN_SCALAR_UINT;
      scalar.value.natural = PyLong_AsUnsignedLongLong(number.get());
    }
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
  }
  return scalar;
}

/// A kernel of a workload knows how many pointers it takes, and no more: arrays of any element, of which each
/// may be written. One that is read-only may be one that the kernel reads.
FunctionState state_for(const Kernel& own, const std::string& name, std::size_t count) {
  FunctionState state = make_state(Function(nullptr), own.device, name);
  Slot slot;
  slot.bytes = sizeof(void*);
  slot.takes_any = true;
  slot.takes_read_only = true;
  slot.declared = "an array";
  state.slots.assign(count, slot);
  return state;
}

void launch(const Kernel& own, bool wait, const nb::args& arrays, const nb::kwargs& named) {
  kiln_kernel_info info{};
  info.size = sizeof info;
  check(kiln_kernel_get_info(own.handle.get(), &info));
  FunctionState state = state_for(own, info.name, arrays.size());
  Target target;
  std::vector<std::string> names;
  std::vector<kiln_scalar> scalars;
  names.reserve(named.size());
  for (auto [key, value] : named) {
    const auto& name = names.emplace_back(nb::cast<std::string>(key));
    if (name == "stream") {
      if (!read_stream(value.ptr(), target)) throw nb::python_error();
    } else {
      scalars.push_back(scalar_of(name.c_str(), value));
    }
  }
  std::vector<PyObject*> objects;
  for (nb::handle array : arrays) objects.push_back(array.ptr());
  Values values(state);
  if (!values.take(state, objects.data(), target)) throw nb::python_error();
  const std::vector<void*> pointers = values.addresses(objects.size());
  const auto enqueue = [&] {
    return kiln_kernel_launch(own.handle.get(), target.stream, pointers.size(), pointers.data(),
                              scalars.size(), scalars.data());
  };
  if (!wait) return check(enqueue());
  check(without_gil([&] {
    if (target.stream == nullptr)
      return kiln_kernel_run(own.handle.get(), pointers.size(), pointers.data(), scalars.size(),
                             scalars.data());
    const kiln_status status = enqueue();
    return status == KILN_OK ? wait_for(own.device, target.stream) : status;
  }));
  deliver_messages();
}

nb::dict info_of(const Kernel& own) {
  kiln_kernel_info info{};
  info.size = sizeof info;
  check(kiln_kernel_get_info(own.handle.get(), &info));
  nb::dict result;
  result["name"] = info.name;
  result["origin"] = info.origin;
  result["key"] = info.key;
  result["wisdom"] = info.wisdom;
  result["compile_seconds"] = info.compile_seconds;
  return result;
}

}  // namespace

void bind_workloads(nb::module_& module) {
  nb::class_<Workload>(module, "Workload")
      .def_prop_ro("name", [](const Workload& own) { return kiln_workload_name(own.get()); })
      .def("kernels", &kernels_of)
      .def("get", &get_kernel, nb::arg("kernel"), nb::arg("device"), nb::arg("stream"), nb::arg("values"),
           nb::arg("headers"), nb::arg("wisdom").none());
  nb::class_<Kernel>(module, "Kernel")
      .def("__call__", [](const Kernel& own, const nb::args& arrays,
                          const nb::kwargs& named) { launch(own, false, arrays, named); })
      .def("run", [](const Kernel& own, const nb::args& arrays,
                     const nb::kwargs& named) { launch(own, true, arrays, named); })
      .def("_info", &info_of);
  module.def("load_workload", &load, nb::arg("service"), nb::arg("name"));
}

}  // namespace kiln::python
