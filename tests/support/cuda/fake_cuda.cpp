// A CUDA driver of one device in host memory, as a shared library to open in place of libcuda.so.1, with what
// the driver of CUDA KILN_FAKE_CUDA has: 10 lacks what Kiln needs; 11 has neither cuLibrary nor
// cuLaunchKernelEx, 12 has them, but no cuFuncLoad, 13 has all. Code is text: "kernel NAME [BYTES OF A
// PARAMETER]..." and "global NAME", a line each. "increment" adds 1 to the int that its first argument points
// to; "keep_scalars" writes its second argument, a double, and its fourth, an int, to the two doubles that
// its first points to; other kernels do nothing. FakeCuda (fake_cuda.h), which a test gets by kiln_fake_cuda,
// sets results and keeps what was launched.
#include "support/cuda/fake_cuda.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>
#include <sstream>

#define FAKE extern "C" __attribute__((visibility("default")))

namespace kiln::cuda_abi {

struct ContextTag {};
/// A capture in progress, with the streams that take part.
struct GraphTag {
  std::vector<std::function<void()>> operations;
  std::set<Stream> streams;
  bool invalid = false;
};
struct GraphInstanceTag {
  std::vector<std::function<void()>> operations;
};
struct StreamTag {
  GraphTag* graph = nullptr;  ///< while it is captured
  bool joined = false;        ///< no operation of it stands after the last event that the first one waits for
};
struct EventTag {
  std::chrono::steady_clock::time_point time;
  Stream captured = nullptr;  ///< stream on which it was recorded in a capture
};
struct FunctionTag {
  std::string name;
  std::vector<std::size_t> parameters;
};
struct KernelTag : FunctionTag {};
struct ModuleTag {
  std::map<std::string, KernelTag> kernels;
  std::map<std::string, int> globals;
};
struct LibraryTag : ModuleTag {};

}  // namespace kiln::cuda_abi

namespace {

using namespace kiln::cuda_abi;

constexpr std::size_t kMemory = std::size_t{64} << 20;
constexpr Result kInvalidContext = 201;

ContextTag primary;
thread_local std::vector<Context> current;

/// Never destroyed: handles are given back until the process ends.
kiln::test::FakeCuda& fake() {
  static auto* const driver = new kiln::test::FakeCuda;
  return *driver;
}

/// A function that works in the current context.
Result enter(const char* function) {
  return current.empty() ? kInvalidContext : fake().enter(function);
}

std::atomic<int> captures{0};  // that are going on

/// A caller's stream may be any address: it is looked at only during a capture.
GraphTag* graph_of(Stream stream) {
  if (captures == 0) return nullptr;
  return stream == nullptr || stream == kLegacyStream ? nullptr : stream->graph;
}

/// Now, or at each launch of the graph that the stream is captured into.
void perform(Stream stream, std::function<void()> operation) {
  GraphTag* graph = graph_of(stream);
  if (graph == nullptr) return operation();
  stream->joined = false;
  graph->operations.push_back(std::move(operation));
}

void copy(Stream stream, void* to, const void* from, std::size_t bytes) {
  perform(stream, [=] { std::memcpy(to, from, bytes); });
}

template <class Number>
void* address(Number number) {
  return reinterpret_cast<void*>(number);
}

void read_code(ModuleTag& module, const void* image) {
  std::istringstream lines(static_cast<const char*>(image));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, name;
    words >> kind >> name;
    if (kind == "global") module.globals[name] = 7;
    if (kind != "kernel") continue;
    KernelTag& kernel = module.kernels[name];
    kernel.name = name;
    for (std::size_t bytes = 0; words >> bytes;) kernel.parameters.push_back(bytes);
  }
}

KernelTag* find_kernel(ModuleTag& module, const char* name) {
  const auto found = module.kernels.find(name);
  return found != module.kernels.end() ? &found->second : nullptr;
}

Result find_global(DevicePointer* address, std::size_t* bytes, ModuleTag& module, const char* name) {
  const auto found = module.globals.find(name);
  if (found == module.globals.end()) return kNotFound;
  *address = reinterpret_cast<DevicePointer>(&found->second);
  *bytes = sizeof found->second;
  return kSuccess;
}

