#include "device/cpu/context.h"

#include <pthread.h>

#include <boost/context/detail/fcontext.hpp>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace kiln {
namespace {

namespace fcontext = boost::context::detail;

/// Lies on the stack of the context that switches.
struct Handover {
  Context* from;
  Context* to;
};

/// The first action on the new stack: stores the handle of the context that was left.
void arrive(const fcontext::transfer_t& transfer, [[maybe_unused]] void* fake_stack) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
  static_cast<const Handover*>(transfer.data)->from->handle = transfer.fctx;
}

void start(fcontext::transfer_t transfer) {
  arrive(transfer, nullptr);
  const Context& self = *static_cast<const Handover*>(transfer.data)->to;
  self.entry(self.argument);
}

}  // namespace

void SanitizerRecordTraits::close([[maybe_unused]] Handle record) noexcept {
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(record);
#endif
}

void prepare_context(Context& context, std::size_t index) {
  constexpr std::size_t kColours = 31;
  constexpr std::size_t kColourBytes = 128;
  const std::size_t colour = index % kColours * kColourBytes;
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(context.stack_bottom, context.stack_bytes);
#endif
#if defined(__SANITIZE_THREAD__)
  context.own_record.reset(__tsan_create_fiber(0));
  context.record = context.own_record.get();
#endif
  context.fake_stack = nullptr;
  char* top = static_cast<char*>(context.stack_bottom) + context.stack_bytes - colour;
  context.handle = fcontext::make_fcontext(top, context.stack_bytes - colour, &start);
}

void adopt_thread(Context& context) {
#if defined(__SANITIZE_ADDRESS__)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &context.stack_bottom, &context.stack_bytes);
    pthread_attr_destroy(&attributes);
  }
#endif
#if defined(__SANITIZE_THREAD__)
  context.record = __tsan_get_current_fiber();
#endif
  context.handle = nullptr;
}

void switch_context(Context& from, Context& to) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&from.fake_stack, to.stack_bottom, to.stack_bytes);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(to.record, 0);
#endif
  Handover handover{&from, &to};
  arrive(fcontext::jump_fcontext(to.handle, &handover), from.fake_stack);
}

}  // namespace kiln
