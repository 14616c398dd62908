#include "specialize/include_scopes.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "base/text.h"
#include "specialize/compiled_parts.h"
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

/// Whether more braces are open than closed at an #include; comments count, too.
bool may_include_in_scope(const std::string& text) {
  const auto opens = [&](const IncludeUse& use) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(use.offset);
    return std::count(text.begin(), end, '{') != std::count(text.begin(), end, '}');
  };
  const std::vector<IncludeUse> uses = find_include_uses(text);
  return std::any_of(uses.begin(), uses.end(), opens);
}

bool is_in_scope(const TokenizedText& source, const std::vector<Declaration>& declarations,
                 std::size_t offset) {
  return std::any_of(declarations.begin(), declarations.end(), [&](const Declaration& one) {
    return one.kind == Declaration::Kind::kScope && one.body.begin > 0 &&
           source.tokens[one.body.begin - 1].offset < offset &&
           (one.body.end >= source.tokens.size() || offset < source.tokens[one.body.end].offset);
  });
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

std::string includes_in_front(const Specialization& specialization) {
  const auto& all = specialization.headers;
  const bool may = may_include_in_scope(specialization.source_text) ||
                   std::any_of(all.begin(), all.end(), [](const IncludedHeader& header) {
                     return may_include_in_scope(header.text);
                   });
  if (!may) return "";
  const Includes compiled = compiled_parts(specialization).includes;
  std::map<std::string, const IncludedHeader*> own;
  for (const IncludedHeader& header : compiled.headers) own[header.name] = &header;
  std::set<std::string> seen = {"kiln/params.h", "kiln/portable.h"};
  std::string lines;
  std::deque<std::pair<const std::string*, bool>> waiting = {{&compiled.text, false}};  // whether in a scope
  for (; !waiting.empty(); waiting.pop_front()) {
    const auto [text, inside] = waiting.front();
    const TokenizedText source = tokenize(*text);
    const std::vector<Declaration> declarations = read_declarations(source);
    for (const IncludeUse& use : find_include_uses(*text)) {
      if (use.kind != IncludeUse::Kind::kInclude) continue;
      const bool in_scope = inside || is_in_scope(source, declarations, use.offset);
      const auto header = own.find(use.header.name);
      if (header == own.end() && !in_scope) continue;
      if (!seen.insert(use.header.name).second) continue;
      if (header == own.end())
        lines.append("#include <").append(use.header.name).append(">\n");
      else
        waiting.emplace_back(&header->second->text, in_scope);
    }
  }
  return lines;
}

}  // namespace kiln
