#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kiln {

/// Whether bytes begin like a file of gzip.
[[nodiscard]] bool is_gzip(std::string_view beginning);

/// What a file of gzip holds: its members, one after the other. Throws bad_input with the file's name where
/// it is damaged or cut off, and as soon as more than `most_bytes` come out.
[[nodiscard]] std::string gunzip(std::string_view bytes, std::uint64_t most_bytes, const std::string& file);

/// At most the first `most_bytes` of it, from as many of the file's first bytes as there are: what is cut off
/// ends the text and is no mistake.
[[nodiscard]] std::string gunzip_beginning(std::string_view bytes, std::uint64_t most_bytes,
                                           const std::string& file);

}  // namespace kiln
