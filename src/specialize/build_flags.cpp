#include "specialize/build_flags.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "base/text.h"

namespace kiln {
namespace {

constexpr int kDeepestVariable = 8;
constexpr std::size_t kLongestFlags = 1 << 16;
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
    for (std::size_t i = 0; i < text.size() && result.size() < kLongestFlags; ++i) {
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

/// `target: sources`, or `.cu.o:`.
struct MakefileRule {
  std::vector<std::string> sources;
  bool of_program = false;  ///< compiles the program, by its name or as each file with its suffix
};

class MakefileReader {
 public:
  BuildFlags run(const std::string& text, const std::string& program) {
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
    MakefileRule rule;
    std::vector<std::string> in_front;
    for (const MakefileLine& line : kept) {
      const std::string expanded = collector_.expanded(line.text);
      if (!is_for_cmake(expanded)) collector_.read_words(expanded, line.number, true);
      if (!line.text.starts_with("\t")) {
        if (!trim(line.text).empty()) rule = rule_of(expanded, program);
      } else if (rule.of_program && in_front.empty()) {
        in_front = headers_in_front(with_sources(expanded, rule.sources));
      }
    }
    BuildFlags flags = collector_.take();
    flags.in_front = std::move(in_front);
    return flags;
  }

 private:
  /// `cd build && cmake -DUSE_CUDA=OFF ..`, `CMAKE_FLAGS = -DTESTS=ON`: these macros are CMake's variables.
  static bool is_for_cmake(const std::string& line) {
    std::istringstream words(line);
    std::string word;
    for (bool first = true; words >> word; first = false) {
      if (first && word.starts_with("CMAKE")) return true;
      if (word == "cmake" || word == "$(CMAKE)" || word == "${CMAKE}" || word.ends_with("/cmake"))
        return true;
    }
    return false;
  }

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

  static MakefileRule rule_of(const std::string& line, const std::string& program) {
    MakefileRule rule;
    const std::size_t colon = line.find(':');
    const bool assigns = line.find('=') != std::string::npos;
    if (colon == std::string::npos || assigns) return rule;
    const std::string suffix = std::filesystem::path(program).extension().string();
    const std::size_t end = std::min(line.find(';', colon), line.size());
    std::istringstream words(line.substr(colon + 1, end - colon - 1));
    for (std::string word; words >> word;) rule.sources.push_back(word);
    if (!rule.sources.empty()) {
      const std::string name = std::filesystem::path(rule.sources.front()).filename().string();
      rule.of_program = name == program || name == "%" + suffix;
    } else {
      rule.of_program = std::string(trim(line.substr(0, colon))).starts_with(suffix + ".");
    }
    return rule;
  }

  /// With the rule's sources for `$^` and `$(word 2,$^)`.
  static std::string with_sources(const std::string& line, const std::vector<std::string>& sources) {
    std::string result;
    for (std::size_t at = 0; at < line.size(); ++at) {
      const std::size_t close = line.find(')', at);
      constexpr std::string_view kWord = "$(word ";
      if (line.compare(at, 2, "$^") == 0) {
        result += join(sources, " ");
        ++at;
      } else if (line.compare(at, kWord.size(), kWord) == 0 && close != std::string::npos) {
        const std::string number = line.substr(at + kWord.size(), line.find(',', at) - at - kWord.size());
        const std::size_t comma = std::min(line.find(',', at), close);
        const bool of_sources = trim(line.substr(comma + 1, close - comma - 1)) == "$^";
        const std::int64_t index = parse_integer(std::string(trim(number))).value_or(0);
        if (of_sources && index >= 1 && index <= static_cast<std::int64_t>(sources.size()))
          result += sources[static_cast<std::size_t>(index) - 1];
        at = close;
      } else {
        result += line[at];
      }
    }
    return result;
  }

  /// Of `-include FILE` in a line of a recipe.
  static std::vector<std::string> headers_in_front(const std::string& recipe) {
    std::vector<std::string> headers;
    std::istringstream words(recipe);
    for (std::string word; words >> word;) {
      const bool asks = word == "-include" || word == "--pre-include" || word == "--include";
      if (asks && words >> word && word.find_first_of("$'\"\\") == std::string::npos) headers.push_back(word);
    }
    return headers;
  }

  FlagCollector collector_;
};

/// Macros of lists of pairs in Python.
class SetupReader {
 public:
  explicit SetupReader(const std::string& text) : text_(text) {}

  BuildFlags run() {
    constexpr std::string_view kMacros = "macros";
    for (std::size_t at = text_.find(kMacros); at != std::string::npos; at = text_.find(kMacros, at)) {
      at = read_list_behind(at + kMacros.size());
    }
    BuildFlags flags = std::move(flags_);
    for (const auto& [name, value] : defines_) flags.defines.emplace_back(name, value);
    return flags;
  }

 private:
  [[nodiscard]] std::size_t behind_blanks(std::size_t at) const {
    return std::min(text_.find_first_not_of(" \t\r\n\\", at), text_.size());
  }

  /// From `define_macros`, `macros['nvcc']['single']` to its `= [...]`, `+= [...]` or `.append(...)`; where
  /// the reading ended.
  std::size_t read_list_behind(std::size_t at) {
    std::string keys;
    for (at = behind_blanks(at); at < text_.size() && text_[at] == '['; at = behind_blanks(at)) {
      const std::size_t close = std::min(text_.find(']', at), text_.size() - 1);
      keys += in_lower_case(text_.substr(at, close - at));
      at = close + 1;
    }
    const bool of_others =
        !keys.empty() && keys.find("nvcc") == std::string::npos && keys.find("cuda") == std::string::npos;
    if (of_others) return at;
    for (const std::string_view word : {"+=", "=", ".append", ".extend"}) {
      if (text_.compare(at, word.size(), word) != 0) continue;
      at = behind_blanks(at + word.size());
      if (at < text_.size() && (text_[at] == '[' || text_[at] == '(')) return read_pairs(at);
      break;
    }
    return at;
  }

  /// `[('N', '4'), ('FAST', None)]`; the place behind it.
  std::size_t read_pairs(std::size_t at) {
    int depth = 0;
    for (; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '#') at = std::min(text_.find('\n', at), text_.size() - 1);
      if (c == '\'' || c == '"') at = std::min(text_.find(c, at + 1), text_.size() - 1);
      if (c == '[' || c == '(') ++depth;
      if ((c == ']' || c == ')') && --depth == 0) return at;
      if (c != '(') continue;
      std::size_t next = behind_blanks(at + 1);
      const std::optional<std::string> name = string_at(next);
      next = behind_blanks(next);
      if (!name || next >= text_.size() || text_[next] != ',') continue;
      next = behind_blanks(next + 1);
      const std::optional<std::string> quoted = string_at(next);
      const std::size_t end = std::min(text_.find_first_of("),", next), text_.size());
      const std::string value = quoted ? *quoted : std::string(trim(text_.substr(next, end - next)));
      const bool plain = quoted || value == "None" || parse_integer(value);
      if (!is_identifier(*name) || !plain || value.find_first_of("$'\"\\") != std::string::npos) continue;
      if (!defines_.emplace(*name, quoted || value != "None" ? value : "1").second) continue;
      flags_.lines[*name] = line_at(at);
    }
    return at;
  }

  /// The line of a place behind the one that was asked for before.
  [[nodiscard]] int line_at(std::size_t at) {
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted_ = at;
    return line_;
  }

  /// The content of 'text' or "text"; `at` goes behind it.
  [[nodiscard]] std::optional<std::string> string_at(std::size_t& at) const {
    if (at >= text_.size() || (text_[at] != '\'' && text_[at] != '"')) return std::nullopt;
    const std::size_t close = text_.find(text_[at], at + 1);
    if (close == std::string::npos) return std::nullopt;
    std::string content = text_.substr(at + 1, close - at - 1);
    at = close + 1;
    return content;
  }

  const std::string& text_;
  std::map<std::string, std::string> defines_;  // of two values the first counts
  std::size_t counted_ = 0;
  int line_ = 1;
  BuildFlags flags_;
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

/// Generator expressions with blanks, which are several words, as one.
std::vector<std::string> with_whole_generators(const std::vector<std::string>& words) {
  std::vector<std::string> whole;
  int open = 0;
  for (const std::string& word : words) {
    if (open > 0) {
      (whole.back() += " ") += word;
    } else {
      whole.push_back(word);
    }
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (word.compare(i, 2, "$<") == 0) ++open;
      if (word[i] == '>' && open > 0) --open;
    }
  }
  return whole;
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
    each_command([&](const CMakeCommand& command) { read(command); });
    BuildFlags flags = collector_.take();
    flags.variables = std::move(collector_.variables);
    return flags;
  }

