#include "compile/cpu/split/lambdas.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "compile/cpu/split/places.h"
#include "compile/cpu/split/sync_calls.h"

namespace kiln::fission {
namespace {

using Kind = Statement::Kind;

/// "auto name = [...](parameters) -> type { body };"
struct Lambda {
  std::string_view name;
  std::size_t first = 0;  ///< token of the declaration
  std::size_t end = 0;    ///< after its ";"
  TokenRange captures, parameters, type, body;
  bool waits = false;
};

std::optional<Lambda> lambda_at(const std::vector<Token>& tokens, std::size_t i, std::size_t end) {
  const auto is = [&](std::size_t t, std::string_view text) { return t < end && tokens[t].is(text); };
  Lambda found;
  found.first = i > 0 && tokens[i - 1].is("const") ? i - 1 : i;
  if (!is(i, "auto")) return std::nullopt;
  std::size_t at = i + 1;
  while (is(at, "const") || is(at, "&&") || is(at, "&")) ++at;
  if (at + 2 >= end || !tokens[at].identifier() || !is(at + 1, "=") || !is(at + 2, "[")) return std::nullopt;
  found.name = tokens[at].text;
  found.captures = {at + 3, tokens[at + 2].close};
  at = found.captures.end + 1;
  if (is(at, "(")) {
    found.parameters = {at + 1, tokens[at].close};
    at = found.parameters.end + 1;
  }
  while (at < end && !is(at, "{")) {
    if (is(at, ";") || is(at, "<")) return std::nullopt;
    if (is(at, "->")) found.type.begin = at + 1;
    ++at;
  }
  if (at >= end) return std::nullopt;
  if (found.type.begin != 0) found.type.end = at;
  found.body = {at + 1, tokens[at].close};
  if (!is(found.body.end + 1, ";")) return std::nullopt;
  found.end = found.body.end + 2;
  return found;
}

void each_statement(const Statement& statement, const std::function<void(const Statement&)>& visit) {
  visit(statement);
  for (const auto& child : statement.children) each_statement(*child, visit);
}

/// A lambda's calls, or the reason why it cannot stand in their place. Throws Trouble.
class Plan {
 public:
  Plan(const Body& body, const SyncFunctions& functions, const Lambda& lambda)
      : body_(body), functions_(functions), tokens_(body.tokens()), lambda_(lambda) {
    parsed_ = parse(lambda_.body);
    read_parameters();
    read_body();
    check_captures();
    find_calls();
  }

  struct Call {
    std::size_t at = 0;  ///< token of the name
    std::vector<TokenRange> arguments;
    const Statement* statement = nullptr;
    bool whole = false;  ///< "f(x);"
  };
  struct Parameter {
    TokenRange range;
    std::size_t at = 0;  ///< token of the name
  };

