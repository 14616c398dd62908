#include <array>
#include <limits>
#include <optional>

#include "function.h"
#include "log.h"

// kiln.Function: a type of C, so that a call goes from the interpreter to the launch without a tuple, a dict
// or a method.
namespace kiln::python {
namespace {

struct Callable {
  PyObject head;  // NOLINT: PyObject_HEAD
  Vectorcall call;
  std::shared_ptr<FunctionState>* state;
  std::optional<kiln_shape>* shape;
};

PyTypeObject* callable_type = nullptr;
PyObject* info_class = nullptr;  ///< kiln.FunctionInfo
PyObject* stream_name = nullptr;

Callable* as_callable(PyObject* object) {
  return reinterpret_cast<Callable*>(object);
}
FunctionState& state_of(PyObject* object) {
  return **as_callable(object)->state;
}

/// The arguments of a call in the order of the signature, and its stream.
class Call {
 public:
  /// False: a Python exception is set.
  bool read(const FunctionState& state, PyObject* const* arguments, std::size_t count, PyObject* names) {
    arguments_ = arguments;
    const std::size_t wanted = state.slots.size();
    if (names == nullptr) [[likely]]
      return count == wanted || refuse_count(state, count);
    const Py_ssize_t named = PyTuple_Size(names);
    if (named == 1 && count == wanted && PyTuple_GetItem(names, 0) == stream_name)
      return read_stream(arguments[count], target);
    return read_names(state, arguments, count, names, named);
  }
  [[nodiscard]] PyObject* const* arguments() const { return arguments_; }

  Target target;

 private:
  static bool refuse_count(const FunctionState& state, std::size_t count) {
    set_error(PyExc_TypeError, state.name + " takes " + std::to_string(state.slots.size()) +
                                   " arguments; the call passes " + std::to_string(count));
    return false;
  }

  bool read_names(const FunctionState& state, PyObject* const* arguments, std::size_t count, PyObject* names,
                  Py_ssize_t named) {
    if (count > state.slots.size()) return refuse_count(state, count);
    ordered_.assign(state.slots.size(), nullptr);
    std::copy(arguments, arguments + count, ordered_.begin());
    std::size_t taken = count;
    for (Py_ssize_t i = 0; i < named; ++i) {
      PyObject* name = PyTuple_GetItem(names, i);
      PyObject* value = arguments[count + static_cast<std::size_t>(i)];
      if (PyUnicode_Compare(name, stream_name) == 0) {
        if (!read_stream(value, target)) return false;
        continue;
      }
      std::size_t slot = 0;
      while (slot < state.slots.size() &&
             (state.slots[slot].key == nullptr || PyUnicode_Compare(state.slots[slot].key.get(), name) != 0))
        ++slot;
      if (slot == state.slots.size() || ordered_[slot] != nullptr) {
        PyErr_Format(PyExc_TypeError,
                     slot == state.slots.size() ? "%s has no argument '%U'" : "%s: '%U' is passed twice",
                     state.name.c_str(), name);
        return false;
      }
      ordered_[slot] = value;
      ++taken;
    }
    if (taken != state.slots.size()) return refuse_count(state, taken);
    arguments_ = ordered_.data();
    return true;
  }

