#include "compile/cpu/split/body.h"

#include <algorithm>
#include <array>

#include "compile/cpu/split/expressions.h"

namespace kiln::fission {
namespace {

using Kind = Statement::Kind;

}  // namespace

Body::Body(const Outline& text, const DefinitionOutline& definition, const Signatures& signatures,
           const std::function<bool(std::size_t)>& waits)
    : tokens_(text.source.tokens), signatures_(signatures), head_(parse_head(tokens_, definition)) {
  parsed_ = parse_body(tokens_, definition.body, waits);
  if (!head_.trouble.empty()) {
    parsed_.trouble = head_.trouble;
    parsed_.trouble_at = definition.head.begin;
  }
  if (!parsed_.trouble.empty()) return;
  first_ = definition.head.begin;
  last_ = std::min(definition.body.end + 1, tokens_.size());
  variable_of_.assign(last_ - first_, -1);
  open_of_.assign(last_ - first_, tokens_.size());
  for (std::size_t i = first_; i < last_; ++i) {
    const std::size_t close = tokens_[i].close;
    if ((tokens_[i].is("(") || tokens_[i].is("[") || tokens_[i].is("{")) && close < last_)
      open_of_[close - first_] = i;
  }
  scopes_.push_back({{}, definition.body.end});
  for (std::size_t p = 0; p < head_.parameters.size(); ++p) {
    Variable variable;
    variable.name = head_.parameters[p]->name;
    variable.declarator = head_.parameters[p].get();
    variable.specifiers = head_.specifiers[p];
    variable.parameter = static_cast<int>(p);
    variable.scope_end = definition.body.end;
    if (variable.name.empty()) continue;
    scopes_.back().variables.push_back(static_cast<int>(variables_.size()));
    variables_.push_back(std::move(variable));
  }
  walk(*parsed_.block);
}

std::size_t Body::matching_open(std::size_t close) const {
  return close >= first_ && close < last_ ? open_of_[close - first_] : tokens_.size();
}

std::size_t Body::assignment_length(std::size_t i) const {
  static constexpr std::array<std::string_view, 9> kOperators = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
  if (i >= tokens_.size()) return 0;
  const Token& token = tokens_[i];
  if (std::find(kOperators.begin(), kOperators.end(), token.text) != kOperators.end()) return 1;
  const bool shifts = (token.is("<") && is(i + 1, "<=")) || (token.is(">") && is(i + 1, ">="));
  return shifts && tokens_[i + 1].offset == token.offset + 1 ? 2 : 0;
}

int Body::lookup(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    for (auto v = scope->variables.rbegin(); v != scope->variables.rend(); ++v) {
      if (variables_[static_cast<std::size_t>(*v)].name == name) return *v;
    }
  }
  return -1;
}

void Body::walk(const Statement& statement) {
  switch (statement.kind) {
    case Kind::kBlock:
      scopes_.push_back({{}, statement.range.end});
      for (const auto& child : statement.children) walk(*child);
      scopes_.pop_back();
      return;
    case Kind::kDeclaration:
      declare(statement);
      return;
    case Kind::kScopeDeclaration:
      if (statement.declarators.empty())
        scan(statement.range, statement);
      else
        declare(statement);
      return;
    case Kind::kIf:
      scan(statement.condition, statement);
      for (const auto& child : statement.children) {
        scopes_.push_back({{}, child->range.end});
        walk(*child);
        scopes_.pop_back();
      }
      return;
    case Kind::kSwitch:
      scan(statement.condition, statement);
      for (const std::vector<TokenRange>& labels : statement.labels) {
        for (const TokenRange label : labels) scan(label, statement);
      }
      for (const auto& child : statement.children) walk(*child);
      return;
    case Kind::kFor:
      scopes_.push_back({{}, statement.range.end});
      walk(*statement.children[0]);
      scan(statement.condition, statement);
      scan(statement.step, statement);
      walk(*statement.children[1]);
      scopes_.pop_back();
      return;
    case Kind::kWhile:
    case Kind::kDo:
      scan(statement.condition, statement);
      scopes_.push_back({{}, statement.range.end});
      walk(*statement.children[0]);
      scopes_.pop_back();
      return;
    case Kind::kReturn:
      scan(statement.condition, statement);
      return;
    case Kind::kExpression:
    case Kind::kOpaque:
      scan(statement.range, statement);
      return;
    case Kind::kBreak:
    case Kind::kContinue:
    case Kind::kEmpty:
      return;
  }
}

