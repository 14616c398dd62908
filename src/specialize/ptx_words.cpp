#include "specialize/ptx_words.h"

#include <algorithm>
#include <optional>
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
    if (instructions.empty()) return std::nullopt;
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

  /// A scope has braces around the whole template.
  static std::string without_braces(std::string text) {
    const std::size_t open = text.find_first_not_of(' ');
    const std::size_t close = text.find_last_not_of(' ');
    if (open == std::string::npos || text[open] != '{' || text[close] != '}') return text;
    text[open] = text[close] = ' ';
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

struct PtxTranslator {
  PtxDialect dialect;
  std::string name;  ///< of the text, in messages
  bool keeps_carry;

  /// `in_macro`: line ends that the statement loses are continued lines.
  void add_edits(std::string_view text, const std::vector<Token>& tokens, bool in_macro,
                 std::vector<TextEdit>& edits) const {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      const auto open = statement_at(tokens, i);
      if (!open) continue;
      Statement statement(tokens, *open, keeps_carry, dialect);
      auto made = statement.run();
      const std::size_t end = tokens[tokens[*open].close].end();
      if (made && in_macro && names_member_like_parameter(tokens, *made)) made.reset();
      if (!made && dialect == PtxDialect::kHip && !statement.refused().empty())
        made = refusal(name, tokens[i].line, statement.refused());
      if (made && in_macro) {
        const std::string_view replaced = text.substr(tokens[i].offset, end - tokens[i].offset);
        for (auto lines = std::count(replaced.begin(), replaced.end(), '\n'); lines > 0; --lines)
          *made += " \\\n";
      }
      if (made) edits.push_back({tokens[i].offset, end - tokens[i].offset, *made});
    }
  }

  [[nodiscard]] std::string translated(const std::string& text) const {
    if (text.find("asm") == std::string::npos) return text;
    const TokenizedText source = tokenize(text);
    std::vector<TextEdit> edits;
    add_edits(text, source.tokens, false, edits);
    for (const Directive& directive : source.directives) {
      if (!directive.tokens.empty() && directive.tokens[0].is("define"))
        add_edits(text, directive.tokens, true, edits);
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
