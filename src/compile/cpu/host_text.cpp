#include "compile/cpu/host_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "compile/cpu/lane_index.h"
#include "compile/cpu/shadowing_names.h"
#include "specialize/attributes.h"

namespace kiln {
namespace {

/// The tokens of an `extern __shared__` declaration that are its type and its further extents.
struct SharedDeclaration {
  std::string type;
  std::string extents;  ///< "[32]" for "tile[][32]"
};

SharedDeclaration read_declaration(const std::vector<Token>& tokens, const DynamicSharedArray& array) {
  SharedDeclaration declaration;
  std::size_t i = array.statement.begin;
  for (; i < array.statement.end; ++i) {
    const Token& token = tokens[i];
    if (is_alignment(token)) {
      i = matching_close(tokens, i + 1);
    } else if (token.is(array.name) && i + 1 < array.statement.end && tokens[i + 1].is("[")) {
      break;
    } else if (!token.is("extern") && !token.is("__shared__") && !token.is("static")) {
      declaration.type += std::string(token.text) + " ";
    }
  }
  for (i = matching_close(tokens, std::min(i + 1, tokens.size() - 1)) + 1; i + 1 < array.statement.end; ++i) {
    declaration.extents += tokens[i].text;
  }
  return declaration;
}

/// The start of the block's dynamic shared memory, as a value for `variable`.
std::string shared_address(const std::string& variable) {
  return "(decltype(" + variable + "))kiln_worker->dynamic_shared";
}

TextEdit replace_statement(const std::vector<Token>& tokens, TokenRange statement, std::string replacement) {
  const std::size_t begin = tokens[statement.begin].offset;
  return {begin, tokens[statement.end - 1].end() - begin, std::move(replacement)};
}

/// The innermost "{" around a token.
std::size_t block_around(const std::vector<Token>& tokens, std::size_t token) {
  std::size_t closed = 0;
  for (std::size_t i = token; i > 0; --i) {
    if (tokens[i - 1].is("}")) ++closed;
    if (tokens[i - 1].is("{") && closed-- == 0) return i - 1;
  }
  return 0;
}

bool conditional_between(const Outline& text, std::size_t begin, std::size_t end) {
  return std::any_of(
      text.source.directives.begin(), text.source.directives.end(), [&](const Directive& directive) {
        return begin < directive.offset && directive.offset < end && !directive.tokens.empty() &&
               (directive.tokens[0].text.starts_with("if") || directive.tokens[0].text.starts_with("el") ||
                directive.tokens[0].is("endif"));
      });
}

void edit_dynamic_shared(const Outline& text, std::vector<TextEdit>& edits) {
  std::set<std::string> declared;
  std::map<std::pair<std::size_t, std::string_view>, std::size_t> in_blocks;  // the offset behind the first
  for (const DynamicSharedArray& array : text.dynamic_shared) {
    const SharedDeclaration parts = read_declaration(text.source.tokens, array);
    const std::string name(array.name);
    std::string declarator = parts.type;
    declarator += parts.extents.empty() ? "*" + name : "(*" + name + ")" + parts.extents;
    std::string statement;
    if (!array.at_namespace_scope) {
      const std::vector<Token>& tokens = text.source.tokens;
      const std::size_t begin = tokens[array.statement.begin].offset;
      const auto [first, fresh] = in_blocks.try_emplace(
          {block_around(tokens, array.statement.begin), array.name}, tokens[array.statement.end - 1].end());
      if (!fresh && !conditional_between(text, first->second, begin)) {  // a block may declare it twice
        edits.push_back(replace_statement(tokens, array.statement, ";"));
        continue;
      }
      statement = declarator + " = " + shared_address(name) + ";";
    } else if (declared.insert(array.qualified_name).second) {
      statement = "static thread_local " + declarator + ";";
    }
    edits.push_back(replace_statement(text.source.tokens, array.statement, statement));
  }
}

void edit_noinline(const std::vector<Token>& tokens, std::size_t first, std::vector<TextEdit>& edits) {
  for (std::size_t i = first; i < tokens.size(); ++i) {
    const bool attribute = i > 0 && (tokens[i - 1].is("(") || tokens[i - 1].is(","));
    if (tokens[i].is("__noinline__") && !attribute) {
      edits.push_back({tokens[i].offset, tokens[i].text.size(), "__attribute__((noinline))"});
    }
  }
}

/// "__shared__ alignas(16) float s[4]": C++ wants the alignment first.
void edit_shared_alignment(const std::vector<Token>& tokens, std::vector<TextEdit>& edits) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].is("__shared__") || !tokens[i + 1].is("alignas")) continue;
    const std::size_t first = i > 0 && tokens[i - 1].is("static") ? i - 1 : i;
    if (first > 0 && tokens[first - 1].is("extern")) continue;
    const std::size_t close = matching_close(tokens, i + 2);
    std::string alignment;
    for (std::size_t t = i + 1; t <= close && t < tokens.size(); ++t) (alignment += tokens[t].text) += " ";
    const std::size_t begin = tokens[i + 1].offset;
    edits.push_back({tokens[first].offset, 0, alignment});
    edits.push_back({begin, tokens[close].end() - begin, ""});
  }
}

