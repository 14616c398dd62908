#include "specialize/makefile_flags.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "base/text.h"

namespace kiln {
namespace {

constexpr int kDeepestVariable = 8;
constexpr std::size_t kLongest = 1 << 16;
constexpr int kMostExpansions = 1 << 16;  // of a file: variables that expand to nothing make no text long

/// Without comments; continued lines are joined.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  std::string line, joined;
  while (std::getline(stream, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const bool continued = !line.empty() && line.back() == '\\';
    if (continued) line.pop_back();
    joined += line + (continued ? " " : "");
    if (continued) continue;
    lines.push_back(joined.substr(0, joined.find('#')));
    joined.clear();
  }
  if (!joined.empty()) lines.push_back(joined);
  return lines;
}

class MakefileReader {
 public:
  MakefileFlags run(const std::string& text) {
    std::vector<std::string> kept;
    int conditionals = 0;
    for (const std::string& line : lines_of(text)) {
      std::istringstream words(line);
      std::string first;
      words >> first;
      const bool opens =
          first.starts_with("ifeq") || first.starts_with("ifneq") || first == "ifdef" || first == "ifndef";
      if (opens) ++conditionals;
      if (conditionals == 0) {
        add_variable(line);
        kept.push_back(line);
      }
      if (first == "endif") conditionals = std::max(0, conditionals - 1);
    }
    for (const std::string& line : kept) read_words(expanded(line, 0));
    for (const auto& define : defines_) flags_.defines.push_back(define);
    return std::move(flags_);
  }

 private:
  /// `NAME = value`, also by := and ?=; a variable that += extends is expanded in neither part.
  void add_variable(const std::string& line) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos || line.front() == '\t') return;
    std::string name = line.substr(0, equals);
    const bool appends = name.ends_with('+');
    const bool keeps = name.ends_with('?');
    while (!name.empty() && (name.back() == ':' || name.back() == '?' || name.back() == '+')) name.pop_back();
    name = std::string(trim(name));
    if (!is_identifier(name) || appends || (keeps && variables_.contains(name))) return;
    variables_[name] = std::string(trim(line.substr(equals + 1)));
  }

  [[nodiscard]] std::string expanded(const std::string& text, int depth) {
    std::string result;
    for (std::size_t i = 0; i < text.size() && result.size() < kLongest; ++i) {
      const bool open = text[i] == '$' && i + 1 < text.size() && (text[i + 1] == '(' || text[i + 1] == '{');
      const std::size_t close = open ? text.find(text[i + 1] == '(' ? ')' : '}', i) : std::string::npos;
      const auto known =
          close == std::string::npos ? variables_.end() : variables_.find(text.substr(i + 2, close - i - 2));
      if (known == variables_.end() || depth == kDeepestVariable || expansions_ == kMostExpansions) {
        result += text[i];
      } else {
        ++expansions_;
        result += expanded(known->second, depth + 1);
        i = close;
      }
    }
    return result;
  }

  void read_words(const std::string& line) {
    std::istringstream words(line);
    std::string word;
    while (words >> word) {
      for (const std::string prefix : {"-D", "-I"}) {
        const std::size_t equals = word.find("=" + prefix);  // FLAGS=-DX, or FLAGS =-DX
        const bool begins = word.starts_with(prefix);
        if (!begins && equals == std::string::npos) continue;
        std::string value = word.substr(begins ? 2 : equals + 3);
        if (value.empty() && !(words >> value)) return;
        if (prefix == "-D") {
          add_define(value);
        } else {
          add_folder(value);
        }
        break;
      }
    }
  }

  void add_define(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const std::string value = equals == std::string::npos ? "1" : text.substr(equals + 1);
    if (is_identifier(name) && value.find_first_of("$'\"\\") == std::string::npos) defines_[name] = value;
  }

  void add_folder(const std::string& folder) {
    if (folder.find_first_of("$'\"\\") != std::string::npos) return;
    if (std::find(flags_.folders.begin(), flags_.folders.end(), folder) == flags_.folders.end())
      flags_.folders.push_back(folder);
  }

  std::map<std::string, std::string> variables_, defines_;
  int expansions_ = 0;
  MakefileFlags flags_;
};

}  // namespace

MakefileFlags read_makefile_flags(const std::string& text) {
  return MakefileReader().run(text);
}

}  // namespace kiln
