// What <cuda/atomic>, <cuda/barrier> and <cuda/pipeline> have in common, for a host compiler.
#pragma once

namespace cuda {
namespace std {
using namespace ::std;
}
using memory_order = ::std::memory_order;
constexpr memory_order memory_order_relaxed = ::std::memory_order_relaxed;
constexpr memory_order memory_order_consume = ::std::memory_order_consume;
constexpr memory_order memory_order_acquire = ::std::memory_order_acquire;
constexpr memory_order memory_order_release = ::std::memory_order_release;
constexpr memory_order memory_order_acq_rel = ::std::memory_order_acq_rel;
constexpr memory_order memory_order_seq_cst = ::std::memory_order_seq_cst;

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

/// A number of bytes that is a multiple of `Alignment`, at addresses that are.
template <size_t Alignment>
struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  constexpr explicit aligned_size_t(size_t bytes) : value(bytes) {}
  constexpr operator size_t() const { return value; }
};
}  // namespace cuda

namespace kiln {

/// The part of a copy that a work-item makes, as a member of a group.
template <class Group, class To, class From>
KILN_SHIM void copy_part(const Group& group, To* to, const From* from, size_t bytes) {
  const size_t size = group.size(), rank = group.thread_rank();
  const size_t words = (bytes + 15) / 16, each = (words + size - 1) / size;
  const size_t first = rank * each * 16 < bytes ? rank * each * 16 : bytes;
  const size_t last = first + each * 16 < bytes ? first + each * 16 : bytes;
  if (first < last)
    __builtin_memcpy(reinterpret_cast<char*>(to) + first, reinterpret_cast<const char*>(from) + first,
                     last - first);
}
struct Alone {
  static constexpr unsigned size() { return 1; }
  static constexpr unsigned thread_rank() { return 0; }
};

}  // namespace kiln
