#include "device/cuda/cuda_staging.h"

#include <algorithm>
#include <cstring>

namespace kiln {
namespace {

constexpr std::size_t kSlotBytes = std::size_t{4} << 20;
/// The driver makes a smaller copy itself: it has pinned memory of its own for small copies.
constexpr std::size_t kLeastBytes = std::size_t{256} << 10;

}  // namespace

void CudaStaging::make_slots() {
  if (slots_.back().copied) return;
  for (Slot& slot : slots_) {
    void* memory = nullptr;
    context_->run(call().host_allocate, &memory, kSlotBytes, 0U);
    slot.memory.reset(context_->handle(memory));
    cuda_abi::Event event = nullptr;
    context_->run(call().event_create, &event, cuda_abi::kEventNoTiming);
    slot.copied.reset(context_->handle(event));
  }
}

void CudaStaging::copy_to_device(cuda_abi::Stream stream, cuda_abi::DevicePointer device, const void* host,
                                 std::size_t bytes) {
  const CurrentContext current = context_->enter();
  if (bytes < kLeastBytes) {
    context_->run(call().copy_to_device, device, host, bytes, stream);
    return;
  }
  const std::lock_guard lock(mutex_);
  make_slots();
  for (std::size_t done = 0, piece = 0; done < bytes; done += kSlotBytes, ++piece) {
    const Slot& slot = slots_.at(piece % slots_.size());
    const std::size_t length = std::min(kSlotBytes, bytes - done);
    void* pinned = slot.memory.get().object;
    context_->run(call().event_synchronize, slot.copied.get().object);
    std::memcpy(pinned, static_cast<const std::byte*>(host) + done, length);
    context_->run(call().copy_to_device, device + done, pinned, length, stream);
    context_->run(call().event_record, slot.copied.get().object, stream);
  }
}

void CudaStaging::copy_to_host(cuda_abi::Stream stream, void* host, cuda_abi::DevicePointer device,
                               std::size_t bytes) {
  const CurrentContext current = context_->enter();
  if (bytes < kLeastBytes) {
    context_->run(call().copy_to_host, host, device, bytes, stream);
    context_->run(call().stream_synchronize, stream);
    return;
  }
  const std::lock_guard lock(mutex_);
  make_slots();
  const auto enqueue = [&](std::size_t piece) {
    const Slot& slot = slots_.at(piece % slots_.size());
    const std::size_t first = piece * kSlotBytes;
    context_->run(call().copy_to_host, slot.memory.get().object, device + first,
                  std::min(kSlotBytes, bytes - first), stream);
    context_->run(call().event_record, slot.copied.get().object, stream);
  };
  // An upload may still read the buffers.
  for (const Slot& slot : slots_) context_->run(call().event_synchronize, slot.copied.get().object);
  const std::size_t pieces = (bytes + kSlotBytes - 1) / kSlotBytes;
  enqueue(0);
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    if (piece + 1 < pieces) enqueue(piece + 1);
    const Slot& slot = slots_.at(piece % slots_.size());
    const std::size_t first = piece * kSlotBytes;
    context_->run(call().event_synchronize, slot.copied.get().object);
    std::memcpy(static_cast<std::byte*>(host) + first, slot.memory.get().object,
                std::min(kSlotBytes, bytes - first));
  }
}

}  // namespace kiln
