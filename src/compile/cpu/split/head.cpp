#include "compile/cpu/split/head.h"

#include <algorithm>
#include <array>

namespace kiln::fission {
namespace {

constexpr std::array<std::string_view, 10> kHeadWords = {
    "static",   "inline",     "__forceinline__", "__inline__", "__device__",
    "__host__", "__global__", "constexpr",       "extern",     "__inline"};

bool is_qualifier(const Token& token) {
  return token.is("*") || token.is("&") || token.is("&&") || token.is("const") || token.is("volatile") ||
         token.is("__restrict__") || token.is("__restrict") || token.is("restrict");
}

/// Whether a parameter is a reference, but not one to a constant.
bool may_change_argument(const std::vector<Token>& tokens, TokenRange parameter) {
  bool reference = false, constant = false, pointer = false;
  for (std::size_t i = parameter.begin; i < parameter.end; ++i) {
    reference = reference || tokens[i].is("&") || tokens[i].is("&&");
    constant = constant || tokens[i].is("const");
    pointer = pointer || tokens[i].is("*");
  }
  return reference && (!constant || pointer);
}

}  // namespace

Head parse_head(const std::vector<Token>& tokens, const DefinitionOutline& definition) {
  Head head;
  head.name = definition.name;
  std::size_t i = definition.head.begin;
  const std::size_t end = definition.head.end;
  while (i < end && tokens[i].is("template") && i + 1 < end && tokens[i + 1].is("<")) {
    if (head.template_head.begin != head.template_head.end) {
      head.trouble = "a template in a template";
      return head;
    }
    int depth = 0;
    std::size_t j = i + 1;
    for (; j < end; ++j) {
      if (tokens[j].is("(")) j = matching_close(tokens, j);
      if (j < end && tokens[j].is("<")) ++depth;
      if (j < end && tokens[j].is(">") && --depth == 0) break;
    }
    head.template_head = {i, std::min(j + 1, end)};
    if (head.template_head.end - head.template_head.begin <= 3) {
      head.trouble = "a specialisation of a template";
      return head;
    }
    i = head.template_head.end;
  }
  // Specifiers and attributes, then the type, the name and the parameters.
  for (;;) {
    if (i >= end) break;
    const bool bracketed = tokens[i].is("__attribute__") || tokens[i].is("__launch_bounds__") ||
                           tokens[i].is("__cluster_dims__") || tokens[i].is("alignas");
    if (bracketed && i + 1 < end) {
      i = matching_close(tokens, i + 1) + 1;
    } else if (std::find(kHeadWords.begin(), kHeadWords.end(), tokens[i].text) != kHeadWords.end() ||
               tokens[i].kind == Token::Kind::kString) {
      ++i;
    } else {
      break;
    }
  }
  head.result.begin = i;
  std::size_t open = i;
  while (open < end && !(tokens[open].is("(") && tokens[open - 1].is(head.name))) ++open;
  const std::size_t name_end = open;
  const bool called = head.name == "operator" && open + 2 < end && tokens[open + 1].is(")");
  if (called) open += 2;  // operator()(...)
  if (open >= end || name_end < i + 2 || !tokens[open].is("(")) {
    head.trouble = "a head of a form that Kiln does not know";
    return head;
  }
  head.result.end = name_end - 1;
  while (head.result.end > head.result.begin) {  // attributes between the type and the name
    const std::size_t last = head.result.end - 1;
    if (std::find(kHeadWords.begin(), kHeadWords.end(), tokens[last].text) != kHeadWords.end()) {
      --head.result.end;
    } else if (tokens[last].is(")")) {
      std::size_t attribute = last;
      while (attribute > head.result.begin && !(tokens[attribute].close == last && tokens[attribute].is("(")))
        --attribute;
      if (attribute == head.result.begin) break;
      const std::string_view word = tokens[attribute - 1].text;
      if (word != "__launch_bounds__" && word != "__attribute__" && word != "__cluster_dims__") break;
      head.result.end = attribute - 1;
    } else {
      break;
    }
  }
  if (head.result.begin >= head.result.end || tokens[head.result.end - 1].is("::")) {
    head.trouble = "a head of a form that Kiln does not know";
    return head;
  }
  const std::size_t close = matching_close(tokens, open);
  for (const TokenRange part : split_commas(tokens, {open + 1, close}, true)) {
    if (part.end == part.begin + 1 && tokens[part.begin].is("void")) continue;
    auto parameter = std::make_unique<Declarator>();
    std::size_t value = part.begin;
    while (value < part.end && !tokens[value].is("=")) {
      value = tokens[value].is("(") ? matching_close(tokens, value) + 1 : value + 1;
    }
    std::size_t last = value;
    while (last > part.begin && tokens[last - 1].is("]")) {
      parameter->array = parameter->pointer = true;
      while (last > part.begin && !tokens[last - 1].is("[")) --last;
      --last;
    }
    if (last < part.begin + 2 || !tokens[last - 1].identifier() || is_qualifier(tokens[last - 1])) {
      // A parameter without a name, or "T (&name)[8]", "T (*name)[8]".
      std::size_t name = part.begin;
      const auto opens = [&](std::size_t t) {
        return tokens[t].is("(") && t + 2 < value && (tokens[t + 1].is("&") || tokens[t + 1].is("*"));
      };
      while (name < value && !opens(name)) ++name;
      if (name < value && tokens[name + 2].identifier()) {
        (tokens[name + 1].is("&") ? parameter->reference : parameter->pointer) = true;
        parameter->array = parameter->reference;
        parameter->name = tokens[name + 2].text;
        parameter->at = name + 2;
      } else {
        parameter->at = value;
      }
    } else {
      parameter->name = tokens[last - 1].text;
      parameter->at = last - 1;
      for (std::size_t t = part.begin; t < last - 1; ++t) {
        if (tokens[t].is("*")) parameter->pointer = true;
        if ((tokens[t].is("&") || tokens[t].is("&&")) && t + 2 >= last - 1) parameter->reference = true;
      }
      if (tokens[last - 2].is("&") || tokens[last - 2].is("&&")) parameter->reference = true;
    }
    parameter->range = {part.begin, value};
    if (value < part.end) parameter->initializer = {value + 1, part.end};
    head.specifiers.push_back({part.begin, std::min(parameter->at, value)});
    head.whole.push_back(part);
    head.parameters.push_back(std::move(parameter));
  }
  return head;
}

Signatures::Signatures(const Outline& text) {
  const std::vector<Token>& tokens = text.source.tokens;
  for (const DefinitionOutline& definition : text.definitions) {
    defined_.insert(definition.name);
    if (definition.is_class) continue;
    for (std::size_t i = definition.head.begin; i < definition.head.end; ++i) {
      if (!tokens[i].is("(") || tokens[i].close >= definition.head.end) continue;
      for (const TokenRange parameter : split_commas(tokens, {i + 1, tokens[i].close}, true)) {
        if (may_change_argument(tokens, parameter)) by_reference_.insert(definition.name);
      }
      i = tokens[i].close;
    }
  }
  for (const std::string_view name :
       {"swap", "exchange", "tie", "ref", "forward", "minmax", "addressof", "load_matrix_sync",
        "fill_fragment", "mma_sync", "atomic_ref", "compare_exchange_strong", "compare_exchange_weak"})
    by_reference_.insert(name);
}

}  // namespace kiln::fission