 private:
  /// Branches by the place of their `if` and their number in it.
  using Arms = std::map<const CMakeCommand*, int>;

  /// Calls `see` for each command that is no conditional, with the branches around it.
  template <class See>
  void each_command(const See& see) {
    std::vector<const CMakeCommand*> open;
    for (const CMakeCommand& command : commands_) {
      if (command.name == "if") {
        open.push_back(&command);
        arms_[&command] = 0;
        branches_.push_back(branch_with_program(&command, branch_of(command.words)));
      } else if (command.name == "endif") {
        if (branches_.empty()) continue;
        branches_.pop_back();
        behind_taken_.erase(open.back());
        arms_.erase(open.back());
        open.pop_back();
      } else if ((command.name == "else" || command.name == "elseif") && !branches_.empty()) {
        Branch& branch = branches_.back();
        ++arms_[open.back()];
        if (branch == Branch::kTaken) {
          branch = Branch::kUnknown;
          behind_taken_.insert(open.back());
        } else if (branch == Branch::kLeft) {
          branch = command.name == "else" ? Branch::kTaken : branch_of(command.words);
        }
        branch = branch_with_program(open.back(), branch);
      } else {
        see(command);
      }
    }
    branches_.clear();
    behind_taken_.clear();
    arms_.clear();
  }

