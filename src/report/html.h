#pragma once

#include <string>
#include <vector>

#include "report/text_table.h"

namespace kiln {

/// `text` for HTML, in content and in quoted attributes; printable (base/text.h).
[[nodiscard]] std::string escape_markup(const std::string& text);

/// The marks by which a page's filters know the parts of a table; either list may be empty.
struct TableMarks {
  std::vector<std::string> devices;  ///< the device that each column is about, or empty
  std::vector<std::string> records;  ///< for each row the indices of the records that it shows
};

/// Parts of a page as HTML. All text is escaped.
[[nodiscard]] std::string html_element(const std::string& name, const std::string& text);
/// A table in a frame that scrolls when the page is too narrow and that the keyboard reaches; `label` names
/// it.
[[nodiscard]] std::string html_table(const TextTable& table, const std::string& label,
                                     const TableMarks& marks = {});
[[nodiscard]] std::string html_list(const std::vector<std::string>& lines);

}  // namespace kiln
