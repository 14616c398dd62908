#include "array_view.h"

#include <cstring>
#include <memory>

#include "array.h"

namespace kiln::python {
namespace {

/// Interned, for as long as the process runs.
PyObject* interned(const char* text) {
  return PyUnicode_InternFromString(text);
}

bool is_dense(const dl::Tensor& tensor) {
  if (tensor.strides == nullptr) return true;
  std::int64_t expected = 1;
  for (std::int32_t axis = tensor.ndim; axis-- > 0;) {
    if (tensor.shape[axis] == 0) return true;
    if (tensor.shape[axis] != 1 && tensor.strides[axis] != expected) return false;
    expected *= tensor.shape[axis];
  }
  return true;
}

bool is_dense(const Py_buffer& buffer) {
  if (buffer.strides == nullptr) return true;
  Py_ssize_t expected = buffer.itemsize;
  for (int axis = buffer.ndim; axis-- > 0;) {
    if (buffer.shape[axis] == 0) return true;
    if (buffer.shape[axis] != 1 && buffer.strides[axis] != expected) return false;
    expected *= buffer.shape[axis];
  }
  return true;
}

void read_tensor(const dl::Tensor& tensor, ArrayView& view) {
  view.data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  view.device = tensor.device;
  view.dtype = tensor.dtype;
  view.is_dense = is_dense(tensor);
}

dl::DataType dtype_of(dl::TypeCode code, Py_ssize_t bytes) {
  return {code, static_cast<std::uint8_t>(bytes * 8), 1};
}

/// Of the struct module's format of one element. Opaque: anything but one number of at most 16 bytes.
dl::DataType dtype_of_format(const char* format, Py_ssize_t bytes) {
  const dl::DataType opaque{dl::kOpaque, 0, 1};
  if (bytes > 16) return opaque;
  if (format == nullptr) return dtype_of(dl::kUInt, bytes);
  if (*format == '@' || *format == '=' || *format == '<' || *format == '|') ++format;
  const bool is_complex = *format == 'Z';
  if (is_complex) ++format;
  if (*format == '\0' || format[1] != '\0') return opaque;
  if (std::strchr("efdg", *format) != nullptr) return dtype_of(is_complex ? dl::kComplex : dl::kFloat, bytes);
  if (is_complex) return opaque;
  if (std::strchr("bhilqn", *format) != nullptr) return dtype_of(dl::kInt, bytes);
  if (std::strchr("BHILQNc", *format) != nullptr) return dtype_of(dl::kUInt, bytes);
  return *format == '?' ? dtype_of(dl::kBool, bytes) : opaque;
}

bool view_buffer(PyObject* object, ArrayView& view, Loans& loans) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(object, &buffer, PyBUF_RECORDS_RO) != 0) return false;
  view.data = buffer.buf;
  view.dtype = dtype_of_format(buffer.format, buffer.itemsize);
  view.is_read_only = buffer.readonly != 0;
  view.is_dense = is_dense(buffer);
  view.bytes = static_cast<std::size_t>(buffer.itemsize);
  loans.add(buffer);
  return true;
}

bool view_exchange(PyObject* object, const TypeRoute& route, bool for_write, ArrayView& view, Loans& loans) {
  if (for_write && route.may_be_read_only && route.api->managed_from_object != nullptr) {
    dl::ManagedTensorVersioned* managed = nullptr;
    if (route.api->managed_from_object(object, &managed) != 0) return false;
    loans.add(managed);
    read_tensor(managed->tensor, view);
    view.is_read_only = (managed->flags & dl::kReadOnly) != 0;
  } else {
    dl::Tensor tensor;
    if (route.api->tensor_from_object(object, &tensor) != 0) return false;
    read_tensor(tensor, view);
  }
  if (view.device.type == dl::kCpu || route.api->current_stream == nullptr) return true;
  if (route.api->current_stream(view.device.type, view.device.id, &view.stream) != 0) return false;
  view.has_stream = true;
  return true;
}

/// Streams as DLPack and `__cuda_array_interface__` number them: 1 is the legacy default stream of CUDA,
/// which is null here.
void* stream_of_number(long long number) {
  return number == 1 ? nullptr : reinterpret_cast<void*>(static_cast<std::uintptr_t>(number));
}

bool refuse_interface(const char* what) {
  PyErr_Format(PyExc_ValueError, "__cuda_array_interface__: %s", what);
  return false;
}

