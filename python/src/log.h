#pragma once

#include <string>

#include "kiln.h"
#include "python.h"

// Messages of Kiln for a Python function. Kiln's threads report them while they hold Kiln's own lock, and a
// thread that holds the GIL may wait for that lock: so a message is only put down, and delivered by a thread
// that has the GIL.
namespace kiln::python {

/// A service's Python functions, the `user` of what it calls: log(level, message) and progress(stage, kernel,
/// seconds), or NULL. They live as long as the process: handles that outlive their service report, too.
struct Listeners {
  PyObject* log = nullptr;
  PyObject* progress = nullptr;
};
/// A kiln_log_function.
void put_down(void* listeners, kiln_log_level level, const char* message);
/// A kiln_progress_function. Called without the GIL, by the thread whose call gets a kernel. What the
/// function raises ends that call and is kept for it.
int report_progress(void* listeners, kiln_stage stage, const char* kernel, double seconds);
/// Takes what a function of `progress` raised in this thread; empty: nothing.
[[nodiscard]] Owned take_raised();
/// Delivers what was put down. Needs the GIL; keeps an exception that is set. What a function raises is
/// reported as unraisable.
void deliver_messages();

}  // namespace kiln::python
