#include "launch/argument_pack.h"

#include <cstring>

namespace kiln {

void ArgumentPack::add_pointer(const void* device_pointer) {
  add_bytes(std::as_bytes(std::span(&device_pointer, 1)));
}

void ArgumentPack::add_bytes(std::span<const std::byte> bytes) {
  const std::size_t chunks = bytes.size() / sizeof(Chunk) + 1;
  auto& value = storage_.emplace_back(std::make_unique<Chunk[]>(chunks));
  if (!bytes.empty()) std::memcpy(value.get(), bytes.data(), bytes.size());
  pointers_.push_back(value.get());
  sizes_.push_back(bytes.size());
}

}  // namespace kiln
