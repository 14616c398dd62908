#include "base/hash.h"
#include "service/kernel_service.h"

namespace kiln {
namespace {

/// Of what the key means; grows when the same fields no longer give the same binary.
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
  FieldHasher hasher;
  hasher.field("format", kKeyFormat)
      .field("backend", specialization.target.backend)
      .field("arch", specialization.target.arch)
      .field("warp_size", specialization.target.warp_size)
      .field("compiler.name", compiler.name)
      .field("compiler.version", compiler.version)
      .field("compiler.fingerprint", compiler.fingerprint)
      .field("fast_math", specialization.fast_math ? 1 : 0)
      .field("source.name", specialization.source_name);
  for (const std::string& option : specialization.options) hasher.field("option", option);
  for (const auto& [name, value] : specialization.defines) hasher.field("define:" + name, value);
  for (const EntryPoint& entry : specialization.entries) {
    hasher.field("entry", entry.name_expression)
        .field("entry.fixed_block", to_text(entry.fixed_block))
        .field("entry.launch_bounds", entry.launch_bounds);
  }
  hasher.field("params.h", specialization.params_header).field("source", specialization.source_text);
  for (const IncludedHeader& header : specialization.headers) {
    hasher.field("header:" + header.name, header.text);
  }
  if (!surroundings.empty()) hasher.field("surroundings", surroundings);
  if (specialization.lineinfo) {
    hasher.field("lineinfo", source_line_name(specialization));
    for (const IncludedHeader& header : specialization.headers) hasher.field("lineinfo.header", header.path);
  }
  return CacheKey{hasher.hex(), hasher.preimage()};
}

}  // namespace kiln
