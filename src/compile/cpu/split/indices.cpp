#include "compile/cpu/split/indices.h"

#include <algorithm>
#include <array>

namespace kiln::fission {
namespace {

/// Whether a token is a word of a cast that keeps the values of indices.
bool index_word(const Token& token) {
  return cast_word(token.text) && !token.is("short") && !token.is("char") && !token.is("float") &&
         !token.is("double");
}

bool int_word(const Token& token) {
  return token.is("int") || token.is("int32_t");
}

}  // namespace

TokenRange Indices::bare(TokenRange range) const {
  const std::vector<Token>& tokens = body().tokens();
  while (range.begin < range.end) {
    if (body().is(range.begin, "(")) {
      const std::size_t close = tokens[range.begin].close;
      if (close + 1 == range.end) {
        range = {range.begin + 1, close};
        continue;
      }
      std::size_t t = range.begin + 1;
      while (t < close && index_word(tokens[t])) ++t;
      if (t == close && t > range.begin + 1) {
        range.begin = close + 1;
        continue;
      }
    }
    if (body().is(range.begin, "static_cast") && body().is(range.begin + 1, "<")) {
      const std::size_t open = after_template_arguments(tokens, range.begin + 1, range.end);
      std::size_t t = range.begin + 2;
      while (t + 1 < open && index_word(tokens[t])) ++t;
      if (t + 1 == open && body().is(open, "(") && tokens[open].close + 1 == range.end) {
        range = {open + 1, tokens[open].close};
        continue;
      }
    }
    if (int_word(tokens[range.begin]) && body().is(range.begin + 1, "(") &&
        tokens[range.begin + 1].close + 1 == range.end) {
      range = {range.begin + 2, range.end - 1};
      continue;
    }
    break;
  }
  return range;
}

/// 'x', 'y' or 'l' if an expression is that index; else 0.
char Indices::axis_of(TokenRange range) const {
  range = bare(range);
  if (range.begin >= range.end) return 0;
  if (const WarpPart part = warp_part(range.begin, range.end); part.length != 0)
    return part.remainder && range.begin + part.length == range.end ? 'l' : '\0';
  const std::size_t length = index_length(range.begin);
  if (length != 0 && range.begin + length == range.end) return 'x';
  if (range.begin + 3 == range.end && body().is(range.begin, "threadIdx") && body().is(range.begin + 2, "y"))
    return 'y';
  const int variable = body().variable_at(range.begin);
  if (variable < 0) return 0;
  if (const std::size_t call = group_call_length(range.begin); call != 0) {
    const bool lane = groups_[static_cast<std::size_t>(variable)].whole_warp() &&
                      body().is(range.begin + 2, "thread_rank") && range.begin + call == range.end;
    return lane ? 'l' : '\0';
  }
  const Variable& known = body().variables()[static_cast<std::size_t>(variable)];
  if (range.begin + 1 != range.end || known.modified || known.parameter >= 0 || known.declarator->pointer ||
      known.declarator->array || known.declarator->reference || known.fixed || !keeps_indices(known))
    return 0;
  const TokenRange value = bare(known.declarator->initializer);
  return value.begin < value.end && value.begin != range.begin ? axis_of(value) : '\0';
}

int Indices::stride(TokenRange range, int depth) const {
  constexpr int kDeepest = 16;
  range = bare(range);
  if (depth > kDeepest) return kOther;
  int sum = 0;
  std::size_t begin = range.begin;
  const auto add = [&](TokenRange term) {
    term = bare(term);
    if (term.begin >= term.end) return;
    if (const GridCall call = grid_call(term.begin);
        term.begin + call.length == term.end && call.length != 0) {
      sum += call.index && call.axis == 'x' ? 1 : 0;
      return;
    }
    if (axis_of(term) == 'x' || axis_of(term) == 'l') {
      sum += 1;
      return;
    }
    if (axis_of(term) == 'y') return;
    if (const std::size_t call = group_call_length(term.begin);
        call != 0 && term.begin + call == term.end && body().is(term.begin + 2, "thread_rank") &&
        groups_[static_cast<std::size_t>(body().variable_at(term.begin))].kind == Group::Kind::kGrid) {
      sum += 1;
      return;
    }
    if (term.begin + 1 == term.end) {
      const int v = body().variable_at(term.begin);
      if (v < 0 || levels_[static_cast<std::size_t>(v)] != kItemLevel) return;
      const Variable& variable = body().variables()[static_cast<std::size_t>(v)];
      if (variable.modified || variable.parameter >= 0 || variable.declarator->array || variable.fixed ||
          !keeps_indices(variable)) {
        sum = kOther;
        return;
      }
      sum += stride(variable.declarator->initializer, depth + 1);
      return;
    }
    if (body().is(term.begin, "kiln_global_x")) {
      sum += 1;
      return;
    }
    if (facts(term).level == kBlockLevel || (in_.shape.warps && facts(term).level == kWarpLevel)) return;
    // Products of values that vary only from row to row do not vary along x.
    bool rows = true;
    for (std::size_t i = term.begin; i < term.end && rows; ++i) {
      const int v = body().variable_at(i);
      if (v >= 0 && levels_[static_cast<std::size_t>(v)] == kItemLevel)
        rows = stride({i, i + 1}, depth + 1) == 0;
      if (body().is(i, "threadIdx") && !body().is(i + 2, "y") && !body().is(i + 2, "z")) rows = false;
      if (body().is(i, "[") || body().is(i, "->")) rows = false;
    }
    if (rows) return;
    sum = kOther;
  };
  for (std::size_t i = range.begin; i <= range.end && sum < kOther; ++i) {
    if (i < range.end && (body().is(i, "(") || body().is(i, "["))) {
      i = body().tokens()[i].close;
      continue;
    }
    const bool ends = i == range.end || ((body().is(i, "+") || body().is(i, "-")) && i > begin);
    if (!ends) continue;
    add({begin, i});
    begin = i + 1;
  }
  return std::min(sum, kOther);
}

std::size_t Indices::wide_cast_length(std::size_t i) const {
  if (!body().is(i, "(")) return 0;
  bool wide = false;
  std::size_t t = i + 1;
  for (; body().is(t, "size_t") || body().is(t, "long") || body().is(t, "int64_t") ||
         body().is(t, "uint64_t") || body().is(t, "ptrdiff_t") || body().is(t, "unsigned") ||
         body().is(t, "int");
       ++t)
    wide = wide || !(body().is(t, "unsigned") || body().is(t, "int"));
  return wide && body().is(t, ")") ? t + 1 - i : 0;
}

std::size_t Indices::int_cast_length(std::size_t i) const {
  const std::vector<Token>& tokens = body().tokens();
  std::size_t length = 0;
  if (int_word(tokens[i]) && body().is(i + 1, "(")) length = 1;
  if (body().is(i, "(") && i + 2 < tokens.size() && int_word(tokens[i + 1]) && body().is(i + 2, ")"))
    length = 3;
  if (body().is(i, "static_cast") && body().is(i + 1, "<") && i + 4 < tokens.size() &&
      int_word(tokens[i + 2]) && body().is(i + 3, ">") && body().is(i + 4, "("))
    length = 4;
  if (length == 0) return 0;
  const std::size_t operand = i + length;
  const std::size_t end = body().is(operand, "(") ? tokens[operand].close : operand + 1;
  for (std::size_t t = operand; t < end; ++t) {
    if (wide_cast_length(t) != 0) return 0;
    const int v = body().variable_at(t);
    if (v < 0) {
      // The value of a name that is not the function's own may have 64 bits, of which the cast drops some.
      const bool member = t > operand && body().is(t - 1, ".");
      const bool index = tokens[t].is("threadIdx") || tokens[t].is("blockIdx") || tokens[t].is("blockDim") ||
                         tokens[t].is("gridDim");
      if (tokens[t].identifier() && !member && !index && int_cast_length(t) == 0) return 0;
    } else if (!says(body().variables()[static_cast<std::size_t>(v)],
                     {"int", "unsigned", "uint", "int32_t", "uint32_t"}) ||
               says(body().variables()[static_cast<std::size_t>(v)], {"long"})) {
      return 0;
    }
  }
  return length;
}

/// Names, numbers and indices with +, - and * between them.
bool Indices::plain_sum(TokenRange range) const {
  const std::vector<Token>& tokens = body().tokens();
  if (range.begin >= range.end) return false;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const Token& token = tokens[i];
    if (const GridCall call = grid_call(i); call.length != 0) {
      i += call.length - 1;
      continue;
    }
    if (const std::size_t cast = std::max(wide_cast_length(i), int_cast_length(i)); cast != 0) {
      i += cast - 1;
      continue;
    }
    if (const std::size_t length = group_call_length(i); length != 0) {
      if (body().is(i + 2, "thread_index") || body().is(i + 2, "group_index") ||
          body().is(i + 2, "dim_threads") || body().is(i + 2, "group_dim") ||
          body().is(i + 2, "dim_blocks") || body().is(i + 2, "block_index") ||
          body().is(i + 2, "barrier_arrive"))
        return false;
      i += length - 1;
      continue;
    }
    if (const WarpPart part = warp_part(i, range.end); part.length != 0) {
      i += part.length - 1;
      continue;
    }
    const bool built_in =
        token.is("threadIdx") || token.is("blockIdx") || token.is("blockDim") || token.is("gridDim");
    if (built_in && body().is(i + 1, ".")) {
      i += 2;
    } else if (token.identifier()) {
      if (body().is(i + 1, "(") || body().is(i + 1, "<") || body().is(i + 1, "::") || cast_word(token.text) ||
          token.is("sizeof"))
        return false;
      const int v = body().variable_at(i);
      if (v < 0) {
        if (built_in) return false;
        continue;
      }
      const Variable& variable = body().variables()[static_cast<std::size_t>(v)];
      if (variable.declarator->pointer || variable.declarator->array ||
          groups_[static_cast<std::size_t>(v)].kind != Group::Kind::kNone)
        return false;
      if (real_number(variable)) return false;
      // An unsigned value that represents a negative one relies on wrapping.
      for (std::size_t t = variable.declarator->initializer.begin; t < variable.declarator->initializer.end;
           ++t) {
        if (body().is(t, "~")) return false;
        if (!body().is(t, "-")) continue;
        if (t == variable.declarator->initializer.begin || !ends_operand(tokens[t - 1]) ||
            (wraps(variable) && levels_[static_cast<std::size_t>(v)] != kItemLevel))
          return false;
      }
    } else if (token.kind == Token::Kind::kNumber) {
      if (token.text.find('.') != std::string_view::npos || token.text.size() > 9) return false;
    } else {
      const bool negates_or_multiplies = token.is("-") || token.is("*");
      if (!negates_or_multiplies && !token.is("+") && !token.is("(") && !token.is(")")) return false;
      if (negates_or_multiplies && (i == range.begin || !ends_operand(tokens[i - 1]))) return false;
      const bool casts =
          token.is(")") && i + 1 < range.end &&
          (tokens[i + 1].identifier() || tokens[i + 1].kind == Token::Kind::kNumber || body().is(i + 1, "("));
      if (casts) return false;  // to a type of the user's: "(index_t)(i + 1)"
    }
  }
  return true;
}

