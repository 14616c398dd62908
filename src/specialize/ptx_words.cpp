#include "specialize/ptx_words.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "specialize/any_text.h"
#include "specialize/ptx_instruction.h"
#include "specialize/tokens.h"

namespace kiln {
namespace {

using Texts = std::vector<std::string>;

/// A work-item's carry between statements.
std::string carry_of_work_item(PtxDialect dialect) {
  return dialect == PtxDialect::kHip ? "kiln_cuda::carry()" : "kiln_ptx_carries[KILN_LINEAR_THREAD()]";
}

class Statement {
 public:
  /// `keeps_carry`: a carry is for other statements, too.
  Statement(const std::vector<Token>& tokens, std::size_t open, bool keeps_carry, PtxDialect dialect)
      : tokens_(tokens), open_(open), keeps_carry_(keeps_carry), operands_(dialect) {}

  /// The scope that earlier statements have left open.
  void enter(const PtxOperands& scope) { operands_.enter(scope); }
  /// After run(): the scopes that the statement leaves open, and, less than 0, that it closes.
  [[nodiscard]] std::ptrdiff_t opened() const {
    return std::count(template_.begin(), template_.end(), '{') -
           std::count(template_.begin(), template_.end(), '}');
  }
  [[nodiscard]] const PtxOperands& operands() const { return operands_; }
  /// The number of such scopes before run(); 0: the statement cannot be read.
  [[nodiscard]] std::ptrdiff_t read_opened() { return read_operands() ? opened() : 0; }

  /// Whether the statement takes a carry that it does not give itself.
  bool takes_carry() {
    if (!read_operands()) return false;
    for (const std::string& instruction : instructions()) {
      if (takes(instruction)) return true;
      if (gives(instruction)) return instruction[0] == '@';
    }
    return false;
  }

  /// The statement as an expression, or several instructions as a block; absent if it is not one that is
  /// known.
  std::optional<std::string> run() {
    if (!read_operands()) return std::nullopt;
    const Texts instructions = this->instructions();
    if (instructions.empty() && opened() >= 0) return std::nullopt;
    if (opened() > 0) return open_scope(instructions);
    if (opened() < 0) return closed(instructions.empty() ? "" : translated(instructions));
    return translated(instructions);
  }

  /// The instruction that `run` could not translate: one of PTX, whose name has parts ("ld.global.u32"), or
  /// empty. The operands of PTX have letters of their own.
  [[nodiscard]] std::string refused() const {
    if (template_.find_first_not_of(" {};") == std::string::npos) return "";
    const Texts all = instructions();
    const std::string one = failed_.empty() ? (all.empty() ? "" : all.front()) : failed_;
    const std::string word = without_guard(one.empty() ? " " : one);
    const std::string name = word.substr(0, word.find(' '));
    const bool parts = name.find('.') != std::string::npos && name.find('_') > name.find('.');
    return parts || name == "ret" || name == "exit" ? one : "";
  }

 private:
  std::optional<std::string> translated(const Texts& instructions) {
    const bool one = instructions.size() == 1 && instructions[0][0] != '@';
    const bool evaluates_once =
        one && (instructions[0].starts_with("mma") || instructions[0].starts_with("cp.") ||
                instructions[0].starts_with("ldm") || instructions[0].starts_with("stm") ||
                instructions[0].starts_with("movm"));
    if (!one || (operands_.inputs_have_effects() && !evaluates_once)) operands_.bind_inputs();
    if (one && operands_.declarations().empty()) {
      auto made = translate_ptx(instructions[0], operands_);
      if (!made) failed_ = instructions[0];
      if (!made || made->find(kPtxCarry) == std::string::npos) return made;
    }
    std::string body;
    bool carried = false;
    for (const std::string& instruction : instructions) {
      // Nothing takes the carry of this text's other statements, or gives one.
      if (!keeps_carry_ && ((takes(instruction) && !carried) || (gives(instruction) && one)))
        return std::nullopt;
      carried = carried || (gives(instruction) && instruction[0] != '@');
      if (instruction.starts_with(".reg")) {
        if (!declare_registers(instruction.substr(4))) return std::nullopt;
        continue;
      }
      const auto made = guarded(instruction);
      if (!made) {
        failed_ = instruction;
        return std::nullopt;
      }
      body += *made + "; ";
    }
    if (body.find(kPtxCarry) == std::string::npos)
      return "do { " + operands_.declarations() + body + "} while (false)";
    const std::string kept = carry_of_work_item(operands_.dialect());
    std::string carry = std::string("unsigned ") + kPtxCarry + " = " + (keeps_carry_ ? kept : "0") + "; ";
    const std::string last = keeps_carry_ ? kept + " = " + kPtxCarry + "; " : std::string();
    return "do { " + operands_.declarations() + carry + body + last + "} while (false)";
  }