  PyObject* const* arguments_ = nullptr;
  std::vector<PyObject*> ordered_;
};

kiln_status enqueue(const Callable& self, const FunctionState& state, void* stream, void** values) {
  const auto* function = std::get_if<Function>(&state.code);
  if (function == nullptr) return kiln_family_launch(std::get<Family>(state.code).get(), stream, values);
  if (*self.shape) [[unlikely]]
    return kiln_launch_checked(function->get(), stream, &**self.shape, state.sizes.size(), values,
                               state.sizes.data());
  return kiln_launch(function->get(), stream, values);
}

PyObject* result_of(kiln_status status) {
  if (status == KILN_OK) [[likely]]
    return Py_NewRef(Py_None);
  set_last_error();
  return nullptr;
}

/// The first launch of a family with new values compiles.
PyObject* launch(const Callable& self, const FunctionState& state, void* stream, void** values) {
  if (std::holds_alternative<Function>(state.code)) [[likely]]
    return result_of(enqueue(self, state, stream, values));
  const kiln_status status = without_gil([&] { return enqueue(self, state, stream, values); });
  deliver_messages();
  return result_of(status);
}

PyObject* call_checked(PyObject* object, PyObject* const* arguments, std::size_t count, PyObject* names) {
  FunctionState& state = state_of(object);
  Call call;
  if (!call.read(state, arguments, count & ~kArgumentsOffset, names)) return nullptr;
  Values values(state);
  if (!values.take(state, call.arguments(), call.target)) return nullptr;
  return launch(*as_callable(object), state, call.target.stream, values.pointers());
}

/// unchecked(*values, stream=None)
PyObject* call_unchecked(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  FunctionState& state = state_of(object);
  Call call;
  if (!call.read(state, arguments, static_cast<std::size_t>(count), names)) return nullptr;
  Values values(state);
  if (!values.take_unchecked(state, call.arguments())) return nullptr;
  return launch(*as_callable(object), state, call.target.stream, values.pointers());
}

kiln_status wait_for(const FunctionState& state, const Target& target) {
  if (target.stream == nullptr && target.handle == nullptr)
    return kiln_device_synchronize(state.device.get());
  if (target.handle != nullptr) return kiln_stream_synchronize(target.handle);
  kiln_stream* borrowed = nullptr;
  kiln_status status = kiln_stream_borrow(state.device.get(), target.stream, &borrowed);
  if (status == KILN_OK) status = kiln_stream_synchronize(borrowed);
  kiln_stream_release(borrowed);
  return status;
}

/// run(*arguments, stream=None)
PyObject* call_run(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  const std::shared_ptr<FunctionState> state = *as_callable(object)->state;
  Call call;
  if (!call.read(*state, arguments, static_cast<std::size_t>(count), names)) return nullptr;
  Values values(*state);
  if (!values.take(*state, call.arguments(), call.target)) return nullptr;
  const kiln_status status = without_gil([&] {
    const kiln_status enqueued = enqueue(*as_callable(object), *state, call.target.stream, values.pointers());
    return enqueued != KILN_OK ? enqueued : wait_for(*state, call.target);
  });
  deliver_messages();
  return result_of(status);
}

/// time(repeats, *arguments)
PyObject* call_time(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  const std::shared_ptr<FunctionState> state = *as_callable(object)->state;
  const auto* function = std::get_if<Function>(&state->code);
  if (function == nullptr || *as_callable(object)->shape) {
    set_error(PyExc_TypeError, state->name + ": time() is for a function in the shape that it was got with");
    return nullptr;
  }
  if (count < 1) {
    set_error(PyExc_TypeError, "time() takes the number of launches before the arguments");
    return nullptr;
  }
  const long repeats = PyLong_AsLong(arguments[0]);
  if (repeats == -1 && PyErr_Occurred() != nullptr) return nullptr;
  if (repeats < 1 || repeats > std::numeric_limits<int>::max()) {
    set_error(PyExc_ValueError, "time(): expected 1 launch or more; found " + std::to_string(repeats));
    return nullptr;
  }
  Call call;
  if (!call.read(*state, arguments + 1, static_cast<std::size_t>(count - 1), names)) return nullptr;
  if (call.target.stream != nullptr) {
    set_error(PyExc_TypeError, "time() launches on the null stream");
    return nullptr;
  }
  call.target.is_given = true;
  Values values(*state);
  if (!values.take(*state, call.arguments(), call.target)) return nullptr;
  double seconds = 0;
  const kiln_status status = without_gil(
      [&] { return kiln_time(function->get(), static_cast<int>(repeats), values.pointers(), &seconds); });
  deliver_messages();
  if (status != KILN_OK) return result_of(status);
  return PyFloat_FromDouble(seconds);
}

/// 7, (7,), (7, 1, 1): blocks or work-items.
bool read_extent(PyObject* object, const char* what, std::uint32_t (&extent)[3]) {
  const bool is_tuple = PyTuple_Check(object);
  const Py_ssize_t count = is_tuple ? PyTuple_Size(object) : 1;
  if (count < 1 || count > 3) {
    PyErr_Format(PyExc_ValueError, "%s: expected one to three numbers; found %zd", what, count);
    return false;
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    extent[axis] = 1;
    if (static_cast<Py_ssize_t>(axis) >= count) continue;
    const Owned number(
        PyNumber_Index(is_tuple ? PyTuple_GetItem(object, static_cast<Py_ssize_t>(axis)) : object));
    const long value = number ? PyLong_AsLong(number.get()) : -1;
    if (PyErr_Occurred() != nullptr) return false;
    if (value < 1 || value > std::numeric_limits<std::uint32_t>::max()) {
      PyErr_Format(PyExc_ValueError, "%s: expected 1 or more; found %ld", what, value);
      return false;
    }
    extent[axis] = static_cast<std::uint32_t>(value);
  }
  return true;
}

/// f[grid], f[grid, block], f[grid, block, shared_bytes]
PyObject* subscript(PyObject* object, PyObject* key) {
  const bool is_tuple = PyTuple_Check(key);
  const Py_ssize_t count = is_tuple ? PyTuple_Size(key) : 1;
  if (count < 1 || count > 3) {
    PyErr_SetString(PyExc_TypeError, "expected f[grid], f[grid, block] or f[grid, block, shared_bytes]");
    return nullptr;
  }
  if (!std::holds_alternative<Function>(state_of(object).code)) {
    set_error(PyExc_TypeError, state_of(object).name + ": a family has the shape that it was got with");
    return nullptr;
  }
  kiln_shape shape{sizeof(kiln_shape), {1, 1, 1}, {0, 0, 0}, UINT64_MAX};
  if (!read_extent(is_tuple ? PyTuple_GetItem(key, 0) : key, "grid", shape.grid)) return nullptr;
  if (count > 1 && PyTuple_GetItem(key, 1) != Py_None &&
      !read_extent(PyTuple_GetItem(key, 1), "block", shape.block))
    return nullptr;
  if (count > 2) {
    shape.shared_bytes = PyLong_AsUnsignedLongLong(PyTuple_GetItem(key, 2));
    if (PyErr_Occurred() != nullptr) return nullptr;
  }
  return make_callable(*as_callable(object)->state, &shape);
}

PyObject* number_or_none(std::int64_t number) {
  return number < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(number);
}

PyObject* get_info(PyObject* object, void* /*unused*/) {
  const auto* function = std::get_if<Function>(&state_of(object).code);
  if (function == nullptr) {
    set_error(PyExc_AttributeError, "a family has no info: each of its functions has its own code");
    return nullptr;
  }
  kiln_function_info info{};
  info.size = sizeof info;
  if (kiln_function_get_info(function->get(), &info) != KILN_OK) return result_of(KILN_INTERNAL);
  return PyObject_CallFunction(
      info_class, "sssdNKKKN", info.name, info.origin, info.key, info.compile_seconds,
      number_or_none(info.registers), static_cast<unsigned long long>(info.static_shared_bytes),
      static_cast<unsigned long long>(info.local_bytes),
      static_cast<unsigned long long>(info.max_threads_per_block), number_or_none(info.resident_blocks));
}

PyObject* get_name(PyObject* object, void* /*unused*/) {
  return PyUnicode_FromString(state_of(object).name.c_str());
}

PyObject* get_signature(PyObject* object, void* /*unused*/) {
  std::string text;
  for (const Slot& slot : state_of(object).slots)
    text += (text.empty() ? "" : ", ") + slot.declared + (slot.name.empty() ? "" : " " + slot.name);
  return PyUnicode_FromString(text.c_str());
}

PyObject* get_device(PyObject* object, void* /*unused*/) {
  return PyUnicode_FromString(kiln_device_id(state_of(object).device.get()));
}

PyObject* represent(PyObject* object) {
  const FunctionState& state = state_of(object);
  const Owned signature(get_signature(object, nullptr));
  if (!signature) return nullptr;
  return PyUnicode_FromFormat("<kiln.Function %s(%U) on %s>", state.name.c_str(), signature.get(),
                              kiln_device_id(state.device.get()));
}

void destroy(PyObject* object) {
  Callable* self = as_callable(object);
  PyTypeObject* type = Py_TYPE(object);
  delete self->state;
  delete self->shape;
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

template <class F>
PyCFunction method(F* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

constexpr int kFast = METH_FASTCALL | METH_KEYWORDS;

// The C API keeps these tables, and takes them as changeable.
PyMethodDef methods[] = {  // NOLINT
    {"unchecked", method(call_unchecked), kFast, "Enqueues; pointers are addresses, and nothing is checked."},
    {"run", method(call_run), kFast, "Launches and waits; other Python threads run meanwhile."},
    {"time", method(call_time), kFast, "Median seconds of a launch: time(repeats, *arguments)."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef properties[] = {  // NOLINT
    {"info", get_info, nullptr, "What the code is and where it came from.", nullptr},
    {"name", get_name, nullptr, "\"axpy<double>\".", nullptr},
    {"signature", get_signature, nullptr, "The arguments' types and names.", nullptr},
    {"device", get_device, nullptr, "\"cuda:0\".", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef members[] = {  // NOLINT
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Callable, call), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot slots[] = {  // NOLINT
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_repr, reinterpret_cast<void*>(represent)},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_tp_members, members},
    {Py_mp_subscript, reinterpret_cast<void*>(subscript)},
    {Py_tp_doc,
     const_cast<char*>("A kernel that is loaded on a device: f(*arguments, stream=None) enqueues.")},
    {0, nullptr}};

dl::DataType element_of(const nb::tuple& element) {
  return {nb::cast<std::uint8_t>(element[0]), nb::cast<std::uint8_t>(element[1]), 1};
}

nb::object callable_of(std::variant<Function, Family> code, const Device& device, const std::string& name,
                       const nb::list& arguments) {
  auto state = std::make_shared<FunctionState>(make_state(std::move(code), device, name));
  for (nb::handle argument : arguments) {
    const Slot& slot = state->slots.emplace_back(slot_of(nb::cast<nb::tuple>(argument)));
    state->sizes.push_back(slot.bytes);
    if (slot.kind == SlotKind::kStruct) state->struct_bytes += (slot.bytes + 7) / 8 * 8;
  }
  PyObject* made = make_callable(std::move(state), nullptr);
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

nb::object get_function(const Request& request, const Device& device, const std::string& name,
                        const std::string& signature, const nb::list& arguments) {
  Function function = make<Function, kiln_function>(
      [&](kiln_function** made) { return kiln_function_get(request.get(), signature.c_str(), made); });
  deliver_messages();
  return callable_of(std::move(function), device, name, arguments);
}

nb::object get_family(const Request& request, const Device& device, const std::string& name,
                      const std::string& signature, const nb::list& arguments,
                      const std::vector<int>& keyed) {
  Family family = make<Family, kiln_family>([&](kiln_family** made) {
    return kiln_family_get(request.get(), signature.c_str(), keyed.size(), keyed.data(), made);
  });
  return callable_of(std::move(family), device, name, arguments);
}

}  // namespace

Slot slot_of(const nb::tuple& given) {
  Slot slot;
  slot.kind = static_cast<SlotKind>(nb::cast<std::string>(given[0])[0]);
  slot.bytes = nb::cast<std::size_t>(given[1]);
  slot.is_const = nb::cast<bool>(given[2]);
  slot.takes_any = nb::cast<bool>(given[3]);
  for (nb::handle element : nb::cast<nb::tuple>(given[4]))
    slot.elements.push_back(element_of(nb::cast<nb::tuple>(element)));
  slot.declared = nb::cast<std::string>(given[5]);
  slot.name = nb::cast<std::string>(given[6]);
  if (!slot.name.empty()) slot.key.reset(PyUnicode_InternFromString(slot.name.c_str()), &Py_DecRef);
  return slot;
}

PyObject* make_callable(std::shared_ptr<FunctionState> state, const kiln_shape* shape) {
  auto* allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(callable_type, Py_tp_alloc));
  PyObject* object = allocate(callable_type, 0);
  if (object == nullptr) return nullptr;
  Callable* self = as_callable(object);
  self->call = call_checked;
  self->state = new std::shared_ptr<FunctionState>(std::move(state));
  self->shape = new std::optional<kiln_shape>();
  if (shape != nullptr) *self->shape = *shape;
  return object;
}

void bind_functions(nb::module_& module) {
  stream_name = PyUnicode_InternFromString("stream");
  PyType_Spec spec{
      "kiln.Function", sizeof(Callable), 0,
      static_cast<unsigned int>(Py_TPFLAGS_DEFAULT | kHaveVectorcall | Py_TPFLAGS_DISALLOW_INSTANTIATION),
      slots};
  callable_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (callable_type == nullptr) throw nb::python_error();
  module.attr("Function") = nb::borrow(reinterpret_cast<PyObject*>(callable_type));
  module.def(
      "set_info_class", [](nb::object type) { info_class = type.release().ptr(); }, nb::arg("type"));
  module.def("get_function", &get_function, nb::arg("request"), nb::arg("device"), nb::arg("name"),
             nb::arg("signature"), nb::arg("arguments"));
  module.def("get_family", &get_family, nb::arg("request"), nb::arg("device"), nb::arg("name"),
             nb::arg("signature"), nb::arg("arguments"), nb::arg("keyed"));
}

}  // namespace kiln::python
