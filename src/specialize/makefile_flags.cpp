#include "specialize/makefile_flags.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
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

/// Whether lines of a conditional count.
enum class Branch {
  kTaken,
  kLeft,     ///< the other branch counts
  kUnknown,  ///< the condition says nothing that is known
};

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c);
  });
  return text;
}

/// "GPU", "USE_CUDA", "CUDA_ENABLED" and the like; not "NO_CUDA" or "CUDA_DEBUG".
bool names_the_gpu(const std::string& variable) {
  static const std::set<std::string> gpu = {"gpu",     "gpus",     "cuda",   "usegpu",
                                            "usecuda", "withcuda", "withgpu"};
  static const std::set<std::string> others = {"use", "with",  "enable", "enabled", "have",
                                               "has", "build", "is",     "on"};
  bool named = false;
  for (const std::string& word : split(in_lower_case(variable), '_')) {
    named = named || gpu.contains(word);
    if (!word.empty() && !gpu.contains(word) && !others.contains(word)) return false;
  }
  return named;
}

std::optional<bool> switch_value(const std::string& value) {
  static const std::set<std::string> yes = {"1", "on", "yes", "y", "true"};
  static const std::set<std::string> no = {"", "0", "off", "no", "n", "false"};
  const std::string lower = in_lower_case(value);
  if (yes.contains(lower)) return true;
  return no.contains(lower) ? std::optional(false) : std::nullopt;
}

/// Of `ifeq ($(GPU), 1)`, `ifdef USE_CUDA` and the like: the program is for a GPU, so a switch with such a
/// name is on.
Branch first_branch(const std::string& line) {
  const std::size_t blank = std::min(line.find_first_of(" \t("), line.size());
  const std::string word = line.substr(0, blank);
  std::string rest(trim(std::string_view(line).substr(blank)));
  const bool negated = word == "ifneq" || word == "ifndef";
  std::optional<bool> on;
  if (word == "ifdef" || word == "ifndef") {
    if (is_identifier(rest) && names_the_gpu(rest)) on = true;
  } else if (rest.starts_with("($(") && rest.ends_with(")")) {
    const std::size_t close = rest.find(')');
    const std::size_t comma = rest.find(',', close);
    const std::string variable(trim(std::string_view(rest).substr(3, close - 3)));
    if (comma != std::string::npos && trim(rest.substr(close + 1, comma - close - 1)).empty() &&
        is_identifier(variable) && names_the_gpu(variable))
      on = switch_value(std::string(trim(std::string_view(rest).substr(comma + 1, rest.size() - comma - 2))));
  }
  if (!on) return Branch::kUnknown;
  return *on != negated ? Branch::kTaken : Branch::kLeft;
}

/// Behind `else`, which may have a condition of its own.
Branch other_branch(Branch branch, const std::string& line) {
  if (branch != Branch::kLeft) return branch == Branch::kTaken ? Branch::kUnknown : branch;
  const std::string rest(trim(std::string_view(line).substr(4)));
  return rest.empty() ? Branch::kTaken : first_branch(rest);
}

class MakefileReader {
 public:
  MakefileFlags run(const std::string& text) {
    std::vector<std::string> kept;
    std::vector<Branch> branches;  // of the conditionals around a line
    for (const std::string& line : lines_of(text)) {
      std::istringstream words(line);
      std::string first;
      words >> first;
      if (first.starts_with("ifeq") || first.starts_with("ifneq") || first == "ifdef" || first == "ifndef") {
        branches.push_back(first_branch(std::string(trim(line))));
      } else if (first == "endif") {
        if (!branches.empty()) branches.pop_back();
      } else if (first == "else" && !branches.empty()) {
        branches.back() = other_branch(branches.back(), std::string(trim(line)));
      } else if (std::all_of(branches.begin(), branches.end(),
                             [](Branch branch) { return branch == Branch::kTaken; })) {
        add_variable(line);
        kept.push_back(line);
      }
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