void Body::declare(const Statement& statement) {
  for (const Declarator& declarator : statement.declarators) {
    for (std::size_t i = declarator.range.begin; i < declarator.at; ++i) scan({i, i + 1}, statement);
    const std::size_t rest = declarator.at + 1;
    const std::size_t before =
        declarator.start == Declarator::Start::kNone ? declarator.range.end : declarator.initializer.begin;
    // The extents of an array are constants; the initializer is visible before the name.
    scan({rest, std::max(rest, before)}, statement);
    scan(declarator.initializer, statement);
    Variable variable;
    variable.name = declarator.name;
    variable.statement = &statement;
    variable.declarator = &declarator;
    variable.specifiers = statement.specifiers;
    variable.constant = statement.constant;
    variable.fixed = statement.kind == Kind::kScopeDeclaration;
    variable.scope_end = scopes_.back().end;
    const int number = static_cast<int>(variables_.size());
    scopes_.back().variables.push_back(number);
    variable_of_[declarator.at - first_] = number;
    variables_.push_back(std::move(variable));
    // A reference may change the object that it is bound to.
    if (declarator.reference && !statement.constant) {
      for (std::size_t i = declarator.initializer.begin; i < declarator.initializer.end; ++i) {
        const int bound = variable_at(i);
        if (bound >= 0 && !through_pointer(i, chain_end(i, declarator.initializer.end))) {
          variables_[static_cast<std::size_t>(bound)].escapes = true;
          variables_[static_cast<std::size_t>(bound)].modified = true;
        }
      }
    }
  }
}

void Body::scan(TokenRange range, const Statement& statement) {
  for (std::size_t i = range.begin; i < range.end; ++i) scan_token(i, range, statement);
}

/// The index after "name.member[index](...)" that starts at `i`.
std::size_t Body::chain_end(std::size_t i, std::size_t end) const {
  std::size_t at = i + 1;
  for (;;) {
    if (is(at, "[") && at < end) {
      at = std::min(tokens_[at].close + 1, end);
    } else if ((is(at, ".") || is(at, "->")) && at + 1 < end && tokens_[at + 1].identifier()) {
      at += 2;
    } else {
      return at;
    }
  }
}

/// Whether a chain goes from the variable itself through a pointer.
bool Body::through_pointer(std::size_t i, std::size_t chain_end) const {
  const int number = variable_at(i);
  const bool pointer = number >= 0 && variables_[static_cast<std::size_t>(number)].declarator->pointer &&
                       !(variables_[static_cast<std::size_t>(number)].declarator->array &&
                         variables_[static_cast<std::size_t>(number)].parameter < 0);
  for (std::size_t t = i + 1; t < chain_end; ++t) {
    if (is(t, "->")) return true;
    if (is(t, "[")) {
      if (pointer) return true;
      t = std::min(tokens_[t].close, chain_end);
    }
  }
  return false;
}

/// Whether the bracket at `close` may end a cast: "(void**)", "(size_t)", "(index_t)". It names no variable
/// of the function.
bool Body::closes_cast(std::size_t close) const {
  const std::size_t open = matching_open(close);
  if (open >= close || open + 1 == close) return false;
  if (open > first_ && (tokens_[open - 1].identifier() || is(open - 1, "]")) && !is(open - 1, "return"))
    return false;  // a call
  for (std::size_t i = open + 1; i < close; ++i) {
    const Token& token = tokens_[i];
    const bool of_type = token.identifier() ? lookup(token.text) < 0
                                            : token.is("*") || token.is("&") || token.is("::") ||
                                                  token.is("<") || token.is(">") || token.is(",");
    if (!of_type) return false;
  }
  return true;
}

