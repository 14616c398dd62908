#include "compile/cpu/split/class_scope.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "compile/cpu/split/statements.h"

namespace kiln::fission {

ClassesAround::ClassesAround(const Outline& text)
    : first_(text.definitions.data()), owners_(text.definitions.size(), nullptr) {
  std::vector<std::size_t> order(text.definitions.size());
  std::iota(order.begin(), order.end(), 0);
  const auto head = [&](std::size_t d) { return text.definitions[d].head.begin; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return head(a) < head(b); });
  std::vector<const DefinitionOutline*> open;  // classes, each inside of the one before
  for (const std::size_t d : order) {
    const DefinitionOutline& definition = text.definitions[d];
    while (!open.empty() && open.back()->body.end < definition.head.begin) open.pop_back();
    const auto around = std::find_if(open.rbegin(), open.rend(), [&](const DefinitionOutline* one) {
      return one->body.begin <= definition.head.begin && definition.body.end <= one->body.end;
    });
    if (around != open.rend()) owners_[d] = *around;
    if (definition.is_class) open.push_back(&definition);
  }
}

bool is_static(const Outline& text, const DefinitionOutline& definition) {
  for (std::size_t i = definition.head.begin; i < definition.head.end; ++i) {
    if (text.source.tokens[i].is("static")) return true;
    if (text.source.tokens[i].is("(")) i = text.source.tokens[i].close;
  }
  return false;
}

ClassScope::ClassScope(const Outline& text, const DefinitionOutline& definition)
    : tokens_(text.source.tokens), name_(definition.name) {
  std::size_t begin = definition.body.begin;
  for (std::size_t i = begin; i < definition.body.end; ++i) {
    const Token& token = tokens_[i];
    if (token.is("(") || token.is("[")) {
      i = token.close;
    } else if (token.is(":") && i > begin &&
               (tokens_[begin].is("public") || tokens_[begin].is("private") ||
                tokens_[begin].is("protected"))) {
      begin = i + 1;
    } else if (token.is("{")) {
      const bool initializer = i > begin && (tokens_[i - 1].identifier() || tokens_[i - 1].is("]")) &&
                               !tokens_[i - 1].is("const") && !tokens_[i - 1].is("noexcept");
      const bool type = tokens_[begin].is("struct") || tokens_[begin].is("class") ||
                        tokens_[begin].is("union") || tokens_[begin].is("enum");
      const std::size_t close = token.close;
      if (!initializer && !type) {  // a function's body
        read({begin, i});
        begin = close + 1;
      }
      i = close;
    } else if (token.is(";")) {
      read({begin, i});
      begin = i + 1;
    }
  }
}

/// A declaration without its ";" or body.
void ClassScope::read(TokenRange statement) {
  static constexpr std::array<std::string_view, 9> kOthers = {
      "using", "typedef", "static_assert", "struct", "class", "union", "enum", "friend", "static"};
  std::size_t first = statement.begin;
  if (first < statement.end && tokens_[first].is("template") && tokens_[first + 1].is("<"))
    first = after_template_arguments(tokens_, first + 1, statement.end);
  for (std::size_t i = first; i < statement.end; ++i) {
    if (among(kOthers, tokens_[i].text)) return;
    if (tokens_[i].is("(") || tokens_[i].is("=")) break;
  }
  for (const TokenRange part : split_commas(tokens_, {first, statement.end}, true)) {
    std::size_t name = statement.end;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      const Token& token = tokens_[i];
      if (token.is("<")) {
        const std::size_t after = after_template_arguments(tokens_, i, part.end);
        if (after > i) i = after - 1;
        continue;
      }
      if (token.is("(")) {
        const bool attribute =
            i > part.begin && (tokens_[i - 1].is("__attribute__") || tokens_[i - 1].is("alignas"));
        if (!attribute) {
          if (name < part.end && !tokens_[name].is("operator") && tokens_[name].text != name_)
            functions_.insert(tokens_[name].text);
          return;
        }
        i = token.close;
        continue;
      }
      if (token.is("=") || token.is("[") || token.is("{") || token.is(":")) break;
      if (token.identifier()) name = i;
    }
    if (name < part.end) fields_.insert(tokens_[name].text);
  }
}

}  // namespace kiln::fission
