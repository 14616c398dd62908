#include "specialize/build_flags.h"

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

struct MakefileLine {
  std::string text;
  int number = 0;  ///< of its first part
};

/// Without comments; continued lines are joined.
std::vector<MakefileLine> lines_of(const std::string& text) {
  std::vector<MakefileLine> lines;
  std::istringstream stream(text);
  std::string line, joined;
  int number = 0, first = 1;
  while (std::getline(stream, line)) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const bool continued = !line.empty() && line.back() == '\\';
    if (continued) line.pop_back();
    joined += line + (continued ? " " : "");
    if (continued) continue;
    lines.push_back({joined.substr(0, joined.find('#')), first});
    joined.clear();
    first = number + 1;
  }
  if (!joined.empty()) lines.push_back({joined, first});
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
  static const std::set<std::string> gpu = {"gpu",     "gpus",     "cuda",    "usegpu",
                                            "usecuda", "withcuda", "withgpu", "cudatoolkit"};
  static const std::set<std::string> others = {"use", "with",  "enable", "enabled", "have",
                                               "has", "build", "is",     "on",      "found"};
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

/// Macros and folders of one file, and the variables that their words are expanded with.
class FlagCollector {
 public:
  std::map<std::string, std::string> variables;

  [[nodiscard]] std::string expanded(const std::string& text, int depth = 0) {
    std::string result;
    for (std::size_t i = 0; i < text.size() && result.size() < kLongest; ++i) {
      const bool open = text[i] == '$' && i + 1 < text.size() && (text[i + 1] == '(' || text[i + 1] == '{');
      const std::size_t close = open ? text.find(text[i + 1] == '(' ? ')' : '}', i) : std::string::npos;
      const auto known =
          close == std::string::npos ? variables.end() : variables.find(text.substr(i + 2, close - i - 2));
      if (known == variables.end() || depth == kDeepestVariable || expansions_ == kMostExpansions) {
        result += text[i];
      } else {
        ++expansions_;
        result += expanded(known->second, depth + 1);
        i = close;
      }
    }
    return result;
  }

  /// `macros`: -D counts, too.
  void read_words(const std::string& text, int line, bool macros) {
    std::istringstream words(text);
    std::string word;
    while (words >> word) {
      for (const std::string prefix : {"-D", "-I"}) {
        const std::size_t equals = word.find("=" + prefix);  // FLAGS=-DX, or FLAGS =-DX
        const bool begins = word.starts_with(prefix);
        if (!begins && equals == std::string::npos) continue;
        std::string value = word.substr(begins ? 2 : equals + 3);
        if (value.empty() && !(words >> value)) return;
        if (prefix == "-I") {
          add_folder(value, line);
        } else if (macros) {
          add_define(value, line);
        }
        break;
      }
    }
  }

  void add_define(const std::string& text, int line) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const std::string value = equals == std::string::npos ? "1" : text.substr(equals + 1);
    if (!is_identifier(name) || value.find_first_of("$'\"\\") != std::string::npos) return;
    defines_[name] = value;
    flags_.lines[name] = line;
  }

  void add_folder(const std::string& folder, int line) {
    if (folder.empty() || folder.find_first_of("$'\"\\") != std::string::npos) return;
    if (!flags_.lines.emplace("-I" + folder, line).second) return;
    flags_.folders.push_back(folder);
  }

  [[nodiscard]] BuildFlags take() {
    for (const auto& define : defines_) flags_.defines.push_back(define);
    return std::move(flags_);
  }

 private:
  std::map<std::string, std::string> defines_;
  int expansions_ = 0;
  BuildFlags flags_;
};

bool all_taken(const std::vector<Branch>& branches) {
  return std::all_of(branches.begin(), branches.end(),
                     [](Branch branch) { return branch == Branch::kTaken; });
}

