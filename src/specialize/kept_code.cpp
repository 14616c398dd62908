#include "specialize/kept_code.h"

#include <algorithm>

namespace kiln {
namespace {

using Kind = Declaration::Kind;

bool is_word_of_statement(const Token& token) {
  static const std::set<std::string_view> words = {"return", "else",   "case",  "goto",    "delete", "throw",
                                                   "new",    "sizeof", "using", "if",      "for",    "while",
                                                   "do",     "switch", "break", "continue"};
  return words.contains(token.text);
}

}  // namespace

void KeptCode::run(const std::vector<std::string>& kept, bool cuts) {
  keep_roots(kept, cuts);
  follow();
  if (cuts) keep_instantiations();
}

void KeptCode::keep_roots(const std::vector<std::string>& kept, bool cuts) {
  for (std::size_t i = 0; i < program_.items.size(); ++i) {
    const Item& item = program_.items[i];
    const Kind kind = item.declaration->kind;
    if (item.member) continue;  // with its class
    const bool understood = item.whole && (item.host || kind != Kind::kOther) && kind != Kind::kScope;
    const bool specialises = kind != Kind::kInstantiation && of_unknown_template(item);
    const bool whole = program_.files[item.text].whole;
    if (cuts && !whole && (is_kernel(item) || is_needless(item))) continue;
    if (!cuts || whole || item.device || !understood || (!item.host && program_.marked_elsewhere(item)) ||
        specialises || (kind == Kind::kUsing && !item.host) || is_operator(item))
      keep(i);
  }
  root_texts_.assign(kept.begin(), kept.end());
  for (const EntryPoint& entry : spec_.entries) root_texts_.push_back(entry.name_expression);
  root_texts_.push_back(spec_.params_header);
  for (const auto& [name, value] : spec_.defines) root_texts_.emplace_back(name).append(" ").append(value);
  for (const std::string& text : root_texts_) {
    const std::vector<Token>& tokens = root_tokens_.emplace_back(tokenize(text).tokens);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      learn_std_name(tokens, i);
      reach(tokens[i], true);
    }
  }
  for (const ProgramFile& text : program_.files) {
    for (const Directive& directive : text.source.directives) {
      if (directive.tokens.empty() || !directive.tokens[0].is("pragma")) continue;
      for (const Token& token : directive.tokens) reach(token, false);
    }
  }
}

bool KeptCode::is_kernel(const Item& item) const {
  const Declaration& declaration = *item.declaration;
  if (spec_.entries.empty() || declaration.kind != Kind::kFunction || item.member || !item.whole)
    return false;
  const std::vector<Token>& tokens = program_.tokens_of(item);
  for (std::size_t i = declaration.whole.begin; i < declaration.parameters.begin; ++i) {
    if (tokens[i].is("__global__")) return true;
  }
  return false;
}

bool KeptCode::is_needless(const Item& item) const {
  return !spec_.entries.empty() && item.declaration->kind == Kind::kInstantiation;
}

bool KeptCode::is_operator(const Item& item) const {
  const auto& names = item.declaration->names;
  return !item.host && std::find(names.begin(), names.end(), "operator") != names.end();
}

bool KeptCode::of_unknown_template(const Item& item) const {
  const std::vector<Token>& tokens = program_.tokens_of(item);
  const std::size_t begin = item.declaration->whole.begin;
  const bool specialisation = begin + 2 < tokens.size() && tokens[begin].is("template") &&
                              tokens[begin + 1].is("<") && tokens[begin + 2].is(">");
  if (!specialisation || item.host) return false;
  return std::all_of(item.declaration->names.begin(), item.declaration->names.end(),
                     [&](std::string_view name) { return program_.by_name.at(name).size() == 1; });
}

void KeptCode::keep(std::size_t index) {
  Item& item = program_.items[index];
  if (item.kept) return;
  item.kept = true;
  open_.push_back(index);
}

void KeptCode::follow() {
  while (!open_.empty()) {
    const std::size_t index = open_.front();
    open_.pop_front();
    follow_item(index);
  }
}