  /// "{ .reg .pred p;", whose registers are for the statements up to one that has "}".
  std::optional<std::string> open_scope(const Texts& instructions) {
    for (const std::string& instruction : instructions) {
      if (!instruction.starts_with(".reg") || !declare_registers(instruction.substr(4))) return std::nullopt;
    }
    return operands_.open_scope();
  }

  /// The scopes are blocks of C++, which the last of their statements closes.
  [[nodiscard]] std::optional<std::string> closed(const std::optional<std::string>& made) const {
    if (!made) return std::nullopt;
    std::string text = *made + (made->empty() ? "" : "; ");
    for (std::ptrdiff_t left = opened(); left < 0; ++left) text += "}";
    return text;
  }

  [[nodiscard]] Texts instructions() const {
    Texts instructions;
    for (std::string& part : split(without_braces(template_), ';')) {
      const std::string instruction(trim(part));
      if (!instruction.empty()) instructions.push_back(instruction);
    }
    return instructions;
  }

  static bool takes(const std::string& instruction) {
    const std::string word = without_guard(instruction);
    return word.starts_with("addc") || word.starts_with("subc") || word.starts_with("madc");
  }

  static bool gives(const std::string& instruction) {
    const std::string word = without_guard(instruction);
    return word.substr(0, word.find(' ')).find(".cc") != std::string::npos;
  }

  /// The instruction behind `@p`.
  static std::string without_guard(const std::string& instruction) {
    const std::size_t blank = instruction[0] == '@' ? instruction.find(' ') : std::string::npos;
    return blank == std::string::npos ? instruction : std::string(trim(instruction.substr(blank)));
  }

  /// A scope has braces around the whole template, or only one of them; an end may be that of several.
  [[nodiscard]] std::string without_braces(std::string text) const {
    const std::size_t open = text.find_first_not_of(' ');
    const std::size_t close = text.find_last_not_of(' ');
    if (open == std::string::npos) return text;
    if (text[open] == '{' && (text[close] == '}' || opened() > 0)) text[open] = ' ';
    const std::ptrdiff_t others = std::max<std::ptrdiff_t>(-opened(), 0);
    for (auto left = others + (text != template_ && opened() <= 0 ? 1 : 0); left > 0; --left) {
      const std::size_t last = text.find_last_not_of(' ');
      if (last != std::string::npos && text[last] == '}') text[last] = ' ';
    }
    return text;
  }

  /// ".pred p, q" and ".u32 t<4>".
  bool declare_registers(const std::string& text) {
    const std::string words(trim(text));
    const std::size_t blank = words.find(' ');
    if (blank == std::string::npos || words[0] != '.') return false;
    const std::string suffix = words.substr(1, blank - 1);
    for (const std::string& name : split_ptx_operands(words.substr(blank))) {
      const std::size_t angle = name.find('<');
      if (angle == std::string::npos) {
        if (!operands_.declare(name, suffix)) return false;
        continue;
      }
      constexpr std::int64_t kMostRegisters = 256;
      const auto count =
          name.ends_with('>') ? parse_integer(name.substr(angle + 1, name.size() - angle - 2)) : std::nullopt;
      if (!count || *count > kMostRegisters) return false;
      for (std::int64_t i = 0; i < *count; ++i) {
        if (!operands_.declare(name.substr(0, angle) + std::to_string(i), suffix)) return false;
      }
    }
    return true;
  }

  /// `@p ld.global.u32 ...` and `@!p ...`.
  [[nodiscard]] std::optional<std::string> guarded(const std::string& instruction) const {
    if (instruction[0] != '@') return translate_ptx(instruction, operands_);
    const std::size_t blank = instruction.find(' ');
    const bool negated = instruction.starts_with("@!");
    if (blank == std::string::npos) return std::nullopt;
    const auto condition = operands_.value(instruction.substr(negated ? 2 : 1, blank - (negated ? 2 : 1)));
    const auto made = translate_ptx(std::string(trim(instruction.substr(blank))), operands_);
    if (!condition || !made) return std::nullopt;
    return "if (" + std::string(negated ? "!" : "") + *condition + ") { " + *made + "; }";
  }

