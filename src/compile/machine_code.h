#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/process.h"
#include "compile/compiler.h"
#include "record/machine_code.h"

namespace kiln {

/// The objects that reading machine code needs.
struct Disassembly {
  ProcessRunner& processes;  ///< objdump for the CPU, llvm-objdump for AMD's GPUs, if installed
  FileSystem& files;
  std::filesystem::path scratch;  ///< a private file is written below it and removed again
};

/// The machine code of each kernel of `code`, sorted by name. Empty if the format (PTX) is not machine code
/// or the binary does not have its stated format.
///
/// - cubin: the kernel's own section, with the subroutines that the compiler put there. From sm_70 on an
///   instruction has 16 bytes. NOPs after the last other instruction only fill the section: neither their
/// number
///   nor their bytes count. The branch to itself that ptxas puts after the last exit does count.
/// - code object: the kernel's symbol, which does not include the padding after it.
/// - shared object: all functions of the unit, since kernels share them, including the functions for huge
///   grids; without the padding between functions.
[[nodiscard]] std::vector<MachineCode> machine_code(const CodeObject& code, const Target& target,
                                                    const Disassembly& disassembly);

}  // namespace kiln
