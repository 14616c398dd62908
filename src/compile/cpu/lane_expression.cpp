#include "compile/cpu/lane_expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "compile/cpu/split/statements.h"

namespace kiln {
namespace {

using fission::among;

/// Deeper expressions and macros are unknown values.
constexpr int kDeepestValue = 24;

std::optional<long long> whole_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  for (const char* c = end; c != text.data() + text.size(); ++c) {
    if (*c != 'u' && *c != 'U' && *c != 'l' && *c != 'L') return std::nullopt;
  }
  return value;
}

constexpr std::array<std::string_view, 26> kWholeTypes = {
    "int",    "unsigned", "long",    "short",     "char",    "signed",    "bool",     "const",    "size_t",
    "int8_t", "int16_t",  "int32_t", "int64_t",   "uint8_t", "uint16_t",  "uint32_t", "uint64_t", "uint",
    "ushort", "uchar",    "ulong",   "ptrdiff_t", "ssize_t", "uintptr_t", "intptr_t", "std"};

}  // namespace

LaneForm LaneExpression::all() {
  LaneForm form = conditional();
  return failed_ || at_ < end_ ? values_.unknown(true) : form;
}

LaneForm LaneExpression::fail() {
  failed_ = true;
  at_ = end_;
  return values_.unknown(true);
}

LaneForm LaneExpression::conditional() {
  LaneForm condition = binary(1);
  if (!is("?")) return condition;
  ++at_;
  const LaneForm yes = conditional();
  if (!is(":")) return fail();
  ++at_;
  const LaneForm no = conditional();
  LaneForm result = no;
  if (!values_.exact(condition) || !values_.exact(yes) || !values_.exact(no)) {
    const bool same = !values_.varies(condition) && !values_.varies(yes) && !values_.varies(no);
    return values_.unknown(!same);
  }
  for (std::size_t i = 0; i < result.number.size(); ++i) {
    if (condition.number[i] != 0) result.number[i] = yes.number[i];
  }
  return result;
}

LaneForm LaneExpression::binary(int lowest) {
  LaneForm left = unary();
  while (at_ < end_ && !failed_) {
    const std::string_view operation = binary_operator(tokens_, at_, end_);
    if (operation.empty() || precedence(operation) < lowest) break;
    at_ += operation == "<<" || operation == ">>" ? 2 : 1;
    const LaneForm right = binary(precedence(operation) + 1);
    left = values_.derived(std::string(operation), left, right);
  }
  return left;
}

LaneForm LaneExpression::unary() {
  if (at_ >= end_ || ++depth_ > kDeepestValue) return fail();
  const Token& token = tokens_[at_];
  if (token.is("-") || token.is("+") || token.is("!")) {
    ++at_;
    LaneForm operand = unary();
    if (token.is("+")) return operand;
    return values_.derived(token.is("-") ? "-" : "==", values_.constant(0), operand);
  }
  if (token.is("&")) return element_address();
  if (token.is("*") || token.is("~") || token.is("++") || token.is("--")) {
    ++at_;
    static_cast<void>(unary());
    array_ = {};
    return values_.unknown(true);
  }
  return primary();
}

LaneForm LaneExpression::element_address() {
  ++at_;
  if (is("(") && tokens_[at_].close < end_) {  // "&(s[i])"
    const std::size_t close = tokens_[at_].close, end = std::exchange(end_, close);
    LaneForm form = element_address();
    if (!failed_ && at_ < close) form = values_.unknown(true);
    at_ = close + 1;
    end_ = end;
    return form;
  }
  if (at_ + 1 >= end_ || !tokens_[at_].identifier() || !tokens_[at_ + 1].is("[")) {
    static_cast<void>(unary());
    array_ = {};
    return values_.unknown(true);
  }
  const LaneValue base = values_.address(tokens_[at_].text);
  const std::size_t close = tokens_[at_ + 1].close;
  if (close >= end_) return fail();
  const LaneForm index = inner({at_ + 2, close});
  at_ = close + 1;
  note(base.array);
  const bool deeper = is("[") || is(".") || is("->");
  while (is("[")) at_ = std::min(tokens_[at_].close + 1, end_);
  if (is(".") || is("->")) at_ = std::min(at_ + 2, end_);
  if (deeper || base.array.empty()) return values_.unknown(true);
  return values_.derived("+", *base.form, index);
}

LaneForm LaneExpression::inner(TokenRange range) {
  LaneExpression reader(values_, tokens_, range, first_turns_, depth_ + 1);
  return reader.all();
}

