#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::hip_shim {

/// What the metadata of a code object says of one kernel.
struct KernelNote {
  std::string name;
  int registers = 0;
  std::size_t shared_bytes = 0;
  std::size_t local_bytes = 0;
  std::size_t max_threads_per_block = 1024;
  std::vector<std::size_t> parameter_bytes;
};

/// An ELF file in the form of an AMD code object for `isa` (symbols, descriptors' names, metadata note), with
/// `payload` in place of machine code.
[[nodiscard]] std::string write_code_object(const std::string& isa, int wavefront_size,
                                            const std::vector<KernelNote>& kernels,
                                            const std::string& payload);

/// The payload of such a file, of which only the address is known; absent if it is another file.
[[nodiscard]] std::optional<std::string_view> payload_of(const void* image);

}  // namespace kiln::hip_shim
