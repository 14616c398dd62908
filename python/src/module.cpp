#include "error.h"
#include "handles.h"

NB_MODULE(_kiln, module) {
  using namespace kiln::python;  // NOLINT: the module's own names
  module.doc() = "The functions of kiln.h, for the package kiln.";
  module.attr("ABI") = kiln_abi();
  module.attr("library_version") = kiln_version();
  // Services and functions in a program's global variables live to the end, when Python frees no module any
  // more.
  nb::set_leak_warnings(false);
  // What does nothing but be called, for measurements of a call's cost.
  module.def(
      "nothing", [](nb::handle, nb::handle, nb::handle, nb::handle) {}, nb::arg().none(), nb::arg().none(),
      nb::arg().none(), nb::arg().none());
  bind_errors(module);
  bind_service(module);
  bind_functions(module);
  bind_streams(module);
  bind_arrays(module);
  bind_workloads(module);
  bind_jobs(module);
  bind_steps(module);
}
