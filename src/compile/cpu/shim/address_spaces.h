// The CUDA dialect for a host compiler: to which memory an address belongs. A text that asks is not split, so
// static shared arrays are variables of the thread.
#pragma once

extern "C" {
struct kiln_program_header {
  unsigned type, flags;
  unsigned long offset, address, physical, file_bytes, memory_bytes, alignment;
};
struct kiln_loaded_object {
  unsigned long base;
  const char* name;
  const kiln_program_header* headers;
  unsigned short header_count;
  unsigned long long added, removed;
  size_t tls_module;
  void* tls;
};
int kiln_iterate_objects(int (*visit)(kiln_loaded_object*, size_t, void*),
                         void* data) __asm__("dl_iterate_phdr");
}

namespace kiln::cpu {

/// Where the unit's variables of a thread are; itself one of these.
struct ThreadVariables {
  const char* begin = nullptr;
  unsigned long bytes = 0;
};

KILN_SHIM int find_thread_variables(kiln_loaded_object* object, size_t, void* data) {
  constexpr unsigned kTls = 7;
  auto& found = *static_cast<ThreadVariables*>(data);
  for (unsigned i = 0; i < object->header_count; ++i) {
    const kiln_program_header& header = object->headers[i];
    const char* begin = static_cast<const char*>(object->tls);
    if (header.type != kTls || begin == nullptr) continue;
    if (reinterpret_cast<unsigned long>(data) - reinterpret_cast<unsigned long>(begin) >= header.memory_bytes)
      continue;
    found = {begin, header.memory_bytes};
    return 1;
  }
  return 0;
}
static thread_local ThreadVariables thread_variables;

}  // namespace kiln::cpu

KILN_SHIM unsigned __isShared(const void* p) {
  const auto* address = static_cast<const char*>(p);
  const auto* dynamic = static_cast<const char*>(kiln_worker->dynamic_shared);
  if (static_cast<unsigned long>(address - dynamic) < kiln_worker->dynamic_shared_bytes) return 1;
  kiln::cpu::ThreadVariables& variables = kiln::cpu::thread_variables;
  if (variables.begin == nullptr) kiln_iterate_objects(&kiln::cpu::find_thread_variables, &variables);
  return static_cast<unsigned long>(address - variables.begin) < variables.bytes;
}
/// Of a work-item's own variables: in the 64 KiB of the stack to both sides of the caller's frame.
KILN_SHIM unsigned __isLocal(const void* p) {
  const auto* frame = static_cast<const char*>(__builtin_frame_address(0));
  return static_cast<unsigned long>(static_cast<const char*>(p) - frame + (64 << 10)) < (128u << 10);
}
KILN_SHIM unsigned __isGlobal(const void* p) {
  return __isShared(p) == 0 && __isLocal(p) == 0;
}
KILN_SHIM unsigned __isClusterShared(const void* p) {
  return __isShared(p);
}
