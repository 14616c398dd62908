#pragma once

#include <map>
#include <set>
#include <string>

#include "specialize/tokens.h"

namespace kiln {

/// What a program allocates on the device: by the name of the pointer, the bytes as written
/// ("n * sizeof(float)"). A pointer that is allocated twice, with different sizes, is left out. A vector of
/// Thrust (`thrust::device_vector<float> x(n)`) is such a pointer.
[[nodiscard]] std::map<std::string, std::string> find_allocations(const TokenizedText& text);

/// What a program puts into its device's memory.
struct DeviceContent {
  std::set<std::string> copied;               ///< pointers to which the host copies
  std::map<std::string, std::string> filled;  ///< by the pointer's name: the value of each element
  bool managed = false;                       ///< it has memory that the host writes, too
};
[[nodiscard]] DeviceContent find_device_content(const TokenizedText& text);

/// "x" of "&x[0]", "(float2*)x", "x.get()", "thrust::raw_pointer_cast(x.data())" and the like; all other
/// expressions are returned as they are.
[[nodiscard]] std::string pointer_name(const std::string& expression);

/// An allocation's elements ("n" of "n * sizeof(float)"), and the type whose size it has ("float").
struct AllocatedElements {
  std::string count, type;
};

/// Empty count: the size has not the form of a product with one `sizeof`. `constants`: values of variables
/// and macros, for a size that has a name.
[[nodiscard]] AllocatedElements allocated_elements(const std::string& bytes,
                                                   const std::map<std::string, std::string>& constants);

}  // namespace kiln
