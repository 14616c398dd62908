#pragma once

#include <map>
#include <string>

#include "specialize/tokens.h"

namespace kiln {

/// What a program allocates on the device: by the name of the pointer, the bytes as written
/// ("n * sizeof(float)"). A pointer that is allocated twice, with different sizes, is left out.
[[nodiscard]] std::map<std::string, std::string> find_allocations(const TokenizedText& text);

/// An allocation's elements ("n" of "n * sizeof(float)"), and the type whose size it has ("float").
struct AllocatedElements {
  std::string count, type;
};

/// Empty count: the size has not the form of a product with one `sizeof`. `constants`: values of variables
/// and macros, for a size that has a name.
[[nodiscard]] AllocatedElements allocated_elements(const std::string& bytes,
                                                   const std::map<std::string, std::string>& constants);

}  // namespace kiln