/// Of "<f8", NumPy's name of an element type. Opaque: anything but one number of at most 16 bytes in this
/// machine's order.
dl::DataType dtype_of_typestr(const char* typestr) {
  const dl::DataType opaque{dl::kOpaque, 0, 1};
  const long bytes = std::strtol(typestr + 2, nullptr, 10);
  if (bytes > 16 || (typestr[0] == '>' && bytes > 1)) return opaque;
  switch (typestr[1]) {
    case 'b':
      return dtype_of(dl::kBool, bytes);
    case 'i':
      return dtype_of(dl::kInt, bytes);
    case 'u':
      return dtype_of(dl::kUInt, bytes);
    case 'f':
      return dtype_of(dl::kFloat, bytes);
    case 'c':
      return dtype_of(dl::kComplex, bytes);
    default:
      return opaque;
  }
}

const char* typestr_or_null(PyObject* text) {
  const char* typestr = text == nullptr ? nullptr : PyUnicode_AsUTF8AndSize(text, nullptr);
  return typestr == nullptr || std::strlen(typestr) < 3 ? nullptr : typestr;
}

bool read_typestr(PyObject* interface, ArrayView& view) {
  const char* typestr = typestr_or_null(PyDict_GetItemString(interface, "typestr"));
  if (typestr == nullptr) return refuse_interface("no 'typestr'");
  view.bytes = static_cast<std::size_t>(std::strtol(typestr + 2, nullptr, 10));
  view.dtype = dtype_of_typestr(typestr);
  return true;
}

/// Reads one of NumPy's types. A number's type is the same object each time, and known after the first.
bool read_dtype(PyObject* dtype, dl::DataType& to) {
  struct Known {
    PyObject* object;
    dl::DataType dtype;
  };
  static auto* const known = new std::vector<Known>;
  for (const Known& one : *known) {
    if (one.object == dtype) {
      to = one.dtype;
      return true;
    }
  }
  const Owned text(PyObject_GetAttrString(dtype, "str"));
  const char* typestr = typestr_or_null(text.get());
  if (typestr == nullptr) return PyErr_Occurred() == nullptr;
  to = dtype_of_typestr(typestr);
  constexpr std::size_t kAtMost = 32;
  if (to.code != dl::kOpaque && known->size() < kAtMost) known->push_back({Py_NewRef(dtype), to});
  return true;
}

/// CuPy's dict of `__cuda_array_interface__` costs 0.8 us; the attributes that it is made of a tenth.
bool view_cupy(PyObject* object, const TypeRoute& route, ArrayView& view) {
  static PyObject* const kData = interned("data");
  static PyObject* const kPtr = interned("ptr");
  static PyObject* const kDeviceId = interned("device_id");
  static PyObject* const kContiguous = interned("_c_contiguous");
  static PyObject* const kDtype = interned("dtype");
  const Owned data(PyObject_GetAttr(object, kData));
  if (!data) return false;
  const Owned address(PyObject_GetAttr(data.get(), kPtr));
  const Owned device(address ? PyObject_GetAttr(data.get(), kDeviceId) : nullptr);
  const Owned contiguous(device ? PyObject_GetAttr(object, kContiguous) : nullptr);
  const Owned dtype(contiguous ? PyObject_GetAttr(object, kDtype) : nullptr);
  if (!dtype) return false;
  const long number = PyLong_AsLong(device.get());
  if (number == -1 && PyErr_Occurred() != nullptr) return false;
  view.device = {dl::kCuda, static_cast<std::int32_t>(number)};
  view.data = PyLong_AsVoidPtr(address.get());
  if (view.data == nullptr && PyErr_Occurred() != nullptr) return false;
  view.is_dense = contiguous.get() == Py_True;
  if (!read_dtype(dtype.get(), view.dtype)) return false;
  const std::intptr_t stream = route.cupy_stream(view.device.id);
  if (stream == -1 && PyErr_Occurred() != nullptr) return false;
  view.stream = reinterpret_cast<void*>(stream);
  view.has_stream = true;
  return true;
}

