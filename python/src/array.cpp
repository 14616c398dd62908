#include "array.h"

#include <algorithm>
#include <memory>
#include <type_traits>

namespace kiln::python {
namespace {

PyTypeObject* own_type = nullptr;

std::size_t count_of(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) throw nb::value_error("shape: an extent is negative");
    if (__builtin_mul_overflow(count, static_cast<std::size_t>(extent), &count))
      throw nb::value_error("shape: more elements than can be counted");
  }
  return count;
}

kiln_buffer* create(const Device& device, std::size_t count, std::size_t bytes) {
  kiln_buffer* buffer = nullptr;
  check(without_gil([&] { return kiln_buffer_create(device.get(), count, bytes, &buffer); }));
  return buffer;
}

/// What a null stream means on the device; released at the end of the scope.
Handle<kiln_stream, kiln_stream_release> null_stream(const Device& device) {
  kiln_stream* stream = nullptr;
  check(kiln_stream_borrow(device.get(), nullptr, &stream));
  return Handle<kiln_stream, kiln_stream_release>(stream);
}

/// What the tensor of a capsule keeps: the array and its shape.
struct Exported {
  PyObject* owner;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  ///< older consumers want them
};

/// A consumer may call this in any thread, and after Python has ended.
template <class Managed>
void give_back(Managed* managed) {
  auto* exported = static_cast<Exported*>(managed->context);
  if (Py_IsInitialized() != 0) {
    const nb::gil_scoped_acquire gil;
    Py_DECREF(exported->owner);
  }
  delete exported;
  delete managed;
}

template <class Managed>
void drop_capsule(PyObject* capsule, const char* name) {
  if (PyCapsule_IsValid(capsule, name) == 0)
    return;  // a consumer has taken the tensor over, and its name away
  give_back(static_cast<Managed*>(PyCapsule_GetPointer(capsule, name)));
}

constexpr const char* kPlain = "dltensor";
constexpr const char* kVersioned = "dltensor_versioned";

void drop_plain(PyObject* capsule) {
  drop_capsule<dl::ManagedTensor>(capsule, kPlain);
}
void drop_versioned(PyObject* capsule) {
  drop_capsule<dl::ManagedTensorVersioned>(capsule, kVersioned);
}

template <class Managed>
nb::object capsule_of(nb::handle self, const Array& array, void* data, const char* name,
                      PyCapsule_Destructor drop) {
  auto exported = std::make_unique<Exported>(Exported{nullptr, array.shape(), {}});
  exported->strides.resize(exported->shape.size());
  std::int64_t stride = 1;
  for (std::size_t axis = exported->shape.size(); axis-- > 0; stride *= exported->shape[axis])
    exported->strides[axis] = stride;
  auto managed = std::make_unique<Managed>();
  if constexpr (std::is_same_v<Managed, dl::ManagedTensorVersioned>) managed->version = {1, 0};
  managed->tensor = {data,
                     array.place(),
                     static_cast<std::int32_t>(exported->shape.size()),
                     array.dtype(),
                     exported->shape.data(),
                     exported->strides.data(),
                     0};
  managed->context = exported.get();
  managed->deleter = &give_back<Managed>;
  PyObject* capsule = PyCapsule_New(managed.get(), name, drop);
  if (capsule == nullptr) throw nb::python_error();
  exported->owner = self.inc_ref().ptr();
  (void)exported.release();
  (void)managed.release();
  return nb::steal(capsule);
}

/// A capsule of `__dlpack__()` for work on this stream.
nb::object make_capsule(nb::handle self, const Stream* stream, bool versioned) {
  auto& array = nb::cast<Array&>(self);
  void* data = array.count() == 0 ? nullptr : reinterpret_cast<void*>(array.shared_address(stream));
  if (versioned)
    return capsule_of<dl::ManagedTensorVersioned>(self, array, data, kVersioned, &drop_versioned);
  return capsule_of<dl::ManagedTensor>(self, array, data, kPlain, &drop_plain);
}

}  // namespace

Array::Array(Device device, std::vector<std::int64_t> shape, std::uint8_t code, std::uint8_t bits)
    : device_(std::move(device)),
      place_(device_of(kiln_device_id(device_.get()))),
      shape_(std::move(shape)),
      dtype_{code, bits, 1},
      count_(count_of(shape_)),
      buffer_(create(device_, std::max<std::size_t>(count_, 1), bits / 8U)) {}

std::uintptr_t Array::on_host(int access) {
  void* address = nullptr;
  const auto own = null_stream(device_);
  check(without_gil([&] {
    const std::lock_guard lock(mutex_);
    if (is_shared_) {  // the device's side is taken as changed
      const kiln_status status = kiln_buffer_on_device(buffer_.get(), own.get(), KILN_UPDATE, &address);
      if (status != KILN_OK) return status;
    }
    return kiln_buffer_on_host(buffer_.get(), effective(static_cast<kiln_access>(access)), &address);
  }));
  return reinterpret_cast<std::uintptr_t>(address);
}

std::uintptr_t Array::address(const Stream* stream, int access) {
  void* address = nullptr;
  const auto own = stream == nullptr ? null_stream(device_) : stream->handle;
  check(without_gil([&] { return on_device(own.get(), static_cast<kiln_access>(access), &address); }));
  return reinterpret_cast<std::uintptr_t>(address);
}

std::uintptr_t Array::shared_address(const Stream* stream) {
  const std::uintptr_t shared = address(stream, KILN_UPDATE);
  const std::lock_guard lock(mutex_);
  is_shared_ = true;
  return shared;
}

bool is_own_array(PyTypeObject* type) {
  return own_type != nullptr && PyType_IsSubtype(type, own_type) != 0;
}

void bind_arrays(nb::module_& module) {
  auto type =
      nb::class_<Array>(module, "Array")
          .def(nb::init<Device, std::vector<std::int64_t>, std::uint8_t, std::uint8_t>(), nb::arg("device"),
               nb::arg("shape"), nb::arg("code"), nb::arg("bits"))
          .def("_on_host", &Array::on_host, nb::arg("access"))
          .def("_on_device", &Array::address, nb::arg("stream").none(), nb::arg("access"))
          .def("_shared", &Array::shared_address, nb::arg("stream").none())
          .def("_dlpack", &make_capsule, nb::arg("stream").none(), nb::arg("versioned"))
          .def_prop_ro("_dlpack_device",
                       [](const Array& own) {
                         return nb::make_tuple(static_cast<int>(own.place().type), own.place().id);
                       })
          .def_prop_ro("_shape", &Array::shape)
          .def_prop_ro("_device", &Array::device)
          .def_prop_ro("_dtype",
                       [](const Array& own) { return nb::make_tuple(own.dtype().code, own.dtype().bits); })
          .def_prop_ro("size", &Array::count)
          .def_prop_ro("nbytes", &Array::bytes);
  own_type = reinterpret_cast<PyTypeObject*>(type.ptr());
}

}  // namespace kiln::python
