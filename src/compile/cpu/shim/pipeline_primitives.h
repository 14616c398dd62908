// cuda_pipeline.h and cuda_pipeline_primitives.h for a host compiler: copies are made at once.
#pragma once

KILN_SHIM void __pipeline_memcpy_async(void* __restrict to, const void* __restrict from, size_t bytes,
                                       size_t zeros = 0) {
  __builtin_memcpy(to, from, bytes - zeros);
  __builtin_memset(static_cast<char*>(to) + bytes - zeros, 0, zeros);
}
KILN_SHIM void __pipeline_commit() {}
KILN_SHIM void __pipeline_wait_prior(size_t) {}

namespace nvcuda {
namespace experimental {
class pipeline {
 public:
  size_t commit() { return commits_++; }
  void commit_and_wait() {}
  void wait(size_t) {}
  template <unsigned>
  void wait_prior() {}

 private:
  size_t commits_ = 0;
};
template <class T>
KILN_SHIM void memcpy_async(T& to, const T& from, pipeline&) {
  to = from;
}
}  // namespace experimental
}  // namespace nvcuda
