#include "support/allocation_count.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace kiln::test {
namespace {

thread_local std::size_t count = 0;

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
