#include "specialize/include_scan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/text.h"
#include "specialize/tokens.h"

namespace kiln {
namespace {

/// A text whose continued lines are joined, and where each of its bytes stood.
class JoinedLines {
 public:
  explicit JoinedLines(std::string_view text) : original_(text) {
    std::size_t begin = 0;
    for (std::size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at + 1)) {
      const std::size_t skipped = continuation_length(text.substr(at));
      if (skipped == 0) continue;
      joined_.append(text.substr(begin, at - begin));
      begin = at + skipped;
      cuts_.emplace_back(joined_.size(), begin);
    }
    if (!cuts_.empty()) joined_.append(text.substr(begin));
  }

  [[nodiscard]] std::string_view text() const { return cuts_.empty() ? original_ : joined_; }

  [[nodiscard]] std::size_t original(std::size_t at) const {
    const auto after = std::upper_bound(cuts_.begin(), cuts_.end(), std::pair{at, original_.size()});
    if (after == cuts_.begin()) return at;
    const auto& [joined, original] = *std::prev(after);
    return original + (at - joined);
  }

 private:
  std::string_view original_;
  std::string joined_;
  std::vector<std::pair<std::size_t, std::size_t>> cuts_;  // first byte after a cut: here, there
};

/// A raw string's delimiter has at most 16 characters; a longer header's name is no file's.
constexpr std::size_t kLongestDelimiter = 16;
constexpr std::size_t kLongestName = 4096;

/// Walks over a text by lines and reports each preprocessor directive.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : lines_(text), text_(lines_.text()) {}

  std::vector<IncludeUse> uses() {
    while (at_ < text_.size()) {
      skip_blanks();
      if (takes("#") || takes("%:")) {
        directive();
      } else {
        skip_line();
      }
    }
    return std::move(uses_);
  }

  HeaderMacros definitions() {
    HeaderMacros found;
    while (at_ < text_.size()) {
      skip_blanks();
      if (takes("#") || takes("%:")) {
        skip_blanks();
        if (word() == "define") {
          skip_blanks();
          const std::string macro(word());
          if (!macro.empty() && !at("(")) {
            skip_blanks();
            const std::size_t begin = at_;
            const auto header = header_name();
            skip_blanks();
            found[macro].push_back(at_line_end() ? header : std::nullopt);
            at_ = begin;
          }
        }
      }
      skip_line();
    }
    return found;
  }

 private:
  [[nodiscard]] bool at(std::string_view expected) const { return text_.substr(at_).starts_with(expected); }
  [[nodiscard]] bool at_line_end() const { return at_ >= text_.size() || text_[at_] == '\n' || at("//"); }

  bool takes(std::string_view expected) {
    if (!at(expected)) return false;
    at_ += expected.size();
    return true;
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (at("/*")) {
        const std::size_t close = text_.find("*/", at_ + 2);
        at_ = close == std::string_view::npos ? text_.size() : close + 2;
      } else if (text_[at_] != '\n' && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else {
        return;
      }
    }
  }

