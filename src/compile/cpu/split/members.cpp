#include "compile/cpu/split/members.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "compile/cpu/split/class_scope.h"
#include "compile/cpu/split/sync_calls.h"

namespace kiln::fission {
namespace {

/// A call of a member function that waits.
struct MemberCall {
  TokenRange range;   ///< of the whole expression
  TokenRange object;  ///< empty: the function's own
  bool arrow = false, temporary = false;
  std::string_view name;  ///< "operator" for "op(x)"
  TokenRange template_arguments;
  std::vector<TokenRange> arguments;
};

/// The names of classes, and of what "using X = C<int>;" and "typedef C<int> X;" call so.
std::set<std::string_view> class_names(const Outline& outlined) {
  std::set<std::string_view> names;
  for (const DefinitionOutline& definition : outlined.definitions) {
    if (definition.is_class) names.insert(definition.name);
  }
  const std::vector<Token>& tokens = outlined.source.tokens;
  std::vector<std::pair<std::string_view, std::string_view>> others;  // name, type
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    const bool alias = tokens[i].is("using") && tokens[i + 1].identifier() && tokens[i + 2].is("=");
    if (!alias && !tokens[i].is("typedef")) continue;
    std::size_t at = alias ? i + 3 : i + 1;
    std::string_view type;
    while (at < tokens.size() && (tokens[at].identifier() || tokens[at].is("::"))) {
      if (tokens[at].identifier()) type = tokens[at].text;
      if (++at < tokens.size() && tokens[at].is("<"))
        at = after_template_arguments(tokens, at, tokens.size());
      if (!alias && at + 1 < tokens.size() && tokens[at].identifier() && tokens[at + 1].is(";")) break;
    }
    if (at >= tokens.size()) break;
    others.emplace_back(alias ? tokens[i + 1].text : tokens[at].text, type);
  }
  for (std::size_t before = 0; before != names.size();) {
    before = names.size();
    for (const auto& [name, type] : others) {
      if (names.contains(type)) names.insert(name);
    }
  }
  return names;
}

/// Writes one function's text with calls of members replaced, and with `kiln_self.` in front of the names
/// that its class declares for objects.
class MemberText {
 public:
  MemberText(std::string_view text, const Outline& outlined, const SyncFunctions& functions, const Body& body,
             const ClassScope* own, const std::set<std::string_view>& classes,
             std::map<std::string, std::string>& forms)
      : text_(text),
        tokens_(outlined.source.tokens),
        functions_(functions),
        body_(body),
        own_(own),
        classes_(classes),
        forms_(forms) {}

  [[nodiscard]] std::string render(TokenRange range) const {
    std::string result;
    std::size_t from = range.begin < range.end ? tokens_[range.begin].offset : 0;
    const auto replace = [&](std::size_t first, std::size_t after, const std::string& by) {
      result += text_.substr(from, tokens_[first].offset - from);
      result += by;
      from = tokens_[after - 1].end();
    };
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (const auto call = call_at(i, range.end); call && call->range.end <= range.end) {
        replace(i, call->range.end, call_text(*call));
        i = call->range.end - 1;
        continue;
      }
      if (own_ == nullptr || !tokens_[i].identifier() || after_dot(i)) continue;
      if (is(i, "this")) {
        const bool member = is(i + 1, "->");
        replace(i, i + (member ? 2 : 1), member ? "kiln_self." : "(&kiln_self)");
        if (member) ++i;
      } else if (body_.variable_at(i) < 0 && own_->object_name(tokens_[i].text) && !is(i + 1, "::")) {
        replace(i, i + 1, "kiln_self." + std::string(tokens_[i].text));
      }
    }
    if (range.begin < range.end) result += text_.substr(from, tokens_[range.end - 1].end() - from);
    return result;
  }