bool Indices::says(const Variable& variable, std::initializer_list<std::string_view> words) const {
  for (std::size_t i = variable.specifiers.begin; i < variable.specifiers.end; ++i) {
    for (const std::string_view word : words) {
      if (body().is(i, word)) return true;
    }
  }
  return false;
}

bool Indices::keeps_indices(const Variable& variable) const {
  static constexpr std::array<std::string_view, 17> kWords = {
      "int",      "unsigned", "signed",   "long",      "const", "constexpr", "uint",   "size_t",  "int32_t",
      "uint32_t", "int64_t",  "uint64_t", "ptrdiff_t", "auto",  "float",     "double", "register"};
  for (std::size_t i = variable.specifiers.begin; i < variable.specifiers.end; ++i) {
    const Token& token = body().tokens()[i];
    const bool known = std::find(kWords.begin(), kWords.end(), token.text) != kWords.end();
    if (!known && !token.is("std") && !token.is("::")) return false;
  }
  return true;
}

bool Indices::whole_number(int number) const {
  const Variable& variable = body().variables()[static_cast<std::size_t>(number)];
  const Declarator& declarator = *variable.declarator;
  return keeps_indices(variable) && !says(variable, {"float", "double", "auto"}) && !declarator.pointer &&
         !declarator.reference && !declarator.array;
}

