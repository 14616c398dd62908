#include "handles.h"
#include "log.h"

namespace kiln::python {
namespace {

const char* text_or_null(const std::optional<std::string>& text) {
  return text ? text->c_str() : nullptr;
}

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

Service make_service(const std::optional<std::string>& application,
                     const std::optional<std::string>& settings, std::optional<nb::callable> log,
                     std::optional<nb::callable> progress) {
  kiln_service_options options{};
  options.size = sizeof options;
  options.application = text_or_null(application);
  options.settings = text_or_null(settings);
  auto* listeners = new Listeners;
  options.user = listeners;
  if (log) {
    options.log = &put_down;
    listeners->log = log->release().ptr();
  }
  if (progress) {
    options.progress = &report_progress;
    listeners->progress = progress->release().ptr();
  }
  auto service =
      make<Service, kiln_service>([&](kiln_service** made) { return kiln_service_create(&options, made); });
  deliver_messages();
  return service;
}

/// The bytes stay for as long as the process: what came from the service may outlive it.
void add_bundle(const Service& service, nb::bytes bundle) {
  check(kiln_service_add_bundle(service.get(), bundle.data(), bundle.size()));
  (void)bundle.release();
}

nb::dict statistics(const Service& service) {
  kiln_statistics now{};
  now.size = sizeof now;
  check(without_gil([&] { return kiln_service_statistics(service.get(), &now); }));
  deliver_messages();
  nb::dict result;
  result["memory_hits"] = now.memory_hits;
  result["disk_hits"] = now.disk_hits;
  result["compiled"] = now.compiled;
  result["waited"] = now.waited;
  result["failed"] = now.failed;
  result["compile_seconds"] = now.compile_seconds;
  result["load_seconds"] = now.load_seconds;
  result["bytes_read"] = now.bytes_read;
  result["bytes_written"] = now.bytes_written;
  return result;
}

Device open_device(const Service& service, const std::string& name) {
  auto device = make<Device, kiln_device>(
      [&](kiln_device** made) { return kiln_device_open(service.get(), name.c_str(), made); });
  deliver_messages();
  return device;
}

Program make_program(const Service& service, const std::string& name, const std::string& text) {
  return make<Program, kiln_program>([&](kiln_program** made) {
    return kiln_program_create(service.get(), name.c_str(), text.c_str(), made);
  });
}

std::vector<std::string> kernels_of(const Program& program) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kiln_program_kernel_count(program.get()); ++i)
    names.emplace_back(kiln_program_kernel_name(program.get(), i));
  return names;
}

Request make_request(const Program& program, const std::string& kernel, const Device& device,
                     std::uintptr_t stream) {
  return make<Request, kiln_function_request>([&](kiln_function_request** made) {
    return kiln_function_request_create(program.get(), kernel.c_str(), device.get(),
                                        reinterpret_cast<void*>(stream), made);
  });
}

/// A bool, an int or a float, as what it is.
void set_constant(const Request& request, int argument, const nb::object& value) {
  PyObject* object = value.ptr();
  if (PyBool_Check(object))
    return check(kiln_function_request_constant_bool(request.get(), argument, object == Py_True ? 1 : 0));
  if (PyFloat_Check(object))
    return check(kiln_function_request_constant_double(request.get(), argument, PyFloat_AsDouble(object)));
  const Owned number(PyNumber_Index(object));
  if (!number) throw nb::python_error();
  int overflow = 0;
  const long long whole = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (overflow == 0) return check(kiln_function_request_constant_int(request.get(), argument, whole));
  const unsigned long long natural = PyLong_AsUnsignedLongLong(number.get());
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  check(kiln_function_request_constant_uint(request.get(), argument, natural));
}

void bind_requests(nb::module_& module) {
  nb::class_<Request>(module, "Request")
      .def("template_args",
           [](const Request& own, const std::vector<std::string>& arguments) {
             check(kiln_function_request_template_args(own.get(), arguments.size(),
                                                       pointers_to(arguments).data()));
           })
      .def("define",
           [](const Request& own, const std::string& name, const std::string& value) {
             check(kiln_function_request_define(own.get(), name.c_str(), value.c_str()));
           })
      .def("constant", &set_constant)
      .def("block", [](const Request& own, std::uint32_t x, std::uint32_t y,
                       std::uint32_t z) { check(kiln_function_request_block(own.get(), x, y, z)); })
      .def("grid", [](const Request& own, std::uint32_t x, std::uint32_t y,
                      std::uint32_t z) { check(kiln_function_request_grid(own.get(), x, y, z)); })
      .def("cover", [](const Request& own, int x, int y,
                       int z) { check(kiln_function_request_cover(own.get(), x, y, z)); })
      .def("shared_bytes",
           [](const Request& own, std::uint32_t bytes) {
             check(kiln_function_request_shared_bytes(own.get(), bytes));
           })
      .def("launch_bounds",
           [](const Request& own, std::uint32_t threads, std::uint32_t blocks) {
             check(kiln_function_request_launch_bounds(own.get(), threads, blocks));
           })
      .def("options",
           [](const Request& own, const std::string& backend, const std::vector<std::string>& options) {
             check(kiln_function_request_options(own.get(), backend.c_str(), options.size(),
                                                 pointers_to(options).data()));
           })
      .def("fast_math",
           [](const Request& own, bool on) { check(kiln_function_request_fast_math(own.get(), on ? 1 : 0)); })
      .def("lineinfo",
           [](const Request& own, bool on) { check(kiln_function_request_lineinfo(own.get(), on ? 1 : 0)); });
}

std::uint64_t free_memory(const Device& device) {
  std::uint64_t bytes = 0;
  check(kiln_device_free_memory(device.get(), &bytes));
  return bytes;
}

}  // namespace

void bind_service(nb::module_& module) {
  nb::class_<Service>(module, "Service")
      .def_static("make", &make_service, nb::arg("application").none(), nb::arg("settings").none(),
                  nb::arg("log").none(), nb::arg("progress").none())
      .def("add_bundle", &add_bundle, nb::arg("bundle"))
      .def("statistics", &statistics)
      .def("write_trace", [](const Service& own) { check(kiln_service_write_trace(own.get())); })
      .def("device", &open_device, nb::arg("name"))
      .def("program", &make_program, nb::arg("name"), nb::arg("text"));
  nb::class_<Device>(module, "Device")
      .def_prop_ro("id", [](const Device& own) { return kiln_device_id(own.get()); })
      .def_prop_ro("name", [](const Device& own) { return kiln_device_name(own.get()); })
      .def_prop_ro("arch", [](const Device& own) { return kiln_device_arch(own.get()); })
      .def("free_memory", &free_memory)
      .def("synchronize", [](const Device& own) {
        check(without_gil([&] { return kiln_device_synchronize(own.get()); }));
        deliver_messages();
      });
  nb::class_<Program>(module, "Program")
      .def("header",
           [](const Program& own, const std::string& name, const std::string& text) {
             check(kiln_program_header(own.get(), name.c_str(), text.c_str()));
           })
      .def("symbol",
           [](const Program& own, const std::string& name, nb::bytes content) {
             check(kiln_program_symbol(own.get(), name.c_str(), content.data(), content.size()));
           })
      .def("kernels", &kernels_of)
      .def("request", &make_request, nb::arg("kernel"), nb::arg("device"), nb::arg("stream"));
  bind_requests(module);
}

}  // namespace kiln::python