  [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  [[nodiscard]] const std::set<std::string_view>& own_names() const { return own_names_; }
  [[nodiscard]] TokenRange result() const { return result_; }  ///< the returned expression, perhaps empty
  [[nodiscard]] TokenRange statements() const { return statements_; }  ///< of the body, without the return
  [[nodiscard]] const std::vector<TokenRange>& fixed() const { return fixed_; }
  [[nodiscard]] bool has_later_calls() const { return later_; }

 private:
  [[nodiscard]] bool is(std::size_t i, std::string_view text) const { return body_.is(i, text); }

  std::unique_ptr<Statement> parse(TokenRange range) const {
    const auto waits = [&](std::size_t i) { return functions_.may_wait(tokens_, i); };
    ParsedBody parsed = parse_body(tokens_, range, waits);
    if (!parsed.trouble.empty()) throw Trouble{parsed.trouble, parsed.trouble_at};
    return std::move(parsed.block);
  }

  void read_parameters() {
    for (const TokenRange part : split_commas(tokens_, lambda_.parameters, true)) {
      std::size_t at = part.end - 1;
      bool simple = part.end >= part.begin + 2 && tokens_[at].identifier();
      for (std::size_t i = part.begin; i < part.end; ++i)
        simple = simple && !is(i, "=") && !is(i, "...") && !is(i, "(") && !is(i, "[");
      if (!simple) throw Trouble{"a lambda with parameters of a form that Kiln does not know", part.begin};
      parameters_.push_back({part, at});
      own_names_.insert(tokens_[at].text);
    }
  }

  void read_body() {
    statements_ = lambda_.body;
    for (std::size_t i = lambda_.body.begin; i < lambda_.body.end; ++i) {
      if (is(i, lambda_.name)) throw Trouble{"a lambda that names itself", i};
    }
    const Statement* last = parsed_->children.empty() ? nullptr : parsed_->children.back().get();
    each_statement(*parsed_, [&](const Statement& statement) {
      if (statement.kind == Kind::kReturn && &statement != last)
        throw Trouble{"a lambda that returns in several places", statement.range.begin};
      if (statement.kind == Kind::kOpaque) {
        for (std::size_t i = statement.range.begin; i < statement.range.end; ++i)
          if (is(i, "return")) throw Trouble{"a lambda that returns in several places", i};
      }
      for (const Declarator& declarator : statement.declarators) {
        if (!tokens_[declarator.at].identifier())
          throw Trouble{"a lambda with a declaration of names", declarator.at};
        if (own_names_.insert(declarator.name).second) require_first(declarator);
      }
      bool fixed = statement.is_shared;
      for (std::size_t i = statement.specifiers.begin; i < statement.specifiers.end; ++i)
        fixed = fixed || is(i, "static");
      if (fixed && statement.kind == Kind::kScopeDeclaration) fixed_.push_back(statement.range);
    });
    if (last != nullptr && last->kind == Kind::kReturn) {
      result_ = last->condition;
      statements_.end = last->range.begin;
    }
  }

  /// A name that means another variable before the lambda declares it stays that variable's.
  void require_first(const Declarator& declarator) const {
    for (std::size_t i = lambda_.body.begin; i < declarator.at; ++i) {
      if (is(i, declarator.name) && !is(i - 1, ".") && !is(i - 1, "->"))
        throw Trouble{"a lambda that hides a name that it uses", i};
    }
  }

  /// A copy is the variable itself if neither changes.
  void check_captures() const {
    std::set<std::string_view> by_value;
    bool all = false;
    for (const TokenRange part : split_commas(tokens_, lambda_.captures, false)) {
      if (part.end > part.begin + 2 || is(part.begin, "*"))
        throw Trouble{"a lambda that captures an expression", part.begin};
      if (is(part.begin, "="))
        all = true;
      else if (!is(part.begin, "&") && !is(part.begin, "this"))
        by_value.insert(tokens_[part.begin].text);
    }
    if (!all && by_value.empty()) return;
    for (std::size_t i = lambda_.body.begin; i < lambda_.body.end; ++i) {
      const int v = body_.variable_at(i);
      if (v < 0 || own_names_.contains(tokens_[i].text)) continue;
      const Variable& variable = body_.variables()[static_cast<std::size_t>(v)];
      if (variable.fixed || !(all || by_value.contains(variable.name))) continue;
      const bool array = variable.declarator->array && variable.parameter < 0;
      const bool changed = std::any_of(body_.writes().begin(), body_.writes().end(), [&](const Write& write) {
        return write.variable == v && write.at > lambda_.first;
      });
      if (array || changed || (variable.escapes && variable.modified && !variable.constant))
        throw Trouble{"a lambda that copies what changes", i};
    }
  }

  void find_calls() {
    const std::size_t end = body_.block().range.end;
    for (std::size_t i = lambda_.end; i < end; ++i) {
      if (!is(i, lambda_.name) || is(i - 1, ".") || is(i - 1, "->") || is(i - 1, "::")) continue;
      if (!is(i + 1, "(")) throw Trouble{"a lambda that is passed on", i};
      const std::size_t close = tokens_[i + 1].close;
      bool inner = false;
      for (std::size_t t = i + 2; t < close; ++t) inner = inner || is(t, lambda_.name);
      if (inner) {  // the argument's call first
        later_ = true;
        continue;
      }
      Call call;
      call.at = i;
      call.arguments = split_commas(tokens_, {i + 2, close}, false);
      if (call.arguments.size() != parameters_.size())
        throw Trouble{"a lambda called with fewer arguments than it has parameters", i};
      set_statement(call, close);
      require_seen(call);
      calls_.push_back(std::move(call));
    }
  }

  /// What the lambda names is the same variable at the call.
  void require_seen(const Call& call) const {
    for (const Variable& other : body_.variables()) {
      const bool between = other.parameter < 0 && other.declarator != nullptr &&
                           lambda_.end <= other.declarator->at && other.declarator->at < call.at &&
                           call.at < other.scope_end;
      if (!between || own_names_.contains(other.name)) continue;
      for (std::size_t i = lambda_.body.begin; i < lambda_.body.end; ++i) {
        if (body_.variable_at(i) >= 0 && is(i, other.name))
          throw Trouble{"a lambda called where a name that it uses is hidden", call.at};
      }
    }
  }

  void set_statement(Call& call, std::size_t close) {
    const Statement* innermost = innermost_at(body_.block(), call.at);
    for (;;) {  // in the body of another lambda
      std::optional<Lambda> around;
      for (std::size_t i = innermost->range.begin; i < call.at && !around; ++i) {
        around = lambda_at(tokens_, i, innermost->range.end);
        if (around && !around->body.contains(call.at)) around.reset();
      }
      if (!around) break;
      others_.push_back(parse(around->body));
      innermost = innermost_at(*others_.back(), call.at);
    }
    call.statement = innermost;
    call.whole = innermost->kind == Kind::kExpression && innermost->range.begin == call.at &&
                 innermost->range.end == close + 2;
    const bool head = innermost->kind == Kind::kIf && innermost->condition.contains(call.at);
    const bool list = innermost->kind == Kind::kExpression || innermost->kind == Kind::kDeclaration ||
                      innermost->kind == Kind::kReturn;
    if (!(head || list) || (innermost->kind == Kind::kDeclaration && !declares_first(*innermost)))
      throw Trouble{"a lambda called in a place before which nothing can stand", call.at};
    if (result_.begin == result_.end && !call.whole)
      throw Trouble{"a lambda's result that is not seen", call.at};
    bool inside = false;  // of brackets that are still open
    for (std::size_t i = innermost->range.begin; i < call.at; ++i) {
      const bool opens = is(i, "(") || is(i, "[") || is(i, "{");
      if (opens && tokens_[i].close < call.at)
        i = tokens_[i].close;
      else if (opens)
        inside = true;
      else if (is(i, ",") && !inside && innermost->kind == Kind::kExpression)
        throw Trouble{"a lambda called behind a comma", call.at};
      else if (is(i, "&&") || is(i, "||") || is(i, "?"))
        throw Trouble{"a lambda called in a part of a condition", i};
    }
  }

  /// Whether a declaration begins with this name: each name of one is a statement.
  [[nodiscard]] static bool declares_first(const Statement& statement) {
    return statement.range.begin == statement.specifiers.begin ||
           statement.range.begin == statement.specifiers.end;
  }

  [[nodiscard]] const Statement* innermost_at(const Statement& statement, std::size_t at) const {
    for (const auto& child : statement.children) {
      if (child->range.contains(at)) return innermost_at(*child, at);
    }
    return &statement;
  }

  const Body& body_;
  const SyncFunctions& functions_;
  const std::vector<Token>& tokens_;
  const Lambda& lambda_;
  std::unique_ptr<Statement> parsed_;
  std::vector<std::unique_ptr<Statement>> others_;
  std::vector<Parameter> parameters_;
  std::set<std::string_view> own_names_;
  std::vector<TokenRange> fixed_;  ///< __shared__ and static variables of the lambda
  TokenRange result_, statements_;
  std::vector<Call> calls_;
  bool later_ = false;  ///< some call needs another round
};

std::vector<Lambda> waiting_lambdas(const std::vector<Token>& tokens, TokenRange body,
                                    const SyncFunctions& functions) {
  std::vector<Lambda> found;
  for (std::size_t i = body.begin; i < body.end; ++i) {
    std::optional<Lambda> lambda = lambda_at(tokens, i, body.end);
    if (!lambda) continue;
    for (std::size_t t = lambda->body.begin; t < lambda->body.end; ++t) {
      const bool calls_other = std::any_of(found.begin(), found.end(), [&](const Lambda& other) {
        return other.waits && tokens[t].is(other.name);
      });
      lambda->waits = lambda->waits || calls_other || functions.may_wait(tokens, t);
    }
    found.push_back(*lambda);
  }
  std::erase_if(found, [](const Lambda& lambda) { return !lambda.waits; });
  return found;
}

/// Writes the edits of one round for a function.
class Placer {
 public:
  Placer(std::string_view text, const Body& body, const Places& places, int& numbers)
      : text_(text), body_(body), tokens_(body.tokens()), places_(places), numbers_(numbers) {}

