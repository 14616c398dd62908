#include "compile/cuda/nvrtc_program.h"

#include "kiln/error.h"

namespace kiln {
namespace {

using Deadline = std::chrono::steady_clock::time_point;

/// NVRTC asks this now and then whether to give up.
int is_past(void* deadline, void* /*reserved*/) {
  return std::chrono::steady_clock::now() > *static_cast<const Deadline*>(deadline) ? 1 : 0;
}

/// NVRTC counts the terminating zero of texts.
void drop_terminator(std::string& text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
}

}  // namespace

NvrtcProgram::NvrtcProgram(const NvrtcLibrary& nvrtc, const NvrtcUnit& unit, const std::string& source_name)
    : nvrtc_(nvrtc) {
  std::vector<const char*> texts;
  std::vector<const char*> names;
  for (const auto& [name, text] : unit.headers) {
    names.push_back(name.c_str());
    texts.push_back(text.c_str());
  }
  nvrtc_abi::Program program = nullptr;
  check(nvrtc.call.create_program(&program, unit.text.c_str(), source_name.c_str(),
                                  static_cast<int>(names.size()), texts.data(), names.data()),
        "nvrtcCreateProgram");
  program_.reset({&nvrtc, program});
}

void NvrtcProgram::add_name(const std::string& name_expression) {
  check(nvrtc_.call.add_name_expression(get(), name_expression.c_str()), "nvrtcAddNameExpression");
}

nvrtc_abi::Result NvrtcProgram::compile(const std::vector<std::string>& options,
                                        std::chrono::milliseconds time_limit) {
  Deadline deadline = std::chrono::steady_clock::now() + time_limit;
  if (time_limit.count() > 0 && nvrtc_.call.set_flow_callback != nullptr) {
    nvrtc_.call.set_flow_callback(get(), is_past, &deadline);
  }
  std::vector<const char*> texts;
  texts.reserve(options.size());
  for (const std::string& option : options) texts.push_back(option.c_str());
  return nvrtc_.call.compile_program(get(), static_cast<int>(texts.size()), texts.data());
}

std::string NvrtcProgram::log() const {
  std::string text = product(nvrtc_.call.get_log_size, nvrtc_.call.get_log, "nvrtcGetProgramLog");
  drop_terminator(text);
  return text;
}

std::string NvrtcProgram::cubin() const {
  return product(nvrtc_.call.get_cubin_size, nvrtc_.call.get_cubin, "nvrtcGetCUBIN");
}

std::string NvrtcProgram::ptx() const {
  std::string text = product(nvrtc_.call.get_ptx_size, nvrtc_.call.get_ptx, "nvrtcGetPTX");
  drop_terminator(text);
  return text;
}

std::string NvrtcProgram::lowered_name(const std::string& name_expression) const {
  const char* name = nullptr;
  check(nvrtc_.call.get_lowered_name(get(), name_expression.c_str(), &name), "nvrtcGetLoweredName");
  return name;
}

std::string NvrtcProgram::product(GetSize get_size, GetBytes get_bytes, const char* call) const {
  std::size_t size = 0;
  check(get_size(get(), &size), call);
  std::string bytes(size, '\0');
  if (size > 0) check(get_bytes(get(), bytes.data()), call);
  return bytes;
}

void NvrtcProgram::check(nvrtc_abi::Result result, const char* call) const {
  if (result == nvrtc_abi::kSuccess) return;
  throw internal_error(std::string(call) + ": " + nvrtc_.call.get_error_string(result));
}

}  // namespace kiln