  void edit(TokenRange range, std::vector<TextEdit>& edits) const {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const auto call = call_at(i, range.end);
      if (!call) continue;
      const std::size_t begin = tokens_[i].offset;
      edits.push_back({begin, tokens_[call->range.end - 1].end() - begin, call_text(*call)});
      i = call->range.end - 1;
    }
  }

 private:
  [[nodiscard]] bool is(std::size_t i, std::string_view word) const { return body_.is(i, word); }
  [[nodiscard]] bool after_dot(std::size_t i) const {
    return i > 0 && (is(i - 1, ".") || is(i - 1, "->") || is(i - 1, "::"));
  }

  /// The call whose expression begins at `i`, the longest one.
  [[nodiscard]] std::optional<MemberCall> call_at(std::size_t i, std::size_t end) const {
    if (!tokens_[i].identifier() || after_dot(i)) return std::nullopt;
    if (own_ != nullptr && own_->function(tokens_[i].text) && functions_.waiting_member(tokens_[i].text)) {
      MemberCall call;
      call.name = tokens_[i].text;
      if (finish(call, i, i + 1, end)) return call;
    }
    std::optional<MemberCall> longest;
    std::size_t at = after_name(i, end) - 1;
    bool temporary = false;
    // "name<...>(...)[...].member->member(...)"
    if (body_.variable_at(i) >= 0 && is(i + 1, "(") && waits_when_called(i)) {
      MemberCall call;
      call.object = {i, i + 1};
      call.name = "operator";
      if (finish(call, i, i + 1, end)) longest = call;
    }
    for (++at; at < end;) {
      if (is(at, "[")) {
        at = tokens_[at].close + 1;
      } else if (is(at, "(") || is(at, "{")) {
        at = tokens_[at].close + 1;
        temporary = true;
        // "Sum()(x)"
        if (is(at, "(") && classes_.contains(tokens_[i].text) && functions_.waiting_member("operator")) {
          MemberCall call;
          call.object = {i, at};
          call.temporary = true;
          call.name = "operator";
          if (finish(call, i, at, end)) longest = call;
        }
      } else if ((is(at, ".") || is(at, "->")) && at + 1 < end) {
        std::size_t name = at + 1;
        if (is(name, "template")) ++name;
        if (name >= end || !tokens_[name].identifier()) break;
        if (functions_.waiting_member(tokens_[name].text) && !of_steps(i)) {
          MemberCall call;
          call.object = {i, at};
          call.arrow = is(at, "->");
          call.temporary = temporary && !call.arrow;
          call.name = tokens_[name].text;
          if (finish(call, i, name + 1, end)) return call;
        }
        temporary = false;
        at = name + 1;
      } else {
        break;
      }
    }
    return longest;
  }

  /// The index after "ns::X<T>::name"; after a variable's name.
  [[nodiscard]] std::size_t after_name(std::size_t i, std::size_t end) const {
    if (body_.variable_at(i) >= 0) return i + 1;
    for (;;) {
      ++i;
      if (is(i, "<")) i = after_template_arguments(tokens_, i, end);
      if (!is(i, "::") || i + 1 >= end || !tokens_[i + 1].identifier()) return i;
      ++i;
    }
  }

  /// BlockReduce(storage).Sum(x): the splitter knows these.
  [[nodiscard]] bool of_steps(std::size_t i) const {
    const int v = body_.variable_at(i);
    if (v >= 0) return functions_.step_object(body_.variables()[static_cast<std::size_t>(v)].specifiers);
    while (is(i + 1, "::")) i += 2;
    return functions_.step_class(tokens_[i].text);
  }

  bool finish(MemberCall& call, std::size_t first, std::size_t open, std::size_t end) const {
    if (is(open, "<")) {
      const std::size_t after = after_template_arguments(tokens_, open, end);
      if (after == open) return false;
      call.template_arguments = {open, after};
      open = after;
    }
    if (!is(open, "(") || tokens_[open].close >= end) return false;
    call.arguments = split_commas(tokens_, {open + 1, tokens_[open].close}, false);
    call.range = {first, tokens_[open].close + 1};
    return true;
  }

  /// Whether a variable may be an object whose operator() waits: its type names such a class or a parameter
  /// of a template.
  [[nodiscard]] bool waits_when_called(std::size_t i) const {
    if (!functions_.waiting_member("operator")) return false;
    const Variable& variable = body_.variables()[static_cast<std::size_t>(body_.variable_at(i))];
    if (i == variable.declarator->at) return false;  // "Sum sum(storage);"
    const auto names_one = [&](TokenRange range) {
      for (std::size_t t = range.begin; t < range.end; ++t) {
        if (classes_.contains(tokens_[t].text) || template_name(tokens_[t].text)) return true;
      }
      return false;
    };
    if (names_one(variable.specifiers)) return true;
    const TokenRange value = variable.parameter < 0 ? variable.declarator->initializer : TokenRange{};
    return value.begin < value.end && !is(value.begin, "[") && names_one(value);
  }

  [[nodiscard]] bool template_name(std::string_view name) const {
    const TokenRange head = body_.head().template_head;
    for (std::size_t i = head.begin + 1; i < head.end; ++i) {
      const bool type = is(i - 1, "class") || is(i - 1, "typename");
      if (type && is(i, name)) return true;
    }
    return false;
  }

  [[nodiscard]] std::string call_text(const MemberCall& call) const {
    const bool own = call.object.begin == call.object.end;
    std::string object = own ? "kiln_self" : render(call.object);
    if (call.arrow) object = "(*(" + object + "))";
    std::string result;
    if (!own) {
      result = "kiln::cpu::Value<decltype(" + object + ")>::";
      if (call.template_arguments.begin < call.template_arguments.end) result += "template ";
    }
    const std::string name = member_name(call.name, call.arguments.size(), call.temporary);
    forms_[name] = call.name;
    result += name + render(call.template_arguments) + "(" + object;
    for (const TokenRange argument : call.arguments) result += ", " + render(argument);
    return result + ")";
  }

 public:
  [[nodiscard]] static std::string member_name(std::string_view name, std::size_t arguments, bool temporary) {
    return "kiln_m" + std::to_string(arguments) + (temporary ? "t_" : "_") + std::string(name);
  }

 private:
  std::string_view text_;
  const std::vector<Token>& tokens_;
  const SyncFunctions& functions_;
  const Body& body_;
  const ClassScope* own_;
  const std::set<std::string_view>& classes_;
  std::map<std::string, std::string>& forms_;  ///< static forms that calls name, as in PlacedMembers
};

