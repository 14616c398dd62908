#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kiln {

/// A line of a draft: YAML, what a person is to fill in, and a remark. Both may be empty.
struct DraftLine {
  std::string text, todo, remark;
};

/// A scalar of YAML, with quotes where it needs them.
[[nodiscard]] std::string quoted_scalar(const std::string& text);

/// "[a, b]".
[[nodiscard]] std::string flow_list(const std::vector<std::string>& items);

/// A draft's text. Lines with something to fill in get a mark.
class DraftPage {
 public:
  void add(const DraftLine& line, std::size_t indent);
  void add_section(const std::string& title, const std::vector<DraftLine>& lines);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::size_t marks() const { return marks_; }

 private:
  std::string text_;
  std::size_t marks_ = 0;
};

}  // namespace kiln
