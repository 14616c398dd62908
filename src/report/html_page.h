#pragma once

#include <string>
#include <string_view>

#include "report/page_data.h"

namespace kiln {

/// The plotting library that this program was built with, as JavaScript; empty if it was built without one.
[[nodiscard]] std::string_view page_chart_library();

/// One page with all results: each study with its plots, the times of the variants with their intervals, heat
/// maps where two numbers were swept, the best-so-far curve of each run, rooflines for devices with ceilings,
/// timelines of traces, the comparison's tables, and a table of the records. The page is complete in itself:
/// style sheet, script, plotting library and data are in it. Without `charts` it has tables alone, and a
/// sentence that says so. It is light or dark as the reader's system is.
[[nodiscard]] std::string html_page(const PageContent& content,
                                    std::string_view charts = page_chart_library());

/// The page of `kiln report --serve`, which asks its server for changes (page_update_json).
[[nodiscard]] std::string live_page(const PageContent& content,
                                    std::string_view charts = page_chart_library());
/// JSON with `version`, `content` (HTML that replaces the page's content) and `data` (page_data_json).
[[nodiscard]] std::string page_update_json(const PageContent& content, const std::string& version);

}  // namespace kiln