  /// Reads the literals, then "=r"(x) and the like. Comments of the template are blank.
  bool read_operands() {
    std::size_t i = open_ + 1;
    const std::size_t end = tokens_[open_].close;
    for (; i < end && tokens_[i].kind == Token::Kind::kString; ++i) {
      std::string_view literal = tokens_[i].text;
      if (literal.size() < 2 || literal.front() != '"') return false;
      literal = literal.substr(1, literal.size() - 2);
      for (std::size_t c = 0; c < literal.size(); ++c) {
        const bool escape = literal[c] == '\\' && c + 1 < literal.size();
        if (escape && literal[c + 1] != 'n' && literal[c + 1] != 't') return false;
        if (!escape && literal.substr(c, 2) == "//") {
          c = std::min(literal.find("\\n", c), literal.size());
          if (c == literal.size()) break;
        }
        template_ += literal[c] == '\\' || literal[c] == '\n' || literal[c] == '\t' ? ' ' : literal[c];
        c += literal[c] == '\\' ? 1 : 0;
      }
      template_ += ' ';
    }
    for (int part = 0; i < end; ++part) {
      const bool both = tokens_[i].is("::");
      if (!both && !tokens_[i].is(":")) return false;
      part += both ? 1 : 0;
      ++i;
      if (part >= 2) break;  // what it changes besides
      while (i < end && !tokens_[i].is(":") && !tokens_[i].is("::")) {
        if (i + 1 >= end || tokens_[i].kind != Token::Kind::kString || !tokens_[i + 1].is("(")) return false;
        const std::size_t close = tokens_[i + 1].close;
        if (close >= end) return false;
        const std::string_view constraint = tokens_[i].text;
        if (constraint.find_first_of("0123456789") != std::string_view::npos) return false;  // an output's
        operands_.add("(" + text_of(tokens_, {i + 2, close}) + ")",
                      constraint.find_first_of("fd") != std::string_view::npos, part == 0);
        i = close + 1;
        if (i < end && tokens_[i].is(",")) ++i;
      }
    }
    return true;
  }

  const std::vector<Token>& tokens_;
  std::size_t open_;
  bool keeps_carry_;
  std::string template_, failed_;
  PtxOperands operands_;
};

/// The parenthesis of the `asm` at a token, or none.
std::optional<std::size_t> statement_at(const std::vector<Token>& tokens, std::size_t i) {
  if (!tokens[i].is("asm") && !tokens[i].is("__asm__") && !tokens[i].is("__asm")) return std::nullopt;
  std::size_t open = i + 1;
  while (open < tokens.size() && (tokens[open].is("volatile") || tokens[open].is("__volatile__"))) ++open;
  if (open >= tokens.size() || !tokens[open].is("(") || tokens[open].close >= tokens.size())
    return std::nullopt;
  return open;
}

bool takes_carry(const std::vector<Token>& tokens) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const auto open = statement_at(tokens, i);
    if (open && Statement(tokens, *open, false, PtxDialect::kCpu).takes_carry()) return true;
  }
  return false;
}

bool takes_carry(const std::string& text) {
  if (text.find("asm") == std::string::npos) return false;
  const TokenizedText source = tokenize(text);
  return takes_carry(source.tokens) ||
         std::any_of(source.directives.begin(), source.directives.end(), [](const Directive& directive) {
           return !directive.tokens.empty() && directive.tokens[0].is("define") &&
                  takes_carry(directive.tokens);
         });
}

/// Whether ".x" in a macro's new text would become another name, because a parameter is called x.
bool names_member_like_parameter(const std::vector<Token>& definition, const std::string& made) {
  if (definition.size() < 3 || !definition[2].is("(")) return false;
  const std::size_t close = std::min(definition[2].close, definition.size());
  for (std::size_t i = 3; i < close; ++i) {
    const std::string member = "." + std::string(definition[i].text);
    if (!definition[i].identifier()) continue;
    for (std::size_t at = made.find(member); at != std::string::npos; at = made.find(member, at + 1)) {
      const std::size_t end = at + member.size();
      if (end >= made.size() || !continues_identifier(made[end])) return true;
    }
  }
  return false;
}

/// In place of PTX without a translation: an error where the compiler keeps code with it.
std::string refusal(const std::string& name, int line, const std::string& instruction) {
  const std::string place = name + ":" + std::to_string(line);
  std::string tag, shown;
  for (const char c : place) tag += continues_identifier(c) ? c : '_';
  for (const char c : instruction) shown += c == '"' || c == '\\' ? '\'' : c;
  return "KILN_REFUSED_PTX(" + tag + ", \"" + place +
         ": error: `asm` of PTX without a translation for HIP: " + shown + "\")";
}