  void place(const Lambda& lambda, const Plan& plan, std::vector<TextEdit>& edits) {
    std::vector<TextEdit> results;  // after what is inserted at the same place
    std::map<const Statement*, std::string> before;
    std::vector<const Statement*> order;
    for (const Plan::Call& call : plan.calls()) {
      const std::string own = "kiln_l" + std::to_string(++numbers_);
      if (!before.contains(call.statement)) order.push_back(call.statement);
      before[call.statement] += body_text(lambda, plan, call, own);
      const std::size_t begin = tokens_[call.at].offset;
      results.push_back({begin, tokens_[tokens_[call.at + 1].close].end() - begin, call.whole ? "" : own});
    }
    for (const Statement* statement : order) {
      const bool braces = statement->kind != Kind::kDeclaration;
      const std::size_t first = braces ? statement->range.begin : statement->specifiers.begin;
      edits.push_back(
          {tokens_[first].offset, 0, (braces ? "{" : "") + before[statement] + places_.marker(first)});
      if (braces) edits.push_back({tokens_[statement->range.end - 1].end(), 0, "}"});
    }
    edits.insert(edits.end(), results.begin(), results.end());
    if (plan.has_later_calls()) return;
    const std::size_t begin = tokens_[lambda.first].offset;
    edits.push_back({begin, tokens_[lambda.end - 1].end() - begin, shared_text(plan)});
  }

