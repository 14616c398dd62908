#include "specialize/cuda_for_hip.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "base/whole_word.h"
#include "specialize/any_text.h"
#include "specialize/declarations.h"
#include "specialize/tokens.h"

namespace kiln {
namespace {

using Tokens = std::vector<Token>;

bool is_vector_type(std::string_view name) {
  static const std::set<std::string_view> scalars = {"char",     "uchar",     "short", "ushort",
                                                     "int",      "uint",      "long",  "ulong",
                                                     "longlong", "ulonglong", "float", "double"};
  return !name.empty() && name.back() >= '1' && name.back() <= '4' &&
         scalars.contains(name.substr(0, name.size() - 1));
}

bool is_zero(const Token& token) {
  if (token.kind != Token::Kind::kNumber) return false;
  std::string_view digits = token.text;
  while (!digits.empty() && std::string_view("fFuUlL").find(digits.back()) != std::string_view::npos)
    digits.remove_suffix(1);
  return !digits.empty() && digits.find_first_not_of("0.") == std::string_view::npos;
}

/// `float4 a[2] = {0}`, `float4 a{0.0f}`: a vector is no number.
void empty_zeros(const Tokens& tokens, std::vector<TextEdit>& edits) {
  for (std::size_t i = 0; i + 4 < tokens.size(); ++i) {
    if (!is_vector_type(tokens[i].text) || !tokens[i + 1].identifier()) continue;
    std::size_t at = i + 2;
    while (at < tokens.size() && tokens[at].is("[") && tokens[at].close < tokens.size())
      at = tokens[at].close + 1;
    if (at < tokens.size() && tokens[at].is("=")) ++at;
    if (at + 2 < tokens.size() && tokens[at].is("{") && is_zero(tokens[at + 1]) && tokens[at + 2].is("}"))
      edits.push_back({tokens[at + 1].offset, tokens[at + 1].text.size(), ""});
  }
}

/// nvcc takes `#pragma unroll 0`, and clang wants one iteration at least.
void mend_pragma(const Directive& directive, std::vector<TextEdit>& edits) {
  const Tokens& tokens = directive.tokens;
  if (tokens.size() < 3 || !tokens[0].is("pragma") || !tokens[1].is("unroll")) return;
  const bool brackets = tokens.size() == 5 && tokens[2].is("(");
  if (!is_zero(tokens[brackets ? 3 : 2])) return;
  const std::size_t begin = tokens[1].offset;
  edits.push_back({begin, tokens.back().end() - begin, "nounroll"});
}

void each(const std::vector<Declaration>& declarations,
          const std::function<void(const Declaration&)>& visit) {
  for (const Declaration& declaration : declarations) {
    visit(declaration);
    each(declaration.members, visit);
  }
}

/// The token before a function's parameters at which its specifiers have the word, or none.
std::optional<std::size_t> specifier(const Tokens& tokens, const Declaration& function,
                                     std::string_view word) {
  for (std::size_t i = function.whole.begin; i < function.parameters.begin; ++i) {
    if (tokens[i].is(word)) return i;
  }
  return std::nullopt;
}

bool is_function(const Declaration& declaration) {
  return (declaration.kind == Declaration::Kind::kFunction ||
          declaration.kind == Declaration::Kind::kPrototype) &&
         !declaration.parameters.empty() && !declaration.names.empty();
}

/// `template <> __host__ __device__ f(...)` of `template <class T> __device__ f(...)`.
void specialise_for_devices(const TokenizedText& source, std::vector<TextEdit>& edits) {
  std::set<std::string_view> for_devices, for_both;
  std::vector<Declaration> declarations = read_declarations(source);
  const Tokens& tokens = source.tokens;
  each(declarations, [&](const Declaration& one) {
    if (!is_function(one) || one.template_head.empty() || !specifier(tokens, one, "__device__")) return;
    (specifier(tokens, one, "__host__") ? for_both : for_devices).insert(one.names.front());
  });
  each(declarations, [&](const Declaration& one) {
    if (!is_function(one) || !one.template_head.empty() || !tokens[one.whole.begin].is("template")) return;
    const auto host = specifier(tokens, one, "__host__");
    const std::string_view name = one.names.front();
    if (!host || !specifier(tokens, one, "__device__") || !for_devices.contains(name) ||
        for_both.contains(name))
      return;
    edits.push_back({tokens[*host].offset, tokens[*host].text.size(), ""});
  });
}

/// Whether a text declares a function of the name that `fits`.
template <class Fits>
bool declares(const Specialization& specialization, std::string_view name, const Fits& fits) {
  return any_text(specialization, [&](const std::string& text) {
    if (!has_word(text, name)) return false;
    const TokenizedText source = tokenize(text);
    bool found = false;
    each(read_declarations(source), [&](const Declaration& one) {
      found = found || (is_function(one) && one.names.front() == name && fits(source.tokens, one));
    });
    return found;
  });
}

void fit(std::string& text) {
  const TokenizedText source = tokenize(text);
  std::vector<TextEdit> edits;
  empty_zeros(source.tokens, edits);
  for (const Directive& directive : source.directives) mend_pragma(directive, edits);
  const bool specialises =
      text.find("template<>") != std::string::npos || text.find("template <>") != std::string::npos;
  if (specialises && text.find("__host__") != std::string::npos) specialise_for_devices(source, edits);
  if (!edits.empty()) text = apply_edits(text, std::move(edits));
}

}  // namespace

void fit_cuda_for_hip(Specialization& specialization) {
  if (specialization.target.backend != "hip") return;
  fit(specialization.source_text);
  for (IncludedHeader& header : specialization.headers) fit(header.text);
}

bool declares_template(const Specialization& specialization, std::string_view name) {
  return declares(specialization, name,
                  [](const Tokens&, const Declaration& one) { return !one.template_head.empty(); });
}

bool declares_for_reals(const Specialization& specialization, std::string_view name) {
  return declares(specialization, name, [](const Tokens& tokens, const Declaration& one) {
    std::size_t i = one.parameters.begin;
    while (i < one.parameters.end && (tokens[i].is("const") || tokens[i].is("volatile"))) ++i;
    return one.template_head.empty() && i + 1 < one.parameters.end &&
           (tokens[i].is("float") || tokens[i].is("double")) && tokens[i + 1].is("*");
  });
}

void make_functions_for_both_sides(Specialization& specialization) {
  static const std::string begin = "_Pragma(\"clang force_cuda_host_device begin\")",
                           end = "_Pragma(\"clang force_cuda_host_device end\")";
  const auto leave_out_kernels = [](std::string& text) {
    if (text.find("__global__") == std::string::npos) return;
    const TokenizedText source = tokenize(text);
    std::vector<TextEdit> edits;
    each(read_declarations(source), [&](const Declaration& one) {
      if (!is_function(one) || !specifier(source.tokens, one, "__global__")) return;
      edits.push_back({source.tokens[one.whole.begin].offset, 0, end + " "});
      edits.push_back({source.tokens[one.whole.end - 1].end(), 0, " " + begin});
    });
    text = apply_edits(text, std::move(edits));
  };
  leave_out_kernels(specialization.source_text);
  specialization.source_text = begin + " " + specialization.source_text + "\n" + end + "\n";
  for (IncludedHeader& header : specialization.headers) leave_out_kernels(header.text);
}

}  // namespace kiln
