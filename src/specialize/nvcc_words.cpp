#include "specialize/nvcc_words.h"

#include <utility>

#include "specialize/tokens.h"

namespace kiln {
namespace {

void translate_conditionals(std::string& text) {
  if (text.find("__NVCC__") == std::string::npos) return;
  const TokenizedText source = tokenize(text);
  std::vector<TextEdit> edits;
  for (const Directive& directive : source.directives) {
    const bool conditional = !directive.tokens.empty() && (directive.tokens[0].text.starts_with("if") ||
                                                           directive.tokens[0].text.starts_with("elif"));
    if (!conditional) continue;
    for (const Token& token : directive.tokens) {
      if (token.is("__NVCC__")) edits.push_back({token.offset, token.text.size(), "__CUDACC__"});
    }
  }
  if (!edits.empty()) text = apply_edits(std::string(text), std::move(edits));
}

}  // namespace

void translate_nvcc_words(Specialization& specialization) {
  if (specialization.target.backend == "hip") return;
  translate_conditionals(specialization.source_text);
  for (IncludedHeader& header : specialization.headers) translate_conditionals(header.text);
}

}  // namespace kiln
