#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "specialize/program_text.h"

namespace kiln {

constexpr int kDeepestClass = 8;  ///< bases of bases and aliases of aliases that are followed

/// The name of the pointer that an object of a class with virtual functions begins with. Code of a device
/// cannot call them by it where the host made the object, so its value does not matter.
inline constexpr const char* kVirtualFunctions = "kiln_virtual_functions";

/// `text` with the names of `values` replaced.
[[nodiscard]] std::string substituted(const std::string& text,
                                      const std::map<std::string, std::string>& values);

/// What a type stands for, with its qualifiers and pointers: targets of typedefs, of alias templates and of
/// types inside of classes ("typename Traits<float>::Pointer"). All other types are returned as they are,
/// without the namespace if the text has a class of that name.
[[nodiscard]] std::string resolved_type(const ProgramText& program, const std::string& type);

/// Numbers of one type that lie behind each other, aligned like one of them.
struct NumberRow {
  std::string type;
  std::size_t count = 0;
};

/// What a vector or a matrix of glm or Eigen holds: "float" and 3 of `glm::vec3` and of `Eigen::Vector3f`.
[[nodiscard]] std::optional<NumberRow> numbers_of_library(const ProgramText& program,
                                                          const std::string& type);

/// The data members of a class, the members of its bases first, for the arguments of its template; also of
/// std::pair and of CUDA's own structs. Absent if there is no such class, or if the members of a base are not
/// known.
[[nodiscard]] std::optional<std::vector<TextParameter>> members_of_type(const ProgramText& program,
                                                                        const std::string& type);

/// The alignment that a class asks for in its text, else 1; absent if it is not known.
[[nodiscard]] std::optional<std::size_t> own_alignment(const ProgramText& program, const std::string& type);

/// The bytes of an object whose members, or members of these, lie closer to each other than C++ places them
/// by itself: `#pragma pack`, `__attribute__((packed))`. 0 for all others, and if a size is not known.
[[nodiscard]] std::size_t packed_bytes(const ProgramText& program, const std::string& type);

}  // namespace kiln
