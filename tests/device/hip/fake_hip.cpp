// A HIP run time of two devices in host memory, as a shared library to open in place of libamdhip64. It
// refuses what is done while another device is selected, so that a test sees whether the back end selects the
// right one. Kernels: "increment" adds 1 to the int that its argument points to, "fault" makes the next wait
// fail. KILN_FAKE_HIP_5 gives it the symbols and the structure of HIP 5.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "device/hip/hip_abi.h"

#define FAKE extern "C" __attribute__((visibility("default")))

namespace {

using kiln::hip_abi::DeviceAttribute;
using kiln::hip_abi::Result;

constexpr Result kSuccess = kiln::hip_abi::kSuccess;
constexpr Result kInvalidContext = 201;
constexpr int kDevices = 2;
constexpr std::size_t kMemory = std::size_t{1} << 20;

using Operations = std::vector<std::function<void()>>;

struct Stream {
  int device;
  Result pending = kSuccess;
  Operations* captured = nullptr;  // while it is captured into a graph
};
struct Event {
  int device;
  std::chrono::steady_clock::time_point time;
};
struct Module {
  int device;
};
struct Function {
  int device;
  std::string name;
};

thread_local int selected = 0;
std::map<void*, std::pair<int, std::size_t>> allocations;  // address -> device, bytes
std::size_t used[kDevices] = {0, 0};
int symbol_value = 7;
Stream null_streams[kDevices] = {{0}, {1}};

/// The null stream is that of the selected device.
Stream& meant_by(Stream* stream) {
  return stream != nullptr ? *stream : null_streams[selected];
}

/// Now, or at each launch of the graph that the stream is captured into.
void perform(Stream* stream, std::function<void()> operation) {
  if (Operations* captured = meant_by(stream).captured) return captured->push_back(std::move(operation));
  operation();
}

Result on_device(int device) {
  return device == selected ? kSuccess : kInvalidContext;
}

}  // namespace

