#include "compile/cpu/cluster_dims.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "base/text.h"
#include "specialize/declarations.h"

namespace kiln {
namespace {

constexpr std::string_view kAttribute = "__cluster_dims__";

/// A declaration with the attribute, and its namespaces.
struct Found {
  const Declaration* kernel = nullptr;
  std::string scope;
};

/// Of the functions of this name.
void find_kernels_of(const std::vector<Declaration>& declarations, const std::vector<Token>& tokens,
                     const std::string& name, const std::string& scope, std::vector<Found>& found) {
  for (const Declaration& one : declarations) {
    if (one.kind == Declaration::Kind::kScope) {
      std::string inside = scope;
      for (const std::string_view part : one.names)
        inside += (inside.empty() ? "" : "::") + std::string(part);
      find_kernels_of(one.members, tokens, name, inside, found);
    }
    const bool function =
        one.kind == Declaration::Kind::kFunction || one.kind == Declaration::Kind::kPrototype;
    if (!function || one.names.empty() || one.names.front() != name) continue;
    const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(one.whole.begin);
    const auto end = tokens.begin() + static_cast<std::ptrdiff_t>(one.parameters.begin);
    if (std::any_of(begin, end, [](const Token& token) { return token.is(kAttribute); }))
      found.push_back({&one, scope});
  }
}

/// Another kernel's name may be the same in another namespace.
const Declaration* find_kernel(const std::vector<Declaration>& declarations, const std::vector<Token>& tokens,
                               const std::string& name, const std::string& scope) {
  std::vector<Found> found;
  find_kernels_of(declarations, tokens, name, "", found);
  const auto same =
      std::find_if(found.begin(), found.end(), [&](const Found& one) { return one.scope == scope; });
  return same == found.end() ? nullptr : same->kernel;
}

/// Whether a template argument is a name, a type or a number, which needs no brackets.
bool is_word(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_:<>, ").find(c) != std::string_view::npos;
  });
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
    if (last > parameters[i].begin)
      values[tokens[last - 1].text] = is_word(given[i]) ? given[i] : "(" + given[i] + ")";
  }
  return values;
}

}  // namespace

ClusterDims cluster_dims_of(const std::vector<const Outline*>& texts, const std::string& name_expression) {
  ClusterDims dims;
  const std::string name = name_expression.substr(0, name_expression.find('<'));
  const std::size_t begin = name.starts_with("::") ? 2 : 0, behind = name.rfind("::");
  if (behind != std::string::npos && behind > begin) dims.scope = name.substr(begin, behind - begin);
  for (const Outline* text : texts) {
    const std::vector<Token>& tokens = text->source.tokens;
    if (std::none_of(tokens.begin(), tokens.end(), [](const Token& token) { return token.is(kAttribute); }))
      continue;
    const std::vector<Declaration> declarations = read_declarations(text->source);
    const Declaration* kernel = find_kernel(declarations, tokens, kernel_name(name_expression), dims.scope);
    if (kernel == nullptr) continue;
    const auto values = template_values(*kernel, tokens, name_expression);
    std::size_t open = kernel->whole.begin;
    while (!tokens[open].is(kAttribute)) ++open;
    ++open;
    for (std::size_t i = open + 1; i < matching_close(tokens, open); ++i) {
      const auto value = values.find(tokens[i].text);
      append_token(dims.arguments, value == values.end() ? tokens[i].text : std::string_view(value->second));
    }
    return dims;
  }
  return dims;
}

}  // namespace kiln