 private:
  [[nodiscard]] std::string raw(TokenRange range) const {
    if (range.begin >= range.end) return "";
    const std::size_t begin = tokens_[range.begin].offset;
    return std::string(text_.substr(begin, tokens_[range.end - 1].end() - begin));
  }

  /// The text of tokens of the lambda with its own names renamed.
  [[nodiscard]] std::string renamed(TokenRange range, const Plan& plan, const std::string& own) const {
    std::string result;
    std::size_t from = range.begin < range.end ? tokens_[range.begin].offset : 0;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const bool member = i > 0 && (body_.is(i - 1, ".") || body_.is(i - 1, "->") || body_.is(i - 1, "::"));
      const auto fixed = std::find_if(plan.fixed().begin(), plan.fixed().end(),
                                      [&](TokenRange statement) { return statement.begin == i; });
      if (fixed != plan.fixed().end()) {
        result += text_.substr(from, tokens_[i].offset - from);
        i = fixed->end - 1;
        from = tokens_[i].end();
        continue;
      }
      if (!tokens_[i].identifier() || member || !plan.own_names().contains(tokens_[i].text) ||
          names_fixed(plan, tokens_[i].text))
        continue;
      result += text_.substr(from, tokens_[i].offset - from);
      result += own + "_" + std::string(tokens_[i].text);
      from = tokens_[i].end();
    }
    if (range.begin < range.end) result += text_.substr(from, tokens_[range.end - 1].end() - from);
    return result;
  }

  [[nodiscard]] bool names_fixed(const Plan& plan, std::string_view name) const {
    return std::any_of(plan.fixed().begin(), plan.fixed().end(), [&](TokenRange range) {
      for (std::size_t i = range.begin; i < range.end; ++i) {
        if (body_.is(i, name)) return true;
      }
      return false;
    });
  }

