#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>

namespace kiln {

/// A map from up to 8 integers to objects. A look-up takes no lock and allocates nothing; an entry is never
/// changed or removed once it can be found.
template <class Value>
class ValueTable {
 public:
  static constexpr std::size_t kMostNumbers = 8;
  using Key = std::array<std::int64_t, kMostNumbers>;  ///< unused ones are 0

  explicit ValueTable(std::size_t numbers) : numbers_(numbers) {}

  /// Null: not here.
  [[nodiscard]] const Value* find(const Key& key) const { return find(bucket_of(key), key); }
  /// The value that was there already, or else this one.
  const Value& add(const Key& key, Value value) {
    const std::size_t bucket = bucket_of(key);
    const std::lock_guard lock(mutex_);
    if (const Value* found = find(bucket, key)) return *found;  // another thread was faster
    Member& member = members_.emplace_back(
        Member{key, std::move(value), buckets_[bucket].load(std::memory_order_relaxed)});
    buckets_[bucket].store(&member, std::memory_order_release);
    return member.value;
  }

 private:
  static constexpr std::size_t kBuckets = 1024;

  struct Member {
    Key key;
    Value value;
    const Member* next = nullptr;
  };

  /// Finalizer of MurmurHash3 over each number (Appleby, public domain): neighbouring sizes must not share a
  /// bucket.
  [[nodiscard]] std::size_t bucket_of(const Key& key) const {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < numbers_; ++i) {
      hash ^= static_cast<std::uint64_t>(key[i]);
      hash = (hash ^ (hash >> 33U)) * 0xff51afd7ed558ccdULL;
      hash = (hash ^ (hash >> 33U)) * 0xc4ceb9fe1a85ec53ULL;
      hash ^= hash >> 33U;
    }
    return hash % kBuckets;
  }
  [[nodiscard]] const Value* find(std::size_t bucket, const Key& key) const {
    for (const Member* member = buckets_[bucket].load(std::memory_order_acquire); member != nullptr;
         member = member->next) {
      if (member->key == key) return &member->value;
    }
    return nullptr;
  }

  std::size_t numbers_;
  std::array<std::atomic<const Member*>, kBuckets> buckets_{};
  std::mutex mutex_;  // protects the members below, and additions to the buckets
  std::deque<Member> members_;
};

}  // namespace kiln
