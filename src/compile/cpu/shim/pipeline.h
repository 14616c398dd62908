// cuda/pipeline for a host compiler. Copies are made at once, so a pipeline of one work-item has nothing to
// wait for; one of a block waits for the work-items that fill a stage, and for those that read it.
#pragma once

namespace cuda {

enum class pipeline_role { producer, consumer };

/// `phase` counts how often `count` work-items have come.
struct kiln_stage {
  unsigned count, come, phase;
  KILN_INLINE_ALWAYS void arrive() {
    if (++come != count) return;
    come = 0;
    ++phase;
  }
  KILN_INLINE_ALWAYS void wait_for(unsigned number, unsigned line) const {
    while (static_cast<int>(phase - number) < 0) kiln_wait_while(&phase, phase, line);
  }
};

template <thread_scope Scope, unsigned char Stages>
struct pipeline_shared_state {
  kiln_stage filled[Stages], read[Stages];
  unsigned producers, consumers;
  pipeline_shared_state() = default;
};

template <thread_scope Scope>
class pipeline {
 public:
  pipeline() = default;
  KILN_INLINE_ALWAYS pipeline(kiln_stage* filled, kiln_stage* read, unsigned stages)
      : filled_(filled), read_(read), stages_(stages) {}

  KILN_INLINE_ALWAYS void producer_acquire(unsigned line = __builtin_LINE()) {
    if (stages_ != 0) read_[head_ % stages_].wait_for(head_ / stages_, line);
  }
  KILN_INLINE_ALWAYS void producer_commit() {
    if (stages_ != 0) filled_[head_++ % stages_].arrive();
  }
  KILN_INLINE_ALWAYS void consumer_wait(unsigned line = __builtin_LINE()) {
    if (stages_ != 0) filled_[tail_ % stages_].wait_for(tail_ / stages_ + 1, line);
  }
  KILN_INLINE_ALWAYS void consumer_release() {
    if (stages_ != 0) read_[tail_++ % stages_].arrive();
  }
  template <class Duration>
  KILN_INLINE_ALWAYS bool consumer_wait_for(const Duration&, unsigned line = __builtin_LINE()) {
    consumer_wait(line);
    return true;
  }
  KILN_INLINE_ALWAYS bool quit() { return true; }

 private:
  kiln_stage *filled_ = nullptr, *read_ = nullptr;
  unsigned stages_ = 0;  // 0: of one work-item
  unsigned head_ = 0, tail_ = 0;
};

KILN_SHIM pipeline<thread_scope_thread> make_pipeline() {
  return {};
}

template <class Group, thread_scope Scope, unsigned char Stages>
KILN_SHIM pipeline<Scope> kiln_join_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                             bool produces, bool consumes) {
  if (group.thread_rank() == 0) state->producers = state->consumers = 0;
  group.sync();
  if (produces) ++state->producers;
  if (consumes) ++state->consumers;
  group.sync();
  if (group.thread_rank() == 0) {
    for (unsigned i = 0; i < Stages; ++i) {
      state->filled[i] = {state->producers, 0, 0};
      state->read[i] = {state->consumers, 0, 0};
    }
  }
  group.sync();
  return {state->filled, state->read, Stages};
}
template <class Group, thread_scope Scope, unsigned char Stages>
KILN_SHIM pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state) {
  return kiln_join_pipeline(group, state, true, true);
}
template <class Group, thread_scope Scope, unsigned char Stages>
KILN_SHIM pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                        pipeline_role role) {
  return kiln_join_pipeline(group, state, role == pipeline_role::producer, role == pipeline_role::consumer);
}
/// The first `producers` members of the group fill stages, the others read them.
template <class Group, thread_scope Scope, unsigned char Stages>
KILN_SHIM pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                        size_t producers) {
  const bool produces = group.thread_rank() < producers;
  return kiln_join_pipeline(group, state, produces, !produces);
}

/// The last stages that this work-item filled, but for `Prior`, are there: they are at once.
template <unsigned char Prior>
KILN_SHIM void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>&) {}
template <thread_scope Scope, class Completion>
KILN_SHIM void pipeline_producer_commit(pipeline<thread_scope_thread>&, barrier<Scope, Completion>&) {}

template <class Group, class To, class From, class Size, thread_scope Scope>
KILN_SHIM void memcpy_async(const Group& group, To* to, const From* from, Size bytes, pipeline<Scope>&) {
  kiln::copy_part(group, to, from, bytes);
}
template <class To, class From, class Size, thread_scope Scope>
KILN_SHIM void memcpy_async(To* to, const From* from, Size bytes, pipeline<Scope>&) {
  kiln::copy_part(kiln::Alone(), to, from, bytes);
}

}  // namespace cuda