/// `describe` gives the launch's shape; it is asked for where launches are kept.
template <class Describe>
void run(const Describe& describe, const FunctionTag& function, void** arguments) {
  if (function.name == "increment") **static_cast<int**>(arguments[0]) += 1;
  if (function.name == "keep_scalars") {
    double* kept = *static_cast<double**>(arguments[0]);
    kept[0] = *static_cast<double*>(arguments[1]);
    kept[1] = *static_cast<int*>(arguments[3]);
  }
  if (!fake().keeps_launches()) return;
  kiln::test::FakeCuda::Launch launch = describe();
  launch.kernel = function.name;
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    launch.arguments.emplace_back(static_cast<const char*>(arguments[i]), function.parameters[i]);
  fake().record(std::move(launch));
}

/// Now, or at each launch of the graph that the stream is captured into, with the arguments of now.
template <class Describe>
void launch(Stream stream, const Describe& describe, const FunctionTag& function, void** arguments) {
  if (graph_of(stream) == nullptr) return run(describe, function, arguments);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    values.emplace_back(static_cast<const char*>(arguments[i]), function.parameters[i]);
  perform(stream, [=, &function]() mutable {
    std::vector<void*> places;
    for (std::string& value : values) places.push_back(value.data());
    run(describe, function, places.data());
  });
}

struct Text {
  Result result;
  const char* name;
  const char* words;
};
constexpr Text kTexts[] = {
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "cluster misconfiguration"}};

Result find_text(Result error, const char** text, const char* Text::*member) {
  *text = nullptr;
  for (const Text& known : kTexts) {
    if (known.result == error) *text = known.*member;
  }
  return *text != nullptr ? kSuccess : kInvalidValue;
}

}  // namespace

FAKE kiln::test::FakeCuda* kiln_fake_cuda() {
  return &fake();
}

