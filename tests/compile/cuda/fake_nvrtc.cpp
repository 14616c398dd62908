// An NVRTC without a compiler, as a shared library to open in place of libnvrtc: release 11.KILN_FAKE_NVRTC,
// with the functions that this release has. What it "makes" is the list of its options and,
// a line each, "kernel NAME", which support/cuda/fake_cuda.cpp runs.
// KILN_FAKE_NVRTC_BROKEN leaves out what every release has.
#include <cstring>
#include <set>
#include <string>

#include "compile/cuda/nvrtc_abi.h"

#define FAKE extern "C" __attribute__((visibility("default")))

using kiln::nvrtc_abi::Result;

namespace kiln::nvrtc_abi {

struct ProgramTag {
  std::string product;
  std::set<std::string> names;
};

}  // namespace kiln::nvrtc_abi

namespace {

using kiln::nvrtc_abi::Program;

Result copy(const std::string& text, char* to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
  return 0;
}

}  // namespace

FAKE Result nvrtcVersion(int* major, int* minor) {
  *major = 11;
  *minor = KILN_FAKE_NVRTC;
  return 0;
}
FAKE const char* nvrtcGetErrorString(Result) {
  return "an error of the fake";
}
FAKE Result nvrtcCreateProgram(Program* program, const char*, const char*, int, const char* const*,
                               const char* const*) {
  *program = new kiln::nvrtc_abi::ProgramTag;
  return 0;
}
FAKE Result nvrtcDestroyProgram(Program* program) {
  delete *program;
  return 0;
}
FAKE Result nvrtcAddNameExpression(Program program, const char* expression) {
  program->names.insert(expression);
  return 0;
}
FAKE Result nvrtcCompileProgram(Program program, int count, const char* const* options) {
  for (int i = 0; i < count; ++i) program->product += options[i] + std::string(" ");
  for (const std::string& name : program->names) program->product += "\nkernel " + name;
  return 0;
}
FAKE Result nvrtcGetLoweredName(Program program, const char* expression, const char** name) {
  *name = program->names.find(expression)->c_str();
  return 0;
}
FAKE Result nvrtcGetProgramLogSize(Program, std::size_t* bytes) {
  *bytes = 1;
  return 0;
}
FAKE Result nvrtcGetProgramLog(Program, char* log) {
  return copy("", log);
}
FAKE Result nvrtcGetPTXSize(Program program, std::size_t* bytes) {
  *bytes = program->product.size() + 1;
  return 0;
}
#ifndef KILN_FAKE_NVRTC_BROKEN
FAKE Result nvrtcGetPTX(Program program, char* ptx) {
  return copy(program->product, ptx);
}
#endif
#if KILN_FAKE_NVRTC >= 1
FAKE Result nvrtcGetCUBINSize(Program program, std::size_t* bytes) {
  *bytes = program->product.size() + 1;
  return 0;
}
FAKE Result nvrtcGetCUBIN(Program program, char* cubin) {
  return copy(program->product, cubin);
}
#endif
