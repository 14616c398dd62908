#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace kiln {

/// The arguments of a launch by value, each suitably aligned, as the drivers want them: an array of pointers
/// to values. Built once, launched often. Movable only; a move keeps the pointers valid.
class ArgumentPack {
 public:
  /// A device pointer (null is allowed).
  void add_pointer(const void* device_pointer);
  /// A scalar or struct given by its bytes; kept at an alignment of 16.
  void add_bytes(std::span<const std::byte> bytes);

  [[nodiscard]] std::size_t size() const { return pointers_.size(); }
  /// Size in bytes of each argument, in order.
  [[nodiscard]] const std::vector<std::size_t>& sizes() const { return sizes_; }
  [[nodiscard]] void* const* data() const { return pointers_.data(); }

 private:
  struct alignas(16) Chunk {
    std::byte bytes[16];
  };
  std::vector<std::unique_ptr<Chunk[]>> storage_;
  std::vector<void*> pointers_;
  std::vector<std::size_t> sizes_;
};

}  // namespace kiln
