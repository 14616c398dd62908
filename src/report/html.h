#pragma once

#include <string>
#include <vector>

#include "report/page_plots.h"
#include "report/text_table.h"

namespace kiln {

/// Parts of a page as HTML. All text is escaped.
[[nodiscard]] std::string html_element(const std::string& name, const std::string& text);
/// In a frame that scrolls where the page is too narrow, and can be reached by keys; `label` names it.
[[nodiscard]] std::string html_table(const TextTable& table, const std::string& label);
/// Each under its caption, side by side where the page is wide enough.
[[nodiscard]] std::string html_figures(const std::vector<Plot>& plots);
[[nodiscard]] std::string html_list(const std::vector<std::string>& lines);

}  // namespace kiln
