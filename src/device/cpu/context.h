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

/// A place of execution with a stack of its own, switched to in user space (Boost.Context's low level). The
/// stack is the caller's; a context that is never resumed again is simply forgotten. Address and thread
/// sanitizers are told of each switch.
struct Context {
  void* handle = nullptr;  ///< where it goes on, while it does not run
  void (*entry)(void*) = nullptr;
  void* argument = nullptr;
  void* stack_bottom = nullptr;
  std::size_t stack_bytes = 0;
  void* fake_stack = nullptr;  ///< AddressSanitizer's
  void* record = nullptr;      ///< ThreadSanitizer's
  UniqueHandle<SanitizerRecordTraits> own_record;
};

/// Makes `context` start entry(argument) when it is next switched to, on its stack, `colour` bytes below the
/// top. `entry` must not return.
void prepare_context(Context& context, std::size_t colour);

/// Describes the calling thread's own stack, before it first switches to another.
void adopt_thread(Context& context);

/// Leaves `from`, which is the one that runs, for `to`; returns when something switches back to `from`.
void switch_context(Context& from, Context& to);

}  // namespace kiln