  [[nodiscard]] std::string body_text(const Lambda& lambda, const Plan& plan, const Plan::Call& call,
                                      const std::string& own) const {
    std::string result = places_.marker(lambda.first);
    for (std::size_t p = 0; p < plan.parameters().size(); ++p) {
      const Plan::Parameter& parameter = plan.parameters()[p];
      result += raw({parameter.range.begin, parameter.at}) + " " + own + "_" +
                std::string(tokens_[parameter.at].text) + " = " + raw(call.arguments[p]) + ";\n";
    }
    result += renamed(plan.statements(), plan, own);
    const TokenRange value = plan.result();
    if (value.begin < value.end) {
      const std::string type = lambda.type.begin < lambda.type.end ? raw(lambda.type) : "auto";
      result += "\n" + (call.whole ? "static_cast<void>(" : type + " " + own + " = ") +
                renamed(value, plan, own) + (call.whole ? ")" : "") + ";";
    }
    return result;
  }

  /// Its __shared__ and static variables are one each, however often it is called.
  [[nodiscard]] std::string shared_text(const Plan& plan) const {
    std::string result;
    for (const TokenRange range : plan.fixed()) result += raw(range) + " ";
    return result;
  }

  std::string_view text_;
  const Body& body_;
  const std::vector<Token>& tokens_;
  const Places& places_;
  int& numbers_;
};

bool may_have_lambda(std::string_view text) {
  for (std::size_t at = text.find("auto "); at != std::string_view::npos; at = text.find("auto ", at + 1)) {
    const std::size_t line = std::min(text.find(';', at), text.size());
    const std::string_view words = text.substr(at, line - at);
    const std::size_t equals = words.find('=');
    if (equals == std::string_view::npos) continue;
    const std::size_t next = words.find_first_not_of(" \t\n", equals + 1);
    if (next != std::string_view::npos && words[next] == '[') return true;
  }
  return false;
}

}  // namespace

std::string place_lambdas(std::string text, const std::function<std::string(const std::string&)>& seen) {
  constexpr int kMostRounds = 32;  // one lambda of each function in a round
  if (!may_have_lambda(text)) return text;
  int numbers = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    const std::string visible = seen(text);
    const Outline outlined = outline(visible);
    const SyncFunctions functions(outlined);
    const Signatures signatures(outlined);
    const Places places(outlined, text);
    std::vector<TextEdit> edits;
    for (const DefinitionOutline& definition : outlined.definitions) {
      if (definition.is_class) continue;
      const std::vector<Lambda> lambdas =
          waiting_lambdas(outlined.source.tokens, {definition.body.begin, definition.body.end}, functions);
      if (lambdas.empty()) continue;
      const auto waits = [&](std::size_t i) {
        return functions.may_wait(outlined.source.tokens, i) ||
               std::any_of(lambdas.begin(), lambdas.end(),
                           [&](const Lambda& lambda) { return outlined.source.tokens[i].is(lambda.name); });
      };
      const Body body(outlined, definition, signatures, waits);
      if (!body.trouble().empty()) continue;
      for (const Lambda& lambda : lambdas) {
        try {
          const Plan plan(body, functions, lambda);
          Placer(text, body, places, numbers).place(lambda, plan, edits);
          break;  // others may have calls in the same statements
        } catch (const Trouble&) {
          // It stays: why_in_lambda() says why.
        }
      }
    }
    if (edits.empty()) break;
    text = apply_edits(text, std::move(edits));
  }
  return text;
}

std::string why_in_lambda(const Body& body, const SyncFunctions& functions, std::size_t token) {
  for (const Lambda& lambda : waiting_lambdas(body.tokens(), body.block().range, functions)) {
    if (!lambda.body.contains(token)) continue;
    try {
      const Plan plan(body, functions, lambda);
    } catch (const Trouble& trouble) {
      return trouble.what;
    }
  }
  return "a lambda that has no name";
}

}  // namespace kiln::fission
