// Launches of kernels by kernels. The run time runs a launch when the grid that asks for it has ended, or
// when that grid waits for it with cudaDeviceSynchronize.
#pragma once

#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(0x2))
#define cudaStreamTailLaunch (reinterpret_cast<cudaStream_t>(0x3))
#define cudaStreamFireAndForget (reinterpret_cast<cudaStream_t>(0x4))
#define cudaEventDefault 0x00
#define cudaEventDisableTiming 0x02

namespace kiln::cpu {

/// The arguments of a launch.
template <class... A>
struct KeptArguments {
  KILN_INLINE_ALWAYS void list(void**) {}
};
template <class A, class... Rest>
struct KeptArguments<A, Rest...> {
  typename Plain<A>::type first;
  KeptArguments<Rest...> rest;
  template <class... More>
  KILN_INLINE_ALWAYS explicit KeptArguments(A value, const More&... more) : first(value), rest(more...) {}
  KILN_INLINE_ALWAYS void list(void** places) {
    *places = &first;
    rest.list(places + 1);
  }
};

/// What the run time needs of the kernel F. Its block has any shape.
template <auto F, bool Waits, class Signature>
struct LaunchedKernel;
template <auto F, bool Waits, class... A>
struct LaunchedKernel<F, Waits, void (*)(A...)> {
  using Items = Runner<F, Shape<0, 0, 0, false>, void (*)(A...)>;

  struct Kept {
    KeptArguments<A...> values;
    void* places[sizeof...(A) + 1];
  };

  static void run_blocks(const Launch* launch, unsigned long long first, unsigned long long last,
                         Worker* worker) {
    if (static_cast<unsigned long long>(launch->grid.x) * launch->block.x > 0x7ffffff0ull)
      Items::run_wide(launch, first, last, worker, typename Items::Arguments{});
    else
      Items::run_blocks(launch, first, last, worker, typename Items::Arguments{});
  }
  static void enter_block(const Launch* launch, Index3 block, Worker* worker) {
    enter_launch<Shape<0, 0, 0, false>>(launch, worker);
    blockIdx.x = block.x;
    blockIdx.y = block.y;
    blockIdx.z = block.z;
    ++kiln_block_serial;
  }
  static void run_item(const Launch* launch, Index3 thread) {
    kiln_guard_mode = kiln_guard_test;
    kiln_lane_known = false;
    threadIdx.x = thread.x;
    threadIdx.y = thread.y;
    threadIdx.z = thread.z;
    Items::run_item(launch, typename Items::Arguments{});
  }
  static void release(void* kept) {
    static_cast<Kept*>(kept)->~Kept();
    free(kept);
  }
};

/// `k<<<grid, block, shared, stream>>>(arguments)` is DeviceLaunch<&k, Waits>("k", grid, block, shared,
/// stream)(arguments). Streams have no order of their own: launches run one after the other.
template <auto F, bool Waits>
struct DeviceLaunch {
  const char* name;
  dim3 grid, block;
  unsigned long long shared_bytes;
  cudaStream_t stream;

  KILN_INLINE_ALWAYS DeviceLaunch(const char* name_, dim3 grid_, dim3 block_, unsigned long long shared_ = 0,
                                  cudaStream_t stream_ = nullptr)
      : name(name_), grid(grid_), block(block_), shared_bytes(shared_), stream(stream_) {}

  template <class... V>
  KILN_INLINE_ALWAYS void operator()(const V&... values) const {
    ask(F, values...);
  }

 private:
  template <class... A, class... V>
  __attribute__((noinline)) void ask(void (*)(A...), const V&... values) const {
    static_assert(sizeof...(A) == sizeof...(V),
                  "a launch has as many arguments as the kernel has parameters");
    using Kernel = LaunchedKernel<F, Waits, void (*)(A...)>;
    using Kept = typename Kernel::Kept;
    static_assert(alignof(Kept) <= 16, "an argument of a launch by a kernel is aligned to 16 bytes at most");
    void* const memory = malloc(sizeof(Kept));
    if (memory == nullptr)
      return kiln_worker->services->assertion_failed(kiln_worker, "no memory for the arguments of a launch",
                                                     nullptr, 0);
    Kept* const kept = ::new (memory) Kept{KeptArguments<A...>(values...), {}};
    kept->values.list(kept->places);
    const cpu_abi::DeviceLaunch launch = {{cpu_abi::kAbiVersion,
                                           Waits ? 1u : 0u,
                                           0,
                                           name,
                                           Waits ? "a kernel launches it" : "",
                                           {0, 0, 0},
                                           {0, 0, 0},
                                           sizeof...(A),
                                           Kernel::Items::bytes,
                                           Waits ? nullptr : &Kernel::run_blocks,
                                           Waits ? &Kernel::enter_block : nullptr,
                                           Waits ? &Kernel::run_item : nullptr},
                                          {grid.x, grid.y, grid.z},
                                          {block.x, block.y, block.z},
                                          shared_bytes,
                                          stream == cudaStreamTailLaunch,
                                          kept->places,
                                          kept,
                                          &Kernel::release};
    kiln_worker->services->launch(kiln_worker, &launch);
  }
};

KILN_INLINE_ALWAYS void copy_bytes(void* to, const void* from, size_t bytes) {
  if (threadIdx.x == 0) __builtin_memcpy(to, from, bytes);
}
KILN_INLINE_ALWAYS void set_bytes(void* to, int value, size_t bytes) {
  if (threadIdx.x == 0) __builtin_memset(to, value, bytes);
}

}  // namespace kiln::cpu

/// Waits for all launches of the calling thread's blocks.
KILN_SHIM cudaError_t cudaDeviceSynchronize() {
  kiln_worker->services->await_launches(kiln_worker);
  return cudaSuccess;
}
KILN_SHIM cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaDeviceSynchronize();
}
KILN_SHIM cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = nullptr;
  return cudaSuccess;
}
KILN_SHIM cudaError_t cudaStreamDestroy(cudaStream_t) {
  return cudaSuccess;
}
KILN_SHIM cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) {
  return cudaSuccess;
}
KILN_SHIM cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = nullptr;
  return cudaSuccess;
}
KILN_SHIM cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr) {
  return cudaSuccess;
}
KILN_SHIM cudaError_t cudaEventDestroy(cudaEvent_t) {
  return cudaSuccess;
}
KILN_SHIM cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                                      cudaStream_t stream = nullptr) {
  kiln::cpu::DeviceLaunch<&kiln::cpu::copy_bytes, false>("cudaMemcpyAsync", 1, 1, 0, stream)(to, from, bytes);
  return cudaSuccess;
}
KILN_SHIM cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream = nullptr) {
  kiln::cpu::DeviceLaunch<&kiln::cpu::set_bytes, false>("cudaMemsetAsync", 1, 1, 0, stream)(to, value, bytes);
  return cudaSuccess;
}
template <class V>
KILN_SHIM cudaError_t cudaMalloc(V** place, size_t bytes) {
  *place = static_cast<V*>(malloc(bytes));
  return *place == nullptr && bytes > 0 ? cudaErrorMemoryAllocation : cudaSuccess;
}
KILN_SHIM cudaError_t cudaFree(void* place) {
  free(place);
  return cudaSuccess;
}
