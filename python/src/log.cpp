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

int deliver_pending(void* /*unused*/) {
  deliver_messages();
  return 0;
}

}  // namespace

void* make_log_target(nb::callable function) {
  return function.release().ptr();
}

void put_down(void* target, kiln_log_level level, const char* message) {
  Mailbox& box = mailbox();
  const std::lock_guard lock(box.mutex);
  box.messages.push_back({static_cast<PyObject*>(target), level, message});
  // The main thread delivers at its next byte code; a full queue of calls is tried again with the next
  // message.
  if (!box.is_announced && Py_IsInitialized() != 0)
    box.is_announced = Py_AddPendingCall(&deliver_pending, nullptr) == 0;
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
