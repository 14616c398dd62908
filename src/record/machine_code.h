#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kiln {

/// Size of a kernel's machine code.
struct MachineCode {
  std::string kernel;  ///< name expression; several, with commas, where they share code
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> instructions;  ///< absent where nothing here can tell
};

}  // namespace kiln