/// The static functions for a member function that calls name, of `forms`: for an object that has a name, and
/// for a temporary one.
std::string static_forms(std::string_view text, const Outline& outlined, const MemberText& writer,
                         const Body& body, const DefinitionOutline& definition, const ClassScope& scope,
                         const std::map<std::string, std::string>& forms) {
  const std::vector<Token>& tokens = outlined.source.tokens;
  const Head& head = body.head();
  const auto raw = [&](TokenRange range) {
    if (range.begin >= range.end) return std::string();
    const std::size_t begin = tokens[range.begin].offset;
    return std::string(text.substr(begin, tokens[range.end - 1].end() - begin));
  };
  bool constant = false;
  for (std::size_t i = definition.head.end; i > definition.head.begin && !tokens[i - 1].is(")"); --i)
    constant = constant || tokens[i - 1].is("const");
  std::string parameters;
  for (const TokenRange parameter : head.whole) parameters += ", " + raw(parameter);
  std::string result;
  for (const bool temporary : {false, true}) {
    const std::string name = MemberText::member_name(definition.name, head.parameters.size(), temporary);
    if (!forms.contains(name)) continue;
    const char* self = temporary && !constant ? " kiln_self" : "& kiln_self";
    result.append(" ").append(raw(head.template_head)).append(" static ").append(raw(head.result));
    result.append(" ").append(name).append(constant ? "(const " : "(");
    result.append(scope.name()).append(self).append(parameters).append(") {");
    result.append(writer.render({definition.body.begin, definition.body.end})).append("}");
  }
  return result;
}

