#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <mutex>

#include "base/text.h"
#include "embed/handles.h"
#include "kiln/kernel.h"

namespace kiln {
namespace {

constexpr std::size_t kMaxParameters = 8;
constexpr std::size_t kBuckets = 1024;

using Values = std::array<std::int64_t, kMaxParameters>;  // unused ones are 0

/// Finalizer of MurmurHash3 over each value (Appleby, public domain): neighbouring sizes must not share a
/// bucket.
std::size_t bucket_of(const Values& values, std::size_t count) {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < count; ++i) {
    hash ^= static_cast<std::uint64_t>(values[i]);
    hash = (hash ^ (hash >> 33U)) * 0xff51afd7ed558ccdULL;
    hash = (hash ^ (hash >> 33U)) * 0xc4ceb9fe1a85ec53ULL;
    hash ^= hash >> 33U;
  }
  return hash % kBuckets;
}

/// Never changed or removed once its bucket leads to it.
struct Member {
  Values values{};
  Kernel kernel;
  const Member* next = nullptr;
};

}  // namespace

struct KernelFamily::Impl {
  KernelRequest request;
  std::vector<std::string> parameters;
  std::vector<bool> is_bool;
  std::array<std::atomic<const Member*>, kBuckets> buckets{};
  std::mutex mutex;  // of what follows, and of additions to the buckets
  std::deque<Member> members;

  [[nodiscard]] const Kernel* find(std::size_t bucket, const Values& values) const {
    for (const Member* member = buckets[bucket].load(std::memory_order_acquire); member != nullptr;
         member = member->next) {
      if (member->values == values) return &member->kernel;
    }
    return nullptr;
  }

  const Kernel& make(std::size_t bucket, const Values& values) {
    KernelRequest member_request = request;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (is_bool[i] && (values[i] == 0 || values[i] == 1))
        member_request.set(parameters[i], KernelRequest::Value(values[i] == 1));
      else
        member_request.set(parameters[i], values[i]);
    }
    Kernel kernel = member_request.get();
    const std::lock_guard lock(mutex);
    if (const Kernel* found = find(bucket, values)) return *found;  // another thread was faster
    Member& member = members.emplace_back();
    member.values = values;
    member.kernel = std::move(kernel);
    member.next = buckets[bucket].load(std::memory_order_relaxed);
    buckets[bucket].store(&member, std::memory_order_release);
    return member.kernel;
  }
};

const Kernel& KernelFamily::at(std::span<const std::int64_t> values) const {
  Impl& self = *impl_;
  const std::size_t count = self.parameters.size();
  if (values.size() != count) {
    throw bad_input("the family of kernels is keyed by " + join(self.parameters, ", ") + "; " +
                    std::to_string(values.size()) + " values are given");
  }
  Values key{};
  std::copy(values.begin(), values.end(), key.begin());
  const std::size_t bucket = bucket_of(key, count);
  const Kernel* found = self.find(bucket, key);
  return found != nullptr ? *found : self.make(bucket, key);
}

KernelFamily KernelRequest::family(const std::vector<std::string>& parameters) const {
  if (parameters.empty() || parameters.size() > kMaxParameters)
    throw bad_input("a family of kernels is keyed by 1 to 8 parameters, not " +
                    std::to_string(parameters.size()));
  KernelFamily family;
  family.impl_ = std::make_shared<KernelFamily::Impl>();
  family.impl_->request = *this;
  family.impl_->parameters = parameters;
  std::vector<std::string> known{"fast_math", "launch_bounds"};
  for (const ParameterSpec& parameter : impl_->workload->parameters) {
    if (parameter.kind == ParameterKind::kScalar) known.push_back(parameter.name);
  }
  for (const std::string& name : parameters) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw bad_input("workload '" + impl_->workload->name + "' has no number parameter '" + name + "'" +
                      suggestion(name, known));
    }
    const ParameterSpec* parameter = impl_->workload->find_parameter(name);
    family.impl_->is_bool.push_back(parameter == nullptr || parameter->scalar_type == "bool");
  }
  return family;
}

}  // namespace kiln