bool read_strides(PyObject* interface, ArrayView& view) {
  PyObject* strides = PyDict_GetItemString(interface, "strides");
  PyObject* shape = PyDict_GetItemString(interface, "shape");
  if (strides == nullptr || strides == Py_None || shape == nullptr) return true;
  if (!PyTuple_Check(strides) || !PyTuple_Check(shape)) return refuse_interface("'strides' is no tuple");
  auto expected = static_cast<long long>(view.bytes);
  for (Py_ssize_t axis = PyTuple_Size(shape); axis-- > 0;) {
    const long long extent = PyLong_AsLongLong(PyTuple_GetItem(shape, axis));
    const long long stride = PyLong_AsLongLong(PyTuple_GetItem(strides, axis));
    if (PyErr_Occurred() != nullptr) return false;
    if (extent == 0) {
      view.is_dense = true;
      return true;
    }
    if (extent != 1 && stride != expected) view.is_dense = false;
    expected *= extent;
  }
  return true;
}

/// `__cuda_array_interface__`, version 2 or 3. Its device is that of the pointer, which only the driver
/// knows: the one of the launch is assumed (`view.device.id` below 0).
bool view_cuda(PyObject* object, ArrayView& view) {
  static PyObject* const kName = interned("__cuda_array_interface__");
  const Owned interface(PyObject_GetAttr(object, kName));
  if (!interface) return false;
  if (!PyDict_Check(interface.get())) return refuse_interface("is no dict");
  PyObject* data = PyDict_GetItemString(interface.get(), "data");
  if (data == nullptr || !PyTuple_Check(data) || PyTuple_Size(data) != 2)
    return refuse_interface("no 'data'");
  view.data = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
  if (view.data == nullptr && PyErr_Occurred() != nullptr) return false;
  view.is_read_only = PyObject_IsTrue(PyTuple_GetItem(data, 1)) == 1;
  PyObject* mask = PyDict_GetItemString(interface.get(), "mask");
  if (mask != nullptr && mask != Py_None) return refuse_interface("the array has a mask");
  view.device = {dl::kCuda, -1};
  if (!read_typestr(interface.get(), view) || !read_strides(interface.get(), view)) return false;
  PyObject* stream = PyDict_GetItemString(interface.get(), "stream");
  if (stream == nullptr || stream == Py_None) return true;
  const long long number = PyLong_AsLongLong(stream);
  if (number == -1 && PyErr_Occurred() != nullptr) return false;
  view.stream = stream_of_number(number);
  view.has_stream = true;
  return true;
}

/// The capsule of `object.__dlpack__(stream=..., max_version=(1, 0))`, or of older forms of it.
Owned dlpack_capsule(PyObject* object, void* stream) {
  static PyObject* const kDlpack = interned("__dlpack__");
  static PyObject* const kDevice = interned("__dlpack_device__");
  const Owned export_it(PyObject_GetAttr(object, kDlpack));
  if (!export_it) return Owned();
  const Owned device_call(PyObject_GetAttr(object, kDevice));
  if (!device_call) return Owned();
  const Owned device(PyObject_CallObject(device_call.get(), nullptr));
  if (!device) return Owned();
  // The device may be an enumerator; compared by its number.
  const Owned first(PySequence_GetItem(device.get(), 0));
  if (!first) return Owned();
  const long type = PyLong_AsLong(first.get());
  if (type == -1 && PyErr_Occurred() != nullptr) return Owned();
  const bool on_host = type == dl::kCpu || type == dl::kCudaHost;
  Owned names(PyDict_New());
  if (!names) return Owned();
  const long long number = stream != nullptr
                               ? static_cast<long long>(reinterpret_cast<std::uintptr_t>(stream))
                           : type == dl::kRocm ? 0
                                               : 1;
  const Owned on_stream(on_host ? nullptr : PyLong_FromLongLong(number));
  if (on_stream && PyDict_SetItemString(names.get(), "stream", on_stream.get()) != 0) return Owned();
  const Owned version(Py_BuildValue("(ii)", 1, 0));
  if (!version || PyDict_SetItemString(names.get(), "max_version", version.get()) != 0) return Owned();
  const Owned none(PyTuple_New(0));
  Owned capsule(PyObject_Call(export_it.get(), none.get(), names.get()));
  if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError) != 0) {  // made before DLPack 1.0
    PyErr_Clear();
    if (PyDict_DelItemString(names.get(), "max_version") != 0) return Owned();
    capsule = Owned(PyObject_Call(export_it.get(), none.get(), names.get()));
  }
  return capsule;
}

