#include "device/cuda/nvtx_ranges.h"

#include <dlfcn.h>

#include <array>

#include "device/cuda/nvtx_abi.h"

namespace kiln {
namespace {

using namespace nvtx_abi;

/// A module's functions, which the profiler fills in if it supports them, and the table through which it
/// fills them.
template <unsigned kSize>
class ModuleTable {
 public:
  ModuleTable() {
    for (unsigned i = 1; i < kSize; ++i) places_[i] = &functions_[i];
  }
  [[nodiscard]] FunctionTable places() { return places_.data(); }

  template <class Function>
  [[nodiscard]] Function get(std::size_t id) const {
    return reinterpret_cast<Function>(functions_.at(id));
  }

 private:
  std::array<FunctionPointer, kSize> functions_{};
  std::array<FunctionPointer*, kSize + 1> places_{};
};

struct Tables {
  ModuleTable<kCoreSize> core;
  ModuleTable<kCudaSize> cuda;
  ModuleTable<kOpenClSize> open_cl;
  ModuleTable<kCudaRuntimeSize> cuda_runtime;
  ModuleTable<kCore2Size> core2;
  ModuleTable<kSyncSize> sync;
};

/// The profiler calls a function without arguments for it, at any time.
Tables& tables() {
  static Tables all;
  return all;
}

int get_module_function_table(CallbackModule module, FunctionTable* table, unsigned* size) {
  const auto give = [&]<unsigned kSize>(ModuleTable<kSize>& wanted) {
    if (size != nullptr) *size = kSize;
    if (table != nullptr) *table = wanted.places();
    return 1;
  };
  switch (module) {
    case CallbackModule::kCore:
      return give(tables().core);
    case CallbackModule::kCuda:
      return give(tables().cuda);
    case CallbackModule::kOpenCl:
      return give(tables().open_cl);
    case CallbackModule::kCudaRuntime:
      return give(tables().cuda_runtime);
    case CallbackModule::kCore2:
      return give(tables().core2);
    case CallbackModule::kSync:
      return give(tables().sync);
  }
  return 0;
}

const void* get_export_table(std::uint32_t id) {
  static const ExportTableCallbacks callbacks{sizeof(ExportTableCallbacks), get_module_function_table};
  static const ExportTableVersionInfo version{sizeof(ExportTableVersionInfo), kVersion, 0,
                                              [](std::uint32_t /*version*/) {}};
  if (id == kCallbacksTable) return &callbacks;
  return id == kVersionTable ? &version : nullptr;
}

/// The profiler's own functions. They stay valid: its library is never unloaded.
struct Client {
  DomainRangePush push = nullptr;
  DomainRangePop pop = nullptr;
  Domain domain = nullptr;
  std::string problem;
};

Client attach(const std::string& path) {
  Client client;
  void* library = ::dlopen(path.c_str(), RTLD_LAZY);
  const auto initialize =
      library == nullptr ? nullptr : reinterpret_cast<InitializeInjection>(::dlsym(library, kInitialize));
  if (initialize == nullptr) {
    const char* reason = ::dlerror();
    client.problem = reason != nullptr ? reason : path + " has no " + kInitialize;
    return client;
  }
  if (initialize(get_export_table) == 0) {
    client.problem = path + ": " + kInitialize + " failed";
    return client;
  }
  const auto create = tables().core2.get<DomainCreate>(kDomainCreateA);
  client.push = tables().core2.get<DomainRangePush>(kDomainRangePushEx);
  client.pop = tables().core2.get<DomainRangePop>(kDomainRangePop);
  if (create == nullptr || client.push == nullptr || client.pop == nullptr) {
    client.problem = path + " takes no ranges of a domain";
    return client;
  }
  client.domain = create("kiln");
  return client;
}

class NvtxSink final : public RangeSink {
 public:
  explicit NvtxSink(const Client& client) : client_(client) {}

  void push(const char* name) noexcept override {
    const EventAttributes attributes{kVersion, sizeof(EventAttributes), 0, 0, 0, 0, 0, 0, kAscii, name};
    client_.push(client_.domain, &attributes);
  }
  void pop() noexcept override { client_.pop(client_.domain); }

 private:
  const Client& client_;
};

}  // namespace

NvtxRanges open_nvtx_ranges(const std::string& path) {
  static const Client client = attach(path);
  if (!client.problem.empty()) return {nullptr, client.problem};
  return {std::make_unique<NvtxSink>(client), ""};
}

}  // namespace kiln