FAKE Result cuInit(unsigned) {
  return fake().enter("cuInit");
}
FAKE Result cuDriverGetVersion(int* version) {
  *version = KILN_FAKE_CUDA * 1000;
  return kSuccess;
}
FAKE Result cuGetErrorName(Result error, const char** text) {
  return find_text(error, text, &Text::name);
}
FAKE Result cuGetErrorString(Result error, const char** text) {
  return find_text(error, text, &Text::words);
}
FAKE Result cuDeviceGet(DeviceNumber* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? kSuccess : 101;
}
FAKE Result cuDeviceGetCount(int* count) {
  *count = 1;
  return fake().enter("cuDeviceGetCount");
}
FAKE Result cuDeviceGetName(char* name, int length, DeviceNumber) {
  std::snprintf(name, static_cast<std::size_t>(length), "Fake GPU");
  return kSuccess;
}
FAKE Result cuDeviceTotalMem_v2(std::size_t* bytes, DeviceNumber) {
  *bytes = kMemory;
  return kSuccess;
}
FAKE Result cuDeviceGetAttribute(int* value, DeviceAttribute attribute, DeviceNumber) {
  if (KILN_FAKE_CUDA >= 13 && attribute == DeviceAttribute::kMemoryClockKhz)
    return kInvalidValue;  // not reported
  *value = attribute == DeviceAttribute::kCapabilityMajor   ? 9
           : attribute == DeviceAttribute::kCapabilityMinor ? 0
                                                            : 1000 + static_cast<int>(attribute);
  return kSuccess;
}
FAKE Result cuDeviceGetPCIBusId(char* text, int length, DeviceNumber) {
  std::snprintf(text, static_cast<std::size_t>(length), "0000:1b:00.0");
  return kSuccess;
}
FAKE Result cuDevicePrimaryCtxRetain(Context* context, DeviceNumber) {
  *context = &primary;
  return fake().enter("cuDevicePrimaryCtxRetain");
}
#if KILN_FAKE_CUDA >= 11
FAKE Result cuDevicePrimaryCtxRelease_v2(DeviceNumber) {
  return fake().enter("cuDevicePrimaryCtxRelease");
}
#endif
FAKE Result cuCtxGetCurrent(Context* context) {
  *context = current.empty() ? nullptr : current.back();
  return kSuccess;
}
FAKE Result cuCtxPushCurrent_v2(Context context) {
  current.push_back(context);
  return kSuccess;
}
FAKE Result cuCtxPopCurrent_v2(Context* context) {
  if (current.empty()) return kInvalidContext;
  *context = current.back();
  current.pop_back();
  return kSuccess;
}
FAKE Result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *free = *total = kMemory;
  return enter("cuMemGetInfo");
}
FAKE Result cuMemAlloc_v2(DevicePointer* address, std::size_t bytes) {
  if (const Result result = enter("cuMemAlloc")) return result;
  if (bytes > kMemory) return kOutOfMemory;
  *address = reinterpret_cast<DevicePointer>(std::malloc(bytes));
  return kSuccess;
}
FAKE Result cuMemFree_v2(DevicePointer address) {
  std::free(reinterpret_cast<void*>(address));  // after a fault, too: the sanitizer counts what is left
  return enter("cuMemFree");
}
FAKE Result cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  *address = std::malloc(bytes);
  return enter("cuMemHostAlloc");
}
FAKE Result cuMemFreeHost(void* address) {
  std::free(address);
  return enter("cuMemFreeHost");
}
FAKE Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void* from, std::size_t bytes, Stream stream) {
  if (const Result result = enter("cuMemcpyHtoDAsync")) return result;
  copy(stream, address(to), from, bytes);
  return kSuccess;
}
FAKE Result cuMemcpyDtoHAsync_v2(void* to, DevicePointer from, std::size_t bytes, Stream stream) {
  if (const Result result = enter("cuMemcpyDtoHAsync")) return result;
  copy(stream, to, address(from), bytes);
  return kSuccess;
}
FAKE Result cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, std::size_t bytes, Stream stream) {
  if (const Result result = enter("cuMemcpyDtoDAsync")) return result;
  copy(stream, address(to), address(from), bytes);
  return kSuccess;
}
FAKE Result cuMemcpyPeerAsync(DevicePointer to, Context, DevicePointer from, Context, std::size_t bytes,
                              Stream stream) {
  if (const Result result = enter("cuMemcpyPeerAsync")) return result;
  copy(stream, address(to), address(from), bytes);
  return kSuccess;
}
FAKE Result cuCtxEnablePeerAccess(Context, unsigned) {
  return enter("cuCtxEnablePeerAccess");
}
FAKE Result cuMemsetD8Async(DevicePointer to, unsigned char value, std::size_t bytes, Stream stream) {
  if (const Result result = enter("cuMemsetD8Async")) return result;
  perform(stream, [=] { std::memset(address(to), value, bytes); });
  return kSuccess;
}
FAKE Result cuStreamCreate(Stream* stream, unsigned flags) {
  if (const Result result = enter("cuStreamCreate")) return result;
  fake().record_stream(flags);
  *stream = new StreamTag;
  return kSuccess;
}
FAKE Result cuStreamDestroy_v2(Stream stream) {
  delete stream;
  return enter("cuStreamDestroy");
}
FAKE Result cuStreamSynchronize(Stream stream) {
  if (GraphTag* graph = graph_of(stream)) {
    graph->invalid = true;
    return kStreamCaptureUnsupported;
  }
  return enter("cuStreamSynchronize");
}
/// A stream that waits for an event of a capture is captured, too.
FAKE Result cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  if (const Result result = enter("cuStreamWaitEvent")) return result;
  GraphTag* graph = graph_of(event->captured);
  if (graph == nullptr) return kSuccess;
  event->captured->joined = true;
  stream->graph = graph;
  graph->streams.insert(stream);
  return kSuccess;
}
FAKE Result cuStreamIsCapturing(Stream stream, CaptureStatus* status) {
  *status = graph_of(stream) != nullptr ? CaptureStatus::kActive : CaptureStatus::kNone;
  return enter("cuStreamIsCapturing");
}
FAKE Result cuStreamBeginCapture_v2(Stream stream, CaptureMode) {
  if (const Result result = enter("cuStreamBeginCapture")) return result;
  ++captures;
  stream->graph = new GraphTag;
  stream->graph->streams.insert(stream);
  return kSuccess;
}
FAKE Result cuStreamEndCapture(Stream stream, Graph* graph) {
  *graph = nullptr;
  GraphTag* const captured = stream->graph;
  --captures;
  stream->joined = true;
  bool joined = true;
  for (Stream each : captured->streams) {
    joined = joined && each->joined;
    each->graph = nullptr;
  }
  Result result = enter("cuStreamEndCapture");
  if (captured->invalid) result = kStreamCaptureInvalidated;
  if (!joined) result = 904;
  if (result == kSuccess) {
    *graph = captured;
  } else {
    delete captured;
  }
  return result;
}
FAKE Result cuGraphDestroy(Graph graph) {
  delete graph;
  return enter("cuGraphDestroy");
}
FAKE Result cuGraphExecDestroy(GraphInstance instance) {
  delete instance;
  return enter("cuGraphExecDestroy");
}
#if KILN_FAKE_CUDA >= 12
FAKE Result cuGraphInstantiateWithFlags(GraphInstance* instance, Graph graph, unsigned long long) {
  if (const Result result = enter("cuGraphInstantiateWithFlags")) return result;
  *instance = new GraphInstanceTag{graph->operations};
  return kSuccess;
}
#endif
FAKE Result cuGraphLaunch(GraphInstance instance, Stream) {
  if (const Result result = enter("cuGraphLaunch")) return result;
  for (const auto& operation : instance->operations) operation();
  return kSuccess;
}
FAKE Result cuEventCreate(Event* event, unsigned) {
  if (const Result result = enter("cuEventCreate")) return result;
  *event = new EventTag{};
  return kSuccess;
}
FAKE Result cuEventDestroy_v2(Event event) {
  delete event;
  return enter("cuEventDestroy");
}
FAKE Result cuEventRecord(Event event, Stream stream) {
  event->captured = graph_of(stream) != nullptr ? stream : nullptr;
  event->time = std::chrono::steady_clock::now();
  return enter("cuEventRecord");
}
FAKE Result cuEventSynchronize(Event) {
  return enter("cuEventSynchronize");
}
FAKE Result cuEventElapsedTime(float* milliseconds, Event start, Event end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return enter("cuEventElapsedTime");
}

