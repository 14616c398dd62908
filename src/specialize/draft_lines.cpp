#include "specialize/draft_lines.h"

#include <algorithm>

#include "base/text.h"

namespace kiln {
namespace {

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

}  // namespace

std::string quoted_scalar(const std::string& text) {
  const bool plain = !text.empty() &&
                     text.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789_./-") == std::string::npos &&
                     text.front() != '-';
  if (plain) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string flow_list(const std::vector<std::string>& items) {
  std::vector<std::string> texts;
  texts.reserve(items.size());
  for (const std::string& item : items) texts.push_back(quoted_scalar(item));
  return "[" + join(texts, ", ") + "]";
}

void DraftPage::add(const DraftLine& line, std::size_t indent) {
  std::string text = std::string(indent, ' ') + line.text;
  if (!line.todo.empty()) {
    text += "  # FILL IN " + line.todo;
    if (!line.remark.empty()) text += "; " + line.remark;
    ++marks_;
  } else if (!line.remark.empty()) {
    text += "  # " + line.remark;
  }
  text_ += one_line(text) + "\n";
}

void DraftPage::add_section(const std::string& title, const std::vector<DraftLine>& lines) {
  if (lines.empty()) return;
  add({title + ":", "", ""}, 2);
  for (const DraftLine& line : lines) add(line, 4);
}

}  // namespace kiln
