#include "compile/cpu/cluster_dims.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "specialize/declarations.h"

namespace kiln {
namespace {

constexpr std::string_view kAttribute = "__cluster_dims__";

/// The declaration with the attribute of a function of this name; null where there is none.
const Declaration* find_kernel(const std::vector<Declaration>& declarations, const std::vector<Token>& tokens,
                               const std::string& name) {
  for (const Declaration& one : declarations) {
    if (one.kind == Declaration::Kind::kScope) {
      if (const Declaration* found = find_kernel(one.members, tokens, name)) return found;
    }
    const bool function =
        one.kind == Declaration::Kind::kFunction || one.kind == Declaration::Kind::kPrototype;
    if (!function || one.names.empty() || one.names.front() != name) continue;
    const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(one.whole.begin);
    const auto end = tokens.begin() + static_cast<std::ptrdiff_t>(one.parameters.begin);
    if (std::any_of(begin, end, [](const Token& token) { return token.is(kAttribute); })) return &one;
  }
  return nullptr;
}

/// "2" for N, of `template <int N>` and "k<2>".
std::map<std::string_view, std::string> template_values(const Declaration& kernel,
                                                        const std::vector<Token>& tokens,
                                                        const std::string& name_expression) {
  std::map<std::string_view, std::string> values;
  const std::size_t open = name_expression.find('<'), close = name_expression.rfind('>');
  if (kernel.template_head.empty() || open == std::string::npos || close == std::string::npos) return values;
  const std::vector<std::string> given =
      split_at_commas(std::string_view(name_expression).substr(open + 1, close - open - 1), true);
  const std::vector<TokenSpan> parameters = parts_of(tokens, kernel.template_head, true);
  for (std::size_t i = 0; i < std::min(given.size(), parameters.size()); ++i) {
    std::size_t last = parameters[i].begin;
    while (last < parameters[i].end && !tokens[last].is("=")) ++last;
    if (last > parameters[i].begin) values[tokens[last - 1].text] = "(" + given[i] + ")";
  }
  return values;
}

}  // namespace

ClusterDims cluster_dims_of(const std::vector<const Outline*>& texts, const std::string& name_expression) {
  ClusterDims dims;
  for (const Outline* text : texts) {
    const std::vector<Token>& tokens = text->source.tokens;
    if (std::none_of(tokens.begin(), tokens.end(), [](const Token& token) { return token.is(kAttribute); }))
      continue;
    const std::vector<Declaration> declarations = read_declarations(text->source);
    const Declaration* kernel = find_kernel(declarations, tokens, kernel_name(name_expression));
    if (kernel == nullptr) continue;
    const auto values = template_values(*kernel, tokens, name_expression);
    std::size_t open = kernel->whole.begin;
    while (!tokens[open].is(kAttribute)) ++open;
    ++open;
    for (std::size_t i = open + 1; i < matching_close(tokens, open); ++i) {
      const auto value = values.find(tokens[i].text);
      append_token(dims.arguments, value == values.end() ? tokens[i].text : std::string_view(value->second));
    }
    const std::string name = name_expression.substr(0, name_expression.find('<'));
    const std::size_t scope = name.rfind("::");
    if (scope != std::string::npos && scope != 0)
      dims.scope = name.substr(name.starts_with("::") ? 2 : 0, scope - (name.starts_with("::") ? 2 : 0));
    return dims;
  }
  return dims;
}

}  // namespace kiln