FAKE Result cuModuleLoadDataEx(Module* module, const void* image, unsigned, int*, void**) {
  if (const Result result = enter("cuModuleLoadDataEx")) return result;
  *module = new ModuleTag;
  read_code(**module, image);
  return kSuccess;
}
FAKE Result cuModuleUnload(Module module) {
  delete module;
  return enter("cuModuleUnload");
}
FAKE Result cuModuleGetFunction(Function* function, Module module, const char* name) {
  if (const Result result = enter("cuModuleGetFunction")) return result;
  *function = find_kernel(*module, name);
  return *function != nullptr ? kSuccess : kNotFound;
}
FAKE Result cuModuleGetGlobal_v2(DevicePointer* address, std::size_t* bytes, Module module,
                                 const char* name) {
  if (const Result result = enter("cuModuleGetGlobal")) return result;
  return find_global(address, bytes, *module, name);
}
FAKE Result cuFuncGetAttribute(int* value, FunctionAttribute attribute, Function) {
  *value = 100 + static_cast<int>(attribute);
  return enter("cuFuncGetAttribute");
}
FAKE Result cuFuncSetAttribute(Function, FunctionAttribute, int) {
  return enter("cuFuncSetAttribute");
}
FAKE Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function, int block_size, std::size_t) {
  *blocks = 2048 / block_size;
  return enter("cuOccupancyMaxActiveBlocksPerMultiprocessor");
}
FAKE Result cuTexObjectCreate(TextureObject* object, const ResourceDescription* resource,
                              const TextureDescription* sampling, const void*) {
  const Result result = enter("cuTexObjectCreate");
  if (result == kSuccess) *object = fake().record(*resource, *sampling);
  return result;
}
FAKE Result cuTexObjectDestroy(TextureObject) {
  return enter("cuTexObjectDestroy");
}
FAKE Result cuLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                           unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                           Stream stream, void** arguments, void**) {
  if (const Result result = enter("cuLaunchKernel")) return result;
  const auto describe = [=]() -> kiln::test::FakeCuda::Launch {
    return {"", {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, {}, shared_bytes, false, stream, {}};
  };
  launch(stream, describe, *function, arguments);
  return kSuccess;
}

#if KILN_FAKE_CUDA >= 12
FAKE Result cuLibraryLoadData(Library* library, const void* image, int*, void**, unsigned, int*, void**,
                              unsigned) {
  if (const Result result = enter("cuLibraryLoadData")) return result;
  *library = new LibraryTag;
  read_code(**library, image);
  return kSuccess;
}
FAKE Result cuLibraryUnload(Library library) {
  delete library;
  return enter("cuLibraryUnload");
}
FAKE Result cuLibraryGetModule(Module* module, Library library) {
  *module = library;
  return enter("cuLibraryGetModule");
}
FAKE Result cuLibraryGetKernel(Kernel* kernel, Library library, const char* name) {
  if (const Result result = enter("cuLibraryGetKernel")) return result;
  *kernel = find_kernel(*library, name);
  return *kernel != nullptr ? kSuccess : kNotFound;
}
FAKE Result cuLibraryGetGlobal(DevicePointer* address, std::size_t* bytes, Library library,
                               const char* name) {
  if (const Result result = enter("cuLibraryGetGlobal")) return result;
  return find_global(address, bytes, *library, name);
}
FAKE Result cuKernelGetFunction(Function* function, Kernel kernel) {
  *function = kernel;
  return enter("cuKernelGetFunction");
}
static kiln::test::FakeCuda::Launch describe_launch(const LaunchConfig& config) {
  kiln::test::FakeCuda::Launch launch{"",
                                      {config.grid_x, config.grid_y, config.grid_z},
                                      {config.block_x, config.block_y, config.block_z},
                                      {},
                                      config.shared_bytes,
                                      false,
                                      config.stream,
                                      {}};
  for (unsigned i = 0; i < config.attribute_count; ++i) {
    const LaunchAttribute& attribute = config.attributes[i];
    if (attribute.id == LaunchAttribute::Id::kCooperative)
      launch.cooperative = attribute.value.cooperative != 0;
    if (attribute.id == LaunchAttribute::Id::kProgrammaticSerialization)
      launch.overlap = attribute.value.programmatic_serialization != 0;
    if (attribute.id == LaunchAttribute::Id::kClusterDimension) {
      const auto& cluster = attribute.value.cluster;
      launch.cluster = {cluster.x, cluster.y, cluster.z};
    }
  }
  return launch;
}
FAKE Result cuLaunchKernelEx(const LaunchConfig* config, Function function, void** arguments, void**) {
  if (const Result result = enter("cuLaunchKernelEx")) return result;
  if (graph_of(config->stream) != nullptr) return kStreamCaptureUnsupported;  // none is captured in tests
  run([&] { return describe_launch(*config); }, *function, arguments);
  return kSuccess;
}
/// The encoded tensor map is only the tensor's address.
FAKE Result cuTensorMapEncodeTiled(void* map, int, unsigned, void* address, const std::uint64_t*,
                                   const std::uint64_t*, const std::uint32_t*, const std::uint32_t*, int, int,
                                   int, int) {
  std::memcpy(map, &address, sizeof address);
  return enter("cuTensorMapEncodeTiled");
}
FAKE Result cuOccupancyMaxActiveClusters(int* clusters, Function, const LaunchConfig*) {
  *clusters = 5;
  return enter("cuOccupancyMaxActiveClusters");
}
#endif

#if KILN_FAKE_CUDA >= 13
FAKE Result cuFuncLoad(Function) {
  return enter("cuFuncLoad");
}
FAKE Result cuFuncGetParamInfo(Function function, std::size_t index, std::size_t* offset,
                               std::size_t* bytes) {
  if (index >= function->parameters.size()) return kInvalidValue;
  *offset = 8 * index;
  *bytes = function->parameters[index];
  return kSuccess;
}
#endif