FAKE Result hipInit(unsigned) {
  return kSuccess;
}
FAKE Result hipRuntimeGetVersion(int* version) {
#ifdef KILN_FAKE_HIP_5
  *version = 50221153;
#else
  *version = 60241134;
#endif
  return kSuccess;
}
FAKE const char* hipGetErrorName(Result error) {
  return error == kiln::hip_abi::kIllegalAddress ? "hipErrorIllegalAddress" : "hipErrorOther";
}
FAKE const char* hipGetErrorString(Result error) {
  return error == kiln::hip_abi::kIllegalAddress ? "an illegal memory access was encountered"
                                                 : "hipErrorOther";
}
FAKE Result hipGetDeviceCount(int* count) {
  *count = kDevices;
  return kSuccess;
}
FAKE Result hipDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal < kDevices ? kSuccess : kiln::hip_abi::kInvalidDevice;
}
FAKE Result hipDeviceGetName(char* name, int length, int device) {
  std::snprintf(name, static_cast<std::size_t>(length), "gfx-fake %d", device);
  return kSuccess;
}
FAKE Result hipDeviceTotalMem(std::size_t* bytes, int /*device*/) {
  *bytes = kMemory;
  return kSuccess;
}
FAKE Result hipDeviceGetAttribute(int* value, DeviceAttribute attribute, int /*device*/) {
#ifdef KILN_FAKE_HIP_5
  if (attribute == DeviceAttribute::kMemoryBusBits) return kiln::hip_abi::kNotFound;  // not reported
#endif
  *value = attribute == DeviceAttribute::kWarpSize ? 64 : 1000 + static_cast<int>(attribute);
  return kSuccess;
}
#ifdef KILN_FAKE_HIP_5
FAKE Result hipGetDeviceProperties(void* properties, int device) {
  const std::size_t offset = kiln::hip_abi::kIsaNameOffset;
#else
FAKE Result hipGetDeviceProperties(void* properties, int /*device*/) {
  std::memset(properties, 'x', kiln::hip_abi::kPropertiesBytes);  // the older layout, which must not be read
  return kSuccess;
}
FAKE Result hipGetDevicePropertiesR0600(void* properties, int device) {
  const std::size_t offset = kiln::hip_abi::kIsaNameOffsetR0600;
#endif
  std::snprintf(static_cast<char*>(properties), 256, "gfx-fake");
  std::snprintf(static_cast<char*>(properties) + offset, kiln::hip_abi::kIsaNameBytes, "%s",
                device == 0 ? "gfx90a:sramecc+:xnack-" : "gfx906:sramecc+:xnack+");
  return kSuccess;
}
FAKE Result hipGetDevice(int* device) {
  *device = selected;
  return kSuccess;
}
FAKE Result hipSetDevice(int device) {
  selected = device;
  return kSuccess;
}
FAKE Result hipMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = kMemory - used[selected];
  *total = kMemory;
  return kSuccess;
}
FAKE Result hipMalloc(void** address, std::size_t bytes) {
  if (bytes > kMemory - used[selected]) return kiln::hip_abi::kOutOfMemory;
  *address = std::malloc(bytes);
  allocations[*address] = {selected, bytes};
  used[selected] += bytes;
  return kSuccess;
}
FAKE Result hipFree(void* address) {
  const auto found = allocations.find(address);
  if (found == allocations.end() || found->second.first != selected) return kInvalidContext;
  used[selected] -= found->second.second;
  std::free(address);
  allocations.erase(found);
  return kSuccess;
}
FAKE Result hipHostMalloc(void** address, std::size_t bytes, unsigned /*flags*/) {
  *address = std::malloc(bytes);
  return kSuccess;
}
FAKE Result hipHostFree(void* address) {
  std::free(address);
  return kSuccess;
}
/// From a place on the one device to a place on the other, as they were allocated.
FAKE Result hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                               Stream* stream) {
  if (allocations[to].first != to_device || allocations[const_cast<void*>(from)].first != from_device)
    return kInvalidContext;
  perform(stream, [=] { std::memcpy(to, from, bytes); });
  return on_device(meant_by(stream).device);
}
/// There is none: the copy goes through the host.
FAKE Result hipDeviceEnablePeerAccess(int /*peer*/, unsigned /*flags*/) {
  return 217;
}
FAKE Result hipMemcpyHtoDAsync(void* to, const void* from, std::size_t bytes, Stream* stream) {
  perform(stream, [=] { std::memcpy(to, from, bytes); });
  return on_device(meant_by(stream).device);
}
/// To memory that is not pinned: it waits for the stream.
FAKE Result hipMemcpyDtoHAsync(void* to, const void* from, std::size_t bytes, Stream* stream) {
  if (meant_by(stream).pending != kSuccess) return meant_by(stream).pending;
  std::memcpy(to, from, bytes);
  return on_device(meant_by(stream).device);
}
FAKE Result hipMemcpyDtoDAsync(void* to, const void* from, std::size_t bytes, Stream* stream) {
  perform(stream, [=] { std::memcpy(to, from, bytes); });
  return on_device(meant_by(stream).device);
}
FAKE Result hipMemsetD8Async(void* address, unsigned char value, std::size_t bytes, Stream* stream) {
  perform(stream, [=] { std::memset(address, value, bytes); });
  return on_device(meant_by(stream).device);
}
FAKE Result hipStreamCreateWithFlags(Stream** stream, unsigned /*flags*/) {
  *stream = new Stream{selected};
  return kSuccess;
}
FAKE Result hipStreamDestroy(Stream* stream) {
  delete stream;
  return kSuccess;
}
FAKE Result hipStreamSynchronize(Stream* stream) {
  if (meant_by(stream).captured != nullptr) return kiln::hip_abi::kStreamCaptureUnsupported;
  return meant_by(stream).device == selected ? meant_by(stream).pending : kInvalidContext;
}
FAKE Result hipStreamWaitEvent(Stream* stream, Event* event, unsigned /*flags*/) {
  return meant_by(stream).device == event->device ? kSuccess : kInvalidContext;
}
FAKE Result hipStreamBeginCapture(Stream* stream, int /*mode*/) {
  stream->captured = new Operations;
  return on_device(stream->device);
}
FAKE Result hipStreamEndCapture(Stream* stream, Operations** graph) {
  *graph = std::exchange(stream->captured, nullptr);
  return on_device(stream->device);
}
FAKE Result hipGraphDestroy(Operations* graph) {
  delete graph;
  return kSuccess;
}
FAKE Result hipGraphExecDestroy(Operations* instance) {
  delete instance;
  return kSuccess;
}
#ifndef KILN_FAKE_HIP_5
FAKE Result hipGraphInstantiateWithFlags(Operations** instance, Operations* graph, unsigned long long) {
  *instance = new Operations(*graph);
  return kSuccess;
}
#endif
FAKE Result hipGraphLaunch(Operations* instance, Stream* stream) {
  for (const auto& operation : *instance) operation();
  return on_device(meant_by(stream).device);
}
FAKE Result hipStreamIsCapturing(Stream* stream, int* status) {
  *status = 0;
  return stream == nullptr ? kiln::hip_abi::kStreamCaptureImplicit : kSuccess;
}
FAKE Result hipEventCreateWithFlags(Event** event, unsigned /*flags*/) {
  *event = new Event{selected, {}};
  return kSuccess;
}
FAKE Result hipEventDestroy(Event* event) {
  delete event;
  return kSuccess;
}
FAKE Result hipEventRecord(Event* event, Stream* /*stream*/) {
  event->time = std::chrono::steady_clock::now();
  return on_device(event->device);
}
FAKE Result hipEventElapsedTime(float* milliseconds, Event* start, Event* end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return kSuccess;
}
FAKE Result hipModuleLoadData(Module** module, const void* /*image*/) {
  *module = new Module{selected};
  return kSuccess;
}
FAKE Result hipModuleUnload(Module* module) {
  delete module;
  return kSuccess;
}
FAKE Result hipModuleGetFunction(Function** function, Module* module, const char* name) {
  static std::map<std::string, Function> functions;
  *function =
      &functions.insert_or_assign(name + std::to_string(module->device), Function{module->device, name})
           .first->second;
  return on_device(module->device);
}
FAKE Result hipModuleGetGlobal(void** address, std::size_t* bytes, Module* module, const char* name) {
  if (std::string(name) != "table") return kiln::hip_abi::kNotFound;
  *address = &symbol_value;
  *bytes = sizeof symbol_value;
  return on_device(module->device);
}
FAKE Result hipModuleLaunchKernel(Function* function, unsigned grid_x, unsigned, unsigned, unsigned, unsigned,
                                  unsigned, unsigned, Stream* stream, void** arguments, void**) {
  constexpr unsigned kTooMany = 1u << 30;
  if (grid_x >= kTooMany) return kiln::hip_abi::kInvalidConfiguration;
  int* counter = function->name == "increment" ? *static_cast<int**>(arguments[0]) : nullptr;
  perform(stream, [=] {
    if (counter != nullptr) *counter += 1;
    if (function->name == "fault") meant_by(stream).pending = kiln::hip_abi::kIllegalAddress;
  });
  return on_device(function->device);
}
FAKE Result hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function*, int block_size,
                                                               std::size_t) {
  *blocks = 2048 / block_size;
  return kSuccess;
}
