#pragma once

#include <string>

#include "kiln.h"
#include "python.h"

// Messages of Kiln for a Python function. Kiln's threads report them while they hold Kiln's own lock, and a
// thread that holds the GIL may wait for that lock: so a message is only put down, and delivered by a thread
// that has the GIL.
namespace kiln::python {

/// The `user` of a kiln_log_function, for this callable (level, message). Lives as long as the process:
/// handles that outlive their service report, too.
[[nodiscard]] void* make_log_target(nb::callable function);
/// A kiln_log_function.
void put_down(void* target, kiln_log_level level, const char* message);
/// Delivers what was put down. Needs the GIL; keeps an exception that is set. What a function raises is
/// reported as unraisable.
void deliver_messages();

}  // namespace kiln::python