/// The end of a scope that is open behind its statement.
struct EndOfScope {
  std::size_t token;    ///< of the statement that closes it
  bool is_alternative;  ///< another branch of a conditional (#if, #else) opens the same
};
using ClosedScopes = std::map<std::size_t, EndOfScope>;  // by the tokens of the statements that open them

/// Finds scopes that are opened and closed in the same block of C++ and in the same branch of a conditional,
/// or opened in each of its branches.
class ScopeFinder {
 public:
  ScopeFinder(const std::vector<Token>& tokens, const std::vector<Directive>& directives)
      : tokens_(tokens), directives_(directives) {}

  ClosedScopes run() {
    std::size_t next = 0;
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      for (; next < directives_.size() && directives_[next].offset < tokens_[i].offset; ++next)
        directive(directives_[next]);
      if (tokens_[i].is("{")) places_.push_back(i);
      if (tokens_[i].is("}")) leave_place();
      const auto statement = statement_at(tokens_, i);
      const std::ptrdiff_t opened =
          statement ? Statement(tokens_, *statement, false, PtxDialect::kCpu).read_opened() : 0;
      if (opened == 1) open_.push_back({{i}, places_.back()});
      if (opened < 0) close(i, static_cast<std::size_t>(-opened));
    }
    return std::move(closed_);
  }

 private:
  struct Open {
    std::vector<std::size_t> statements;  ///< one, or one of each branch
    std::size_t place;
  };
  struct Conditional {
    std::vector<std::size_t> before;  ///< the places around it
    std::vector<std::size_t> behind;  ///< those that its first branch leaves
    std::vector<std::size_t> opened;  ///< statements, by the branches so far
    std::size_t branch = 0;           ///< the place of the present one
    bool first = true, all_open = true, has_else = false;
  };

  /// Scopes that are still open there have no end.
  void leave_place() {
    std::erase_if(open_, [&](const Open& one) { return one.place == places_.back(); });
    if (places_.size() > 1) places_.pop_back();
  }

  void close(std::size_t statement, std::size_t count) {
    if (count > open_.size()) return;
    const auto first = open_.end() - static_cast<std::ptrdiff_t>(count);
    if (std::any_of(first, open_.end(), [&](const Open& one) { return one.place != places_.back(); })) return;
    for (auto one = first; one != open_.end(); ++one) {
      for (const std::size_t begin : one->statements)
        closed_[begin] = {statement, begin != one->statements.front()};
    }
    open_.erase(first, open_.end());
  }

  void directive(const Directive& one) {
    const std::string_view name = one.tokens.empty() ? "" : one.tokens[0].text;
    const std::size_t place = tokens_.size() + one.offset;
    if (name.starts_with("if")) {
      Conditional& around = conditionals_.emplace_back();
      around.before = places_;
      around.branch = place;
      places_.push_back(place);
    } else if (!conditionals_.empty() && (name.starts_with("el") || name == "endif")) {
      Conditional& around = conditionals_.back();
      leave_branch(around);
      around.has_else = around.has_else || name == "else";
      around.branch = place;
      places_ = around.before;
      if (name != "endif") {
        places_.push_back(place);
        return;
      }
      places_ = std::move(around.behind);
      if (around.all_open && around.has_else) open_.push_back({std::move(around.opened), places_.back()});
      conditionals_.pop_back();
    }
  }

  void leave_branch(Conditional& around) {
    const bool opens = !open_.empty() && open_.back().place == around.branch;
    around.all_open = around.all_open && opens;
    if (opens) {
      const std::vector<std::size_t>& last = open_.back().statements;
      around.opened.insert(around.opened.end(), last.begin(), last.end());
    }
    std::erase_if(open_, [&](const Open& one) {
      return std::find(around.before.begin(), around.before.end(), one.place) == around.before.end();
    });
    if (around.first) {
      around.behind = std::move(places_);
      std::erase(around.behind, around.branch);
      if (around.behind.empty()) around.behind = around.before;
    }
    around.first = false;
  }

  const std::vector<Token>& tokens_;
  const std::vector<Directive>& directives_;
  std::vector<std::size_t> places_ = {0};  // blocks, and branches of conditionals
  std::vector<Conditional> conditionals_;
  std::vector<Open> open_;
  ClosedScopes closed_;
};

