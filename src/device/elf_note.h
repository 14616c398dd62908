#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kiln {

/// The content of the first note of this type and owner ("GNU", "AMDGPU") in `notes`, the bytes of an ELF
/// note section. A note that is cut short ends the search.
[[nodiscard]] std::optional<std::string_view> find_elf_note(std::string_view notes, std::uint32_t type,
                                                            std::string_view owner);

}  // namespace kiln