void KeptCode::follow_item(std::size_t index) {
  const Item& item = program_.items[index];
  const Declaration& declaration = *item.declaration;
  if (declaration.kind == Kind::kClass) {
    const std::size_t head_end = declaration.body.empty() ? declaration.whole.end : declaration.body.begin;
    reach_tokens(item, {declaration.whole.begin, head_end}, {});
    const std::vector<std::size_t> members = item.members;
    for (const std::size_t member : members) {
      if (!program_.items[member].host) keep(member);
    }
    return;
  }
  if (declaration.kind == Kind::kForward) {  // says nothing of its class
    reach_tokens(item, declaration.template_head, {});
    return;
  }
  if (declaration.kind != Kind::kFunction) {
    reach_tokens(item, declaration.whole, {});
    return;
  }
  Names names = parameter_names(item);
  const TokenSpan parameters = declaration.parameters;
  reach_tokens(item, {declaration.whole.begin, parameters.begin}, {});
  reach_tokens(item, parameters, names);
  reach_tokens(item, {parameters.end, declaration.body.begin}, {});
  names.merge(local_names(item));
  reach_tokens(item, declaration.body, names);
  const std::size_t rest = std::max(declaration.body.end, declaration.body.begin);
  reach_tokens(item, {rest, declaration.whole.end}, {});
}

Names KeptCode::parameter_names(const Item& item) const {
  const std::vector<Token>& tokens = program_.tokens_of(item);
  Names names;
  const TokenSpan parameters = item.declaration->parameters;
  for (std::size_t i = parameters.begin; i < parameters.end; ++i) {
    if (tokens[i].is("(") || tokens[i].is("[")) i = std::min(tokens[i].close, parameters.end);
    if (tokens[i].is("<") && i > parameters.begin && tokens[i - 1].identifier())  // Vec<N, float> x
      i = std::max(i + 1, std::min(behind_angles(tokens, i, parameters.end), parameters.end)) - 1;
    const bool last =
        i + 1 == parameters.end ||
        (i + 1 < parameters.end && (tokens[i + 1].is(",") || tokens[i + 1].is("=") || tokens[i + 1].is("[")));
    const bool has_type = i > parameters.begin && !tokens[i - 1].is(",") && !tokens[i - 1].is("=");
    if (i < parameters.end && tokens[i].identifier() && last && has_type) names.insert(tokens[i].text);
  }
  return names;
}

Names KeptCode::local_names(const Item& item) const {
  const std::vector<Token>& tokens = program_.tokens_of(item);
  Names names, seen;
  const TokenSpan body = item.declaration->body;
  std::size_t statement = body.begin;
  for (std::size_t i = body.begin; i < body.end; ++i) {
    if (tokens[i].is("{")) {
      for (std::size_t inner = i; inner < std::min(tokens[i].close, body.end); ++inner) {
        if (tokens[inner].identifier()) seen.insert(tokens[inner].text);
      }
      i = std::min(tokens[i].close, body.end);
      statement = i + 1;
    } else if (tokens[i].is(";")) {
      statement = i + 1;
    } else if (tokens[i].identifier()) {
      const bool fresh = seen.insert(tokens[i].text).second;
      if (fresh && declares(tokens, statement, i, body.end)) names.insert(tokens[i].text);
    }
  }
  return names;
}

bool KeptCode::declares(const std::vector<Token>& tokens, std::size_t begin, std::size_t at,
                        std::size_t end) {
  if (at == begin || at + 1 >= end) return false;
  const Token& next = tokens[at + 1];
  if (!next.is("=") && !next.is(";") && !next.is(",") && !next.is("[") && !next.is("{")) return false;
  for (std::size_t i = begin; i < at; ++i) {
    const Token& token = tokens[i];
    const bool of_type = (token.identifier() && !is_word_of_statement(token)) || token.is("*") ||
                         token.is("&") || token.is("::");
    if (!of_type) return false;
  }
  return tokens[begin].identifier() && !tokens[at - 1].is("::");
}