/// `begin` and `end`: the tokens of its statements.
struct OpenScope {
  std::size_t begin;
  EndOfScope end;
  PtxOperands registers;
};

struct PtxTranslator {
  PtxDialect dialect;
  std::string name;  ///< of the text, in messages
  bool keeps_carry;

  /// `in_macro`: line ends that the statement loses are continued lines.
  void add_edits(std::string_view text, const std::vector<Token>& tokens,
                 const std::vector<Directive>& directives, bool in_macro,
                 std::vector<TextEdit>& edits) const {
    const ClosedScopes closed = ScopeFinder(tokens, directives).run();
    std::set<std::size_t> failed;
    while (!add_edits(text, tokens, in_macro, closed, failed, edits)) {
    }
  }

  /// False where scopes are not closed, because a statement has no translation; these are `failed` then.
  bool add_edits(std::string_view text, const std::vector<Token>& tokens, bool in_macro,
                 const ClosedScopes& closed, std::set<std::size_t>& failed,
                 std::vector<TextEdit>& edits) const {
    const std::size_t before = edits.size();
    std::vector<OpenScope> scopes;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const auto open = statement_at(tokens, i);
      if (!open) continue;
      Statement statement(tokens, *open, keeps_carry, dialect);
      if (!scopes.empty()) statement.enter(scopes.back().registers);
      auto made = statement.run();
      const std::size_t end = tokens[tokens[*open].close].end();
      if (made && in_macro && names_member_like_parameter(tokens, *made)) made.reset();
      const auto scope = closed.find(i);
      if (statement.opened() > 0 && (scope == closed.end() || failed.contains(i))) made.reset();
      if (made && statement.opened() > 0) scopes.push_back({i, scope->second, statement.operands()});
      if (statement.opened() < 0) {
        std::vector<std::size_t> ended;
        std::ptrdiff_t blocks = 0;
        for (; !scopes.empty() && scopes.back().end.token == i; scopes.pop_back()) {
          ended.push_back(scopes.back().begin);
          blocks += scopes.back().end.is_alternative ? 0 : 1;
        }
        const bool all = blocks == -statement.opened();
        if (!ended.empty() && !(made && all)) {
          failed.insert(ended.begin(), ended.end());
          edits.resize(before);
          return false;
        }
        if (ended.empty()) made.reset();
      }
      if (!made && dialect == PtxDialect::kHip && !statement.refused().empty())
        made = refusal(name, tokens[i].line, statement.refused());
      if (made && in_macro) {
        const std::string_view replaced = text.substr(tokens[i].offset, end - tokens[i].offset);
        for (auto lines = std::count(replaced.begin(), replaced.end(), '\n'); lines > 0; --lines)
          *made += " \\\n";
      }
      if (made) edits.push_back({tokens[i].offset, end - tokens[i].offset, *made});
    }
    return true;
  }

  [[nodiscard]] std::string translated(const std::string& text) const {
    if (text.find("asm") == std::string::npos) return text;
    const TokenizedText source = tokenize(text);
    std::vector<TextEdit> edits;
    add_edits(text, source.tokens, source.directives, false, edits);
    for (const Directive& directive : source.directives) {
      if (!directive.tokens.empty() && directive.tokens[0].is("define"))
        add_edits(text, directive.tokens, {}, true, edits);
    }
    return edits.empty() ? text : apply_edits(text, std::move(edits));
  }
};

}  // namespace

std::string without_simple_ptx(const std::string& text) {
  return PtxTranslator{PtxDialect::kCpu, "", takes_carry(text)}.translated(text);
}

std::string ptx_as_hip(const std::string& text, const std::string& name) {
  return PtxTranslator{PtxDialect::kHip, name, takes_carry(text)}.translated(text);
}

void translate_ptx_words(Specialization& specialization) {
  const std::string& backend = specialization.target.backend;
  if (backend != "cpu" && backend != "hip") return;
  const bool keeps_carry =
      any_text(specialization, [](const std::string& text) { return takes_carry(text); });
  PtxTranslator translator{backend == "hip" ? PtxDialect::kHip : PtxDialect::kCpu, specialization.source_name,
                           keeps_carry};
  specialization.source_text = translator.translated(specialization.source_text);
  for (IncludedHeader& header : specialization.headers) {
    translator.name = header.name;
    header.text = translator.translated(header.text);
  }
}

}  // namespace kiln
