#include "device/cpu/fiber_stacks.h"

#include <unistd.h>

#include <new>

namespace kiln {
namespace {

constexpr std::size_t kStacksPerSlab = 64;

}  // namespace

FiberStacks::FiberStacks(std::size_t stack_bytes)
    : page_bytes_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
  stack_bytes_ = (stack_bytes + page_bytes_ - 1) / page_bytes_ * page_bytes_;
}

void FiberStacks::start(Context& context, std::size_t i, void (*entry)(void*), void* argument) {
  context.entry = entry;
  context.argument = argument;
  context.stack_bottom = bottom(i);
  context.stack_bytes = stack_bytes_;
  prepare_context(context, i);
}

void* FiberStacks::bottom(std::size_t i) {
  const std::size_t stride = stack_bytes_ + page_bytes_;
  while (slabs_.size() * kStacksPerSlab <= i) {
    MemoryMap slab = map_memory(kStacksPerSlab * stride);
    if (!slab) throw std::bad_alloc();
    for (std::size_t s = 0; s < kStacksPerSlab; ++s) {
      // Refused only if the process has too many mappings; the stacks then work without their guard page.
      static_cast<void>(
          ::mprotect(static_cast<char*>(slab.get().address) + s * stride, page_bytes_, PROT_NONE));
    }
    slabs_.push_back(std::move(slab));
  }
  char* slab = static_cast<char*>(slabs_[i / kStacksPerSlab].get().address);
  return slab + i % kStacksPerSlab * stride + page_bytes_;
}

}  // namespace kiln
