#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// The names of cpu_stand_in_headers() that a compiler may open for a unit: what its `texts` ask for, in
/// branches that are not compiled as well, `names`, and what these headers include in turn. All of them where
/// a text asks for a header by a macro or `#include_next`, or for one that is neither among `own`, the unit's
/// other headers, nor the standard library's: such a header may include any.
[[nodiscard]] std::set<std::string_view> needed_stand_ins(const std::vector<std::string_view>& texts,
                                                          const std::set<std::string>& own,
                                                          const std::vector<std::string>& names);

}  // namespace kiln