void KeptCode::reach_tokens(const Item& item, TokenSpan span, const Names& shadowed) {
  reach_tokens(program_.tokens_of(item), span, shadowed);
}

void KeptCode::reach_tokens(const std::vector<Token>& tokens, TokenSpan span, const Names& shadowed) {
  std::size_t in_macro = 0;  // up to here the arguments of a macro
  for (std::size_t i = span.begin; i < span.end; ++i) learn_std_name(tokens, i);
  for (std::size_t i = span.begin; i < span.end; ++i) {
    const Token& token = tokens[i];
    const bool scoped = i > 0 && tokens[i - 1].is("::");
    if (!token.identifier() || (!scoped && shadowed.contains(token.text))) continue;
    const bool has_next = i + 1 < tokens.size(), has_last = i > 0;
    const bool called =
        i < in_macro ||
        (has_next && (tokens[i + 1].is("(") || tokens[i + 1].is("<") || tokens[i + 1].is(">"))) ||
        (has_last && (tokens[i - 1].is("&") || tokens[i - 1].is("<")));
    if (has_next && tokens[i + 1].is("(") && program_.function_macros.contains(token.text))
      in_macro = std::max(in_macro, tokens[i + 1].close);
    reach(token, called);
  }
}

void KeptCode::learn_std_name(const std::vector<Token>& tokens, std::size_t i) {
  constexpr std::size_t kLongest = 4;
  if (!tokens[i].identifier() || i < 2 || !tokens[i - 1].is("::") || !tokens[i - 2].is("std")) return;
  if (i >= kLongest && tokens[i - 3].is("::") && tokens[i - kLongest].is("cuda")) return;
  std_names_.insert(tokens[i].text);
}

void KeptCode::reach(const Token& token, bool called) {
  if (!token.identifier()) return;
  const bool first = reached_.insert(token.text).second;
  const bool first_call = called && called_.insert(token.text).second;
  if (!first && !first_call) return;
  if (program_.function_macros.contains(token.text) ? first_call : first) {
    const auto macro = program_.macros.find(token.text);
    if (macro != program_.macros.end()) {
      for (const std::vector<Token>* words : macro->second) {
        for (std::size_t i = 2; i < words->size(); ++i) {
          learn_std_name(*words, i);
          reach((*words)[i], true);
        }
      }
      keep_pasted(token.text);
    }
  }
  const auto found = program_.by_name.find(token.text);
  if (found == program_.by_name.end()) return;
  for (const std::size_t index : found->second) {
    const Item& item = program_.items[index];
    const Kind kind = item.declaration->kind;
    if (item.host || item.member || kind == Kind::kInstantiation) continue;
    const bool enough =
        !program_.is_function(item) || called || token.text != item.declaration->names.front();
    if (enough) keep(index);
  }
}

void KeptCode::keep_pasted(std::string_view macro) {
  for (std::size_t i = 0; i < program_.items.size(); ++i) {
    const Item& item = program_.items[i];
    if (!item.host && !item.member && program_.may_paste(macro, item)) keep(i);
  }
}

void KeptCode::keep_instantiations() {
  for (std::size_t i = 0; i < program_.items.size(); ++i) {
    Item& item = program_.items[i];
    const Kind kind = item.declaration->kind;
    if (kind != Kind::kInstantiation || item.kept || item.member || is_needless(item)) continue;
    bool names_kept = item.declaration->names.empty();
    bool defined = false, removed = false;  // a function of the name
    for (const std::string_view name : item.declaration->names) {
      for (const std::size_t other : program_.by_name.at(name)) {
        const Item& one = program_.items[other];
        const Kind of_one = one.declaration->kind;
        names_kept = names_kept || (one.kept && of_one != Kind::kInstantiation && of_one != Kind::kForward);
        if (of_one != Kind::kFunction) continue;
        const bool stays = one.kept || (one.member && !one.host);
        defined = defined || stays;
        removed = removed || !stays;
      }
    }
    if (removed && !defined) continue;  // `template void Random<float>::seed(int);` of the host
    if (names_kept && !item.host) item.kept = true;
  }
}

}  // namespace kiln
