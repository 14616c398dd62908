#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kiln {

/// Writes out what macros with parameters define for devices, and names that they paste together. Of
/// `#define TWICE(T, NAME) __global__ void NAME(T* x) { x[threadIdx.x] *= 2; }` the use `TWICE(float, twice)`
/// becomes the kernel; with `#define NAME(x) x##_v2`, `__global__ void NAME(fill)(float* x)` becomes
/// `__global__ void fill_v2(float* x)`; with `#define FIELD fp_t`, `class FIELD {...};` becomes `class fp_t
/// {...};`, and so do all other uses of the name. Macros that the texts define in several ways, undefine, or
/// that `defines` has, stay; so do uses with preprocessor lines in their arguments or, of definitions, with
/// other macros in them, and all within preprocessor lines. `#define UNROLL #pragma unroll` gets
/// `_Pragma("unroll")`. Lines stay where they are.
void write_out_macros(const std::vector<std::string*>& texts,
                      const std::vector<std::pair<std::string, std::string>>& defines);

/// Writes out macros without parameters that open and close namespaces (`#define OPEN_LIB namespace lib {`,
/// `#define CLOSE_LIB }`), in texts whose braces match then. Macros that the texts define in several ways or
/// undefine stay.
void write_out_namespaces(const std::vector<std::string*>& texts);

/// Writes out macros without parameters that stand for qualifiers (`#define READ_ONLY const`) or for nothing,
/// in all their definitions. Of several texts of one the name goes.
void write_out_qualifiers(const std::vector<std::string*>& texts);

}  // namespace kiln
