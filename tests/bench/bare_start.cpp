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

/// A function of the type that driver_abi.h declares.
template <class Signature>
kiln::Import<Signature> bind(void* library, kiln::Import<Signature> Functions::* /*declared*/,
                             const char* name) {
  return {reinterpret_cast<Signature*>(dlsym(library, name)), name};
}

int first_launch(const char* path, float value) {
  std::ifstream file(path, std::ios::binary);
  const std::string cubin{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr || cubin.empty()) return 1;
  const auto init = bind(library, &Functions::init, "cuInit");
  const auto device_get = bind(library, &Functions::device_get, "cuDeviceGet");
  const auto primary_context_retain =
      bind(library, &Functions::primary_context_retain, "cuDevicePrimaryCtxRetain");
  const auto context_push = bind(library, &Functions::context_push, "cuCtxPushCurrent_v2");
  const auto stream_create = bind(library, &Functions::stream_create, "cuStreamCreate");
  const auto memory_allocate = bind(library, &Functions::memory_allocate, "cuMemAlloc_v2");
  const auto fill_bytes = bind(library, &Functions::fill_bytes, "cuMemsetD8Async");
  const auto module_load = bind(library, &Functions::module_load, "cuModuleLoadDataEx");
  const auto module_get_function = bind(library, &Functions::module_get_function, "cuModuleGetFunction");
  const auto launch_kernel = bind(library, &Functions::launch_kernel, "cuLaunchKernel");
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
      init(0) == kSuccess && device_get(&device, 0) == kSuccess &&
      primary_context_retain(&context, device) == kSuccess && context_push(context) == kSuccess &&
      stream_create(&stream, kStreamNonBlocking) == kSuccess &&
      module_load(&module, cubin.c_str(), 0, nullptr, nullptr) == kSuccess &&
      module_get_function(&function, module, "touch") == kSuccess &&
      memory_allocate(&buffer, kBytes) == kSuccess && fill_bytes(buffer, 0, kBytes, stream) == kSuccess &&
      launch_kernel(function, 8, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr) == kSuccess;
  return done ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto begin = std::chrono::steady_clock::now();
  if (argc != 2 || first_launch(argv[1], 1.0F) != 0) return 1;
  std::printf("%.9f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return 0;
}
