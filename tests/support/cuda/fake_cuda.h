#pragma once

#include <dlfcn.h>

#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/cuda/driver_abi.h"

namespace kiln::test {

/// Settings of the fake driver (fake_cuda.cpp) by a test, and its recorded calls. Thread-safe: the back end
/// makes its context on a thread of its own.
class FakeCuda {
 public:
  struct Launch {
    std::string kernel;
    std::vector<unsigned> grid, block, cluster;  ///< no cluster: empty
    unsigned shared_bytes = 0;
    bool cooperative = false;
    cuda_abi::Stream stream = nullptr;
    std::vector<std::string> arguments;  ///< their bytes, each as long as the code says
    bool overlap = false;
  };

  /// From now on `function` ("cuLaunchKernel", without a version's suffix) returns `result`; 0: works again.
  /// After an error that ends a context, every function that works in one returns that error.
  void set_result(const std::string& function, cuda_abi::Result result) {
    const std::lock_guard lock(mutex_);
    results_[function] = result;
  }
  /// The state after the start of a process.
  void reset() {
    const std::lock_guard lock(mutex_);
    results_.clear();
    calls_.clear();
    launches_.clear();
    textures_.clear();
    stream_flags_.clear();
    lost_ = cuda_abi::kSuccess;
    keeps_launches_ = true;
  }
  /// If it does not, a launch of a kernel that does nothing takes no memory.
  void keep_launches(bool keep) {
    const std::lock_guard lock(mutex_);
    keeps_launches_ = keep;
  }
  [[nodiscard]] int calls(const std::string& function) {
    const std::lock_guard lock(mutex_);
    return calls_[function];
  }
  /// What texture objects were made of; an object is the place here, from 1 on.
  [[nodiscard]] std::vector<std::pair<cuda_abi::ResourceDescription, cuda_abi::TextureDescription>>
  textures() {
    const std::lock_guard lock(mutex_);
    return textures_;
  }
  [[nodiscard]] std::vector<Launch> launches() {
    const std::lock_guard lock(mutex_);
    return launches_;
  }

  /// For the driver: counts a call and returns its result.
  [[nodiscard]] cuda_abi::Result enter(const char* function) {
    const std::lock_guard lock(mutex_);
    const auto known = calls_.find(std::string_view(function));
    ++(known != calls_.end() ? known->second : calls_[function]);
    if (lost_ != cuda_abi::kSuccess) return lost_;
    const auto found = results_.find(std::string_view(function));
    const cuda_abi::Result result = found != results_.end() ? found->second : cuda_abi::kSuccess;
    if (ends_context(result)) lost_ = result;
    return result;
  }
  [[nodiscard]] bool keeps_launches() {
    const std::lock_guard lock(mutex_);
    return keeps_launches_;
  }
  /// Flags of every stream that was made.
  [[nodiscard]] std::vector<unsigned> stream_flags() {
    const std::lock_guard lock(mutex_);
    return stream_flags_;
  }
  void record_stream(unsigned flags) {
    const std::lock_guard lock(mutex_);
    stream_flags_.push_back(flags);
  }
  [[nodiscard]] cuda_abi::TextureObject record(const cuda_abi::ResourceDescription& resource,
                                               const cuda_abi::TextureDescription& sampling) {
    const std::lock_guard lock(mutex_);
    textures_.emplace_back(resource, sampling);
    return textures_.size();
  }
  void record(Launch launch) {
    const std::lock_guard lock(mutex_);
    launches_.push_back(std::move(launch));
  }

 private:
  /// Errors for which CUDA's documentation says "the process must be terminated and relaunched".
  static bool ends_context(cuda_abi::Result result) {
    return result == 214 || result == 226 || result == 700 || result == 702 || result == 710 ||
           (result >= 714 && result <= 719) || result == 721 || result == 911;
  }

  std::mutex mutex_;
  std::map<std::string, cuda_abi::Result, std::less<>> results_;
  std::map<std::string, int, std::less<>> calls_;
  std::vector<Launch> launches_;
  std::vector<std::pair<cuda_abi::ResourceDescription, cuda_abi::TextureDescription>> textures_;
  std::vector<unsigned> stream_flags_;
  cuda_abi::Result lost_ = cuda_abi::kSuccess;
  bool keeps_launches_ = true;
};

/// The FakeCuda of the fake driver in `folder`, which stays loaded until the process ends.
inline FakeCuda& fake_cuda_in(const std::string& folder) {
  void* library = ::dlopen((folder + "/libcuda.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
  void* symbol = library != nullptr ? ::dlsym(library, "kiln_fake_cuda") : nullptr;
  if (symbol == nullptr) throw std::runtime_error(::dlerror());
  return *reinterpret_cast<FakeCuda* (*)()>(symbol)();
}

}  // namespace kiln::test
