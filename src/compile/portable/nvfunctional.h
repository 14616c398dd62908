// <nvfunctional>: nvstd::function, which holds what a kernel calls by its types alone. Objects of up to 32
// bytes that are copied by their bytes, as lambdas and pointers to functions are, lie in it; others on the
// heap of the side that makes them. It takes no pointers to members. A call of an empty one is a trap.
#ifndef KILN_NVFUNCTIONAL
#define KILN_NVFUNCTIONAL

namespace nvstd {

template <class T>
__host__ __device__ T&& kiln_made();

__host__ __device__ inline void kiln_copy_bytes(char* to, const void* from, unsigned long count) {
  for (unsigned long i = 0; i < count; ++i) to[i] = static_cast<const char*>(from)[i];
}

template <class Signature>
class function;

template <class R, class... A>
class function<R(A...)> {
 public:
  using result_type = R;

  __host__ __device__ function() {}
  __host__ __device__ function(decltype(nullptr)) {}
  __host__ __device__ function(const function& other) { copy(other); }
  __host__ __device__ function(function&& other) { take(other); }
  template <class F, class = decltype(static_cast<R>(kiln_made<F&>()(kiln_made<A>()...)))>
  __host__ __device__ function(F object) {
    if constexpr (lies_inside<F>()) {
      kiln_copy_bytes(bytes_, &object, sizeof object);
      call_ = [](const void* bytes, A... arguments) -> R {
        return static_cast<R>((*static_cast<F*>(const_cast<void*>(bytes)))(static_cast<A&&>(arguments)...));
      };
    } else {
      hold(new F(static_cast<F&&>(object)));
      call_ = [](const void* bytes, A... arguments) -> R {
        return static_cast<R>((**static_cast<F* const*>(bytes))(static_cast<A&&>(arguments)...));
      };
      manage_ = [](function* to, function* from) {
        F* const object = *reinterpret_cast<F**>(from->bytes_);
        if (to != nullptr)
          to->hold(new F(*object));
        else
          delete object;
      };
    }
  }
  __host__ __device__ ~function() { clear(); }

  __host__ __device__ function& operator=(const function& other) {
    if (this != &other) {
      clear();
      copy(other);
    }
    return *this;
  }
  __host__ __device__ function& operator=(function&& other) {
    if (this != &other) {
      clear();
      take(other);
    }
    return *this;
  }
  __host__ __device__ function& operator=(decltype(nullptr)) {
    clear();
    return *this;
  }

  __host__ __device__ void swap(function& other) {
    function mine(static_cast<function&&>(*this));
    *this = static_cast<function&&>(other);
    other = static_cast<function&&>(mine);
  }
  __host__ __device__ explicit operator bool() const { return call_ != nullptr; }
  __host__ __device__ R operator()(A... arguments) const {
    if (call_ == nullptr) __trap();
    return call_(bytes_, static_cast<A&&>(arguments)...);
  }

 private:
  static constexpr int kBytes = 32;

  template <class F>
  __host__ __device__ static constexpr bool lies_inside() {
    return sizeof(F) <= kBytes && alignof(F) <= 16 && __is_trivially_copyable(F);
  }
  template <class F>
  __host__ __device__ void hold(F* object) {
    kiln_copy_bytes(bytes_, &object, sizeof object);
  }
  __host__ __device__ void copy(const function& other) {
    if (other.manage_ != nullptr)
      other.manage_(this, const_cast<function*>(&other));
    else
      kiln_copy_bytes(bytes_, other.bytes_, kBytes);
    call_ = other.call_;
    manage_ = other.manage_;
  }
  __host__ __device__ void take(function& other) {
    kiln_copy_bytes(bytes_, other.bytes_, kBytes);
    call_ = other.call_;
    manage_ = other.manage_;
    other.call_ = nullptr;
    other.manage_ = nullptr;
  }
  __host__ __device__ void clear() {
    if (manage_ != nullptr) manage_(nullptr, this);
    call_ = nullptr;
    manage_ = nullptr;
  }

  alignas(16) char bytes_[kBytes] = {};
  R (*call_)(const void*, A...) = nullptr;
  void (*manage_)(function* to, function* from) = nullptr;  ///< of objects on the heap; no `to`: it ends
};

template <class R, class... A>
__host__ __device__ bool operator==(const function<R(A...)>& one, decltype(nullptr)) {
  return !one;
}
template <class R, class... A>
__host__ __device__ bool operator!=(const function<R(A...)>& one, decltype(nullptr)) {
  return static_cast<bool>(one);
}
template <class R, class... A>
__host__ __device__ void swap(function<R(A...)>& one, function<R(A...)>& other) {
  one.swap(other);
}

}  // namespace nvstd

#endif