class MakefileReader {
 public:
  BuildFlags run(const std::string& text) {
    std::vector<MakefileLine> kept;
    std::vector<Branch> branches;  // of the conditionals around a line
    for (const MakefileLine& line : lines_of(text)) {
      std::istringstream words(line.text);
      std::string first;
      words >> first;
      if (first.starts_with("ifeq") || first.starts_with("ifneq") || first == "ifdef" || first == "ifndef") {
        branches.push_back(first_branch(std::string(trim(line.text))));
      } else if (first == "endif") {
        if (!branches.empty()) branches.pop_back();
      } else if (first == "else" && !branches.empty()) {
        branches.back() = other_branch(branches.back(), std::string(trim(line.text)));
      } else if (all_taken(branches)) {
        add_variable(line.text);
        kept.push_back(line);
      }
    }
    for (const MakefileLine& line : kept)
      collector_.read_words(collector_.expanded(line.text), line.number, true);
    return collector_.take();
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
    if (!is_identifier(name) || appends || (keeps && collector_.variables.contains(name))) return;
    collector_.variables[name] = std::string(trim(line.substr(equals + 1)));
  }

  FlagCollector collector_;
};

struct CMakeCommand {
  std::string name;  ///< in lower case
  std::vector<std::string> words;
  int line = 1;
};

/// The commands of a CMakeLists.txt. Quoted arguments are split into words, as flags are.
class CMakeScanner {
 public:
  explicit CMakeScanner(const std::string& text) : text_(text) {}

