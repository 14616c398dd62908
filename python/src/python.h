#pragma once

// Python's and nanobind's headers, and what the stable ABI of 3.11 lacks in its headers though every Python
// since has it.

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <structmember.h>

namespace nb = nanobind;

namespace kiln::python {

/// PEP 590. In the stable ABI since 3.12; 3.11 has them with the same values.
using Vectorcall = PyObject* (*)(PyObject* callable, PyObject* const* arguments, std::size_t count,
                                 PyObject* names);
constexpr unsigned long kHaveVectorcall = 1UL << 11U;
constexpr std::size_t kArgumentsOffset = std::size_t{1} << (8 * sizeof(std::size_t) - 1);

/// A reference that is given back at the end of the scope.
class Owned {
 public:
  explicit Owned(PyObject* object = nullptr) : object_(object) {}
  Owned(Owned&& other) noexcept : object_(other.release()) {}
  Owned& operator=(Owned&& other) noexcept {
    PyObject* old = object_;
    object_ = other.release();
    Py_XDECREF(old);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { Py_XDECREF(object_); }

  [[nodiscard]] PyObject* get() const { return object_; }
  [[nodiscard]] PyObject* release() {
    PyObject* object = object_;
    object_ = nullptr;
    return object;
  }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_;
};

}  // namespace kiln::python

// Of the C API since 3.9; in the headers of the stable ABI since 3.12.
#if Py_LIMITED_API + 0 < 0x030c0000
extern "C" PyObject* PyVectorcall_Call(PyObject* callable, PyObject* tuple, PyObject* dict);
#endif
