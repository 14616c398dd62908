#include "device/device.h"

#include <vector>

#include "kiln/error.h"

namespace kiln {

void Device::copy_from_peer(Stream& stream, void* to, Device& peer, const void* from, std::size_t bytes) {
  std::vector<std::byte> staging(bytes);
  peer.copy_to_host(*peer.create_stream(), staging.data(), from, bytes);
  copy_to_device(stream, to, staging.data(), bytes);
}

std::unique_ptr<Stream> Device::borrow_stream(void* /*native*/) {
  throw bad_input("'" + info().id + "' has no streams of a caller's");
}

bool Device::is_capturing(void* native) {
  if (native == nullptr) return false;
  throw bad_input("'" + info().id + "' has no streams of a caller's; pass a null stream");
}

TensorMap Device::encode_tensor_map(const TensorMapLayout& /*layout*/, const void* /*data*/) {
  throw bad_input("'" + info().id + "' has no tensor maps; NVIDIA's GPUs have them from sm_90 on");
}

std::uint64_t Device::texture(const TextureLayout& /*layout*/, const void* /*data*/) {
  throw bad_input("'" + info().id + "' has no textures in Kiln; NVIDIA's GPUs and the cpu have them");
}

std::uint64_t Device::pointer_table(const PointerTable& layout, const void* data) {
  const std::lock_guard lock(tables_mutex_);
  auto& table = pointer_tables_[{layout, data}];
  if (!table) {
    auto memory = allocate(layout.rows * sizeof(std::uint64_t));
    std::vector<std::uint64_t> addresses(layout.rows);
    for (std::uint64_t row = 0; row < layout.rows; ++row)
      addresses[row] = reinterpret_cast<std::uintptr_t>(data) + row * layout.pitch;
    copy_to_device(*create_stream(), memory->data(), addresses.data(), memory->bytes());
    table = std::move(memory);
  }
  return reinterpret_cast<std::uintptr_t>(table->data());
}

}  // namespace kiln
