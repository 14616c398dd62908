#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "device/device.h"

namespace kiln {

/// The properties of one kernel in a code object.
struct CodeObjectKernel {
  /// Registers are vector registers, local bytes the scratch of a work-item: spills and stack.
  FunctionAttributes attributes;
  int wavefront_size = 0;
};

/// An AMD code object: an ELF file for one ISA, with notes on each kernel.
/// Format: LLVM, "User Guide for AMDGPU Backend", code object V4 and later.
struct HipCodeObject {
  std::string isa;  ///< "gfx90a:sramecc+:xnack-"; a feature that is not named fits both settings
  std::map<std::string, CodeObjectKernel> kernels;  ///< the kernels with a descriptor in the symbol table
};

/// Reads `binary`, or returns a sentence with its error; every length in it is checked.
[[nodiscard]] std::variant<HipCodeObject, std::string> read_code_object(const std::string& binary);

/// Whether code for `code_isa` runs on a device of `device_isa`: the processors are equal, and no feature has
/// the other setting. Loading code for another ISA can crash the run time.
[[nodiscard]] bool isa_fits(const std::string& code_isa, const std::string& device_isa);

/// Number of work-items in a wavefront of code for this ISA that is compiled without an option for it: 64,
/// from gfx10 on 32.
[[nodiscard]] int wavefront_size(const std::string& isa);

}  // namespace kiln
