#pragma once

#include <utility>

namespace kiln {

/// Sole owner of a handle that is not a pointer to a C++ object: a file descriptor, a dlopen handle, a driver
/// object. `Traits` supplies `using Handle`, `static Handle null()` and `static void close(Handle) noexcept`.
/// No other type in the project has a hand-written destructor and move.
template <class Traits>
class UniqueHandle {
 public:
  using Handle = typename Traits::Handle;

  UniqueHandle() = default;
  explicit UniqueHandle(Handle handle) : handle_(handle) {}
  UniqueHandle(UniqueHandle&& other) noexcept : handle_(other.release()) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  UniqueHandle(const UniqueHandle&) = delete;
  UniqueHandle& operator=(const UniqueHandle&) = delete;
  ~UniqueHandle() { reset(); }

  [[nodiscard]] Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != Traits::null(); }

  [[nodiscard]] Handle release() { return std::exchange(handle_, Traits::null()); }
  void reset(Handle handle = Traits::null()) noexcept {
    Handle old = std::exchange(handle_, handle);
    if (old != Traits::null()) Traits::close(old);
  }

 private:
  Handle handle_ = Traits::null();
};

}  // namespace kiln