void Body::scan_token(std::size_t i, TokenRange range, const Statement& statement) {
  const Token& token = tokens_[i];
  const Write write{-1, i, {}, &statement};
  if (const std::size_t length = assignment_length(i); length != 0) {
    Write assignment = write;
    std::size_t end = i + length;
    while (end < range.end && !is(end, ",") && !is(end, ";") && !is(end, ")") && !is(end, "}")) {
      const bool opens = is(end, "(") || is(end, "[") || is(end, "{");
      end = opens ? std::min(tokens_[end].close + 1, range.end) : end + 1;
    }
    assignment.value = {i + length, std::min(end, range.end)};
    if (i > range.begin || statement.declarators.empty()) change_before(i, range, assignment);
    return;
  }
  if (token.is("++") || token.is("--")) {
    const bool after = i > range.begin && (tokens_[i - 1].identifier() || is(i - 1, "]") || is(i - 1, ")"));
    if (after) {
      change_before(i, range, write);
      return;
    }
    std::size_t base = i + 1;
    bool dereferenced = false;
    while (is(base, "(") || is(base, "*")) {
      dereferenced = dereferenced || is(base, "*");
      ++base;
    }
    if (base >= range.end || !tokens_[base].identifier()) {
      writes_.push_back(write);
      return;
    }
    change(base, dereferenced, write);
    return;
  }
  if (!token.identifier()) return;
  if (i > 0 && (is(i - 1, ".") || is(i - 1, "->") || is(i - 1, "::"))) return;
  if (is(i + 1, "::")) return;
  const int number = lookup(token.text);
  if (number < 0) return;
  variable_of_[i - first_] = number;
  Variable& variable = variables_[static_cast<std::size_t>(number)];
  variable.uses.push_back(i);
  const std::size_t end = chain_end(i, range.end);
  const bool pointer = through_pointer(i, end);
  if (i > range.begin && is(i - 1, "&") && !pointer) {
    const bool binary = i > range.begin + 1 &&
                        (tokens_[i - 2].identifier() || tokens_[i - 2].kind == Token::Kind::kNumber ||
                         (is(i - 2, ")") && !closes_cast(i - 2)) || is(i - 2, "]")) &&
                        !is(i - 2, "return");
    if (!binary) {
      variable.escapes = true;
      variable.modified = true;
    }
  }
  // An array's name alone is its address.
  if (variable.declarator->array && variable.parameter < 0 && end == i + 1) variable.escapes = true;
  // A member function may change its object.
  if (is(end, "(") && end > i + 1 && !pointer) {
    variable.modified = true;
    variable.escapes = true;
  }
  if (!pointer && argument_may_change(i, end, range)) {
    variable.modified = true;
    variable.escapes = true;
  }
}

