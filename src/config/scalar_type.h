#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "config/scalar_rows.h"
#include "device/tensor_map.h"

namespace kiln {

/// The C++ scalar types that parameters, arguments and buffers may have.
enum class ScalarType {
#define KILN_ENUMERATOR(enumerator, ...) enumerator,
  KILN_SCALAR_ROWS(KILN_ENUMERATOR)
#undef KILN_ENUMERATOR
};

/// Properties of a scalar type.
struct ScalarFacts {
  ScalarType type;
  const char* name;        ///< in workload files: "uchar", "float"
  const char* width_name;  ///< the other name there, which says its width: "uint8"; "" if it has none
  const char* cpp;         ///< in kernels, on every back end: "long long" for kLong
  const char* header;      ///< that a kernel has to include for it: "cuda_fp16.h", or ""
  const char* host_name;   ///< C++ type that holds its bits if there is no such header
  std::size_t bytes;       ///< also its alignment
  bool real;
  double epsilon;  ///< machine epsilon: 2^-23 for `float`; 0 for whole numbers
  TensorMapLayout::Element element;
};

/// In the order of the enumeration.
[[nodiscard]] const std::vector<ScalarFacts>& scalar_types();
[[nodiscard]] const ScalarFacts& facts_of(ScalarType type);

/// By either name that workload files use.
[[nodiscard]] std::optional<ScalarType> parse_scalar_type(const std::string& name);
[[nodiscard]] const std::vector<std::string>& scalar_type_names();
[[nodiscard]] std::string to_string(ScalarType type);
[[nodiscard]] std::string cpp_name(ScalarType type);
[[nodiscard]] std::size_t size_of(ScalarType type);
[[nodiscard]] bool is_real(ScalarType type);
/// Whether kernels may have constants of the type: not of those that a header of the vendor defines.
[[nodiscard]] bool has_constants(ScalarType type);

/// A scalar, or one of CUDA's vectors of 2 to 4: "float", "float4", "uint2", "half2".
struct ElementType {
  ScalarType scalar = ScalarType::kInt;
  std::size_t lanes = 1;

  [[nodiscard]] std::size_t bytes() const { return lanes * size_of(scalar); }
  /// As in CUDA: vectors of 2 and 4 are aligned to their size, to 16 at most, vectors of 3 like their scalar.
  [[nodiscard]] std::size_t alignment() const;
};
[[nodiscard]] std::optional<ElementType> parse_element_type(const std::string& name);
/// In kernels: "uint2", "longlong4", "__half2".
[[nodiscard]] std::string cpp_name(const ElementType& type);

}  // namespace kiln
