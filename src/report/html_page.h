#pragma once

#include <string>
#include <string_view>

#include "report/page_data.h"

namespace kiln {

/// The plotting library that this program was built with, as JavaScript; empty: it was built without one.
[[nodiscard]] std::string_view page_chart_library();

/// One page with all of it: each study with its plots, the times of the variants with their intervals, heat
/// maps where two numbers were swept, the best so far of each run, rooflines for devices with ceilings,
/// timelines of traces, the comparison's tables, and a table of the records. It needs nothing from elsewhere:
/// style sheet, script, plotting library and data are in it. Without `charts` it has tables alone, and says
/// so. Light or dark as the reader's system is.
[[nodiscard]] std::string html_page(const PageContent& content,
                                    std::string_view charts = page_chart_library());

/// The page of `kiln report --serve`, which asks its server for what is new (page_update_json).
[[nodiscard]] std::string live_page(const PageContent& content,
                                    std::string_view charts = page_chart_library());
/// JSON with `version`, `content` (HTML in place of the page's) and `data` (page_data_json).
[[nodiscard]] std::string page_update_json(const PageContent& content, const std::string& version);

}  // namespace kiln