void edit_unroll(const Directive& directive, std::vector<TextEdit>& edits) {
  const std::vector<Token>& tokens = directive.tokens;
  if (tokens.size() < 3 || !tokens[0].is("pragma") || !tokens[1].is("unroll")) return;
  const bool bracketed = tokens[2].is("(") && tokens.size() == 5;
  const Token& factor = tokens[bracketed ? 3 : 2];
  const std::size_t begin = directive.offset;
  std::string replacement;  // an expression as factor is a hint, which GCC does not accept
  if (factor.kind == Token::Kind::kNumber && (bracketed || tokens.size() == 3)) {
    replacement = "#pragma GCC unroll " + std::string(factor.text);
  }
  edits.push_back({begin, tokens.back().end() - begin, replacement});
}

/// `extern __device__ __device_builtin__ void __syncthreads(void);`: the shim has what CUDA has built in.
void edit_built_ins(const std::vector<Token>& tokens, std::vector<TextEdit>& edits) {
  std::size_t begin = 0;  // of a statement
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is(";") || tokens[i].is("{") || tokens[i].is("}")) {
      begin = i + 1;
    } else if (tokens[i].is("__device_builtin__") && tokens[begin].is("extern")) {
      std::size_t end = i;
      while (end < tokens.size() && !tokens[end].is(";") && !tokens[end].is("{")) ++end;
      if (end == tokens.size() || !tokens[end].is(";")) return;
      edits.push_back({tokens[begin].offset, tokens[end].end() - tokens[begin].offset, ""});
      i = end - 1;
    }
  }
}

/// `static_assert(__CUDA_ARCH__ >= 800, "...")`: what a text asks of a GPU, no CPU has.
void edit_checks_of_gpus(const std::vector<Token>& tokens, std::vector<TextEdit>& edits) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].is("static_assert") || !tokens[i + 1].is("(")) continue;
    const std::size_t close = tokens[i + 1].close;
    for (std::size_t t = i + 2; t < close && close < tokens.size() && !tokens[t].is(","); ++t) {
      if (!tokens[t].is("__CUDA_ARCH__")) continue;
      const std::size_t begin = tokens[i + 1].end();
      edits.push_back({begin, tokens[close].offset - begin, "true, \"\""});
      break;
    }
  }
}

/// `class __half;` of a text that has not included <cuda_fp16.h> yet: the shim's type is an instance of a
/// template.
void edit_small_float_declarations(const std::vector<Token>& tokens, std::vector<TextEdit>& edits) {
  static const std::map<std::string_view, std::string_view> types = {
      {"__half", "DeviceFloat<kiln::HalfFormat>"},
      {"__half2", "DevicePair<kiln::HalfFormat>"},
      {"__nv_bfloat16", "DeviceFloat<kiln::Bfloat16Format>"},
      {"__nv_bfloat162", "DevicePair<kiln::Bfloat16Format>"}};
  int depth = 0;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    depth += tokens[i].is("{") ? 1 : tokens[i].is("}") ? -1 : 0;
    const auto type = types.find(tokens[i + 1].text);
    const bool begins = i == 0 || tokens[i - 1].is(";") || tokens[i - 1].is("}");
    if (depth != 0 || type == types.end() || !begins || !tokens[i + 2].is(";")) continue;
    if (!tokens[i].is("class") && !tokens[i].is("struct")) continue;
    const std::string declaration =
        "namespace kiln { struct HalfFormat; struct Bfloat16Format; template <class> struct DeviceFloat; "
        "template <class> struct DevicePair; } using " +
        std::string(type->first) + " = kiln::" + std::string(type->second) + ";";
    edits.push_back({tokens[i].offset, tokens[i + 2].end() - tokens[i].offset, declaration});
  }
}

}  // namespace

std::vector<TextEdit> host_edits(const Outline& text, std::string_view original, bool gcc, HostParts parts) {
  std::vector<TextEdit> edits;
  if (parts == HostParts::kAll) edits = mark_lane_indices(text);
  edit_dynamic_shared(text, edits);
  if (original.find("__device_builtin__") != std::string_view::npos)
    edit_built_ins(text.source.tokens, edits);
  if (original.find("static_assert") != std::string_view::npos)
    edit_checks_of_gpus(text.source.tokens, edits);
  if (original.find("__half") != std::string_view::npos || original.find("__nv_b") != std::string_view::npos)
    edit_small_float_declarations(text.source.tokens, edits);
  if (original.find("alignas") != std::string_view::npos) edit_shared_alignment(text.source.tokens, edits);
  if (original.find("__noinline__") != std::string_view::npos) {
    edit_noinline(text.source.tokens, 0, edits);
    for (const Directive& directive : text.source.directives) {  // of a macro's text, not its name
      const bool defines = !directive.tokens.empty() && directive.tokens[0].is("define");
      if (defines) edit_noinline(directive.tokens, 2, edits);
    }
  }
  for (TextEdit& edit : rename_shadowing_parameters(text.source.tokens)) edits.push_back(std::move(edit));
  if (gcc) {
    for (const Directive& directive : text.source.directives) edit_unroll(directive, edits);
  }
  for (const std::size_t token : text.instantiated_kernels) {
    edits.push_back({text.source.tokens[token].offset, text.source.tokens[token].text.size(), ""});
  }
  return edits;
}

std::string dynamic_shared_assignments(const Outline& text) {
  std::set<std::string> names;
  std::string result;
  for (const DynamicSharedArray& array : text.dynamic_shared) {
    if (!array.at_namespace_scope || !names.insert(array.qualified_name).second) continue;
    const std::string name = "::" + array.qualified_name;
    result.append(name).append(" = ").append(shared_address(name)).append(";\n");
  }
  return result;
}

}  // namespace kiln
