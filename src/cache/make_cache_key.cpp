#include "cache/make_cache_key.h"

#include "base/hash.h"
#include "cache/key_parts.h"

namespace kiln {
namespace {

/// Version of the key's meaning; grows when equal fields no longer give the same binary.
constexpr std::int64_t kKeyFormat = 2;

std::string to_text(const std::optional<Dim3>& block) {
  if (!block) return "";
  return std::to_string(block->x) + "," + std::to_string(block->y) + "," + std::to_string(block->z);
}

}  // namespace

CacheKey make_cache_key(const Specialization& specialization, Compiler& compiler) {
  return make_cache_key(specialization, compiler.identity(), compiler.surroundings(specialization));
}

CacheKey make_cache_key(const Specialization& specialization, const CompilerIdentity& compiler,
                        const std::string& surroundings) {
  // Names every member, so that a new one cannot be forgotten here. Not part of the key: where files lie
  // (but with line information), names that the compiler finds by itself, why nothing is kept on disk, what
  // was left out of the texts, where the user wrote options and names, and what the texts show of warps.
  const auto& [source_name, source_path, source_text, params_header, headers, unseen_headers, defines,
               options, include_directories, unknown_input, fast_math, lineinfo, entries, target, left_out,
               written, wide_warps] = specialization;
  FieldHasher hasher;
  hasher.field("format", kKeyFormat)
      .field("backend", target.backend)
      .field("arch", target.arch)
      .field("warp_size", target.warp_size)
      .field("compiler.name", compiler.name)
      .field("compiler.version", compiler.version)
      .field("compiler.fingerprint", compiler.fingerprint)
      .field("fast_math", fast_math ? 1 : 0)
      .field("source.name", source_name);
  for (const std::string& option : options) hasher.field("option", option);
  for (const auto& [name, value] : defines) hasher.field("define:" + name, value);
  for (const auto& [name_expression, fixed_block, launch_bounds] : entries) {
    hasher.field("entry", name_expression)
        .field("entry.fixed_block", to_text(fixed_block))
        .field("entry.launch_bounds", launch_bounds);
  }
  hasher.field("params.h", params_header).field("source", source_text);
  for (const auto& [name, path, text] : headers) hasher.field("header:" + name, text);
  if (!surroundings.empty()) hasher.field("surroundings", surroundings);
  if (lineinfo) {
    hasher.field("lineinfo", source_line_name(specialization));
    for (const IncludedHeader& header : headers) hasher.field("lineinfo.header", header.path);
  }
  return CacheKey{hasher.hex(), hasher.preimage()};
}

std::string make_portable_digest(const Specialization& specialization) {
  return portable_digest(make_cache_key(specialization, CompilerIdentity{}, "").preimage);
}

}  // namespace kiln
