// From main to the first launch of a kernel in a cubin, by nothing but the driver's own calls: what
// kiln_bench --gpu compares the kiln program with. usage: kiln_bench_bare_start CUBIN; prints seconds.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "device/cuda/driver_abi.h"

namespace {

using namespace kiln::cuda_abi;

template <class Signature>
void bind(void* library, kiln::Import<Signature>& call, const char* name) {
  call.address = reinterpret_cast<Signature*>(dlsym(library, name));
}

int first_launch(const char* path, float value) {
  std::ifstream file(path, std::ios::binary);
  const std::string cubin{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr || cubin.empty()) return 1;
  Functions call;
  bind(library, call.init, "cuInit");
  bind(library, call.device_get, "cuDeviceGet");
  bind(library, call.primary_context_retain, "cuDevicePrimaryCtxRetain");
  bind(library, call.context_push, "cuCtxPushCurrent_v2");
  bind(library, call.stream_create, "cuStreamCreate");
  bind(library, call.memory_allocate, "cuMemAlloc_v2");
  bind(library, call.fill_bytes, "cuMemsetD8Async");
  bind(library, call.module_load, "cuModuleLoadDataEx");
  bind(library, call.module_get_function, "cuModuleGetFunction");
  bind(library, call.launch_kernel, "cuLaunchKernel");
  DeviceNumber device = 0;
  Context context = nullptr;
  Module module = nullptr;
  Function function = nullptr;
  Stream stream = nullptr;
  DevicePointer buffer = 0;
  constexpr std::size_t kBytes = 4096;
  int n = 1024;
  void* arguments[] = {&buffer, &value, &n};
  const bool done =
      call.init(0) == kSuccess && call.device_get(&device, 0) == kSuccess &&
      call.primary_context_retain(&context, device) == kSuccess && call.context_push(context) == kSuccess &&
      call.stream_create(&stream, kStreamNonBlocking) == kSuccess &&
      call.module_load(&module, cubin.c_str(), 0, nullptr, nullptr) == kSuccess &&
      call.module_get_function(&function, module, "touch") == kSuccess &&
      call.memory_allocate(&buffer, kBytes) == kSuccess &&
      call.fill_bytes(buffer, 0, kBytes, stream) == kSuccess &&
      call.launch_kernel(function, 8, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr) == kSuccess;
  return done ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto begin = std::chrono::steady_clock::now();
  if (argc != 2 || first_launch(argv[1], 1.0F) != 0) return 1;
  std::printf("%.9f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return 0;
}