  /// Where all targets with the program stand in one branch of the `if`, that branch is taken.
  [[nodiscard]] Branch branch_with_program(const CMakeCommand* condition, Branch branch) const {
    const auto known = of_program_.find(condition);
    if (known == of_program_.end()) return branch;
    return known->second == arms_.at(condition) ? Branch::kTaken : Branch::kLeft;
  }

  /// The targets that name the program among their sources, and the branches that they stand in.
  void find_owners() {
    static const std::set<std::string> makers = {"add_executable",   "add_library",
                                                 "target_sources",   "cuda_add_executable",
                                                 "cuda_add_library", "hip_add_executable"};
    std::vector<Arms> around;
    each_command([&](const CMakeCommand& command) {
      if (!makers.contains(command.name) || command.words.empty()) return;
      const bool has = std::any_of(
          command.words.begin() + 1, command.words.end(),
          [&](const std::string& word) { return std::filesystem::path(word).filename() == file_.program; });
      if (!has) return;
      owners_.insert(command.words.front());
      const bool left = std::find(branches_.begin(), branches_.end(), Branch::kLeft) != branches_.end();
      if (!left && behind_taken_.empty()) around.push_back(arms_);
    });
    if (around.empty()) return;
    for (const auto& [condition, arm] : around.front()) {
      const bool all =
          std::all_of(around.begin(), around.end(), [&, at = condition, in = arm](const Arms& one) {
            const auto found = one.find(at);
            return found != one.end() && found->second == in;
          });
      if (all) of_program_[condition] = arm;
    }
  }

  [[nodiscard]] std::optional<bool> value_of_switch(const std::string& name) const {
    if (names_the_gpu(name)) return true;
    const auto known = collector_.variables.find(name);
    return known != collector_.variables.end() ? switch_value(known->second) : std::nullopt;
  }

  /// What "$<BUILD_INTERFACE:x>", "$<$<COMPILE_LANGUAGE:CUDA>:x>" and "$<$<BOOL:${USE_CUDA}>:x>" give for a
  /// program of CUDA.
  [[nodiscard]] std::string without_generator(const std::string& word) const {
    if (!word.ends_with('>')) return word;
    for (const std::string prefix : {"$<BUILD_INTERFACE:", "$<$<COMPILE_LANGUAGE:CUDA>:"}) {
      if (word.starts_with(prefix)) return word.substr(prefix.size(), word.size() - prefix.size() - 1);
    }
    constexpr std::string_view kBool = "$<$<BOOL:${";
    const std::size_t close = word.starts_with(kBool) ? word.find("}>:") : std::string::npos;
    if (close == std::string::npos) return word;
    const std::optional<bool> on = value_of_switch(word.substr(kBool.size(), close - kBool.size()));
    if (!on) return word;
    return *on ? word.substr(close + 3, word.size() - close - 4) : "";
  }

