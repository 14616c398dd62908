#pragma once

#include <dlfcn.h>

#include <bit>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "trial/vendor_plugin.h"

// What the routines of libkiln_vendor.so share. They declare the few functions that they call as the
// libraries' documents do, and open the libraries when a job asks for a routine, so that neither headers nor
// libraries are needed to build the plug-in.

namespace kiln::vendor {

using Error = std::runtime_error;

struct Library {
  void* handle;
  std::string path;
};

/// The first that opens: in the folders, then where the loader looks. It stays loaded.
inline Library open_first(const kiln_vendor_request& request, const std::vector<std::string>& names) {
  std::vector<std::string> candidates;
  for (size_t i = 0; i < request.folder_count; ++i) {
    for (const std::string& name : names) candidates.push_back(std::string(request.folders[i]) + "/" + name);
  }
  candidates.insert(candidates.end(), names.begin(), names.end());
  for (const std::string& candidate : candidates) {
    if (void* handle = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) return {handle, candidate};
  }
  std::string text = "none of ";
  for (const std::string& name : names) text += name + ", ";
  throw Error(text + "was found in " + std::to_string(request.folder_count) +
              " folders of installations and the loader's places");
}

template <class Function>
Function* function(const Library& library, const char* name) {
  void* address = ::dlsym(library.handle, name);
  if (address == nullptr) throw Error(library.path + " has no " + name);
  return reinterpret_cast<Function*>(address);
}

inline void require(int status, const char* what) {
  if (status != 0) throw Error(std::string(what) + " gives status " + std::to_string(status));
}

/// The arguments of a request by name. A number that is not given is 0.
class Arguments {
 public:
  explicit Arguments(const kiln_vendor_request& request) {
    for (size_t i = 0; i < request.argument_count; ++i)
      all_.emplace(request.arguments[i].name, request.arguments[i]);
  }
  [[nodiscard]] bool has(const std::string& name) const { return find(name) != nullptr; }
  [[nodiscard]] void* buffer(const std::string& name) const {
    if (const auto* found = find(name); found != nullptr && found->data != nullptr) return found->data;
    throw Error("expected a buffer as argument '" + name + "'");
  }
  [[nodiscard]] std::string type(const std::string& name) const {
    static_cast<void>(buffer(name));
    return find(name)->type;
  }
  [[nodiscard]] double number(const std::string& name) const {
    const auto* found = find(name);
    if (found == nullptr) return 0;
    if (found->data != nullptr) throw Error("argument '" + name + "' is a buffer; expected a number");
    return found->number;
  }
  [[nodiscard]] int whole(const std::string& name) const {
    return static_cast<int>(in_range(name, 2147483647.0, "an int"));
  }
  [[nodiscard]] long long large(const std::string& name) const {
    return static_cast<long long>(in_range(name, 9007199254740992.0, "a size of at most 2^53"));
  }

 private:
  /// Not a number is out of range, too.
  [[nodiscard]] double in_range(const std::string& name, double most, const char* expected) const {
    const double value = number(name);
    if (!(value >= 0 && value <= most)) throw Error("argument '" + name + "' does not fit " + expected);
    return value;
  }
  [[nodiscard]] const kiln_vendor_argument* find(const std::string& name) const {
    const auto found = all_.find(name);
    return found == all_.end() ? nullptr : &found->second;
  }
  std::map<std::string, kiln_vendor_argument> all_;
};

class Call {
 public:
  virtual ~Call() = default;
  virtual void run() = 0;
  std::string description;
};

/// A call whose function is bound with its arguments.
template <class Run>
class BoundCall final : public Call {
 public:
  BoundCall(const std::string& text, Run run) : run_(std::move(run)) { description = text; }
  void run() override { run_(); }

 private:
  Run run_;
};
template <class Run>
std::unique_ptr<Call> bound(const std::string& text, Run run) {
  return std::make_unique<BoundCall<Run>>(text, std::move(run));
}

inline std::vector<std::string> versions(const std::string& name, const std::vector<int>& numbers) {
  std::vector<std::string> names;
  names.reserve(numbers.size() + 1);
  for (const int number : numbers) names.push_back(name + "." + std::to_string(number));
  names.push_back(name);
  return names;
}

/// The context that a stream belongs to, current while this exists.
class Context {
 public:
  explicit Context(const kiln_vendor_request& request)
      : driver_(open_first(request, {"libcuda.so.1"})),
        push_(function<int(void*)>(driver_, "cuCtxPushCurrent_v2")),
        pop_(function<int(void**)>(driver_, "cuCtxPopCurrent_v2")) {
    require(function<int(void*, void**)>(driver_, "cuStreamGetCtx")(request.stream, &context_),
            "cuStreamGetCtx");
  }
  template <class Action>
  auto with(const Action& action) const {
    struct Current {
      const Context& of;
      explicit Current(const Context& context) : of(context) {
        require(of.push_(of.context_), "cuCtxPushCurrent");
      }
      ~Current() {
        void* previous = nullptr;
        of.pop_(&previous);
      }
      Current(const Current&) = delete;
      Current& operator=(const Current&) = delete;
    };
    const Current current(*this);
    return action();
  }
  /// For destructors: what cannot be released is left, as where the context is gone.
  template <class Action>
  void release(const Action& action) const noexcept {
    try {
      with(action);
    } catch (const std::exception&) {
      return;
    }
  }
  [[nodiscard]] const Library& driver() const { return driver_; }

 private:
  Library driver_;
  int (*push_)(void*);
  int (*pop_)(void**);
  void* context_ = nullptr;
};

/// What a routine works in, on the device; null if it asks for none.
class Workspace {
 public:
  explicit Workspace(const Context& context) : context_(&context) {}
  ~Workspace() {
    if (address_ == 0) return;
    context_->release(
        [&] { function<int(unsigned long long)>(context_->driver(), "cuMemFree_v2")(address_); });
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  void allocate(size_t bytes) {
    if (bytes == 0) return;
    require(function<int(unsigned long long*, size_t)>(context_->driver(), "cuMemAlloc_v2")(&address_, bytes),
            "cuMemAlloc");
  }
  [[nodiscard]] void* data() const { return std::bit_cast<void*>(address_); }

 private:
  const Context* context_;
  unsigned long long address_ = 0;
};

/// y = conv(x, w) + bias, with ReLU if `relu` is not 0, by cuDNN.
std::unique_ptr<Call> cudnn_conv2d(const kiln_vendor_request& request);

}  // namespace kiln::vendor
