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

/// What looking into machine code needs of its surroundings.
struct Disassembly {
  ProcessRunner& processes;  ///< objdump for the CPU, llvm-objdump for AMD's GPUs, where they are installed
  FileSystem& files;
  std::filesystem::path scratch;  ///< a private file goes below it and is removed again
};

/// Of each kernel of `code`, in order of names; empty where the format (PTX) is no machine code or the binary
/// is not what its format says.
///
/// - cubin: the kernel's own section, with the subroutines that the compiler put there. From sm_70 on an
///   instruction has 16 bytes; NOPs behind the last other instruction fill the section up and are not
///   counted, neither as bytes. The branch to itself that ptxas puts behind the last exit is.
/// - code object: the kernel's symbol, which does not hold the filling behind it.
/// - shared object: all functions of the unit, since kernels share them, with what serves huge grids; not the
///   filling between functions.
[[nodiscard]] std::vector<MachineCode> machine_code(const CodeObject& code, const Target& target,
                                                    const Disassembly& disassembly);

}  // namespace kiln