  std::string_view word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && continues_identifier(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// To the start of the next line. Looks for __has_include on the way.
  void skip_line(bool directive = false) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++at_;
        return;
      }
      if (at("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (at("/*")) {
        skip_blanks();
      } else if (c == '"' || c == '\'') {
        skip_literal(c);
      } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
        while (at_ < text_.size() && (continues_identifier(text_[at_]) || is_separator())) ++at_;
      } else if (continues_identifier(c)) {
        skip_word(directive);
      } else {
        ++at_;
      }
    }
  }

  /// The ' of 1'000.
  [[nodiscard]] bool is_separator() const {
    return text_[at_] == '\'' && at_ + 1 < text_.size() && continues_identifier(text_[at_ + 1]);
  }

  void skip_literal(char quote) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      at_ = std::min(at_ + (text_[at_] == '\\' ? 2 : 1), text_.size());
    }
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
  }

  void skip_word(bool directive) {
    static constexpr std::array<std::string_view, 5> kRaw = {"R", "u8R", "uR", "UR", "LR"};
    const std::string_view found = word();
    if (at("\"") && std::find(kRaw.begin(), kRaw.end(), found) != kRaw.end()) {
      const std::size_t length = text_.substr(at_, kLongestDelimiter + 2).find('(');
      if (length == std::string_view::npos) return;
      const std::size_t open = at_ + length;
      const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
      const std::size_t end = text_.find(close, open);
      at_ = end == std::string_view::npos ? text_.size() : end + close.size();
    } else if (directive && found == "__has_include") {
      skip_blanks();
      if (!takes("(")) return;
      skip_blanks();
      add_use(IncludeUse::Kind::kHasInclude);
    } else if (directive && (found == "__has_include_next" || found == "__has_embed")) {
      skip_blanks();
      if (at("(")) add(IncludeUse::Kind::kOther, {std::string(found), false}, at_);
    }
  }

  void directive() {
    skip_blanks();
    const std::string_view name = word();
    skip_blanks();
    if (name == "include" || name == "import") {
      add_use(IncludeUse::Kind::kInclude);
    } else if (name == "include_next" || name == "embed") {
      add(IncludeUse::Kind::kOther, {"#" + std::string(name), false}, at_);
    }
    skip_line(true);
  }

  /// "name" or <name>, which ends on the same line.
  std::optional<HeaderName> header_name() {
    const bool quoted = at("\"");
    if (!quoted && !at("<")) return std::nullopt;
    const std::string_view rest = text_.substr(at_ + 1, kLongestName + 1);
    const std::size_t length = rest.find(quoted ? '"' : '>');
    const std::string_view name = rest.substr(0, length);
    if (length == std::string_view::npos || name.find('\n') != std::string_view::npos) return std::nullopt;
    at_ += length + 2;
    return HeaderName{std::string(name), quoted};
  }

  void add_use(IncludeUse::Kind kind) {
    const std::size_t begin = at_;
    if (const auto header = header_name()) {
      add(kind, *header, begin);
    } else if (!at_line_end()) {
      const std::string_view macro = word();
      const std::size_t end = at_;
      skip_blanks();
      const bool one_word = kind == IncludeUse::Kind::kHasInclude ? at(")") : at_line_end();
      at_ = end;
      add(IncludeUse::Kind::kComputed, {one_word ? std::string(macro) : "", false}, begin);
    }
  }

  void add(IncludeUse::Kind kind, HeaderName header, std::size_t begin) {
    const std::size_t from = lines_.original(begin);
    const std::size_t to = at_ > begin ? lines_.original(at_ - 1) + 1 : from;
    uses_.push_back({kind, std::move(header), from, to - from, 0});
  }

  JoinedLines lines_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<IncludeUse> uses_;
};

}  // namespace

std::vector<IncludeUse> find_include_uses(std::string_view text) {
  std::vector<IncludeUse> uses = Scanner(text).uses();
  if (const std::size_t at = text.find(".incbin"); at != std::string_view::npos) {
    const auto after =
        std::find_if(uses.begin(), uses.end(), [&](const auto& use) { return use.offset > at; });
    uses.insert(after, {IncludeUse::Kind::kOther, {".incbin", false}, at, 0, 0});
  }
  std::size_t counted = 0;
  int line = 1;
  for (IncludeUse& use : uses) {
    const std::string_view between = text.substr(counted, use.offset - counted);
    line += static_cast<int>(std::count(between.begin(), between.end(), '\n'));
    use.line = line;
    counted = use.offset;
  }
  return uses;
}

HeaderMacros find_header_macros(std::string_view text) {
  return Scanner(text).definitions();
}

std::optional<HeaderName> parse_header_name(std::string_view text) {
  const std::string_view name = trim(text);
  if (name.size() < 3) return std::nullopt;
  const char close = name.front() == '"' ? '"' : '>';
  if (name.front() != '"' && name.front() != '<') return std::nullopt;
  if (name.find(close, 1) != name.size() - 1) return std::nullopt;
  return HeaderName{std::string(name.substr(1, name.size() - 2)), close == '"'};
}

}  // namespace kiln
