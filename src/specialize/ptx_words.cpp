#include "specialize/ptx_words.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/whole_word.h"
#include "specialize/tokens.h"

namespace kiln {
namespace {

using Texts = std::vector<std::string>;

/// The work-item's number in its block.
constexpr const char* kNumber = "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))";

std::optional<std::string> special_register(const std::string& name) {
  const std::string lane = std::string("(") + kNumber + " % 32u)";
  static const std::map<std::string, std::string> groups = {
      {"tid", "threadIdx"}, {"ntid", "blockDim"}, {"ctaid", "blockIdx"}, {"nctaid", "gridDim"}};
  const std::size_t dot = name.find('.');
  if (const auto group = groups.find(name.substr(0, dot)); group != groups.end() && dot + 2 == name.size())
    return group->second + name.substr(dot);
  const std::map<std::string, std::string> values = {{"laneid", lane},
                                                     {"warpid", std::string("(") + kNumber + " / 32u)"},
                                                     {"smid", "0u"},
                                                     {"nsmid", "1u"},
                                                     {"clock", "static_cast<unsigned>(clock64())"},
                                                     {"clock64", "clock64()"},
                                                     {"lanemask_eq", "(1u << " + lane + ")"},
                                                     {"lanemask_lt", "((1u << " + lane + ") - 1u)"},
                                                     {"lanemask_le", "((2u << " + lane + ") - 1u)"},
                                                     {"lanemask_ge", "~((1u << " + lane + ") - 1u)"},
                                                     {"lanemask_gt", "~((2u << " + lane + ") - 1u)"}};
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

/// Of C++, by the last word of an instruction.
std::string type_of(const std::string& suffix) {
  static const std::map<std::string, std::string> types = {{"u32", "unsigned"},
                                                           {"b32", "unsigned"},
                                                           {"s32", "int"},
                                                           {"u64", "unsigned long long"},
                                                           {"b64", "unsigned long long"},
                                                           {"s64", "long long"},
                                                           {"u16", "unsigned short"},
                                                           {"b16", "unsigned short"},
                                                           {"s16", "short"},
                                                           {"u8", "unsigned char"},
                                                           {"b8", "unsigned char"},
                                                           {"s8", "signed char"},
                                                           {"f32", "float"},
                                                           {"f64", "double"}};
  const auto found = types.find(suffix);
  return found == types.end() ? "" : found->second;
}

/// What an instruction computes from $1, $2 and $3, by its words without `rn`, `ftz` and `approx`.
const std::map<std::string, std::string>& expressions() {
  static const std::map<std::string, std::string> table = {
      {"ex2.f32", "exp2f($1)"},
      {"lg2.f32", "log2f($1)"},
      {"rcp.f32", "(1.0f / $1)"},
      {"rsqrt.f32", "rsqrtf($1)"},
      {"sqrt.f32", "sqrtf($1)"},
      {"sin.f32", "sinf($1)"},
      {"cos.f32", "cosf($1)"},
      {"tanh.f32", "tanhf($1)"},
      {"fma.f32", "fmaf($1, $2, $3)"},
      {"fma.f64", "fma($1, $2, $3)"},
      {"min.f32", "fminf($1, $2)"},
      {"max.f32", "fmaxf($1, $2)"},
      {"popc.b32", "__popc($1)"},
      {"popc.b64", "__popcll($1)"},
      {"clz.b32", "__clz($1)"},
      {"brev.b32", "__brev($1)"},
      {"redux.sync.add.s32", "__reduce_add_sync($2, $1)"},
      {"redux.sync.add.u32", "__reduce_add_sync($2, $1)"},
      {"redux.sync.min.s32", "__reduce_min_sync($2, $1)"},
      {"redux.sync.min.u32", "__reduce_min_sync($2, $1)"},
      {"redux.sync.max.s32", "__reduce_max_sync($2, $1)"},
      {"redux.sync.max.u32", "__reduce_max_sync($2, $1)"},
      {"redux.sync.and.b32", "__reduce_and_sync($2, $1)"},
      {"redux.sync.or.b32", "__reduce_or_sync($2, $1)"},
      {"redux.sync.xor.b32", "__reduce_xor_sync($2, $1)"},
      {"prmt.b32", "kiln_prmt($1, $2, $3)"},
      {"shf.l.wrap.b32", "__funnelshift_l($1, $2, $3)"},
      {"shf.r.wrap.b32", "__funnelshift_r($1, $2, $3)"},
      {"shf.l.clamp.b32", "__funnelshift_lc($1, $2, $3)"},
      {"shf.r.clamp.b32", "__funnelshift_rc($1, $2, $3)"},
      {"mul.hi.u32", "__umulhi($1, $2)"},
      {"mul.hi.s32", "__mulhi($1, $2)"},
      {"mul.hi.u64", "__umul64hi($1, $2)"},
      {"mul.wide.u32", "(static_cast<unsigned long long>($1) * $2)"},
      {"mul.wide.s32", "(static_cast<long long>($1) * $2)"},
      {"bfe.u32", "($3 == 0u || $2 > 31u ? 0u : ($1 >> $2) & ($3 > 31u ? ~0u : (1u << $3) - 1u))"},
      {"shl.b32", "($2 > 31u ? 0u : $1 << $2)"},
      {"shr.u32", "($2 > 31u ? 0u : $1 >> $2)"},
      {"shr.b32", "($2 > 31u ? 0u : $1 >> $2)"}};
  return table;
}

/// For instructions that are alike for all types of numbers.
std::optional<std::string> arithmetic(const std::string& name, const std::string& suffix) {
  static const std::map<std::string, std::string> table = {
      {"add", "($1 + $2)"},         {"sub", "($1 - $2)"}, {"mul", "($1 * $2)"},
      {"mul.lo", "($1 * $2)"},      {"and", "($1 & $2)"}, {"or", "($1 | $2)"},
      {"mad.lo", "($1 * $2 + $3)"}, {"xor", "($1 ^ $2)"}, {"min", "min($1, $2)"},
      {"max", "max($1, $2)"},       {"not", "(~$1)"}};
  const auto found = table.find(name);
  // A product of integers has `lo`, `hi` or `wide`.
  const bool whole_product = name == "mul" && suffix[0] != 'f';
  return found == table.end() || whole_product ? std::nullopt : std::optional(found->second);
}

class Statement {
 public:
  Statement(const std::vector<Token>& tokens, std::size_t open) : tokens_(tokens), open_(open) {}

  /// The statement as an expression; absent if it is not one that is known.
  std::optional<std::string> run() {
    if (!read_operands()) return std::nullopt;
    std::string text(trim(template_));
    if (text.ends_with(';')) text.pop_back();
    if (text.empty() || text.find_first_of(";@\n\t\\") != std::string::npos) return std::nullopt;
    const std::size_t blank = text.find(' ');
    const std::string name = text.substr(0, blank);
    const Texts operands = blank == std::string::npos ? Texts() : split_operands(text.substr(blank + 1));
    return translate(split(name, '.'), operands);
  }

 private:
  /// Reads the literals, then "=r"(x) and the like.
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
        template_ += escape ? ' ' : literal[c];
        c += escape ? 1 : 0;
      }
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
        values_.push_back("(" + text_of(tokens_, {i + 2, close}) + ")");
        reals_.push_back(tokens_[i].text.find_first_of("fd") != std::string_view::npos);
        outputs_ += part == 0 ? 1 : 0;
        i = close + 1;
        if (i < end && tokens_[i].is(",")) ++i;
      }
    }
    return true;
  }

  /// "{%0, %1}", "[%2]" and "%3" of an instruction's operands.
  static Texts split_operands(const std::string& text) {
    Texts parts(1);
    int depth = 0;
    for (const char c : text) {
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      if (c == ',' && depth == 0) {
        parts.emplace_back();
      } else {
        parts.back() += c;
      }
    }
    for (std::string& part : parts) part = std::string(trim(part));
    return parts;
  }

  /// The expression that stands for "%1" or "7"; absent for a register of the template's own.
  [[nodiscard]] std::optional<std::string> value(const std::string& operand) const {
    const bool hexadecimal = operand.starts_with("0x");
    if (hexadecimal || parse_integer(operand)) return operand + (hexadecimal ? "u" : "");
    if (operand.size() < 2 || operand[0] != '%') return std::nullopt;
    const auto index = parse_integer(operand.substr(1));
    if (!index || *index < 0 || *index >= static_cast<std::int64_t>(values_.size())) return std::nullopt;
    return values_[static_cast<std::size_t>(*index)];
  }

  [[nodiscard]] bool is_output(const std::string& operand) const {
    const auto index = operand.empty() || operand[0] != '%' ? std::nullopt : parse_integer(operand.substr(1));
    return index && *index >= 0 && *index < outputs_;
  }

  [[nodiscard]] bool is_real(const std::string& operand) const {
    const auto index = operand.empty() || operand[0] != '%' ? std::nullopt : parse_integer(operand.substr(1));
    return index && *index >= 0 && *index < static_cast<std::int64_t>(reals_.size()) &&
           reals_[static_cast<std::size_t>(*index)];
  }

  [[nodiscard]] std::optional<std::string> translate(Texts words, const Texts& operands) const {
    if (words[0] == "membar" || words[0] == "fence") return "__threadfence()";
    if (words[0] == "bar" && words.size() == 2 && words[1] == "sync" && operands == Texts{"0"})
      return "__syncthreads()";
    std::erase_if(words, [](const std::string& word) {
      return word == "rn" || word == "ftz" || word == "approx" || word == "volatile";
    });
    if (words.size() > 2 && (words[0] == "ld" || words[0] == "st") && words[1] == "global")
      return access(words, operands);
    if (words.size() < 2 || operands.size() < 2 || !is_output(operands[0])) return std::nullopt;
    const std::string target = value(operands[0]).value_or("");
    if (words[0] == "mov") {
      const std::size_t name = operands[1].find_first_not_of('%');
      const auto found =
          name == std::string::npos ? std::nullopt : special_register(operands[1].substr(name));
      return found ? std::optional("(void)(" + target + " = " + *found + ")") : std::nullopt;
    }
    const auto made = computed(words, operands);
    return made ? std::optional("(void)(" + target + " = " + *made + ")") : std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> computed(Texts words, const Texts& operands) const {
    const std::string suffix = words.back();
    const std::string type = type_of(suffix);
    const auto special = expressions().find(join(words, "."));
    words.pop_back();
    std::optional<std::string> pattern = special != expressions().end()
                                             ? std::optional(special->second)
                                             : arithmetic(join(words, "."), suffix);
    if (!pattern || type.empty()) return std::nullopt;
    std::string result;
    for (std::size_t i = 0; i < pattern->size(); ++i) {
      if ((*pattern)[i] != '$') {
        result += (*pattern)[i];
        continue;
      }
      const auto index = static_cast<std::size_t>((*pattern)[++i] - '0');
      const auto given = index < operands.size() ? value(operands[index]) : std::nullopt;
      if (!given) return std::nullopt;
      result.append("static_cast<").append(type).append(">(").append(*given).append(")");
    }
    return result;
  }

  /// `ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4]`, `st.global.u32 [%0], %1`.
  [[nodiscard]] std::optional<std::string> access(const Texts& words, const Texts& operands) const {
    const bool load = words[0] == "ld";
    const std::string type = type_of(words.back());
    if (type.empty() || operands.size() != 2) return std::nullopt;
    std::string numbers = operands[load ? 0 : 1], place = operands[load ? 1 : 0];
    if (!place.starts_with('[') || !place.ends_with(']')) return std::nullopt;
    const auto address = value(std::string(trim(place.substr(1, place.size() - 2))));
    if (!address) return std::nullopt;
    if (numbers.starts_with('{')) numbers = numbers.substr(1, numbers.size() - 2);
    Texts moves;
    const Texts parts = split_operands(numbers);
    if (parts.size() > 1 && !may_be_repeated(*address)) return std::nullopt;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const auto number = value(parts[i]);
      const bool bits = words.back()[0] == 'b' && is_real(parts[i]);  // which would be converted
      if (!number || bits || (load && !is_output(parts[i]))) return std::nullopt;
      const std::string element = "reinterpret_cast<" + std::string(load ? "const " : "") + type + "*>(" +
                                  *address + ")[" + std::to_string(i) + "]";
      moves.push_back(load ? *number + " = " + element : element + " = " + *number);
    }
    return "(void)(" + join(moves, ", ") + ")";
  }

  /// Whether the address stays what it is while outputs change.
  [[nodiscard]] bool may_be_repeated(const std::string& address) const {
    if (address.find("++") != std::string::npos || address.find("--") != std::string::npos) return false;
    for (std::int64_t i = 0; i < outputs_; ++i) {
      const std::string& value = values_[static_cast<std::size_t>(i)];
      if (has_word(address, std::string_view(value).substr(1, value.size() - 2))) return false;
    }
    return true;
  }

  const std::vector<Token>& tokens_;
  std::size_t open_;
  std::string template_;
  Texts values_;
  std::vector<bool> reals_;  // values by registers of float or double
  std::int64_t outputs_ = 0;
};

void translate(const std::vector<Token>& tokens, std::vector<TextEdit>& edits) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is("asm") && !tokens[i].is("__asm__") && !tokens[i].is("__asm")) continue;
    std::size_t open = i + 1;
    while (open < tokens.size() && (tokens[open].is("volatile") || tokens[open].is("__volatile__"))) ++open;
    if (open >= tokens.size() || !tokens[open].is("(") || tokens[open].close >= tokens.size()) continue;
    const auto made = Statement(tokens, open).run();
    const std::size_t end = tokens[tokens[open].close].end();
    if (made) edits.push_back({tokens[i].offset, end - tokens[i].offset, *made});
  }
}

}  // namespace

std::string without_simple_ptx(const std::string& text) {
  if (text.find("asm") == std::string::npos) return text;
  const TokenizedText source = tokenize(text);
  std::vector<TextEdit> edits;
  translate(source.tokens, edits);
  return edits.empty() ? text : apply_edits(text, std::move(edits));
}

void translate_ptx_words(Specialization& specialization) {
  if (specialization.target.backend != "cpu") return;
  specialization.source_text = without_simple_ptx(specialization.source_text);
  for (IncludedHeader& header : specialization.headers) header.text = without_simple_ptx(header.text);
}

}  // namespace kiln
