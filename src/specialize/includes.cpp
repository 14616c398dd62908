#include "specialize/includes.h"

#include <set>

#include "base/text.h"

namespace kiln {
namespace {

struct Directive {
  std::string name;
  bool quoted;
};

std::vector<Directive> include_directives(const std::string& text) {
  std::vector<Directive> found;
  for (const std::string& line : split(text, '\n')) {
    std::string_view rest = trim(line);
    if (!rest.starts_with('#')) continue;
    rest = trim(rest.substr(1));
    if (!rest.starts_with("include")) continue;
    rest = trim(rest.substr(7));
    if (rest.empty() || (rest.front() != '"' && rest.front() != '<')) continue;
    const bool quoted = rest.front() == '"';
    const std::size_t close = rest.find(quoted ? '"' : '>', 1);
    if (close != std::string_view::npos) found.push_back({std::string(rest.substr(1, close - 1)), quoted});
  }
  return found;
}

class Finder {
 public:
  Finder(FileSystem& files, const std::vector<std::filesystem::path>& directories)
      : files_(files), directories_(directories) {}

  void follow(const std::string& text, const std::filesystem::path& beside) {
    for (const Directive& directive : include_directives(text)) {
      if (directive.name.starts_with("kiln/")) continue;
      const auto path = locate(directive, beside);
      if (path.empty()) unseen_.insert(directive.name);
      if (path.empty() || !seen_.insert(path.lexically_normal().string()).second) continue;
      const auto content = files_.read_file(path);
      if (!content) continue;
      headers_.push_back({directive.name, path.string(), *content});
      follow(*content, path.parent_path());
    }
  }

  [[nodiscard]] Includes take() { return {std::move(headers_), {unseen_.begin(), unseen_.end()}}; }

 private:
  [[nodiscard]] std::filesystem::path locate(const Directive& directive,
                                             const std::filesystem::path& beside) {
    if (directive.quoted && is_file(beside / directive.name)) return beside / directive.name;
    for (const auto& directory : directories_) {
      if (is_file(directory / directive.name)) return directory / directive.name;
    }
    return {};
  }

  [[nodiscard]] bool is_file(const std::filesystem::path& path) {
    const auto status = files_.status(path);
    return status && status->type != FileStatus::Type::kDirectory;
  }

  FileSystem& files_;
  const std::vector<std::filesystem::path>& directories_;
  std::vector<IncludedHeader> headers_;
  std::set<std::string> seen_;
  std::set<std::string> unseen_;
};

}  // namespace

Includes find_includes(FileSystem& files, const std::string& text, const std::filesystem::path& source,
                       const std::vector<std::filesystem::path>& directories) {
  Finder finder(files, directories);
  finder.follow(text, source.parent_path());
  return finder.take();
}

}  // namespace kiln