void LaneExpression::note(std::string_view array) {
  if (array.empty()) return;
  several_ = several_ || !array_.empty();
  array_ = array;
}

LaneForm LaneExpression::behind(LaneForm form) {
  bool more = false, common = !values_.varies(form);
  while (at_ < end_) {
    if (is("(") || is("[")) {
      const std::size_t close = tokens_[at_].close;
      if (close >= end_) return fail();
      common = common && is("[") && !values_.varies(inner({at_ + 1, close}));
      at_ = close + 1;
    } else if ((is(".") || is("->")) && at_ + 1 < end_) {
      at_ += 2;
    } else if (is("++") || is("--")) {
      ++at_;
      common = false;
    } else {
      break;
    }
    more = true;
  }
  if (!more) return form;
  array_ = {};
  return values_.unknown(!common);
}

bool LaneExpression::cast(TokenRange range, bool& whole, bool& pointer) const {
  whole = true;
  pointer = false;
  if (range.begin >= range.end) return false;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const Token& token = tokens_[i];
    if (token.is("*")) {
      pointer = true;
    } else if (!token.is("::") && !token.is("<") && !token.is(">")) {
      if (!token.identifier()) return false;
      whole = whole && among(kWholeTypes, token.text);
    }
  }
  if (pointer && !tokens_[range.end - 1].is("*") && !tokens_[range.end - 1].is("const")) return false;
  const bool follows =
      range.end + 1 < end_ &&
      (tokens_[range.end + 1].identifier() || tokens_[range.end + 1].is("(") ||
       tokens_[range.end + 1].is("&") || tokens_[range.end + 1].kind == Token::Kind::kNumber);
  return (whole || pointer) && follows;
}

LaneForm LaneExpression::primary() {
  const Token& token = tokens_[at_];
  if (token.kind == Token::Kind::kNumber) {
    ++at_;
    const auto value = whole_number(token.text);
    return value ? values_.constant(*value) : values_.unknown(false);
  }
  if (token.is("(")) {
    if (token.close >= end_) return fail();
    const TokenRange inside{at_ + 1, token.close};
    bool whole = false, pointer = false;
    if (cast(inside, whole, pointer)) {
      at_ = token.close + 1;
      LaneForm form = unary();
      return pointer ? values_.derived("+", form, values_.unknown(true)) : form;
    }
    at_ = token.close + 1;
    LaneExpression reader(values_, tokens_, inside, first_turns_, depth_ + 1);
    LaneForm form = reader.all();
    note(reader.array());
    return behind(std::move(form));
  }
  if (!token.identifier()) return fail();
  if (token.is("static_cast") || token.is("reinterpret_cast") || token.is("const_cast")) {
    if (at_ + 1 >= end_) return fail();
    const std::size_t open = behind_angles(tokens_, at_ + 1, end_);
    if (open >= end_ || !tokens_[open].is("(") || tokens_[open].close >= end_) return fail();
    const TokenRange type{at_ + 2, open - 1};
    const bool pointer = std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(type.begin),
                                     tokens_.begin() + static_cast<std::ptrdiff_t>(type.end),
                                     [](const Token& one) { return one.is("*"); });
    LaneExpression reader(values_, tokens_, {open + 1, tokens_[open].close}, first_turns_, depth_ + 1);
    LaneForm form = reader.all();
    note(reader.array());
    at_ = tokens_[open].close + 1;
    return pointer ? values_.derived("+", form, values_.unknown(true)) : form;
  }
  return name();
}

