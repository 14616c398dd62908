#include "specialize/wavefronts.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "specialize/tokens.h"

namespace kiln {
namespace {

/// A name for the number of work-items of a warp: WARP_SIZE, kWaveSize, WAVEFRONT.
bool names_width(std::string_view name) {
  std::string word;
  for (const char c : name) {
    if (c != '_') word += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  if (word.starts_with("k") && word.size() > 1) word.erase(0, 1);
  return word == "warpsize" || word == "wavesize" || word == "wavefrontsize" || word == "wavefront" ||
         word == "warpwidth" || word == "threadsperwarp" || word == "threadsperwave" ||
         word == "lanesperwarp" || word == "wfsize";
}

bool is_shuffle(const Token& token) {
  return token.is("__shfl_down") || token.is("__shfl_up") || token.is("__shfl_xor") ||
         token.is("__shfl_down_sync") || token.is("__shfl_up_sync") || token.is("__shfl_xor_sync");
}

class Search {
 public:
  explicit Search(const std::string& name) : name_(name) {}

  std::string run(const TokenizedText& text) const {
    for (const Directive& directive : text.directives) {
      const std::vector<Token>& tokens = directive.tokens;
      if (tokens.size() == 3 && tokens[0].is("define") && tokens[2].is("64") && names_width(tokens[1].text))
        return width(tokens[1]);
    }
    const std::vector<Token>& tokens = text.tokens;
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
      if (tokens[i].identifier() && names_width(tokens[i].text) &&
          (tokens[i + 1].is("=") || tokens[i + 1].is("{")) && tokens[i + 2].is("64"))
        return width(tokens[i]);
      if (is_shuffle(tokens[i]) && shuffles_64(tokens, i))
        return "a shuffle across 32 lanes" + place(tokens[i]);
      if (tokens[i].is("for") && halves_from_32(tokens, i))
        return "a reduction by shuffles that begins with 32" + place(tokens[i]);
    }
    return "";
  }

 private:
  [[nodiscard]] std::string place(const Token& token) const {
    return " (" + name_ + ":" + std::to_string(token.line) + ")";
  }
  [[nodiscard]] std::string width(const Token& token) const {
    return "'" + std::string(token.text) + "' is 64" + place(token);
  }

  /// `__shfl_xor(x, 32)`, `__shfl_down(x, d, 64)`.
  static bool shuffles_64(const std::vector<Token>& tokens, std::size_t i) {
    if (!tokens[i + 1].is("(") || tokens[i + 1].close >= tokens.size()) return false;
    const std::vector<TokenSpan> arguments = parts_of(tokens, {i + 2, tokens[i + 1].close}, false);
    const std::size_t first = tokens[i].text.ends_with("_sync") ? 2 : 1;
    const auto is = [&](std::size_t argument, std::string_view number) {
      return argument < arguments.size() && arguments[argument].end == arguments[argument].begin + 1 &&
             tokens[arguments[argument].begin].is(number);
    };
    return is(first, "32") || is(first + 1, "64");
  }

  /// `for (int d = 32; d > 0; d /= 2) v += __shfl_down(v, d);`
  static bool halves_from_32(const std::vector<Token>& tokens, std::size_t i) {
    if (!tokens[i + 1].is("(") || tokens[i + 1].close >= tokens.size()) return false;
    const std::size_t close = tokens[i + 1].close;
    std::string_view variable;
    for (std::size_t t = i + 2; t + 3 < close && variable.empty(); ++t) {
      if (tokens[t].is(";")) break;
      if (tokens[t].identifier() && tokens[t + 1].is("=") && tokens[t + 2].is("32") && tokens[t + 3].is(";"))
        variable = tokens[t].text;
    }
    if (variable.empty()) return false;
    std::size_t end = close + 1;
    if (end < tokens.size() && tokens[end].is("{")) {
      end = std::min(tokens[end].close, tokens.size());
    } else {
      while (end < tokens.size() && !tokens[end].is(";")) ++end;
    }
    for (std::size_t t = close + 1; t < end; ++t) {
      if (!is_shuffle(tokens[t]) || !tokens[t + 1].is("(")) continue;
      const std::size_t last = std::min(tokens[t + 1].close, end);
      for (std::size_t a = t + 2; a < last; ++a) {
        if (tokens[a].is(variable)) return true;
      }
    }
    return false;
  }

  const std::string& name_;
};

/// Whether a text includes a header of HIP. Most texts are not read for it: each unit of each variant asks.
bool is_hip(const std::string& text) {
  if (text.find("hip/") == std::string::npos) return false;
  const TokenizedText read = tokenize(text);
  return std::any_of(read.directives.begin(), read.directives.end(), [](const Directive& directive) {
    const std::vector<Token>& tokens = directive.tokens;
    if (tokens.size() < 2 || !tokens[0].is("include")) return false;
    return tokens[1].text.starts_with("\"hip/") ||
           (tokens.size() > 3 && tokens[2].is("hip") && tokens[3].is("/"));
  });
}

}  // namespace

std::string wavefronts_of_64(const std::string& text, const std::string& name) {
  return is_hip(text) ? Search(name).run(tokenize(text)) : "";
}

std::string wavefronts_of_64(const Specialization& specialization) {
  const auto& headers = specialization.headers;
  const bool hip = is_hip(specialization.source_text) ||
                   std::any_of(headers.begin(), headers.end(), [](const IncludedHeader& header) {
                     return header.name.starts_with("hip/") || is_hip(header.text);
                   });
  if (!hip) return "";
  std::string found = Search(specialization.source_name).run(tokenize(specialization.source_text));
  for (const IncludedHeader& header : headers) {
    if (found.empty()) found = Search(header.name).run(tokenize(header.text));
  }
  return found;
}

}  // namespace kiln