bool view_dlpack(PyObject* object, void* stream, ArrayView& view, Loans& loans) {
  const Owned capsule = dlpack_capsule(object, stream);
  if (!capsule) return false;
  if (PyCapsule_IsValid(capsule.get(), "dltensor_versioned") != 0) {
    auto* managed =
        static_cast<dl::ManagedTensorVersioned*>(PyCapsule_GetPointer(capsule.get(), "dltensor_versioned"));
    if (managed->version.major != 1) {
      PyErr_Format(PyExc_ValueError, "__dlpack__() gave version %u; expected 1", managed->version.major);
      return false;
    }
    if (PyCapsule_SetName(capsule.get(), "used_dltensor_versioned") != 0) return false;
    loans.add(managed);
    read_tensor(managed->tensor, view);
    view.is_read_only = view.is_read_only || (managed->flags & dl::kReadOnly) != 0;
    return true;
  }
  auto* managed = static_cast<dl::ManagedTensor*>(PyCapsule_GetPointer(capsule.get(), "dltensor"));
  if (managed == nullptr || PyCapsule_SetName(capsule.get(), "used_dltensor") != 0) return false;
  loans.add(managed);
  read_tensor(managed->tensor, view);
  return true;
}

/// Of the type's own attribute; NULL where there is none that is understood.
const dl::ExchangeApi* exchange_api(PyTypeObject* type) {
  const Owned capsule(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__dlpack_c_exchange_api__"));
  if (!capsule || PyCapsule_IsValid(capsule.get(), "dlpack_exchange_api") == 0) {
    PyErr_Clear();
    return nullptr;
  }
  const auto* api =
      static_cast<const dl::ExchangeApi*>(PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
  while (api != nullptr && api->version.major != 1) api = api->previous;
  return api != nullptr && api->tensor_from_object != nullptr ? api : nullptr;
}

bool has_attribute(PyTypeObject* type, const char* name) {
  const Owned found(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), name));
  if (!found) PyErr_Clear();
  return static_cast<bool>(found);
}

/// What CuPy's own extensions call for the current stream of a device, from the table that Cython makes of
/// it. NULL: another release.
std::intptr_t (*cupy_stream())(int) {
  constexpr const char* kSignature = "intptr_t (int)";
  const Owned module(PyImport_ImportModule("cupy_backends.cuda.stream"));
  const Owned table(module ? PyObject_GetAttrString(module.get(), "__pyx_capi__") : nullptr);
  PyObject* capsule =
      table && PyDict_Check(table.get()) ? PyDict_GetItemString(table.get(), "get_stream_ptr") : nullptr;
  PyErr_Clear();
  if (capsule == nullptr || PyCapsule_IsValid(capsule, kSignature) == 0) return nullptr;
  return reinterpret_cast<std::intptr_t (*)(int)>(PyCapsule_GetPointer(capsule, kSignature));
}

bool is_of_hip_cupy() {
  const Owned runtime(PyImport_ImportModule("cupy_backends.cuda.api.runtime"));
  const Owned is_hip(runtime ? PyObject_GetAttrString(runtime.get(), "is_hip") : nullptr);
  PyErr_Clear();
  return !is_hip || is_hip.get() == Py_True;
}

bool has_buffer(PyTypeObject* type) {
  return PyType_GetSlot(type, Py_bf_getbuffer) != nullptr;
}

/// Of "torch" also where the module is "torch.nn.parameter".
bool is_of_package(PyTypeObject* type, const char* package) {
  const Owned module(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__module__"));
  const char* name = module ? PyUnicode_AsUTF8AndSize(module.get(), nullptr) : nullptr;
  PyErr_Clear();
  return name != nullptr && std::strncmp(name, package, std::strlen(package)) == 0;
}

TypeRoute find_route(PyTypeObject* type, bool on_host) {
  TypeRoute found;
  found.type = type;
  if (is_own_array(type)) {
    found.route = Route::kOwn;
    return found;
  }
  found.api = exchange_api(type);
  if (found.api != nullptr) {
    found.route = Route::kExchange;
    // PyTorch has no arrays that may only be read.
    found.may_be_read_only = !is_of_package(type, "torch");
    return found;
  }
  if (is_of_package(type,
                    "jax")) {  // by DLPack, which waits for the array as `__cuda_array_interface__` does not
    found.route = on_host ? Route::kBuffer : Route::kDlpack;
    found.is_immutable = true;
    return found;
  }
  if (!on_host && is_of_package(type, "cupy") && has_attribute(type, "_c_contiguous") && !is_of_hip_cupy())
    found.cupy_stream = cupy_stream();
  if (found.cupy_stream != nullptr)
    found.route = Route::kCupy;
  else if (on_host && has_buffer(type))
    found.route = Route::kBuffer;
  else if (!on_host && has_attribute(type, "__cuda_array_interface__"))
    found.route = Route::kCuda;
  else if (has_attribute(type, "__dlpack__"))
    found.route = Route::kDlpack;
  else if (has_attribute(type, "__cuda_array_interface__"))
    found.route = Route::kCuda;
  else
    found.route = has_buffer(type) ? Route::kBuffer : Route::kNone;
  return found;
}

}  // namespace

