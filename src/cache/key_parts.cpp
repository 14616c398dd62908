#include "cache/key_parts.h"

#include <map>

#include "base/hash.h"
#include "base/text.h"

namespace kiln {
namespace {

/// "tag length\nvalue\n": takes one field off the front.
std::optional<std::pair<std::string_view, std::string_view>> take_field(std::string_view& rest) {
  const std::size_t line = rest.find('\n');
  if (line == std::string_view::npos) return std::nullopt;
  const std::size_t blank = rest.substr(0, line).rfind(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto length = parse_integer(rest.substr(blank + 1, line - blank - 1));
  if (!length || *length < 0) return std::nullopt;
  const auto size = static_cast<std::size_t>(*length);
  if (size >= rest.size() - line - 1 || rest[line + 1 + size] != '\n') return std::nullopt;
  const std::pair field{rest.substr(0, blank), rest.substr(line + 1, size)};
  rest.remove_prefix(line + size + 2);
  return field;
}

bool put(KeyParts& parts, std::string_view tag, std::string value) {
  static const std::map<std::string_view, std::string KeyParts::*> single_fields = {
      {"format", &KeyParts::format},
      {"backend", &KeyParts::backend},
      {"arch", &KeyParts::arch},
      {"warp_size", &KeyParts::warp_size},
      {"fast_math", &KeyParts::fast_math},
      {"compiler.name", &KeyParts::compiler},
      {"compiler.version", &KeyParts::compiler_version},
      {"compiler.fingerprint", &KeyParts::fingerprint},
      {"source.name", &KeyParts::source_name},
      {"source", &KeyParts::source},
      {"params.h", &KeyParts::params},
      {"surroundings", &KeyParts::surroundings}};
  if (const auto single = single_fields.find(tag); single != single_fields.end()) {
    parts.*(single->second) = std::move(value);
  } else if (tag == "option") {
    parts.options.push_back(std::move(value));
  } else if (tag.starts_with("define:")) {
    parts.defines.emplace_back(tag.substr(7), std::move(value));
  } else if (tag.starts_with("header:")) {
    parts.headers.emplace_back(tag.substr(7), std::move(value));
  } else if (tag == "entry") {
    parts.entries.push_back({std::move(value), "", ""});
  } else if (tag == "entry.fixed_block" && !parts.entries.empty()) {
    parts.entries.back().fixed_block = std::move(value);
  } else if (tag == "entry.launch_bounds" && !parts.entries.empty()) {
    parts.entries.back().launch_bounds = std::move(value);
  } else if (tag == "lineinfo" || tag == "lineinfo.header") {
    parts.lineinfo += value + "\n";
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<KeyParts> parse_preimage(std::string_view preimage) {
  KeyParts parts;
  if (!preimage.starts_with("format ")) return std::nullopt;
  while (!preimage.empty()) {
    const auto field = take_field(preimage);
    if (!field || !put(parts, field->first, std::string(field->second))) return std::nullopt;
  }
  return parts;
}

std::string portable_digest(std::string_view preimage) {
  if (!preimage.starts_with("format ")) return "";
  FieldHasher hasher;
  while (!preimage.empty()) {
    const auto field = take_field(preimage);
    if (!field) return "";
    const auto& [tag, value] = *field;
    if (!tag.starts_with("compiler.") && tag != "surroundings" && tag != "arch") hasher.field(tag, value);
  }
  return hasher.hex();
}

}  // namespace kiln
