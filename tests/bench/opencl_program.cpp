#include "opencl_program.h"

#include <map>

#include "kiln/error.h"

#ifdef KILN_BENCH_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#endif

namespace kiln::bench {

#ifdef KILN_BENCH_OPENCL
namespace {

void check(cl_int status, const std::string& action) {
  if (status == CL_SUCCESS) return;
  throw Error(ErrorKind::kEnvironment, "OpenCL: " + action + " failed with status " + std::to_string(status));
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// The words that the kernels of barrier_kernels.h use. Local pointers into arguments are global ones.
std::string opencl_text(std::string text) {
  while (text.starts_with("#include") || text.starts_with("namespace")) text.erase(0, text.find('\n') + 1);
  const std::vector<std::pair<std::string, std::string>> words = {
      {"__global__ void", "kernel void"},
      {"const float* __restrict__", "global const float* restrict"},
      {"float* __restrict__", "global float* restrict"},
      {"  const float* ", "  global const float* "},
      {"__shared__", "local"},
      {"__syncthreads()", "barrier(CLK_LOCAL_MEM_FENCE)"},
      {"bool ", "int "}};
  for (const auto& [from, to] : words) replace(text, from, to);
  for (const auto& [word, function] : {std::pair("threadIdx", "get_local_id"),
                                       {"blockIdx", "get_group_id"},
                                       {"blockDim", "get_local_size"}}) {
    replace(text, std::string(word) + ".x", "(int)" + std::string(function) + "(0)");
    replace(text, std::string(word) + ".y", "(int)" + std::string(function) + "(1)");
  }
  return text;
}

/// Leaves out kernels that the words above do not cover.
std::string without_warp_operations(const std::string& text) {
  std::string kept;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = text.find("\n}\n", begin);
    end = end == std::string::npos ? text.size() : end + 3;
    const std::string part = text.substr(begin, end - begin);
    if (part.find("_sync(") == std::string::npos && part.find("cg::") == std::string::npos) kept += part;
    begin = end;
  }
  return kept;
}

std::string text_of(cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  check(clGetDeviceInfo(device, what, 0, nullptr, &size), "a device's name");
  std::string text(size, '\0');
  check(clGetDeviceInfo(device, what, size, text.data(), nullptr), "a device's name");
  return text.substr(0, text.find('\0'));
}

cl_device_id find_cpu() {
  cl_uint count = 0;
  std::array<cl_platform_id, 16> platforms{};
  check(clGetPlatformIDs(platforms.size(), platforms.data(), &count), "the list of platforms");
  for (cl_uint i = 0; i < count; ++i) {
    cl_device_id device = nullptr;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS) return device;
  }
  throw Error(ErrorKind::kEnvironment, "OpenCL: no platform has a CPU");
}

}  // namespace

struct OpenClProgram::State {
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
  std::map<std::string, cl_kernel> kernels;
  std::map<void*, cl_mem> buffers;

  ~State() {
    for (const auto& [memory, buffer] : buffers) clReleaseMemObject(buffer);
    for (const auto& [name, kernel] : kernels) clReleaseKernel(kernel);
    if (program != nullptr) clReleaseProgram(program);
    if (queue != nullptr) clReleaseCommandQueue(queue);
    if (context != nullptr) clReleaseContext(context);
  }

  cl_mem buffer(const OpenClArgument& argument) {
    cl_mem& known = buffers[argument.memory];
    if (known != nullptr) return known;
    cl_int status = 0;
    known = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, argument.bytes, argument.memory,
                           &status);
    check(status, "a buffer");
    return known;
  }

  cl_kernel kernel(const std::string& name) {
    cl_kernel& known = kernels[name];
    if (known != nullptr) return known;
    cl_int status = 0;
    known = clCreateKernel(program, name.c_str(), &status);
    check(status, "kernel '" + name + "'");
    return known;
  }
};

OpenClProgram::OpenClProgram(const std::string& cuda_text) : state_(std::make_shared<State>()) {
  cl_device_id device = find_cpu();
  device_ = text_of(device, CL_DEVICE_NAME) + ", " + text_of(device, CL_DRIVER_VERSION);
  cl_int status = 0;
  state_->context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  check(status, "a context");
  state_->queue = clCreateCommandQueue(state_->context, device, 0, &status);
  check(status, "a queue");
  const std::string text = opencl_text(without_warp_operations(cuda_text));
  const char* start = text.c_str();
  state_->program = clCreateProgramWithSource(state_->context, 1, &start, nullptr, &status);
  check(status, "a program");
  if (clBuildProgram(state_->program, 1, &device, "", nullptr, nullptr) == CL_SUCCESS) return;
  std::size_t size = 0;
  clGetProgramBuildInfo(state_->program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  clGetProgramBuildInfo(state_->program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  throw Error(ErrorKind::kCompile, "OpenCL: the kernels do not compile:\n" + log);
}

void OpenClProgram::run(const std::string& kernel_name, std::array<std::size_t, 2> block,
                        std::array<std::size_t, 2> grid, const std::vector<OpenClArgument>& arguments) {
  cl_kernel kernel = state_->kernel(kernel_name);
  cl_uint index = 0;
  for (const OpenClArgument& argument : arguments) {
    cl_mem buffer = argument.memory == nullptr ? nullptr : state_->buffer(argument);
    check(argument.memory == nullptr
              ? clSetKernelArg(kernel, index, argument.bytes, argument.scalar)
              : clSetKernelArg(kernel, index, sizeof buffer, static_cast<const void*>(&buffer)),
          "argument " + std::to_string(index) + " of '" + kernel_name + "'");
    ++index;
  }
  const std::array<std::size_t, 2> size = {block[0] * grid[0], block[1] * grid[1]};
  check(clEnqueueNDRangeKernel(state_->queue, kernel, 2, nullptr, size.data(), block.data(), 0, nullptr,
                               nullptr),
        "a launch of '" + kernel_name + "'");
  check(clFinish(state_->queue), "kernel '" + kernel_name + "'");
}

#else

OpenClProgram::OpenClProgram(const std::string&) {
  throw Error(ErrorKind::kEnvironment,
              "this kiln_bench was built without OpenCL (packages ocl-icd-opencl-dev and opencl-headers)");
}
void OpenClProgram::run(const std::string&, std::array<std::size_t, 2>, std::array<std::size_t, 2>,
                        const std::vector<OpenClArgument>&) {}

#endif

}  // namespace kiln::bench
