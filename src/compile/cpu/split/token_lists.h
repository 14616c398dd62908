#pragma once

#include <cstddef>
#include <vector>

#include "compile/outline.h"

namespace kiln::fission {

/// The ranges between the commas of [range); commas in brackets do not count, nor, with `angles`, commas in
/// angle brackets.
[[nodiscard]] std::vector<TokenRange> split_commas(const std::vector<Token>& tokens, TokenRange range,
                                                   bool angles);

/// Index of the token after template arguments that open at `open`; `open` itself if there are no template
/// arguments.
[[nodiscard]] std::size_t after_template_arguments(const std::vector<Token>& tokens, std::size_t open,
                                                   std::size_t end);

}  // namespace kiln::fission
