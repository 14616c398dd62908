#include "compile/lowered_names.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/text.h"
#include "specialize/program_text.h"
#include "specialize/symbol_expression.h"

namespace kiln {
namespace {

/// "void ns::axpy<float, 4>(float*, int)" of a mangled name; the name itself if it is not mangled.
std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : symbol;
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// The index of the first `wanted` outside of brackets, or the end.
std::size_t find_outside(const std::string& text, char wanted) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (depth == 0 && text[i] == wanted) return i;
    if (text[i] == '<' || text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == '>' || text[i] == ')' || text[i] == ']') --depth;
  }
  return text.size();
}

/// "ns::axpy<float,4>": a demangled template has its return type before the first blank.
std::string spelled(const std::string& symbol) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  std::string text = demangled(symbol);
  for (std::size_t at = text.find(kAnonymous); at != std::string::npos; at = text.find(kAnonymous, at))
    text.erase(at, kAnonymous.size());
  text.resize(find_outside(text, '('));
  const std::size_t blank = find_outside(text, ' ');
  return without_blanks(blank < text.size() ? text.substr(blank) : text);
}

std::string expression_spelled(const std::string& expression) {
  std::string text = without_blanks(expression);
  if (text.starts_with("::")) text.erase(0, 2);
  return text;
}

std::string function_of(const std::string& spelling) {
  return spelling.substr(0, spelling.find('<'));
}

/// Numbers in place of constants' names in the template arguments, "0" for "(Axis)0" and for "0u".
std::string with_values(const std::string& spelling, const std::map<std::string, std::string>& constants) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_word = [&](char c) {
    return is_digit(c) || c == '_' || c == ':' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::string text = function_of(spelling);
  for (std::size_t i = text.size(); i < spelling.size();) {
    if (spelling[i] == '(') {  // a cast of a number
      const std::size_t close = spelling.find(')', i);
      const bool number =
          close + 1 < spelling.size() && (is_digit(spelling[close + 1]) || spelling[close + 1] == '-');
      if (close != std::string::npos && number) {
        i = close + 1;
        continue;
      }
    }
    std::size_t end = i;
    while (end < spelling.size() && is_word(spelling[end])) ++end;
    if (end == i) {
      text += spelling[i++];
      continue;
    }
    std::string word = spelling.substr(i, end - i);
    const std::size_t scope = word.rfind(':');
    const auto constant = constants.find(scope == std::string::npos ? word : word.substr(scope + 1));
    if (constant != constants.end() && parse_integer(constant->second)) word = constant->second;
    if (is_digit(word.front())) word.resize(std::min(word.find_first_of("uUlL"), word.size()));
    text += word;
    i = end;
  }
  return text;
}

}  // namespace

std::string entry_uses(const std::vector<EntryPoint>& entries) {
  std::string text =
      "\n#line 1 \"kiln entries\"\nstatic const void* const kiln_entries[] __attribute__((used)) = {\n";
  for (const EntryPoint& entry : entries) {
    const std::string& name = entry.name_expression;
    text += "(const void*)(" + (names_variable(name) ? name : "&" + name) + "),\n";
  }
  return text + "};\n";
}

std::variant<std::map<std::string, std::string>, std::string> find_lowered_names(
    const std::vector<EntryPoint>& entries, const std::vector<std::string>& symbols,
    const std::string& source_text) {
  std::map<std::string, std::string> found;
  std::vector<std::string> left = symbols;
  const auto take = [&](const std::string& expression, const auto& fits) {
    const auto symbol = std::find_if(left.begin(), left.end(), fits);
    if (symbol == left.end()) return false;
    found[expression] = *symbol;
    left.erase(symbol);
    return true;
  };
  std::vector<std::string> unclear;
  for (const EntryPoint& entry : entries) {
    const std::string& expression = entry.name_expression;
    if (names_variable(expression)) continue;  // no kernel
    const std::string wanted = expression_spelled(expression);
    const auto itself = [&](const std::string& symbol) { return symbol == wanted; };
    const auto same = [&](const std::string& symbol) { return spelled(symbol) == wanted; };
    if (!found.contains(expression) && !take(expression, itself) && !take(expression, same))
      unclear.push_back(expression);
  }
  if (!unclear.empty() && !source_text.empty()) {
    const auto constants = read_program(source_text).constants;
    std::erase_if(unclear, [&](const std::string& expression) {
      const std::string wanted = with_values(expression_spelled(expression), constants);
      return take(expression, [&](const std::string& symbol) {
        return with_values(spelled(symbol), constants) == wanted;
      });
    });
  }
  for (const std::string& expression : unclear) {
    const std::string function = function_of(expression_spelled(expression));
    const auto of_function = [&](const std::string& symbol) {
      return function_of(spelled(symbol)) == function;
    };
    const auto count = std::count_if(left.begin(), left.end(), of_function);
    if (count != 1 || !take(expression, of_function)) {
      return "the binary has " + std::to_string(count) + " kernels that may be '" + expression +
             "' (its kernels: " + join(symbols, ", ") + ")";
    }
  }
  return found;
}

}  // namespace kiln
