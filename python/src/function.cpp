#include "function.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "array.h"

namespace kiln::python {
namespace {

std::string type_name(PyObject* object) {
  const Owned name(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__name__"));
  const char* text = name ? PyUnicode_AsUTF8AndSize(name.get(), nullptr) : nullptr;
  if (text == nullptr) PyErr_Clear();
  return text == nullptr ? "?" : text;
}

/// "an int", "a float".
std::string with_article(const std::string& noun) {
  const bool vowel = !noun.empty() && std::strchr("aeiouAEIOU", noun[0]) != nullptr;
  return (vowel ? "an " : "a ") + noun;
}

bool refuse(PyObject* type, const FunctionState& state, std::size_t index, const std::string& expected,
            const std::string& found) {
  set_error(type, place_of(state, index) + ": expected " + expected + "; found " + found);
  return false;
}

/// Words a TypeError anew; what else the argument raised is passed on.
bool refuse_scalar(const FunctionState& state, std::size_t index, PyObject* argument, const char* expected) {
  if (PyErr_Occurred() != nullptr && PyErr_ExceptionMatches(PyExc_TypeError) == 0 &&
      PyErr_ExceptionMatches(PyExc_BufferError) == 0)
    return false;
  PyErr_Clear();
  return refuse(PyExc_TypeError, state, index, expected, with_article(type_name(argument)));
}

bool refuse_range(const FunctionState& state, std::size_t index, PyObject* argument) {
  PyErr_Clear();
  const Slot& slot = state.slots[index];
  const Owned text(PyObject_Str(argument));
  const char* digits = text ? PyUnicode_AsUTF8AndSize(text.get(), nullptr) : nullptr;
  PyErr_Clear();  // Python prints no whole number of thousands of digits
  const char* kind = slot.kind == SlotKind::kSigned  ? "a whole number of "
                     : slot.kind == SlotKind::kFloat ? "a number of "
                                                     : "a whole number, 0 or more, of ";
  return refuse(PyExc_ValueError, state, index, kind + std::to_string(slot.bytes) + " bytes",
                digits == nullptr ? "a larger one" : digits);
}

/// A whole number of whatever type, but no float: NumPy's and PyTorch's scalars are.
Owned index_of(PyObject* argument) {
  return Owned(PyNumber_Index(argument));
}

bool take_signed(const FunctionState& state, std::size_t index, PyObject* argument, std::uint64_t& word) {
  long long value = 0;
  if (PyLong_CheckExact(argument)) {
    value = PyLong_AsLongLong(argument);
  } else {
    const Owned number = index_of(argument);
    if (!number) return refuse_scalar(state, index, argument, "a whole number");
    value = PyLong_AsLongLong(number.get());
  }
  if (value == -1 && PyErr_Occurred() != nullptr) return refuse_range(state, index, argument);
  const std::size_t bytes = state.slots[index].bytes;
  if (bytes < 8) {
    const long long limit = 1LL << (8 * bytes - 1);
    if (value < -limit || value >= limit) return refuse_range(state, index, argument);
  }
  std::memcpy(&word, &value, sizeof word);  // little-endian: the first bytes are the shorter number
  return true;
}

bool take_unsigned(const FunctionState& state, std::size_t index, PyObject* argument, std::uint64_t& word) {
  const Owned number = index_of(argument);
  if (!number) return refuse_scalar(state, index, argument, "a whole number");
  const unsigned long long value = PyLong_AsUnsignedLongLong(number.get());
  if (value == std::numeric_limits<unsigned long long>::max() && PyErr_Occurred() != nullptr)
    return refuse_range(state, index, argument);
  const std::size_t bytes = state.slots[index].bytes;
  if (bytes < 8 && value >> (8 * bytes) != 0) return refuse_range(state, index, argument);
  word = value;
  return true;
}

bool take_float(const FunctionState& state, std::size_t index, PyObject* argument, std::uint64_t& word) {
  const double value = PyFloat_AsDouble(argument);
  if (value == -1.0 && PyErr_Occurred() != nullptr) return refuse_scalar(state, index, argument, "a number");
  if (state.slots[index].bytes == sizeof(float)) {
    const auto single = static_cast<float>(value);
    if (std::isinf(single) && !std::isinf(value)) return refuse_range(state, index, argument);
    std::memcpy(&word, &single, sizeof single);
  } else {
    std::memcpy(&word, &value, sizeof value);
  }
  return true;
}

bool take_bool(const FunctionState& state, std::size_t index, PyObject* argument, std::uint64_t& word) {
  const std::string name = argument == Py_True || argument == Py_False ? "" : type_name(argument);
  if (!name.empty() && name != "bool_" && name != "bool")
    return refuse_scalar(state, index, argument, "a bool");
  const int value = PyObject_IsTrue(argument);
  if (value < 0) return false;
  word = value != 0 ? 1 : 0;
  return true;
}

bool take_number(const FunctionState& state, std::size_t index, PyObject* argument, std::uint64_t& word) {
  switch (state.slots[index].kind) {
    case SlotKind::kSigned:
      return take_signed(state, index, argument, word);
    case SlotKind::kUnsigned:
      return take_unsigned(state, index, argument, word);
    case SlotKind::kFloat:
      return take_float(state, index, argument, word);
    default:
      return take_bool(state, index, argument, word);
  }
}

bool is_same(dl::DataType a, dl::DataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

bool takes(const Slot& slot, dl::DataType dtype) {
  if (slot.takes_any) return true;
  return std::any_of(slot.elements.begin(), slot.elements.end(),
                     [&](dl::DataType one) { return is_same(one, dtype); });
}

std::string names_of(const Slot& slot) {
  std::string text;
  for (const dl::DataType& one : slot.elements) text += (text.empty() ? "" : " or ") + dtype_name(one);
  return text;
}

/// The launch's device works on this memory.
bool is_reached(const FunctionState& state, dl::Device device) {
  switch (device.type) {
    case dl::kCpu:
      return state.on_host;
    case dl::kCudaHost:
    case dl::kCudaManaged:
      return state.on_host || state.place.type == dl::kCuda;
    case dl::kRocmHost:
      return state.on_host || state.place.type == dl::kRocm;
    default:
      return device.type == state.place.type && (device.id < 0 || device.id == state.place.id);
  }
}

bool check_view(const FunctionState& state, std::size_t index, const ArrayView& view) {
  const Slot& slot = state.slots[index];
  if (!takes(slot, view.dtype))
    return refuse(PyExc_TypeError, state, index, "an array of " + names_of(slot),
                  "one of " + dtype_name(view.dtype));
  if (!is_reached(state, view.device))
    return refuse(PyExc_ValueError, state, index, "an array on " + device_name(state.place),
                  "one on " + device_name(view.device));
  if (view.is_read_only && !slot.is_const && !slot.takes_read_only)
    return refuse(PyExc_ValueError, state, index, "an array that can be written", "one that is read-only");
  if (!view.is_dense)
    return refuse(PyExc_ValueError, state, index, "a contiguous array, row by row",
                  "one with strides (take a copy; a transposed one is passed as x.T)");
  return true;
}

/// Of `object.name`, if it is a whole number.
bool read_number_attribute(PyObject* object, const char* name, void*& stream, bool& found) {
  const Owned value(PyObject_GetAttrString(object, name));
  if (!value) {
    PyErr_Clear();
    return true;
  }
  if (!PyLong_Check(value.get())) return true;
  stream = PyLong_AsVoidPtr(value.get());
  found = true;
  return stream != nullptr || PyErr_Occurred() == nullptr;
}

/// `__cuda_stream__()` gives (version, address); cuda.core had it as an attribute, too.
bool read_stream_protocol(PyObject* object, void*& stream, bool& found) {
  Owned value(PyObject_GetAttrString(object, "__cuda_stream__"));
  if (!value) {
    PyErr_Clear();
    return true;
  }
  if (PyCallable_Check(value.get()) != 0) value = Owned(PyObject_CallObject(value.get(), nullptr));
  if (!value) return false;
  const Owned address(PySequence_GetItem(value.get(), 1));
  if (!address) return false;
  stream = PyLong_AsVoidPtr(address.get());
  found = true;
  return stream != nullptr || PyErr_Occurred() == nullptr;
}

/// False: a Python exception is set.
bool borrow(const Device& device, void* native, std::shared_ptr<kiln_stream>& to) {
  kiln_stream* stream = nullptr;
  if (kiln_stream_borrow(device.get(), native, &stream) != KILN_OK) {
    set_last_error();
    return false;
  }
  to.reset(stream, kiln_stream_release);
  return true;
}

}  // namespace

std::string place_of(const FunctionState& state, std::size_t index) {
  const Slot& slot = state.slots[index];
  return state.name + ": argument " + std::to_string(index) + " (" +
         (slot.name.empty() ? "" : slot.name + ", ") + slot.declared + ")";
}

bool read_stream(PyObject* object, Target& target) {
  if (object == Py_None) return true;
  target.is_given = true;
  if (PyLong_Check(object)) {
    target.stream = PyLong_AsVoidPtr(object);
    return target.stream != nullptr || PyErr_Occurred() == nullptr;
  }
  if (const Stream* own = nullptr; nb::try_cast(nb::handle(object), own) && own != nullptr) {
    target.handle = own->handle.get();
    target.stream = kiln_stream_native(target.handle);
    return true;
  }
  bool found = false;
  if (!read_stream_protocol(object, target.stream, found)) return false;
  for (const char* name : {"cuda_stream", "ptr"}) {
    if (!found && !read_number_attribute(object, name, target.stream, found)) return false;
  }
  if (found) return true;
  set_error(
      PyExc_TypeError,
      "stream: expected None, an address, or an object with __cuda_stream__, .cuda_stream or .ptr; found " +
          with_article(type_name(object)));
  return false;
}

Values::Values(const FunctionState& state) : pointers_(inline_pointers_), words_(inline_words_) {
  const std::size_t words = state.slots.size() + state.struct_bytes / sizeof(std::uint64_t);
  if (words > kInline) [[unlikely]] {
    more_pointers_.resize(state.slots.size());
    more_words_.resize(words);
    pointers_ = more_pointers_.data();
    words_ = more_words_.data();
  }
}

FunctionState make_state(std::variant<Function, Family> code, const Device& device, const std::string& name) {
  const dl::Device place = device_of(kiln_device_id(device.get()));
  return {std::move(code), device, place, place.type == dl::kCpu, name, {}, {}, 0, {}};
}

bool Values::take_struct(const FunctionState& state, std::size_t index, PyObject* argument) {
  // Behind the words of the other arguments; structures before this one have their places first.
  std::size_t word = state.slots.size();
  for (std::size_t i = 0; i < index; ++i) {
    if (state.slots[i].kind == SlotKind::kStruct) word += (state.slots[i].bytes + 7) / 8;
  }
  Py_buffer buffer;
  if (PyObject_GetBuffer(argument, &buffer, PyBUF_SIMPLE) != 0)
    return refuse_scalar(state, index, argument, "the bytes of a structure");
  const std::size_t bytes = state.slots[index].bytes;
  const auto given = static_cast<std::size_t>(buffer.len);
  if (given == bytes) std::memcpy(&words_[word], buffer.buf, bytes);
  PyBuffer_Release(&buffer);
  pointers_[index] = &words_[word];
  if (given == bytes) return true;
  return refuse(PyExc_ValueError, state, index, std::to_string(bytes) + " bytes", std::to_string(given));
}

bool Values::take_own(FunctionState& state, std::size_t index, PyObject* argument,
                      const kiln_stream* stream) {
  Array* array = nullptr;
  if (!nb::try_cast(nb::handle(argument), array) || array == nullptr)
    return refuse(PyExc_TypeError, state, index, "an array", "a kiln.Array whose __init__ has not run");
  ArrayView view;
  view.device = array->place();
  view.dtype = array->dtype();
  if (!check_view(state, index, view)) return false;
  words_[index] = 0;
  if (array->count() == 0) return true;
  const kiln_access access = state.slots[index].is_const ? KILN_READ : KILN_UPDATE;
  void* address = nullptr;
  if (array->on_device(stream, access, &address) != KILN_OK) {
    set_last_error();
    return false;
  }
  words_[index] = reinterpret_cast<std::uintptr_t>(address);
  return true;
}

bool Values::take_array(FunctionState& state, std::size_t index, PyObject* argument, Target& target) {
  Slot& slot = state.slots[index];
  if (argument == Py_None) {
    words_[index] = 0;
    return true;
  }
  PyTypeObject* type = Py_TYPE(argument);
  if (slot.route == nullptr || slot.route->type != type) slot.route = &route_of(type, state.on_host);
  const TypeRoute& route = *slot.route;
  if (route.route == Route::kOwn || (route.route == Route::kDlpack && !state.on_host)) {
    if (!has_late_) late_.assign(state.slots.size(), false);
    has_late_ = late_[index] = true;  // needs the launch's stream, which an array behind this one may say
    return true;
  }
  if (route.route == Route::kNone)
    return refuse(PyExc_TypeError, state, index,
                  slot.takes_any ? "an array" : "an array of " + names_of(slot),
                  with_article(type_name(argument)) +
                      (PyLong_Check(argument) ? " (addresses are taken by .unchecked(...))" : ""));
  ArrayView view;
  if (!view_array(argument, route, !slot.is_const, target.stream, view, loans_)) return false;
  if (!check_view(state, index, view)) return false;
  if (view.has_stream && !target.is_given && view.device.type == state.place.type)
    target.stream = view.stream;
  words_[index] = reinterpret_cast<std::uintptr_t>(view.data);
  return true;
}

bool Values::take_late(FunctionState& state, PyObject* const* arguments, Target& target) {
  std::shared_ptr<kiln_stream> borrowed;
  for (std::size_t i = 0; i < state.slots.size(); ++i) {
    if (!late_[i]) continue;
    // Looked up again: Python code that another argument ran may have launched this function meanwhile.
    const TypeRoute& route = route_of(Py_TYPE(arguments[i]), state.on_host);
    if (route.route != Route::kOwn) {
      ArrayView view;
      if (!view_array(arguments[i], route, !state.slots[i].is_const, target.stream, view, loans_))
        return false;
      if (!check_view(state, i, view)) return false;
      words_[i] = reinterpret_cast<std::uintptr_t>(view.data);
      continue;
    }
    const kiln_stream* handle = target.handle;
    if (handle == nullptr) {
      std::shared_ptr<kiln_stream>& own = target.stream == nullptr ? state.null_stream : borrowed;
      if (!own && !borrow(state.device, target.stream, own)) return false;
      handle = own.get();
    }
    if (!take_own(state, i, arguments[i], handle)) return false;
  }
  return true;
}

bool Values::take(FunctionState& state, PyObject* const* arguments, Target& target) {
  for (std::size_t i = 0; i < state.slots.size(); ++i) {
    pointers_[i] = &words_[i];
    const SlotKind kind = state.slots[i].kind;
    if (kind == SlotKind::kPointer) {
      if (!take_array(state, i, arguments[i], target)) return false;
    } else if (kind == SlotKind::kStruct) {
      if (!take_struct(state, i, arguments[i])) return false;
    } else if (!take_number(state, i, arguments[i], words_[i])) {
      return false;
    }
  }
  return !has_late_ || take_late(state, arguments, target);
}

std::vector<void*> Values::addresses(std::size_t count) const {
  std::vector<void*> addresses(count);
  for (std::size_t i = 0; i < count; ++i) addresses[i] = *static_cast<void**>(pointers_[i]);
  return addresses;
}

bool Values::take_unchecked(const FunctionState& state, PyObject* const* arguments) {
  for (std::size_t i = 0; i < state.slots.size(); ++i) {
    pointers_[i] = &words_[i];
    const SlotKind kind = state.slots[i].kind;
    if (kind == SlotKind::kPointer) {
      void* address = arguments[i] == Py_None ? nullptr : PyLong_AsVoidPtr(arguments[i]);
      if (address == nullptr && PyErr_Occurred() != nullptr)
        return refuse_scalar(state, i, arguments[i], "an address");
      words_[i] = reinterpret_cast<std::uintptr_t>(address);
    } else if (kind == SlotKind::kStruct) {
      if (!take_struct(state, i, arguments[i])) return false;
    } else if (!take_number(state, i, arguments[i], words_[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace kiln::python
