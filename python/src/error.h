#pragma once

#include <string>

#include "kiln.h"
#include "python.h"

namespace kiln::python {

/// Makes a Python exception of this thread's last failure of Kiln, by `kiln._errors.from_library`.
void set_last_error();
/// The same as C++, for nanobind's functions.
[[noreturn]] void throw_last_error();
inline void check(kiln_status status) {
  if (status != KILN_OK) throw_last_error();
}

/// Raises a Python exception with Kiln's message, for functions of C.
void set_error(PyObject* type, const std::string& message);

void bind_errors(nb::module_& module);

/// Calls of Kiln that take long let other Python threads run.
template <class Call>
kiln_status without_gil(const Call& call) {
  const nb::gil_scoped_release released;
  return call();
}

}  // namespace kiln::python
