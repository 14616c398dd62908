#pragma once

#include <string>
#include <vector>

#include "report/text_table.h"

namespace kiln {

/// `text` for HTML, in content and in quoted attributes; printable (base/text.h).
[[nodiscard]] std::string escape_markup(const std::string& text);

/// What the filters of a page know a table by; either list may be empty.
struct TableMarks {
  std::vector<std::string> devices;  ///< of each column: the device that it is about, or empty
  std::vector<std::string> records;  ///< of each row: indices of the records that it shows
};

/// Parts of a page as HTML. All text is escaped.
[[nodiscard]] std::string html_element(const std::string& name, const std::string& text);
/// In a frame that scrolls where the page is too narrow, and can be reached by keys; `label` names it.
[[nodiscard]] std::string html_table(const TextTable& table, const std::string& label,
                                     const TableMarks& marks = {});
[[nodiscard]] std::string html_list(const std::vector<std::string>& lines);

}  // namespace kiln
