#include "embed/kernel_index.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <mutex>
#include <string_view>

#include "embed/handles.h"

namespace kiln {
namespace {

using Value = KernelRequest::Value;

void mix(std::uint64_t& hash, std::uint64_t more) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;  // the golden ratio in 64 bits: spreads its factor
  hash = (std::rotl(hash, 23) ^ more) * kOdd;
}

std::uint64_t hash_of_text(std::string_view text) {
  return std::hash<std::string_view>()(text);
}

std::uint64_t hash_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<std::uint64_t>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return std::bit_cast<std::uint64_t>(*real);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 2;
  return hash_of_text(std::get<std::string>(value));
}

/// Texts count only by their lengths: a comparison follows anyway.
std::uint64_t hash_of(const KernelRequest::Impl& request) {
  std::uint64_t hash = std::bit_cast<std::uintptr_t>(request.kernel);
  mix(hash, std::bit_cast<std::uintptr_t>(request.device.get()));
  for (const auto& [name, value] : request.assignments) {
    mix(hash, hash_of_text(name));
    mix(hash, value.index());
    mix(hash, hash_of(value));
  }
  if (request.headers) {
    for (const IncludedHeader& header : *request.headers) mix(hash, header.text.size());
  }
  return hash;
}

/// Bit by bit: a value that is not a number is itself, too.
bool is_same(const Value& a, const Value& b) {
  const auto* real = std::get_if<double>(&a);
  const auto* other = std::get_if<double>(&b);
  if (real != nullptr && other != nullptr)
    return std::bit_cast<std::uint64_t>(*real) == std::bit_cast<std::uint64_t>(*other);
  return a == b;
}

bool is_same(const SuppliedHeaders& a, const SuppliedHeaders& b) {
  if (a == b) return true;
  if (!a || !b) return false;
  return std::equal(a->begin(), a->end(), b->begin(), b->end(),
                    [](const IncludedHeader& one, const IncludedHeader& other) {
                      return one.name == other.name && one.text == other.text;
                    });
}

}  // namespace

/// The kernel keeps the device that it was made for, so that its address stays its own.
struct KernelIndex::Entry {
  const KernelSpec* spec;
  RequestValues assignments;
  SuppliedHeaders headers;
  std::optional<std::string> wisdom;
  std::shared_ptr<const Kernel::Impl> kernel;

  [[nodiscard]] bool is_for(const KernelRequest::Impl& request) const {
    return spec == request.kernel && kernel->device == request.device &&
           std::equal(assignments.begin(), assignments.end(), request.assignments.begin(),
                      request.assignments.end(),
                      [](const auto& one, const auto& other) {
                        return one.first == other.first && is_same(one.second, other.second);
                      }) &&
           is_same(headers, request.headers) && wisdom == request.wisdom;
  }
};

std::shared_ptr<const Kernel::Impl> KernelIndex::find(const KernelRequest::Impl& request) const {
  const std::uint64_t hash = hash_of(request);
  const std::shared_lock lock(mutex_);
  const Entry* found = find_entry(hash, request);
  return found == nullptr ? nullptr : found->kernel;
}

void KernelIndex::add(const KernelRequest::Impl& request, std::shared_ptr<const Kernel::Impl> kernel) {
  const std::uint64_t hash = hash_of(request);
  auto entry = std::make_shared<const Entry>(
      Entry{request.kernel, request.assignments, request.headers, request.wisdom, std::move(kernel)});
  std::shared_ptr<const Entry> forgotten;  // goes after the lock: a kernel may be unloaded with it
  const std::unique_lock lock(mutex_);
  if (find_entry(hash, request) != nullptr) return;
  by_age_.emplace_back(hash, entry.get());
  entries_.emplace(hash, std::move(entry));
  if (by_age_.size() <= most_) return;
  const auto [oldest_hash, oldest] = by_age_.front();
  by_age_.pop_front();
  const auto [begin, end] = entries_.equal_range(oldest_hash);
  const auto found =
      std::find_if(begin, end, [oldest = oldest](const auto& known) { return known.second.get() == oldest; });
  forgotten = found->second;
  entries_.erase(found);
}

const KernelIndex::Entry* KernelIndex::find_entry(std::uint64_t hash,
                                                  const KernelRequest::Impl& request) const {
  const auto [begin, end] = entries_.equal_range(hash);
  const auto found =
      std::find_if(begin, end, [&](const auto& known) { return known.second->is_for(request); });
  return found == end ? nullptr : found->second.get();
}

}  // namespace kiln
