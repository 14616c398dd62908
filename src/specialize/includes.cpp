#include "specialize/includes.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "kiln/error.h"
#include "specialize/include_scan.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;
using Kind = IncludeUse::Kind;

const std::set<std::string> kOwnHeaders = {"kiln/params.h", "kiln/portable.h"};

std::string normal(const Path& path) {
  return path.lexically_normal().generic_string();
}

/// Whether a folder of headers can hold it under this name.
bool stays_inside(const std::string& name) {
  return !name.empty() && name.front() != '/' && name != ".." && !name.starts_with("../");
}

class Finder {
 public:
  Finder(FileSystem& files, const IncludeSearch& search) : files_(files), search_(search) {}

  Includes run(const std::string& text) {
    texts_.push_back({text, search_.source.filename().string(), search_.source.parent_path(), {}, {}});
    follow(0);
    follow_macros();
    choose_names();
    Includes includes;
    includes.text = rewritten(0);
    for (std::size_t i = 1; i < texts_.size(); ++i)
      includes.headers.push_back({names_[i], texts_[i].path, rewritten(i)});
    includes.unseen.assign(unseen_.begin(), unseen_.end());
    includes.unknown = unknown_;
    return includes;
  }

 private:
  static constexpr std::size_t kNone = 0;  // the source itself, which nothing includes

  struct Text {
    std::string text;
    std::string name;  ///< as first written; the source: its file's name
    Path folder;       ///< for what it quotes; empty for one that was supplied
    std::string path;
    std::vector<IncludeUse> uses;
    std::vector<std::size_t> targets = {};  ///< of each use: index into `texts_`, or kNone
  };

  void follow(std::size_t index) {
    std::vector<IncludeUse> uses = find_include_uses(texts_[index].text);
    for (const IncludeUse& use : uses) {
      std::size_t target = kNone;
      if (use.kind == Kind::kInclude || use.kind == Kind::kHasInclude) {
        target = find(use.header, index);
      } else if (use.kind == Kind::kOther) {
        set_unknown(index, use, "'" + use.header.name + "' is not followed");
      }
      texts_[index].targets.push_back(target);
    }
    texts_[index].uses = std::move(uses);
  }

  /// The text that a name means in another text; read and followed when it is new.
  std::size_t find(const HeaderName& header, std::size_t from) {
    if (kOwnHeaders.contains(normal(header.name))) return kNone;
    const auto located = locate(header, texts_[from].folder);
    if (!located) {
      unseen_.insert(header.name);
      return kNone;
    }
    const auto [known, fresh] = by_place_.emplace(located->place, texts_.size());
    if (!fresh) return known->second;
    const std::size_t index = texts_.size();
    texts_.push_back({located->text, header.name, located->folder, located->path, {}});
    follow(index);
    return index;
  }

  struct Located {
    std::string place;  ///< tells files apart
    std::string text, path;
    Path folder;
  };

  std::optional<Located> locate(const HeaderName& header, const Path& beside) {
    for (const IncludedHeader& supplied : search_.supplied) {
      if (normal(supplied.name) == normal(header.name))
        return Located{"supplied " + supplied.name, supplied.text, "", {}};
    }
    std::optional<Located> found;
    if (header.quoted && !beside.empty()) found = read(beside / header.name);
    for (auto folder = search_.directories.begin(); !found && folder != search_.directories.end(); ++folder)
      found = read(*folder / header.name);
    return found;
  }

  std::optional<Located> read(const Path& path) {
    try {
      const auto status = files_.status(path);
      if (!status || status->type == FileStatus::Type::kDirectory) return std::nullopt;
      auto text = files_.read_file(path);
      if (!text) return std::nullopt;
      return Located{"file " + normal(path), *std::move(text), path.string(), path.parent_path()};
    } catch (const std::filesystem::filesystem_error& error) {
      if (error.code() == std::errc::is_a_directory || error.code() == std::errc::not_a_directory)
        return std::nullopt;
      throw bad_input("the header '" + path.string() + "' cannot be read: " + error.code().message());
    }
  }

  /// Until nothing new is found: a header may define what an earlier text includes.
  void follow_macros() {
    std::size_t before = 0;
    while (before != texts_.size()) {
      before = texts_.size();
      for (std::size_t i = 0; i < texts_.size(); ++i) {
        for (std::size_t u = 0; u < texts_[i].uses.size(); ++u) {
          const IncludeUse use = texts_[i].uses[u];
          if (use.kind == Kind::kComputed) follow_macro(i, use);
        }
      }
    }
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      for (const IncludeUse& use : texts_[i].uses) {
        if (use.kind != Kind::kComputed) continue;
        const auto meanings = definitions(use.header.name);
        const bool plain =
            std::all_of(meanings.begin(), meanings.end(), [](const auto& m) { return m.has_value(); });
        if (!plain || meanings.empty()) set_unknown(i, use, "the header's name is computed");
      }
    }
  }

  void follow_macro(std::size_t from, const IncludeUse& use) {
    for (const auto& meaning : definitions(use.header.name)) {
      if (!meaning) continue;
      const std::size_t target = find(*meaning, from);
      if (target == kNone) continue;
      const auto [known, fresh] = fixed_.emplace(normal(meaning->name), target);
      if (known->second == target) continue;
      throw bad_input(place(from, use) + "#include " + use.header.name + " means '" + texts_[target].path +
                      "' here, and '" + texts_[known->second].path +
                      "' elsewhere; give one of the two another name");
    }
  }

  [[nodiscard]] std::vector<std::optional<HeaderName>> definitions(const std::string& macro) const {
    std::vector<std::optional<HeaderName>> found;
    if (macro.empty()) return found;
    for (const auto& [name, value] : search_.defines) {
      if (name == macro) found.push_back(parse_header_name(value));
    }
    for (const Text& text : texts_) {
      for (auto& meaning : find_header_macros(text.text, macro)) found.push_back(std::move(meaning));
    }
    return found;
  }

  /// The name as written where that is free; never one that a text uses for a header of the compiler.
  void choose_names() {
    names_.resize(texts_.size());
    for (const auto& [name, index] : fixed_) {
      if (!names_[index].empty()) continue;
      names_[index] = name;
      taken_.emplace(name, index);
    }
    std::set<std::string> reserved = kOwnHeaders;
    for (const std::string& name : unseen_) reserved.insert(normal(name));
    for (std::size_t i = 1; i < texts_.size(); ++i) {
      if (!names_[i].empty()) continue;
      std::string base = normal(texts_[i].name);
      while (!base.empty() && !stays_inside(base)) base.erase(0, base.find('/') == 0 ? 1 : 3);
      if (base.empty()) base = "header.h";
      std::string name = base;
      for (int number = 2; reserved.contains(name) || taken_.contains(name); ++number)
        name = std::to_string(number) + "/" + base;
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
      if (use.kind != Kind::kInclude && use.kind != Kind::kHasInclude) continue;
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
  std::deque<Text> texts_;                       // the source, then the headers
  std::map<std::string, std::size_t> by_place_;  // indices into texts_
  std::map<std::string, std::size_t> fixed_;     // names that macros stand for
  std::map<std::string, std::size_t> taken_;     // by name
  std::vector<std::string> names_;               // of each text, in the end
  std::set<std::string> unseen_;
  std::string unknown_;
};

}  // namespace

Includes find_includes(FileSystem& files, const std::string& text, const IncludeSearch& search) {
  return Finder(files, search).run(text);
}

}  // namespace kiln