/// The functions of a text whose calls of members are replaced, and the members that get static forms.
class Placement {
 public:
  Placement(std::string_view text, const Outline& outlined, const SyncFunctions& functions)
      : text_(text),
        outlined_(outlined),
        functions_(functions),
        signatures_(outlined),
        around_(outlined),
        classes_(class_names(outlined)) {}

  std::vector<TextEdit> edits() {
    std::vector<TextEdit> edits;
    std::vector<const DefinitionOutline*> members;
    for (const DefinitionOutline& definition : outlined_.definitions) {
      if (definition.is_class || definition.body.begin <= definition.head.end) continue;
      const DefinitionOutline* owner = around_.of(definition);
      if (owner != nullptr && !is_static(outlined_, definition)) {
        if (functions_.waiting_member(definition.name) && definition.name != owner->name &&
            !functions_.step_class(owner->name))
          members.push_back(&definition);
      } else if (names_member(definition)) {
        const Body body = body_of(definition);
        if (body.trouble().empty())
          MemberText(text_, outlined_, functions_, body, nullptr, classes_, forms_)
              .edit({definition.body.begin, definition.body.end}, edits);
      }
    }
    if (edits.empty()) return edits;
    // A static form may call others.
    std::map<const DefinitionOutline*, std::string> texts;
    for (std::size_t before = 0; before != forms_.size();) {
      before = forms_.size();
      for (const DefinitionOutline* member : members) texts[member] = forms_of(*member);
    }
    for (const auto& [member, text] : texts)
      edits.push_back({outlined_.source.tokens[member->body.end].end(), 0, text});
    return edits;
  }
  [[nodiscard]] const std::map<std::string, std::string>& forms() const { return forms_; }

 private:
  [[nodiscard]] Body body_of(const DefinitionOutline& definition) const {
    return Body(outlined_, definition, signatures_,
                [&](std::size_t i) { return functions_.may_wait(outlined_.source.tokens, i); });
  }

  [[nodiscard]] bool names_member(const DefinitionOutline& definition) const {
    const std::vector<Token>& tokens = outlined_.source.tokens;
    for (std::size_t i = definition.body.begin; i < definition.body.end; ++i) {
      const bool object = functions_.waiting_member("operator") && tokens[i + 1].is("(");
      if (tokens[i].identifier() && (object || functions_.waiting_member(tokens[i].text))) return true;
    }
    return false;
  }

  std::string forms_of(const DefinitionOutline& member) {
    const Body body = body_of(member);
    if (!body.trouble().empty()) return "";
    const DefinitionOutline& owner = *around_.of(member);
    const ClassScope& scope = scopes_.try_emplace(&owner, outlined_, owner).first->second;
    const MemberText writer(text_, outlined_, functions_, body, &scope, classes_, forms_);
    return static_forms(text_, outlined_, writer, body, member, scope, forms_);
  }

  std::string_view text_;
  const Outline& outlined_;
  const SyncFunctions& functions_;
  Signatures signatures_;
  ClassesAround around_;
  std::set<std::string_view> classes_;
  std::map<const DefinitionOutline*, ClassScope> scopes_;
  std::map<std::string, std::string> forms_;
};

}  // namespace

PlacedMembers place_members(std::string text, const std::function<std::string(const std::string&)>& seen) {
  const std::string visible = seen(text);
  const Outline outlined = outline(visible);
  const SyncFunctions functions(outlined);
  if (!functions.any_waiting_member()) return {std::move(text), {}};
  Placement placement(text, outlined, functions);
  std::vector<TextEdit> edits = placement.edits();
  if (edits.empty()) return {std::move(text), {}};
  return {apply_edits(text, std::move(edits)), placement.forms()};
}

}  // namespace kiln::fission
