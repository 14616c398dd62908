#pragma once

#include <cstddef>

#include "base/unique_handle.h"

namespace kiln {

/// Traits of ThreadSanitizer's record of a context; nothing in a build without it.
struct SanitizerRecordTraits {
  using Handle = void*;
  static Handle null() { return nullptr; }
  static void close(Handle record) noexcept;
};

/// A place of execution with its own stack; a switch to it happens in user space (Boost.Context's low level).
/// The stack belongs to the caller. A context that is never resumed needs no clean-up. Each switch is
/// reported to the address and thread sanitizers.
struct Context {
  void* handle = nullptr;  ///< where it continues, while it does not run
  void (*entry)(void*) = nullptr;
  void* argument = nullptr;
  void* stack_bottom = nullptr;
  std::size_t stack_bytes = 0;
  void* fake_stack = nullptr;  ///< AddressSanitizer's
  void* record = nullptr;      ///< ThreadSanitizer's
  UniqueHandle<SanitizerRecordTraits> own_record;
};

/// Prepares `context`, the `index`-th of a team, so that the first switch to it calls entry(argument) on its
/// stack. `entry` must not return. Stacks of neighbours begin at different offsets, so that the same objects
/// on them do not share cache sets.
void prepare_context(Context& context, std::size_t index);

/// Describes the calling thread's own stack, before it first switches to another.
void adopt_thread(Context& context);

/// Leaves `from`, the running context, for `to`; returns when another context switches back to `from`.
void switch_context(Context& from, Context& to);

}  // namespace kiln
