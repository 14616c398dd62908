#include "specialize/includes.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "base/input_file.h"
#include "kiln/error.h"
#include "specialize/host_libraries.h"
#include "specialize/include_scan.h"
#include "specialize/macro_expander.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;
using UseKind = IncludeUse::Kind;

const std::set<std::string> kOwnHeaders = {"kiln/params.h", "kiln/portable.h"};

std::string normal(const Path& path) {
  return path.lexically_normal().generic_string();
}

/// Editors of some systems put this in front of a text; compilers take it at the head of a file only.
std::string without_mark(std::string text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

/// Whether a folder of headers can hold it under this name.
bool stays_inside(const std::string& name) {
  return !name.empty() && name.front() != '/' && name != ".." && !name.starts_with("../");
}

class Finder {
 public:
  Finder(FileSystem& files, const IncludeSearch& search) : files_(files), search_(search) {}

  Includes run(const std::string& text) {
    for (const IncludedHeader& header : search_.supplied) supplied_.emplace(normal(header.name), &header);
    for (const auto& [name, value] : search_.defines) {
      add_meaning(macros_[name], parse_header_name(value));
      expander_.learn(name, {false, false, {}, macro_words(tokenize(value).tokens)});
    }
    const Path& source = search_.source;
    texts_.push_back({without_mark(text), source.filename().string(), source.parent_path(), {}, {}});
    follow(0);
    follow_macros();
    choose_names();
    Includes includes;
    includes.text = rewritten(0);
    for (std::size_t i = 1; i < texts_.size(); ++i)
      includes.headers.push_back({names_[i], texts_[i].path, rewritten(i)});
    includes.unseen.assign(unseen_.begin(), unseen_.end());
    includes.unknown = unknown_;
    includes.looked_at = std::move(looked_at_);
    return includes;
  }

 private:
  static constexpr std::size_t kNone = 0;  // the source itself, which nothing includes
  /// A macro that means more headers than these is not followed any further.
  static constexpr std::size_t kMostMeanings = 64;
  /// Headers whose names are put together of macros in a header that was found so, and so on.
  static constexpr int kMostRounds = 16;

  struct Text {
    std::string text;
    std::string name;  ///< as first written; the source: its file's name
    Path folder;       ///< for what it quotes; empty for one that was supplied
    std::string path;
    std::vector<IncludeUse> uses;
    std::vector<std::size_t> targets = {};  ///< for each use: index into `texts_`, or kNone
  };

  /// A place in a text, while it is followed.
  struct Place {
    std::size_t text;
    std::size_t use;  ///< the next one
  };

  static void scan(Text& text) {
    text.uses = find_include_uses(text.text);
    text.targets.assign(text.uses.size(), kNone);
  }

  /// Follows a new text and, in depth, those that it leads to. A chain of headers may be of any length, so it
  /// is kept here and not on the stack.
  void follow(std::size_t first) {
    scan(texts_[first]);
    std::vector<Place> open = {{first, 0}};
    while (!open.empty()) {
      const std::size_t index = open.back().text;
      const std::size_t number = open.back().use++;
      if (number == texts_[index].uses.size()) {
        open.pop_back();
        continue;
      }
      const IncludeUse& use = texts_[index].uses[number];
      if (use.kind == UseKind::kOther) {
        set_unknown(index, use, "'" + use.header.name + "' is not followed");
      } else if (use.kind != UseKind::kComputed) {
        const std::size_t known = texts_.size();
        const std::size_t target = find(use.header, index);
        texts_[index].targets[number] = target;
        if (target < known) continue;
        scan(texts_[target]);
        open.push_back({target, 0});
      }
    }
  }

  /// The text that a name means in another text; one that is new is read and has yet to be followed.
  std::size_t find(const HeaderName& header, std::size_t from) {
    if (kOwnHeaders.contains(normal(header.name))) return kNone;
    auto located = locate(header, texts_[from].folder);
    if (!located) {
      unseen_.insert(header.name);
      return kNone;
    }
    const auto [known, fresh] = by_place_.emplace(located->place, texts_.size());
    if (!fresh) return known->second;
    texts_.push_back(
        {without_mark(std::move(located->text)), header.name, located->folder, located->path, {}});
    return texts_.size() - 1;
  }

  /// The definitions of a macro in the #define lines of all texts and the given defines.
  struct Macro {
    std::vector<HeaderName> headers;
    bool unclear = false;            ///< it may mean something else, too
    std::vector<std::size_t> users;  ///< indices into `computed_`
  };

  /// A use whose header's name is a macro.
  struct ComputedUse {
    std::size_t text;
    std::size_t use;
    std::string macro;         ///< empty where it is more than one word
    std::size_t followed = 0;  ///< how many of the macro's headers were followed
    bool expanded = false;     ///< macros of macros give one header, which was followed
  };

  struct Located {
    std::string place;  ///< identifies the file
    std::string text, path;
    Path folder;
  };

  std::optional<Located> locate(const HeaderName& header, const Path& beside) {
    if (const auto supplied = supplied_.find(normal(header.name)); supplied != supplied_.end())
      return Located{"supplied " + supplied->first, supplied->second->text, "", {}};
    std::optional<Located> found;
    if (is_header_of_host_library(header.name)) return std::nullopt;
    if (header.quoted && !beside.empty()) found = read(beside / header.name);
    for (auto folder = search_.directories.begin(); !found && folder != search_.directories.end(); ++folder) {
      if (search_.is_compilers && search_.is_compilers(*folder, header.name)) {
        if (is_there(*folder / header.name)) return std::nullopt;
      } else {
        found = read(*folder / header.name);
      }
    }
    return found;
  }

  bool is_there(const Path& path) {
    const auto status = files_.status(path);
    return status && status->type != FileStatus::Type::kDirectory;
  }

  std::optional<Located> read(const Path& path) {
    try {
      const auto status = files_.target_status(path);
      looked_at_.push_back({path, status});
      if (!status || status->type == FileStatus::Type::kDirectory) return std::nullopt;
      std::string text = read_input(files_, path, kKernelInput);
      return Located{"file " + normal(path), std::move(text), path.string(), path.parent_path()};
    } catch (const std::filesystem::filesystem_error& error) {
      if (error.code() == std::errc::is_a_directory || error.code() == std::errc::not_a_directory)
        return std::nullopt;
      throw bad_input("the header '" + path.string() + "' cannot be read: " + error.code().message());
    }
  }

  /// Follows what macros mean, until nothing new is found: a header may define what an earlier text includes.
  void follow_macros() {
    const auto computes = [](const Text& text) {
      return std::any_of(text.uses.begin(), text.uses.end(),
                         [](const IncludeUse& use) { return use.kind == UseKind::kComputed; });
    };
    if (std::none_of(texts_.begin(), texts_.end(), computes)) return;
    follow_plain_macros();
    for (int round = 0; round < kMostRounds && follow_expansions(); ++round) follow_plain_macros();
    for (const ComputedUse& computed : computed_) {
      if (!is_known(computed))
        set_unknown(computed.text, texts_[computed.text].uses[computed.use], "the header's name is computed");
    }
  }

  [[nodiscard]] bool is_known(const ComputedUse& computed) const {
    if (computed.expanded) return true;
    const auto macro = macros_.find(computed.macro);
    return macro != macros_.end() && !macro->second.headers.empty() && !macro->second.unclear;
  }

  /// Of macros that are a header's name as they are written.
  void follow_plain_macros() {
    while (learned_ < texts_.size() || !waiting_.empty()) {
      for (; learned_ < texts_.size(); ++learned_) learn(learned_);
      if (waiting_.empty()) break;
      ComputedUse& computed = computed_[waiting_.front()];
      waiting_.pop_front();
      const std::vector<HeaderName>& headers = macros_[computed.macro].headers;
      while (computed.followed < headers.size()) follow_macro(computed, headers[computed.followed++]);
    }
  }

  /// Follows `#include STRING(CASE/constants.h)`, as the macros of all texts have it; false where no text is
  /// new.
  bool follow_expansions() {
    for (; expandable_ < texts_.size(); ++expandable_) {
      for (const Directive& directive : tokenize(texts_[expandable_].text).directives) {
        if (const auto macro = macro_of(directive)) expander_.learn(directive.tokens[1].text, *macro);
      }
    }
    const std::size_t known_texts = texts_.size();
    for (std::size_t i = 0; i < computed_.size(); ++i) {
      if (is_known(computed_[i])) continue;
      const auto header = expanded(computed_[i]);
      if (!header) continue;
      computed_[i].expanded = true;
      follow_macro(computed_[i], *header);
    }
    return texts_.size() > known_texts;
  }

  [[nodiscard]] std::optional<HeaderName> expanded(const ComputedUse& computed) const {
    const Text& from = texts_[computed.text];
    const std::size_t begin = from.uses[computed.use].offset;
    const std::size_t length =
        computed.macro.empty() ? from.text.find('\n', begin) - begin : from.uses[computed.use].length;
    const TokenizedText use = tokenize(std::string_view(from.text).substr(begin, length));
    const auto expansion = expander_.expanded(macro_words(use.tokens));
    if (!expansion) return std::nullopt;
    std::string name;
    for (const std::string& word : expansion->words) append_token(name, word);
    return parse_header_name(name);
  }

  /// Learns the macros that a text defines, and its includes of macros.
  void learn(std::size_t index) {
    for (auto& [macro, meanings] : find_header_macros(texts_[index].text)) {
      Macro& known = macros_[macro];
      const std::size_t before = known.headers.size();
      for (auto& meaning : meanings) add_meaning(known, std::move(meaning));
      if (known.headers.size() > before)
        waiting_.insert(waiting_.end(), known.users.begin(), known.users.end());
    }
    for (std::size_t i = 0; i < texts_[index].uses.size(); ++i) {
      const IncludeUse& use = texts_[index].uses[i];
      if (use.kind != UseKind::kComputed) continue;
      macros_[use.header.name].users.push_back(computed_.size());
      waiting_.push_back(computed_.size());
      computed_.push_back({index, i, use.header.name});
    }
  }

  static void add_meaning(Macro& macro, std::optional<HeaderName> meaning) {
    if (!meaning || macro.headers.size() == kMostMeanings) {
      macro.unclear = true;
      return;
    }
    const bool known = std::any_of(macro.headers.begin(), macro.headers.end(), [&](const HeaderName& header) {
      return header.name == meaning->name && header.quoted == meaning->quoted;
    });
    if (!known) macro.headers.push_back(*std::move(meaning));
  }

  void follow_macro(const ComputedUse& computed, const HeaderName& meaning) {
    const std::size_t known_texts = texts_.size();
    const std::size_t target = find(meaning, computed.text);
    if (target == kNone) return;
    if (target == known_texts) follow(target);
    const auto [known, fresh] = fixed_.emplace(normal(meaning.name), target);
    if (known->second == target) return;
    throw bad_input(place(computed.text, texts_[computed.text].uses[computed.use]) + "#include " +
                    computed.macro + " means '" + texts_[target].path + "' here, and '" +
                    texts_[known->second].path + "' elsewhere; give one of the two another name");
  }

  /// The name as written where that is free; never one that a text uses for a header of the compiler.
  void choose_names() {
    names_.resize(texts_.size());
    for (const auto& [name, index] : fixed_) {
      if (!names_[index].empty()) continue;
      names_[index] = name;
      taken_.emplace(name, index);
    }
    std::map<std::string, int> numbers;  // by name: how many are taken
    std::set<std::string> reserved = kOwnHeaders;
    for (const std::string& name : unseen_) reserved.insert(normal(name));
    for (std::size_t i = 1; i < texts_.size(); ++i) {
      if (!names_[i].empty()) continue;
      std::string base = normal(texts_[i].name);
      while (!base.empty() && !stays_inside(base)) base.erase(0, base.find('/') == 0 ? 1 : 3);
      if (base.empty()) base = "header.h";
      std::string name = base;
      for (int& number = numbers[base]; reserved.contains(name) || taken_.contains(name); ++number)
        name = std::to_string(number + 2) + "/" + base;
      names_[i] = name;
      taken_.emplace(name, i);
    }
  }

  [[nodiscard]] std::string rewritten(std::size_t index) const {
    const Text& from = texts_[index];
    std::string text;
    std::size_t copied = 0;
    for (std::size_t u = 0; u < from.uses.size(); ++u) {
      const IncludeUse& use = from.uses[u];
      if (use.kind != UseKind::kInclude && use.kind != UseKind::kHasInclude) continue;
      const std::size_t target = from.targets[u];
      if (target == kNone && kOwnHeaders.contains(normal(use.header.name))) continue;
      const std::string& name = target == kNone ? use.header.name : names_[target];
      if (use.header.name == name && !(use.header.quoted && is_caught(index, name, target))) continue;
      text.append(from.text, copied, use.offset - copied).append("<").append(name).append(">");
      copied = use.offset + use.length;
      const auto first = from.text.begin() + static_cast<std::ptrdiff_t>(use.offset);
      const auto lost = std::count(first, first + static_cast<std::ptrdiff_t>(use.length), '\n');
      for (auto i = lost; i > 0; --i) text += "\\\n";
    }
    return text.append(from.text, copied, std::string::npos);
  }

  /// Whether quotes would find another file, one that stands beside the including one under their names.
  [[nodiscard]] bool is_caught(std::size_t from, const std::string& name, std::size_t target) const {
    if (from == 0) return false;
    const auto other = taken_.find(normal(Path(names_[from]).parent_path() / name));
    return other != taken_.end() && other->second != target;
  }

  [[nodiscard]] std::string place(std::size_t index, const IncludeUse& use) const {
    const Text& text = texts_[index];
    return (text.path.empty() ? text.name : text.path) + ":" + std::to_string(use.line) + ": ";
  }

  void set_unknown(std::size_t index, const IncludeUse& use, const std::string& why) {
    if (unknown_.empty()) unknown_ = texts_[index].name + ":" + std::to_string(use.line) + ": " + why;
  }

  FileSystem& files_;
  const IncludeSearch& search_;
  std::map<std::string, const IncludedHeader*> supplied_;
  std::deque<Text> texts_;                       // the source, then the headers
  std::map<std::string, std::size_t> by_place_;  // indices into texts_
  std::map<std::string, std::size_t> fixed_;     // names that macros stand for
  std::map<std::string, std::size_t> taken_;     // by name
  std::vector<std::string> names_;               // final name of each text
  std::map<std::string, Macro> macros_;
  std::vector<ComputedUse> computed_;
  std::deque<std::size_t> waiting_;  // indices into `computed_` whose macro may mean more
  std::size_t learned_ = 0;          // texts whose macros are known
  MacroExpander expander_;
  std::size_t expandable_ = 0;  // texts whose macros the expander knows
  std::set<std::string> unseen_;
  std::vector<LookedAt> looked_at_;
  std::string unknown_;
};

}  // namespace

Includes find_includes(FileSystem& files, const std::string& text, const IncludeSearch& search) {
  return Finder(files, search).run(text);
}

}  // namespace kiln