  [[nodiscard]] Branch branch_of(const std::vector<std::string>& words) const {
    const bool negated = !words.empty() && words.front() == "NOT";
    if (words.size() != (negated ? 2U : 1U)) return Branch::kUnknown;
    const std::optional<bool> on = value_of_switch(words.back());
    if (!on) return Branch::kUnknown;
    return *on != negated ? Branch::kTaken : Branch::kLeft;
  }

  void read(const CMakeCommand& command) {
    const bool certain = all_taken(branches_);
    const std::string& name = command.name;
    std::vector<std::string> words = command.words;
    if (words.empty()) return;
    if (name == "project") set_project(words);
    if (certain && name == "option") {
      const bool on = words.size() > 1 && switch_value(words.back()).value_or(false);
      collector_.variables.emplace(words.front(), on ? "ON" : "OFF");
    }
    if (name.starts_with("target_") || name == "cuda_include_directories") {
      if (name.starts_with("target_") && !owners_.empty() && !owners_.contains(words.front())) return;
      if (name.starts_with("target_")) words.erase(words.begin());
    }
    std::string text;
    for (const std::string& word : with_whole_generators(words))
      text += (text.empty() ? "" : " ") + without_generator(word);
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

  /// `project(Demo VERSION 1.2.3)`
  void set_project(const std::vector<std::string>& words) {
    const std::string& name = words.front();
    collector_.variables[name + "_SOURCE_DIR"] = file_.folder.generic_string();
    const auto at = std::find(words.begin(), words.end(), "VERSION");
    if (at == words.end() || at + 1 == words.end()) return;
    const std::vector<std::string> parts = split(at[1], '.');
    for (const std::string& of : {name, std::string("PROJECT")}) {
      collector_.variables[of + "_VERSION"] = at[1];
      static constexpr std::array<const char*, 3> kParts = {"_MAJOR", "_MINOR", "_PATCH"};
      for (std::size_t i = 0; i < kParts.size() && i < parts.size(); ++i)
        collector_.variables[of + "_VERSION" + kParts[i]] = parts[i];
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
  std::vector<Branch> branches_;                // of the conditionals around a command
  Arms arms_;                                   // of these conditionals, the branches that hold the command
  std::set<const CMakeCommand*> behind_taken_;  // conditionals of which an earlier branch is taken
  Arms of_program_;                             // of the conditionals around the targets with the program
  std::set<std::string> owners_;
  FlagCollector collector_;
};

}  // namespace

bool names_the_gpu(const std::string& variable) {
  static const std::set<std::string> gpu = {"gpu",     "gpus",     "cuda",    "usegpu",
                                            "usecuda", "withcuda", "withgpu", "cudatoolkit"};
  static const std::set<std::string> verbs = {"use", "with", "enable", "enabled", "have", "has", "build"};
  static const std::set<std::string> others = {"is", "on", "found", "toolkit"};
  static const std::set<std::string> negations = {"no", "not", "non", "without", "disable", "skip"};
  const std::vector<std::string> words = split(in_lower_case(variable), '_');
  const auto all_of_the_gpu = [](auto word, const auto end) {
    bool named = false;
    for (; word != end; ++word) {
      named = named || gpu.contains(*word);
      if (!word->empty() && !gpu.contains(*word) && !verbs.contains(*word) && !others.contains(*word))
        return false;
    }
    return named;
  };
  const auto verb =
      std::find_if(words.begin(), words.end(), [](const auto& one) { return verbs.contains(one); });
  const bool negated =
      std::any_of(words.begin(), verb, [](const auto& one) { return negations.contains(one); });
  return all_of_the_gpu(words.begin(), words.end()) || (!negated && all_of_the_gpu(verb, words.end()));
}

std::optional<bool> switch_value(const std::string& value) {
  static const std::set<std::string> yes = {"1", "on", "yes", "y", "true"};
  static const std::set<std::string> no = {"", "0", "off", "no", "n", "false"};
  const std::string lower = in_lower_case(value);
  if (yes.contains(lower)) return true;
  return no.contains(lower) ? std::optional(false) : std::nullopt;
}

BuildFlags read_makefile_flags(const std::string& text, const std::string& program) {
  return MakefileReader().run(text, program);
}

BuildFlags read_setup_flags(const std::string& text) {
  return SetupReader(text).run();
}

BuildFlags read_cmake_flags(const CMakeFile& file) {
  return CMakeReader(file).run();
}

}  // namespace kiln
