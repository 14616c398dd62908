#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kiln.h"
#include "kiln/kiln.h"

// The types behind the handles of kiln.h.

struct kiln_service {
  kiln::Service service;
};

struct kiln_device {
  kiln::DeviceHandle device;
};

struct kiln_stream {
  kiln::StreamHandle stream;
};

struct kiln_event {
  kiln::EventHandle event;
};

struct kiln_graph {
  kiln::GraphHandle graph;
};

struct kiln_buffer {
  kiln::detail::SharedMemory memory;
};

struct kiln_program {
  kiln::Program program;
  std::vector<std::string> kernels;
};

struct kiln_function_request {
  kiln::FunctionRequest request;
};

struct kiln_function {
  std::shared_ptr<const kiln::detail::FunctionState> state;
  std::vector<kiln::detail::ArgumentType> arguments;
  std::vector<std::size_t> sizes;  ///< sizes of the arguments, in bytes
};

struct kiln_family {
  std::shared_ptr<kiln::detail::FamilyState> state;
};

struct kiln_workload {
  kiln::WorkloadHandle workload;
  std::vector<std::string> kernels;
};

struct kiln_kernel_request {
  kiln::KernelRequest request;
};

struct kiln_kernel {
  kiln::Kernel kernel;
};

struct kiln_step {
  kiln::Step step;
};
