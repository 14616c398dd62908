#include "support/allocation_count.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#if defined(__has_feature)
#define KILN_HAS_FEATURE(name) __has_feature(name)
#else
#define KILN_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || KILN_HAS_FEATURE(address_sanitizer) || \
    KILN_HAS_FEATURE(thread_sanitizer)
#define KILN_SANITIZED 1
// Part of the sanitizers' common interface; g++ has no header for it.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                                         void (*on_free)(const volatile void*));
#endif

namespace kiln::test {
namespace {

thread_local std::size_t count = 0;

}  // namespace

#if defined(KILN_SANITIZED)

std::size_t allocation_count() {
  static const int installed = __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void* /*memory*/, std::size_t /*bytes*/) { ++count; },
      [](const volatile void* /*memory*/) {});
  if (installed == 0) std::abort();
  return count;
}

}  // namespace kiln::test

#else

namespace {

void* counted(void* memory) {
  ++count;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

/// aligned_alloc takes multiples of the alignment.
std::size_t rounded_up(std::size_t bytes, std::size_t alignment) {
  return (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
}

}  // namespace

std::size_t allocation_count() {
  return count;
}

}  // namespace kiln::test

// The forms for arrays and those that do not throw call these.
void* operator new(std::size_t bytes) {
  return kiln::test::counted(std::malloc(std::max<std::size_t>(bytes, 1)));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto at = static_cast<std::size_t>(alignment);
  return kiln::test::counted(std::aligned_alloc(at, kiln::test::rounded_up(bytes, at)));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

#endif
