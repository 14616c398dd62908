#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kiln {

/// A key taken apart: what `make_cache_key` put together.
struct KeyParts {
  struct Entry {
    std::string name, fixed_block, launch_bounds;
  };
  using Named = std::vector<std::pair<std::string, std::string>>;

  std::string format, backend, arch, warp_size, fast_math;
  std::string compiler, compiler_version, fingerprint;
  std::string source_name, source, params, surroundings;
  std::string lineinfo;  ///< the files' paths, one a line; empty without line information
  std::vector<std::string> options;
  Named defines, headers;
  std::vector<Entry> entries;
};

/// `nullopt` for a text that is no preimage of a key.
[[nodiscard]] std::optional<KeyParts> parse_preimage(std::string_view preimage);

/// Names what a key's code was made of, but neither by which compiler nor for which architecture: the digest
/// of all other fields. Machines without a compiler find code by it. Empty for a text that is no preimage of
/// a key.
[[nodiscard]] std::string portable_digest(std::string_view preimage);

}  // namespace kiln
