#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// A header's name as a text writes it.
struct HeaderName {
  std::string name;
  bool quoted = false;  ///< "name", not <name>
};

/// A place where a text asks for a header.
struct IncludeUse {
  enum class Kind {
    kInclude,     ///< #include, #import
    kHasInclude,  ///< __has_include in a condition or a macro
    kComputed,    ///< either of them with a macro for the name
    kOther,       ///< #include_next, #embed, .incbin: files that are found in another way
  };
  Kind kind = Kind::kInclude;
  HeaderName
      header;  ///< kComputed: the macro, or empty where it is more than one word; kOther: the directive
  std::size_t offset = 0;  ///< offset of the name with its quotes or brackets, in bytes
  std::size_t length = 0;
  int line = 1;
};

/// Every place where `text` asks for a header, in order, those in branches that are not compiled included.
/// Knows comments, literals and lines that are continued; expands no macro.
[[nodiscard]] std::vector<IncludeUse> find_include_uses(std::string_view text);

/// By the macro's name: what #define lines make of it, in order.
using HeaderMacros = std::map<std::string, std::vector<std::optional<HeaderName>>, std::less<>>;

/// The object-like macros that `text` defines: each as a header's name, or `nullopt` for anything else.
[[nodiscard]] HeaderMacros find_header_macros(std::string_view text);

/// The header that a text like `"a.h"` or `<a.h>` names; `nullopt` if it is anything else.
[[nodiscard]] std::optional<HeaderName> parse_header_name(std::string_view text);

}  // namespace kiln
