#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kiln {

/// Whether bytes begin like a gzip file.
[[nodiscard]] bool is_gzip(std::string_view beginning);

/// The content of a gzip file: its members, one after the other. Throws bad_input with the file's name if it
/// is damaged or truncated, and as soon as the content exceeds `most_bytes`.
[[nodiscard]] std::string gunzip(std::string_view bytes, std::uint64_t most_bytes, const std::string& file);

/// At most the first `most_bytes` of the content, from the given first bytes of the file: a truncated file
/// ends the text and is not an error.
[[nodiscard]] std::string gunzip_beginning(std::string_view bytes, std::uint64_t most_bytes,
                                           const std::string& file);

}  // namespace kiln
