#include "error.h"

#include "log.h"

namespace kiln::python {
namespace {

/// kiln._errors.from_library(kind, message, log) -> exception. Lives as long as the process.
PyObject* from_library = nullptr;

}  // namespace

void set_last_error() {
  const auto kind = static_cast<long>(kiln_last_error_kind());
  if (kind == KILN_ERROR_CANCELLED) {
    if (const Owned raised = take_raised()) {
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.get())), raised.get());
      return;
    }
  }
  const char* message = kiln_last_error_message();
  const char* log = kiln_last_error_log();
  if (from_library == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, message);
    return;
  }
  const Owned error(PyObject_CallFunction(from_library, "lss", kind, message, log));
  if (error) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
}

void throw_last_error() {
  set_last_error();
  throw nb::python_error();
}

void set_error(PyObject* type, const std::string& message) {
  PyErr_SetString(type, message.c_str());
}

void bind_errors(nb::module_& module) {
  module.def(
      "set_error_factory",
      [](nb::callable factory) {
        Py_XDECREF(from_library);
        from_library = factory.release().ptr();
      },
      nb::arg("factory"));
}

}  // namespace kiln::python
