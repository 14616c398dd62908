#include "log.h"

#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace kiln::python {
namespace {

struct Message {
  PyObject* function;
  kiln_log_level level;
  std::string text;
};

struct Mailbox {
  std::mutex mutex;
  std::deque<Message> messages;
  bool is_announced = false;
};

/// Never destroyed: threads of Kiln's may report until the process ends.
Mailbox& mailbox() {
  static auto* const box = new Mailbox;
  return *box;
}

/// An exception on its way from the function of `progress` through Kiln to the caller.
thread_local PyObject* raised = nullptr;

int deliver_pending(void* /*unused*/) {
  deliver_messages();
  return 0;
}

}  // namespace

void put_down(void* listeners, kiln_log_level level, const char* message) {
  Mailbox& box = mailbox();
  const std::lock_guard lock(box.mutex);
  box.messages.push_back({static_cast<const Listeners*>(listeners)->log, level, message});
  // The main thread delivers at its next byte code; a full queue of calls is tried again with the next
  // message.
  if (!box.is_announced && Py_IsInitialized() != 0)
    box.is_announced = Py_AddPendingCall(&deliver_pending, nullptr) == 0;
}

int report_progress(void* listeners, kiln_stage stage, const char* kernel, double seconds) {
  const nb::gil_scoped_acquire gil;
  const Owned result(PyObject_CallFunction(static_cast<const Listeners*>(listeners)->progress, "isd",
                                           static_cast<int>(stage), kernel, seconds));
  if (result) return result.get() == Py_False ? 0 : 1;
  if (stage == KILN_STAGE_READY || stage == KILN_STAGE_FAILED) {  // the call has its result already
    PyErr_WriteUnraisable(static_cast<const Listeners*>(listeners)->progress);
    return 1;
  }
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace != nullptr) PyException_SetTraceback(value, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  Py_XDECREF(raised);
  raised = value;
  return 0;
}

Owned take_raised() {
  return Owned(std::exchange(raised, nullptr));
}

void deliver_messages() {
  std::deque<Message> messages;
  {
    Mailbox& box = mailbox();
    const std::lock_guard lock(box.mutex);
    box.is_announced = false;
    messages.swap(box.messages);
  }
  if (messages.empty()) return;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  for (const Message& message : messages) {
    const Owned result(
        PyObject_CallFunction(message.function, "is", static_cast<int>(message.level), message.text.c_str()));
    if (!result) PyErr_WriteUnraisable(message.function);
  }
  PyErr_Restore(type, value, trace);
}

}  // namespace kiln::python