LaneForm LaneExpression::name() {
  const Token& token = tokens_[at_];
  static constexpr std::array<std::string_view, 4> kShapes = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
  if (among(kShapes, token.text) && at_ + 2 < end_ + 0 && tokens_[at_ + 1].is(".")) {
    const std::string_view axis = tokens_[at_ + 2].text;
    at_ += 3;
    return shape(token.text, axis);
  }
  const bool call = at_ + 1 < end_ && tokens_[at_ + 1].is("(");
  static constexpr std::array<std::string_view, 4> kLimits = {"min", "max", "umin", "umax"};
  if (call && among(kLimits, token.text)) {
    const TokenRange arguments{at_ + 2, tokens_[at_ + 1].close};
    if (arguments.end >= end_) return fail();
    const std::vector<TokenSpan> parts = parts_of(tokens_, {arguments.begin, arguments.end}, false);
    at_ = arguments.end + 1;
    if (parts.size() != 2) return values_.unknown(true);
    const LaneForm a = inner({parts[0].begin, parts[0].end}), b = inner({parts[1].begin, parts[1].end});
    return values_.derived(token.text.ends_with("min") ? "min" : "max", a, b);
  }
  if (call && among(kWholeTypes, token.text)) {
    const TokenRange argument{at_ + 2, tokens_[at_ + 1].close};
    if (argument.end >= end_) return fail();
    at_ = argument.end + 1;
    return inner(argument);
  }
  if (token.is("warpSize")) {
    ++at_;
    return values_.constant(kLanesOfWarp);
  }
  if (token.is("std") && at_ + 2 < end_ && tokens_[at_ + 1].is("::")) {
    at_ += 2;
    return name();
  }
  ++at_;
  if (const auto known = values_.names_.find(token.text); known != values_.names_.end()) {
    LaneForm form = first_turns_ ? values_.first_turn(*known->second.form) : *known->second.form;
    const bool member = is(".") && at_ + 1 < end_ && !known->second.form->terms.empty() &&
                        known->second.array.empty() && !values_.varies(form);
    if (member) {  // of a parameter: its value stays the same
      const LaneForm field = values_.derived(std::string(".").append(tokens_[at_ + 1].text), form, form);
      at_ += 2;
      return behind(field);
    }
    if (!is("[") && !is("->")) note(known->second.array);
    return behind(std::move(form));
  }
  if (values_.arrays_.contains(token.text)) {
    if (!is("[")) note(token.text);
    const bool element = is("[") || is("->") || is(".");
    return behind(element && values_.private_.contains(token.text) ? values_.unknown(true)
                                                                   : values_.constant(0));
  }
  if (const auto known = values_.known_.values.find(token.text); known != values_.known_.values.end())
    return values_.constant(known->second);
  if (const auto macro = values_.known_.macros.find(token.text); macro != values_.known_.macros.end()) {
    if (depth_ + 4 > kDeepestValue) return fail();
    LaneExpression reader(values_, macro->second, {2, macro->second.size()}, first_turns_, depth_ + 4);
    return behind(reader.all());
  }
  const bool plain = !is("(") && !is("[") && !is(".") && !is("->") && !is("::") && !is("<");
  if (plain && values_.names_vary_) return values_.unknown(true);
  if (plain)
    return values_.derived("name " + std::string(token.text), values_.constant(0), values_.constant(0));
  if (is("::") || is("<")) return is("<") ? values_.unknown(true) : fail();
  // A variable outside of functions, as nothing in this one declares it.
  return behind(values_.unknown(is("(") || values_.names_vary_));
}

LaneForm LaneExpression::shape(std::string_view what, std::string_view axis) {
  const bool x = axis == "x", y = axis == "y";
  if (!x && !y && axis != "z") return fail();
  if (what == "threadIdx") {
    LaneForm form = values_.constant(0);
    for (std::size_t i = 0; i < form.number.size(); ++i)
      form.number[i] = x ? values_.items_[i].x : y ? values_.items_[i].y : values_.items_[i].z;
    return form;
  }
  if (what == "blockDim" && values_.block_) {
    const Dim3& block = *values_.block_;
    return values_.constant(static_cast<long long>(x ? block.x : y ? block.y : block.z));
  }
  return values_.derived(std::string(what).append(axis), values_.constant(0), values_.constant(0));
}

std::string_view binary_operator(const std::vector<Token>& tokens, std::size_t i, std::size_t end) {
  static constexpr std::array<std::string_view, 16> kOperators = {
      "*", "/", "%", "+", "-", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|", "&&", "||"};
  const Token& token = tokens[i];
  const bool twice = i + 1 < end && tokens[i + 1].text == token.text && tokens[i + 1].offset == token.end();
  if (twice && token.is("<")) return "<<";
  if (twice && token.is(">")) return ">>";
  return among(kOperators, token.text) ? token.text : std::string_view();
}

int precedence(std::string_view operation) {
  if (operation == "*" || operation == "/" || operation == "%") return 10;
  if (operation == "+" || operation == "-") return 9;
  if (operation == "<<" || operation == ">>") return 8;
  if (operation == "==" || operation == "!=") return 6;
  if (operation == "&") return 5;
  if (operation == "^") return 4;
  if (operation == "|") return 3;
  if (operation == "&&") return 2;
  if (operation == "||") return 1;
  return 7;  // comparisons
}

}  // namespace kiln