void Loans::give_back() {
  for (Loan& loan : loans_) {
    if (loan.kind == Kind::kBuffer) {
      PyBuffer_Release(&loan.buffer);
    } else if (loan.kind == Kind::kManaged) {
      auto* tensor = static_cast<dl::ManagedTensor*>(loan.tensor);
      if (tensor->deleter != nullptr) tensor->deleter(tensor);
    } else {
      auto* tensor = static_cast<dl::ManagedTensorVersioned*>(loan.tensor);
      if (tensor->deleter != nullptr) tensor->deleter(tensor);
    }
  }
}

const TypeRoute& route_of(PyTypeObject* type, bool on_host) {
  static auto* const known = new std::vector<std::unique_ptr<const TypeRoute>>[2];
  auto& of_place = known[on_host ? 1 : 0];
  for (const auto& one : of_place) {
    if (one->type == type) return *one;
  }
  const TypeRoute found = find_route(type, on_host);
  Py_INCREF(reinterpret_cast<PyObject*>(type));  // its address is not given to another type
  return *of_place.emplace_back(std::make_unique<const TypeRoute>(found));
}

bool view_array(PyObject* object, const TypeRoute& route, bool for_write, void* stream, ArrayView& view,
                Loans& loans) {
  switch (route.route) {
    case Route::kBuffer:
      if (view_buffer(object, view, loans)) return true;
      if (!has_attribute(route.type, "__dlpack__")) return false;
      PyErr_Clear();  // as of JAX, whose arrays are anywhere
      view.is_read_only = route.is_immutable;
      return view_dlpack(object, stream, view, loans);
    case Route::kExchange:
      return view_exchange(object, route, for_write, view, loans);
    case Route::kCupy:
      return view_cupy(object, route, view);
    case Route::kCuda:
      return view_cuda(object, view);
    case Route::kDlpack:
      view.is_read_only = route.is_immutable;
      return view_dlpack(object, stream, view, loans);
    case Route::kUnknown:
    case Route::kOwn:
    case Route::kNone:
      break;
  }
  PyErr_SetString(PyExc_TypeError, "no array");
  return false;
}

std::string dtype_name(dl::DataType dtype) {
  if (dtype.lanes != 1) return "a vector type";
  const std::string bits = std::to_string(dtype.bits);
  switch (dtype.code) {
    case dl::kInt:
      return "int" + bits;
    case dl::kUInt:
      return "uint" + bits;
    case dl::kFloat:
      return "float" + bits;
    case dl::kBfloat:
      return "bfloat" + bits;
    case dl::kComplex:
      return "complex" + bits;
    case dl::kBool:
      return "bool";
    default:
      return "a structure";
  }
}

std::string device_name(dl::Device device) {
  const std::string id = ":" + std::to_string(device.id);
  switch (device.type) {
    case dl::kCpu:
      return "the cpu";
    case dl::kCuda:
      return "cuda" + id;
    case dl::kCudaHost:
    case dl::kRocmHost:
      return "the host (pinned)";
    case dl::kCudaManaged:
      return "cuda (managed)";
    case dl::kRocm:
      return "hip" + id;
    default:
      return "device type " + std::to_string(device.type) + id;
  }
}

dl::Device device_of(const std::string& id) {
  const std::size_t colon = id.find(':');
  const std::int32_t number = colon == std::string::npos ? 0 : std::stoi(id.substr(colon + 1));
  if (id.starts_with("cuda")) return {dl::kCuda, number};
  if (id.starts_with("hip")) return {dl::kRocm, number};
  return {dl::kCpu, 0};
}

}  // namespace kiln::python