bool Indices::real_number(const Variable& variable) const {
  return says(variable, {"float", "double", "half", "__half", "__nv_bfloat16"});
}

/// Whether a difference of 32 bits that is kept in the variable wraps below 0.
bool Indices::wraps(const Variable& variable) const {
  return says(variable, {"unsigned", "uint", "uint32_t", "auto"}) && !says(variable, {"long"});
}

/// Whether a variable keeps its value as long as the variable `user` lives.
bool Indices::steady_in(int number, const Variable& user) const {
  const Variable& variable = body().variables()[static_cast<std::size_t>(number)];
  if (variable.fixed || !variable.modified ||
      groups_[static_cast<std::size_t>(number)].kind != Group::Kind::kNone)
    return true;
  if (variable.escapes) return false;
  return std::none_of(body().writes().begin(), body().writes().end(), [&](const Write& write) {
    return write.variable == number && write.at >= user.declarator->at && write.at < user.scope_end;
  });
}

bool Indices::steady_names(const Variable& variable) const {
  const auto [known, fresh] = steady_.try_emplace(&variable, true);
  if (!fresh) return known->second;
  const TokenRange value = variable.declarator->initializer;
  for (std::size_t i = value.begin; i < value.end && known->second; ++i) {
    const int other = body().variable_at(i);
    if (other < 0) continue;
    known->second = steady_in(other, variable) && !hidden_in(body().tokens()[i].text, variable);
  }
  return known->second;
}

