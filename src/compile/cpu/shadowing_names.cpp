#include "compile/cpu/shadowing_names.h"

#include <set>
#include <string>
#include <string_view>

namespace kiln {
namespace {

using Names = std::set<std::string_view>;

bool is_qualifier(const Token& token) {
  return token.is("const") || token.is("volatile") || token.is("typename") || token.is("struct") ||
         token.is("unsigned") || token.is("signed") || token.is("__restrict__");
}

/// Where a parameter or a part of a template's head has its name: behind the type, in front of "=" and "[";
/// `span.end`: it has none.
std::size_t name_in(const std::vector<Token>& tokens, TokenSpan span) {
  std::size_t last = span.begin;
  while (last < span.end && !tokens[last].is("=") && !tokens[last].is("[")) ++last;
  if (last < span.begin + 2 || !tokens[last - 1].identifier() || is_qualifier(tokens[last - 1]))
    return span.end;
  const Token& before = tokens[last - 2];
  const bool behind_type = before.identifier() || before.is("*") || before.is("&") || before.is(">");
  bool has_type = false;
  for (std::size_t i = span.begin; i + 1 < last; ++i) has_type = has_type || !is_qualifier(tokens[i]);
  const bool number = before.is("unsigned") || before.is("signed");
  return behind_type && (has_type || number) ? last - 1 : span.end;
}

/// The "{" of the function whose parameters end at `close`; `end`: it has none.
std::size_t body_behind(const std::vector<Token>& tokens, std::size_t close, std::size_t end) {
  std::size_t i = close + 1;
  while (i < end && (tokens[i].is("const") || tokens[i].is("noexcept") || tokens[i].is("override"))) ++i;
  if (i < end && tokens[i].is(":")) {  // a constructor's members
    while (i < end && !tokens[i].is(";") && !(tokens[i].is("{") && !tokens[i - 1].identifier()))
      i = (tokens[i].is("(") || tokens[i].is("{")) && tokens[i].close < end ? tokens[i].close + 1 : i + 1;
  }
  return i < end && tokens[i].is("{") && tokens[i].close < end ? i : end;
}

void rename_in(const std::vector<Token>& tokens, std::string_view name, TokenSpan span,
               std::vector<TextEdit>& edits) {
  for (std::size_t i = span.begin; i < span.end; ++i) {
    const bool member = tokens[i - 1].is(".") || tokens[i - 1].is("->") || tokens[i - 1].is("::");
    if (tokens[i].is(name) && !member) edits.push_back({tokens[i].end(), 0, "_kiln"});
  }
}

void rename_in_class(const std::vector<Token>& tokens, const Names& names, TokenSpan body,
                     std::vector<TextEdit>& edits) {
  for (std::size_t i = body.begin; i < body.end; ++i) {
    if (tokens[i].close >= body.end) continue;
    if (tokens[i].is("{")) i = tokens[i].close;
    if (!tokens[i].is("(")) continue;
    const std::size_t close = tokens[i].close, open = body_behind(tokens, close, body.end);
    if (open == body.end) {
      i = close;
      continue;
    }
    for (const TokenSpan& part : parts_of(tokens, {i + 1, close}, true)) {
      const std::size_t at = name_in(tokens, part);
      if (at < part.end && names.contains(tokens[at].text))
        rename_in(tokens, tokens[at].text, {at, tokens[open].close}, edits);
    }
    i = tokens[open].close;
  }
}

}  // namespace

std::vector<TextEdit> rename_shadowing_parameters(const std::vector<Token>& tokens) {
  std::vector<TextEdit> edits;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].is("template") || !tokens[i + 1].is("<")) continue;
    const std::size_t end = behind_angles(tokens, i + 1, tokens.size());
    if (end + 1 >= tokens.size() || !(tokens[end].is("class") || tokens[end].is("struct"))) continue;
    Names names;
    for (const TokenSpan& part : parts_of(tokens, {i + 2, end - 1}, true)) {
      const std::size_t at = name_in(tokens, part);
      if (at < part.end) names.insert(tokens[at].text);
    }
    std::size_t open = end;
    while (open < tokens.size() && !tokens[open].is("{") && !tokens[open].is(";")) ++open;
    if (open == tokens.size() || !tokens[open].is("{") || tokens[open].close == tokens.size()) continue;
    rename_in_class(tokens, names, {open + 1, tokens[open].close}, edits);
  }
  return edits;
}

}  // namespace kiln