/// Whether the chain [i, chain_end) is an argument that the called function may change.
bool Body::argument_may_change(std::size_t i, std::size_t chain_end, TokenRange range) const {
  // "(x)", "(int&)x" and "reinterpret_cast<int&>(x)" are x.
  for (bool inner = true; inner && i > range.begin + 1;) {
    inner = false;
    if (is(i - 1, ")") && closes_cast(i - 1)) {
      i = matching_open(i - 1);
      inner = true;
    } else if (is(i - 1, "(") && is(chain_end, ")") && tokens_[i - 1].close == chain_end) {
      const Token& before = tokens_[i - 2];
      std::size_t name = i - 2;
      if (before.is(">")) {
        while (name > range.begin && !is(name, "<")) --name;
        if (name > range.begin) --name;
      }
      const bool cast = is(name, "static_cast") || is(name, "reinterpret_cast") || is(name, "const_cast");
      if (before.is("(") || before.is(",") || before.is("=") || before.is("return") || before.is(")") ||
          cast) {
        i = cast ? name : i - 1;
        ++chain_end;
        inner = true;
      }
    }
  }
  if (!is(chain_end, ",") && !is(chain_end, ")")) return false;
  if (i == range.begin || !(is(i - 1, "(") || is(i - 1, ","))) return false;
  // The bracket around the arguments.
  std::size_t close = chain_end;
  while (close < range.end && !is(close, ")") && !is(close, "]") && !is(close, "}")) {
    const bool opens = is(close, "(") || is(close, "[") || is(close, "{");
    close = opens ? tokens_[close].close + 1 : close + 1;
  }
  if (close >= tokens_.size() || !is(close, ")")) return false;
  const std::size_t open = matching_open(close);
  if (open >= tokens_.size() || open == 0) return false;
  std::size_t name = open - 1;
  if (is(name, ">")) {  // f<T>(x)
    while (name > range.begin && !is(name, "<")) --name;
    if (name == range.begin) return false;
    --name;
  }
  if (!tokens_[name].identifier()) return false;
  const int local = lookup(tokens_[name].text);
  if (local < 0 || variables_[static_cast<std::size_t>(local)].parameter >= 0)
    return signatures_.may_change(tokens_[name].text);
  // A lambda that captures by reference.
  const TokenRange lambda = variables_[static_cast<std::size_t>(local)].declarator->initializer;
  std::size_t t = lambda.begin;
  if (is(t, "[")) t = tokens_[t].close + 1;
  for (const std::size_t last = is(t, "(") ? tokens_[t].close : t; t < last; ++t) {
    if (is(t, "&") || is(t, "&&")) return true;
  }
  return false;
}

/// The operator at `i` changes the expression before it.
void Body::change_before(std::size_t i, TokenRange range, Write write) {
  std::size_t base = i;
  while (base > range.begin) {
    const std::size_t before = base - 1;
    if (is(before, "]")) {
      base = matching_open(before);
      if (base >= tokens_.size()) break;
    } else if (tokens_[before].identifier()) {
      base = before;
      if (base > range.begin && (is(base - 1, ".") || is(base - 1, "->"))) {
        --base;
        continue;
      }
      break;
    } else {
      break;
    }
  }
  if (base >= i || !tokens_[base].identifier()) {
    // "(x) = 1", "(*p)++": each name there may be the changed one.
    if (i > range.begin && is(i - 1, ")")) {
      const std::size_t open = matching_open(i - 1);
      for (std::size_t t = open; t < i; ++t) {
        const int number = variable_at(t);
        if (number < 0) continue;
        Write some = write;
        some.variable = number;
        variables_[static_cast<std::size_t>(number)].modified = true;
        writes_.push_back(some);
      }
    }
    writes_.push_back(write);
    return;
  }
  const bool dereferenced =
      base > range.begin && is(base - 1, "*") &&
      !(base > range.begin + 1 && (tokens_[base - 2].identifier() || is(base - 2, ")") ||
                                   tokens_[base - 2].kind == Token::Kind::kNumber));
  const bool increments = is(i, "++") || is(i, "--");  // "*p++" moves p
  change(base, dereferenced && !increments, write);
}

void Body::change(std::size_t base, bool dereferenced, Write write) {
  const int number = variable_at(base) >= 0 ? variable_at(base) : lookup(tokens_[base].text);
  const bool member = base > first_ && (is(base - 1, ".") || is(base - 1, "->") || is(base - 1, "::"));
  if (number >= 0 && !member) {
    variable_of_[base - first_] = number;
    if (!dereferenced && !through_pointer(base, chain_end(base, last_))) {
      Variable& variable = variables_[static_cast<std::size_t>(number)];
      if (variable.declarator->reference) {
        write.variable = -1;
        writes_.push_back(write);
      }
      if (variable.fixed) {
        write.variable = -1;
      } else {
        write.variable = number;
        variable.modified = true;
      }
    }
  }
  writes_.push_back(write);
}

}  // namespace kiln::fission