bool Indices::hidden_in(std::string_view name, const Variable& user) const {
  const TokenRange life{user.declarator->at + 1, user.scope_end};
  const auto declares = [&](const Variable& other) {
    return other.name == name && other.parameter < 0 && life.contains(other.declarator->at);
  };
  if (std::any_of(body().variables().begin(), body().variables().end(), declares)) return true;
  for (std::size_t i = life.begin + 1; i < life.end; ++i) {  // a parameter of a lambda
    const Token& type = body().tokens()[i - 1];
    if (body().is(i, name) && type.identifier() && !type.is("return") && !type.is("else") &&
        !type.is("case") && !type.is("do"))
      return true;
  }
  return false;
}

bool Indices::steady_number(const Body& body, const Variable& variable) {
  if (variable.modified || variable.parameter >= 0 || variable.fixed || variable.declarator->pointer ||
      variable.declarator->reference || variable.declarator->array ||
      variable.declarator->start != Declarator::Start::kEquals)
    return false;
  for (std::size_t i = variable.specifiers.begin; i < variable.specifiers.end; ++i) {
    const Token& token = body.tokens()[i];
    if (!(token.is("int") || token.is("unsigned") || token.is("const") || token.is("uint") ||
          token.is("uint32_t") || token.is("int32_t") || token.is("auto")))
      return false;
  }
  return true;
}

bool Indices::sum_of_index(int number) const {
  const Variable& variable = body().variables()[static_cast<std::size_t>(number)];
  if (!steady_number(body(), variable)) return false;
  const TokenRange value = bare(variable.declarator->initializer);
  if (!plain_sum(value) || !steady_names(variable) || facts(value).loads) return false;
  return stride(value) == 1 || levels_[static_cast<std::size_t>(number)] == kItemLevel;
}

std::optional<Indices::Clamp> Indices::clamp(int number) const {
  const Variable& variable = body().variables()[static_cast<std::size_t>(number)];
  if (!steady_number(body(), variable) || !steady_names(variable)) return std::nullopt;
  Clamp result{bare(variable.declarator->initializer), {}, {}};
  for (;;) {
    std::size_t name = result.value.begin;
    if (body().is(name, "std") && body().is(name + 1, "::")) name += 2;
    if (!(body().is(name, "min") || body().is(name, "max")) || !body().is(name + 1, "(") ||
        !pure_call(name) || body().tokens()[name + 1].close + 1 != result.value.end)
      break;
    const std::size_t end = result.value.end - 1;
    std::size_t comma = end;
    for (std::size_t i = name + 2; i < end; ++i) {
      if (body().is(i, "(") || body().is(i, "[") || body().is(i, "{")) {
        i = body().tokens()[i].close;
      } else if (body().is(i, ",")) {
        if (comma != end) return std::nullopt;
        comma = i;
      }
    }
    if (comma == end) return std::nullopt;
    const TokenRange left{name + 2, comma}, right{comma + 1, end};
    const bool varies = facts(left).level == kItemLevel;
    const TokenRange limit = varies ? right : left;
    const Facts known = facts(limit);
    if (known.level != kBlockLevel || known.effects || known.loads || known.calls || known.divides)
      return std::nullopt;
    (body().is(name, "min") ? result.high : result.low).push_back(limit);
    result.value = bare(varies ? left : right);
  }
  if ((result.low.empty() && result.high.empty()) || !plain_sum(result.value) || facts(result.value).loads ||
      stride(result.value) != 1)
    return std::nullopt;
  return result;
}

}  // namespace kiln::fission