  std::vector<CMakeCommand> run() {
    std::vector<CMakeCommand> commands;
    std::string word;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '#') skip_comment();
      if (at_ >= text_.size()) break;
      if (text_[at_] == '(' && !word.empty()) {
        commands.push_back({in_lower_case(word), {}, line_});
        read_arguments(commands.back().words);
        word.clear();
      } else if (text_[at_] == '\n') {
        ++line_;
        word.clear();
      } else if (text_[at_] != ' ' && text_[at_] != '\t' && text_[at_] != '\r') {
        word += text_[at_];
      }
    }
    return commands;
  }

 private:
  /// To the line's end, or behind "#[[...]]".
  void skip_comment() {
    const bool bracket = text_.compare(at_, 3, "#[[") == 0;
    const std::size_t end = bracket ? text_.find("]]", at_) : text_.find('\n', at_);
    const std::size_t stop = end == std::string::npos ? text_.size() : end + (bracket ? 2 : 0);
    for (; at_ < stop; ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
  }

  /// From "(" to the ")" that closes it.
  void read_arguments(std::vector<std::string>& words) {
    std::string word;
    bool quoted = false;
    int depth = 0;
    const auto end_word = [&] {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
    };
    for (; at_ < text_.size(); ++at_) {
      if (!quoted && text_[at_] == '#') {
        end_word();
        skip_comment();
        if (at_ >= text_.size()) return;
      }
      const char c = text_[at_];
      line_ += c == '\n' ? 1 : 0;
      const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ';';
      if (c == '\\' && at_ + 1 < text_.size()) {
        word += c;
        word += text_[++at_];
      } else if (c == '"') {
        quoted = !quoted;
      } else if (blank) {
        end_word();
      } else if (!quoted && c == '(') {
        if (++depth > 1) word += c;
      } else if (!quoted && c == ')') {
        if (--depth == 0) break;
        word += c;
      } else {
        word += c;
      }
    }
    end_word();
  }

  const std::string& text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

/// What "$<BUILD_INTERFACE:x>" and "$<$<COMPILE_LANGUAGE:CUDA>:x>" give for a program of CUDA.
std::string without_generator(const std::string& word) {
  for (const std::string prefix : {"$<BUILD_INTERFACE:", "$<$<COMPILE_LANGUAGE:CUDA>:"}) {
    if (word.starts_with(prefix) && word.ends_with('>'))
      return word.substr(prefix.size(), word.size() - prefix.size() - 1);
  }
  return word;
}

class CMakeReader {
 public:
  explicit CMakeReader(const CMakeFile& file) : file_(file), commands_(CMakeScanner(file.text).run()) {
    for (const char* name : {"CMAKE_CURRENT_SOURCE_DIR", "CMAKE_CURRENT_LIST_DIR"})
      collector_.variables[name] = file.folder.generic_string();
    for (const char* name : {"CMAKE_SOURCE_DIR", "PROJECT_SOURCE_DIR"})
      collector_.variables[name] = file.top.generic_string();
  }

  BuildFlags run() {
    find_owners();
    for (const CMakeCommand& command : commands_) {
      if (command.name == "if") {
        branches_.push_back(branch_of(command.words));
      } else if (command.name == "endif") {
        if (!branches_.empty()) branches_.pop_back();
      } else if ((command.name == "else" || command.name == "elseif") && !branches_.empty()) {
        Branch& branch = branches_.back();
        if (branch == Branch::kTaken) {
          branch = Branch::kUnknown;
        } else if (branch == Branch::kLeft) {
          branch = command.name == "else" ? Branch::kTaken : branch_of(command.words);
        }
      } else {
        read(command);
      }
    }
    return collector_.take();
  }

 private:
  /// The targets that name the program among their sources.
  void find_owners() {
    static const std::set<std::string> makers = {"add_executable",   "add_library",
                                                 "target_sources",   "cuda_add_executable",
                                                 "cuda_add_library", "hip_add_executable"};
    for (const CMakeCommand& command : commands_) {
      if (!makers.contains(command.name) || command.words.empty()) continue;
      const bool has = std::any_of(
          command.words.begin() + 1, command.words.end(),
          [&](const std::string& word) { return std::filesystem::path(word).filename() == file_.program; });
      if (has) owners_.insert(command.words.front());
    }
  }

  [[nodiscard]] Branch branch_of(const std::vector<std::string>& words) const {
    const bool negated = !words.empty() && words.front() == "NOT";
    if (words.size() != (negated ? 2U : 1U)) return Branch::kUnknown;
    const auto known = collector_.variables.find(words.back());
    std::optional<bool> on;
    if (names_the_gpu(words.back())) {
      on = true;
    } else if (known != collector_.variables.end()) {
      on = switch_value(known->second);
    }
    if (!on) return Branch::kUnknown;
    return *on != negated ? Branch::kTaken : Branch::kLeft;
  }

  void read(const CMakeCommand& command) {
    const bool certain = all_taken(branches_);
    const std::string& name = command.name;
    std::vector<std::string> words = command.words;
    if (words.empty()) return;
    if (name == "project")
      collector_.variables[words.front() + "_SOURCE_DIR"] = file_.folder.generic_string();
    if (certain && name == "option") {
      const bool on = words.size() > 1 && switch_value(words.back()).value_or(false);
      collector_.variables.emplace(words.front(), on ? "ON" : "OFF");
    }
    if (name.starts_with("target_") || name == "cuda_include_directories") {
      if (name.starts_with("target_") && !owners_.empty() && !owners_.contains(words.front())) return;
      if (name.starts_with("target_")) words.erase(words.begin());
    }
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + without_generator(word);
    if (name == "set") {
      set_variable(words, certain);
      collector_.read_words(collector_.expanded(text), command.line, certain);
    } else if (name == "list" || name == "add_definitions" || name.ends_with("_compile_options")) {
      collector_.read_words(collector_.expanded(text), command.line, certain);
    } else if (name.ends_with("compile_definitions") || name.ends_with("include_directories")) {
      static const std::set<std::string> keywords = {"PRIVATE", "PUBLIC", "INTERFACE",
                                                     "SYSTEM",  "BEFORE", "AFTER"};
      std::istringstream values(collector_.expanded(text));
      for (std::string value; values >> value;) {
        if (keywords.contains(value)) continue;
        if (name.ends_with("include_directories")) {
          collector_.add_folder(value, command.line);
        } else if (certain) {
          collector_.add_define(value.starts_with("-D") ? value.substr(2) : value, command.line);
        }
      }
    }
  }

  /// What it has already is expanded at once: `set(FLAGS "${FLAGS} -DX")`.
  void set_variable(const std::vector<std::string>& words, bool certain) {
    const std::string& name = words.front();
    if (!certain || !is_identifier(name)) return;
    std::string value;
    for (std::size_t i = 1; i < words.size() && words[i] != "CACHE" && words[i] != "PARENT_SCOPE"; ++i)
      value += (value.empty() ? "" : " ") + words[i];
    const std::string expanded = collector_.expanded(value);
    collector_.variables[name] = expanded;
  }

  const CMakeFile& file_;
  std::vector<CMakeCommand> commands_;
  std::vector<Branch> branches_;  // of the conditionals around a command
  std::set<std::string> owners_;
  FlagCollector collector_;
};

}  // namespace

BuildFlags read_makefile_flags(const std::string& text) {
  return MakefileReader().run(text);
}

BuildFlags read_cmake_flags(const CMakeFile& file) {
  return CMakeReader(file).run();
}

}  // namespace kiln
