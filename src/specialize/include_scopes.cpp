#include "specialize/include_scopes.h"

#include <deque>
#include <map>
#include <set>

#include "base/text.h"
#include "specialize/declarations.h"
#include "specialize/include_scan.h"

namespace kiln {
namespace {

using Scope = std::vector<std::string>;

/// The namespaces around a place of a text, the outermost first.
Scope scope_at(const TokenizedText& source, const std::vector<Declaration>& declarations,
               std::size_t offset) {
  for (const Declaration& one : declarations) {
    if (one.kind != Declaration::Kind::kScope || one.body.begin == 0) continue;
    const std::size_t open = source.tokens[one.body.begin - 1].offset;
    const std::size_t close = one.body.end < source.tokens.size() ? source.tokens[one.body.end].offset : 0;
    if (offset < open || offset > close) continue;
    Scope scope = scope_at(source, one.members, offset);
    for (auto name = one.names.rbegin(); name != one.names.rend(); ++name)
      scope.emplace(scope.begin(), *name);
    return scope;
  }
  return {};
}

std::vector<Scope> scopes_of(const std::string& text, const std::vector<IncludedHeader>& headers) {
  std::map<std::string, std::size_t> by_name;
  for (std::size_t i = 0; i < headers.size(); ++i) by_name[headers[i].name] = i;
  std::vector<Scope> scopes(headers.size());
  std::set<std::size_t> seen, several;
  std::deque<std::pair<const std::string*, Scope>> waiting = {{&text, {}}};
  for (; !waiting.empty(); waiting.pop_front()) {
    const auto& [from, outer] = waiting.front();
    const TokenizedText source = tokenize(*from);
    const std::vector<Declaration> declarations = read_declarations(source);
    for (const IncludeUse& use : find_include_uses(*from)) {
      const auto header = by_name.find(use.header.name);
      if (use.kind != IncludeUse::Kind::kInclude || header == by_name.end()) continue;
      Scope scope = outer;
      for (std::string& name : scope_at(source, declarations, use.offset)) scope.push_back(std::move(name));
      if (!seen.insert(header->second).second) {
        if (scopes[header->second] != scope) several.insert(header->second);
        continue;
      }
      scopes[header->second] = scope;
      waiting.emplace_back(&headers[header->second].text, std::move(scope));
    }
  }
  for (const std::size_t header : several) scopes[header].clear();  // its text has no one scope
  return scopes;
}

}  // namespace

std::vector<std::string> scopes_of_headers(const std::string& text,
                                           const std::vector<IncludedHeader>& headers) {
  std::vector<std::string> names;
  for (const Scope& scope : scopes_of(text, headers)) {
    std::string& whole = names.emplace_back();
    for (const std::string& name : scope) whole += name.empty() ? "" : name + "::";
  }
  return names;
}

std::vector<std::string> texts_in_their_scopes(const std::string& text,
                                               const std::vector<IncludedHeader>& headers) {
  const std::vector<Scope> scopes = scopes_of(text, headers);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    std::string whole;
    for (const std::string& name : scopes[i]) whole.append("namespace ").append(name).append(" { ");
    if (!scopes[i].empty() && trim(headers[i].text).starts_with('#'))
      whole += "\n";  // where a directive begins
    whole += headers[i].text;
    if (!scopes[i].empty()) whole += "\n";
    for (std::size_t k = 0; k < scopes[i].size(); ++k) whole += "} ";
    texts.push_back(std::move(whole));
  }
  return texts;
}

}  // namespace kiln
