#pragma once

#include <string_view>

namespace kiln {

/// Whether `text` contains `word` other than as a part of a longer word. Words consist of letters, digits and
/// '_'; the words of an option, which begins with '-', may have '-', too.
[[nodiscard]] bool has_word(std::string_view text, std::string_view word);

}  // namespace kiln
