// cuda/atomic for a host compiler. A scope changes nothing: there is one kind of memory.
#pragma once

namespace kiln {

/// The operations of cuda::atomic and cuda::atomic_ref on the variable of type T that Self::place() gives.
template <class T, class Self>
class AtomicOperations {
  using Order = cuda::memory_order;
  KILN_INLINE_ALWAYS T* at() const { return static_cast<const Self*>(this)->place(); }
  static constexpr Order kAll = cuda::memory_order_seq_cst;

  /// The old value; what `change` makes of it is stored.
  template <class F>
  KILN_INLINE_ALWAYS T replace(F change) const {
    T old = load(cuda::memory_order_relaxed);
    for (;;) {
      T desired = change(old);
      if (__atomic_compare_exchange(at(), &old, &desired, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        return old;
    }
  }

 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = sizeof(T) <= 8;
  KILN_INLINE_ALWAYS bool is_lock_free() const { return is_always_lock_free; }
  KILN_INLINE_ALWAYS T load(Order = kAll) const {
    T value;
    __atomic_load(at(), &value, __ATOMIC_SEQ_CST);
    return value;
  }
  KILN_INLINE_ALWAYS void store(T value, Order = kAll) const {
    __atomic_store(at(), &value, __ATOMIC_SEQ_CST);
  }
  KILN_INLINE_ALWAYS operator T() const { return load(); }
  KILN_INLINE_ALWAYS T exchange(T value, Order = kAll) const {
    T old;
    __atomic_exchange(at(), &value, &old, __ATOMIC_SEQ_CST);
    return old;
  }
  KILN_INLINE_ALWAYS bool compare_exchange_strong(T& expected, T desired, Order = kAll, Order = kAll) const {
    return __atomic_compare_exchange(at(), &expected, &desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
  KILN_INLINE_ALWAYS bool compare_exchange_weak(T& expected, T desired, Order = kAll, Order = kAll) const {
    return compare_exchange_strong(expected, desired);
  }
  template <class V>
  KILN_INLINE_ALWAYS T fetch_add(V value, Order = kAll) const {
    return replace([&](T old) { return static_cast<T>(old + value); });
  }
  template <class V>
  KILN_INLINE_ALWAYS T fetch_sub(V value, Order = kAll) const {
    return replace([&](T old) { return static_cast<T>(old - value); });
  }
  KILN_INLINE_ALWAYS T fetch_and(T value, Order = kAll) const {
    return replace([&](T old) { return static_cast<T>(old & value); });
  }
  KILN_INLINE_ALWAYS T fetch_or(T value, Order = kAll) const {
    return replace([&](T old) { return static_cast<T>(old | value); });
  }
  KILN_INLINE_ALWAYS T fetch_xor(T value, Order = kAll) const {
    return replace([&](T old) { return static_cast<T>(old ^ value); });
  }
  KILN_INLINE_ALWAYS T fetch_min(T value, Order = kAll) const {
    return replace([&](T old) { return value < old ? value : old; });
  }
  KILN_INLINE_ALWAYS T fetch_max(T value, Order = kAll) const {
    return replace([&](T old) { return old < value ? value : old; });
  }
  KILN_INLINE_ALWAYS T operator++() const { return static_cast<T>(fetch_add(1) + 1); }
  KILN_INLINE_ALWAYS T operator++(int) const { return fetch_add(1); }
  KILN_INLINE_ALWAYS T operator--() const { return static_cast<T>(fetch_sub(1) - 1); }
  KILN_INLINE_ALWAYS T operator--(int) const { return fetch_sub(1); }
  template <class V>
  KILN_INLINE_ALWAYS T operator+=(V value) const {
    return static_cast<T>(fetch_add(value) + value);
  }
  template <class V>
  KILN_INLINE_ALWAYS T operator-=(V value) const {
    return static_cast<T>(fetch_sub(value) - value);
  }
  KILN_INLINE_ALWAYS T operator&=(T value) const { return static_cast<T>(fetch_and(value) & value); }
  KILN_INLINE_ALWAYS T operator|=(T value) const { return static_cast<T>(fetch_or(value) | value); }
  KILN_INLINE_ALWAYS T operator^=(T value) const { return static_cast<T>(fetch_xor(value) ^ value); }
  KILN_INLINE_ALWAYS void wait(T old, Order = kAll, unsigned line = __builtin_LINE()) const {
    for (T now = load(); __builtin_memcmp(&now, &old, sizeof(T)) == 0; now = load())
      kiln_let_others_run(line);
  }
  KILN_INLINE_ALWAYS void notify_one() const {}
  KILN_INLINE_ALWAYS void notify_all() const {}
};

}  // namespace kiln

namespace cuda {

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public kiln::AtomicOperations<T, atomic<T, Scope>> {
 public:
  atomic() = default;
  constexpr atomic(T value) : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  KILN_INLINE_ALWAYS T operator=(T value) {
    this->store(value);
    return value;
  }
  KILN_INLINE_ALWAYS T* place() const { return const_cast<T*>(&value_); }

 private:
  alignas(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0 ? sizeof(T) : alignof(T)) T value_;
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public kiln::AtomicOperations<T, atomic_ref<T, Scope>> {
 public:
  KILN_INLINE_ALWAYS explicit atomic_ref(T& value) : value_(&value) {}
  KILN_INLINE_ALWAYS T operator=(T value) const {
    this->store(value);
    return value;
  }
  KILN_INLINE_ALWAYS T* place() const { return value_; }

 private:
  T* value_;
};

KILN_SHIM void atomic_thread_fence(memory_order, thread_scope = thread_scope_system) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

namespace std {
template <class T>
using atomic_ref = cuda::atomic_ref<T>;
}

}  // namespace cuda
