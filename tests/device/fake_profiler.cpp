// Stands for the libraries that profilers bring into a process: NVTX's injection library and roctx. Each
// range is a line of the file that FAKE_PROFILER_LOG names: "nvtx <domain> + <name>", "nvtx <domain> -",
// "roctx + <name>", "roctx -", with the thread's number before it.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "device/cuda/nvtx_abi.h"

using namespace kiln::nvtx_abi;

namespace {

void tell(const std::string& what) {
  const char* file = std::getenv("FAKE_PROFILER_LOG");
  std::FILE* log = file == nullptr ? nullptr : std::fopen(file, "a");
  if (log == nullptr) return;
  std::fprintf(log, "%d %s\n", static_cast<int>(::gettid()), what.c_str());
  std::fclose(log);
}

std::string name_of(Domain domain) {
  return "nvtx " + std::string(reinterpret_cast<const char*>(domain));
}

/// A domain is known by its name, which the program does not change.
Domain create(const char* name) {
  return reinterpret_cast<Domain>(const_cast<char*>(name));
}

int push(Domain domain, const EventAttributes* attributes) {
  const bool understood = attributes->version == kVersion && attributes->size == sizeof(EventAttributes) &&
                          attributes->message_type == kAscii;
  tell(name_of(domain) + " + " + (understood ? attributes->message : "?"));
  return 0;
}

int pop(Domain domain) {
  tell(name_of(domain) + " -");
  return 0;
}

template <class Function>
void put(FunctionTable table, std::size_t id, Function* function) {
  *table[id] = reinterpret_cast<FunctionPointer>(function);
}

}  // namespace

extern "C" {

int InitializeInjectionNvtx2(GetExportTable get) {
  const auto* version = static_cast<const ExportTableVersionInfo*>(get(kVersionTable));
  const auto* callbacks = static_cast<const ExportTableCallbacks*>(get(kCallbacksTable));
  if (version == nullptr || version->version != kVersion || callbacks == nullptr) return 0;
  version->set_injection_version(kVersion);
  // As profilers do, it looks at every module that it knows, and at each place of it.
  for (int module = 1; module <= 6; ++module) {
    FunctionTable table = nullptr;
    unsigned size = 0;
    if (callbacks->get_module_function_table(static_cast<CallbackModule>(module), &table, &size) == 0)
      return 0;
    if (table[0] != nullptr || table[size] != nullptr) return 0;
    for (unsigned i = 1; i < size; ++i) {
      if (*table[i] != nullptr) return 0;
    }
  }
  FunctionTable table = nullptr;
  unsigned size = 0;
  callbacks->get_module_function_table(CallbackModule::kCore2, &table, &size);
  put(table, kDomainCreateA, create);
  put(table, kDomainRangePushEx, push);
  put(table, kDomainRangePop, pop);
  return 1;
}

int roctxRangePushA(const char* message) {
  tell("roctx + " + std::string(message));
  return 0;
}

int roctxRangePop() {
  tell("roctx -");
  return 0;
}
}
