#include "compile/kernel_cast.h"

#include <set>
#include <vector>

#include "base/text.h"
#include "specialize/declarations.h"

namespace kiln {
namespace {

/// The parameters, as in the text, of each kernel of this name: of the templates or of the others.
void add_parameters(const std::vector<Declaration>& declarations, const TokenizedText& text,
                    const std::string& name, bool templates, std::set<std::string>& found) {
  for (const Declaration& declaration : declarations) {
    if (declaration.kind == Declaration::Kind::kScope)
      add_parameters(declaration.members, text, name, templates, found);
    const bool function = declaration.kind == Declaration::Kind::kFunction && !declaration.names.empty();
    if (!function || declaration.names.front() != name) continue;
    if (text.tokens[declaration.whole.begin].is("template") != templates) continue;
    std::string parameters;
    for (std::size_t i = declaration.parameters.begin; i < declaration.parameters.end; ++i)
      parameters += (parameters.empty() ? "" : " ") + std::string(text.tokens[i].text);
    found.insert(parameters);
  }
}

}  // namespace

std::optional<std::string> kernel_cast(const Specialization& specialization,
                                       const std::string& name_expression) {
  if (!is_identifier(name_expression)) return std::nullopt;
  std::set<std::string> parameters;
  const auto search = [&](const std::string& text, bool templates) {
    const TokenizedText tokens = tokenize(text);
    add_parameters(read_declarations(tokens), tokens, name_expression, templates, parameters);
  };
  for (const bool templates : {false, true}) {
    if (!parameters.empty()) break;
    search(specialization.source_text, templates);
    for (const IncludedHeader& header : specialization.headers) search(header.text, templates);
  }
  if (parameters.size() != 1) return std::nullopt;
  return "(void(*)(" + *parameters.begin() + "))" + name_expression;
}

}  // namespace kiln
