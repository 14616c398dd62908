#include "array.h"

#include <algorithm>

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
  const kiln_access effectively = effective(static_cast<kiln_access>(access));
  check(without_gil([&] { return kiln_buffer_on_host(buffer_.get(), effectively, &address); }));
  return reinterpret_cast<std::uintptr_t>(address);
}

std::uintptr_t Array::address(const Stream* stream, int access) {
  void* address = nullptr;
  const auto own = stream == nullptr ? null_stream(device_) : stream->handle;
  check(without_gil([&] { return on_device(own.get(), static_cast<kiln_access>(access), &address); }));
  return reinterpret_cast<std::uintptr_t>(address);
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
          .def_prop_ro("_shape", &Array::shape)
          .def_prop_ro("_device", &Array::device)
          .def_prop_ro("_dtype",
                       [](const Array& own) { return nb::make_tuple(own.dtype().code, own.dtype().bits); })
          .def_prop_ro("size", &Array::count)
          .def_prop_ro("nbytes", &Array::bytes);
  own_type = reinterpret_cast<PyTypeObject*>(type.ptr());
}

}  // namespace kiln::python
