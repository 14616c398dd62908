#include "compile/unsupported.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "specialize/tokens.h"

namespace kiln {
namespace {

enum class Feature { kAsm, kLaunch, kTexture };
using Lines = std::map<int, Feature>;

bool is_asm(const Token& token) {
  return token.is("asm") || token.is("__asm__") || token.is("__asm");
}

/// Adds the lines on which the features stand; a statement of several lines has each of them.
void add_lines(const std::vector<Token>& tokens, const std::string& backend, Lines& lines) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool launch = backend == "hip" && tokens[i].is("<") && tokens[i + 1].is("<") &&
                        tokens[i + 2].is("<") && tokens[i + 2].offset == tokens[i].offset + 2;
    const bool texture = tokens[i].is("texture") && tokens[i + 1].is("<");
    if (launch || texture) {
      lines.emplace(tokens[i].line, launch ? Feature::kLaunch : Feature::kTexture);
    } else if (backend == "cpu" && is_asm(tokens[i])) {
      std::size_t open = i + 1;
      while (open < tokens.size() && tokens[open].identifier()) ++open;  // volatile
      const bool closed = open < tokens.size() && tokens[open].is("(") && tokens[open].close < tokens.size();
      const int last = closed ? tokens[tokens[open].close].line : tokens[i].line;
      for (int line = tokens[i].line; line <= last; ++line) lines.emplace(line, Feature::kAsm);
      if (closed) i = tokens[open].close;
    }
  }
}

Lines lines_with_features(const std::string& text, const std::string& backend) {
  const TokenizedText tokenized = tokenize(text);
  Lines lines;
  add_lines(tokenized.tokens, backend, lines);
  for (const Directive& directive : tokenized.directives) add_lines(directive.tokens, backend, lines);
  for (const Directive& directive : tokenized.directives) {  // macros for host code launch kernels, too
    for (const Token& token : directive.tokens) {
      const auto found = lines.find(token.line);
      if (found != lines.end() && found->second == Feature::kLaunch) lines.erase(found);
    }
  }
  return lines;
}

/// The number in "name.cu:12:5: error" and "name.cu(12): error"; 0 where the line is not about `name`.
int reported_line(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == std::string_view::npos || (at > 0 && line[at - 1] != '/')) return 0;
  const std::size_t number = at + name.size() + 1;
  if (number >= line.size() || (line[number - 1] != ':' && line[number - 1] != '(')) return 0;
  const bool error =
      line.find("error") != std::string_view::npos || line.find("Error:") != std::string_view::npos;
  int value = 0;
  for (std::size_t i = number; error && i < line.size() && value < 100'000'000; ++i) {
    if (std::isdigit(static_cast<unsigned char>(line[i])) == 0) break;
    value = 10 * value + (line[i] - '0');
  }
  return value;
}

std::string sentence(Feature feature, const std::string& where) {
  switch (feature) {
    case Feature::kAsm:
      return where +
             " has `asm` for a GPU, which the cpu does not run; CUDA's functions and `#ifdef __CUDA_ARCH__` "
             "can stand in its place";
    case Feature::kLaunch:
      return where + " launches a kernel from a kernel (dynamic parallelism), which HIP does not have";
    case Feature::kTexture:
      break;
  }
  return where +
         " has a texture reference, which CUDA 12 has removed; a cudaTextureObject_t can stand in its place";
}

}  // namespace

std::string advice_on_unsupported(const Specialization& specialization, const std::string& log) {
  struct Text {
    std::string name;
    Lines lines;
  };
  std::vector<Text> texts;
  const auto add = [&](const std::string& name, const std::string& text) {
    Lines lines = lines_with_features(text, specialization.target.backend);
    if (!lines.empty()) texts.push_back({name.substr(name.rfind('/') + 1), std::move(lines)});
  };
  add(specialization.source_name, specialization.source_text);
  for (const IncludedHeader& header : specialization.headers) add(header.name, header.text);
  if (texts.empty()) return "";
  for (std::size_t begin = 0; begin < log.size();) {
    const std::size_t end = std::min(log.find('\n', begin), log.size());
    const std::string_view line = std::string_view(log).substr(begin, end - begin);
    begin = end + 1;
    for (const Text& text : texts) {
      const int number = reported_line(line, text.name);
      const auto found = text.lines.find(number);
      if (number > 0 && found != text.lines.end())
        return sentence(found->second, text.name + ":" + std::to_string(number));
    }
  }
  return "";
}

}  // namespace kiln
