#include "specialize/nvcc_words.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "specialize/declarations.h"

namespace kiln {
namespace {

/// Votes without a mask, which CUDA has not since compute capability 7.0.
constexpr std::array<std::string_view, 3> kVotes = {"__any", "__all", "__ballot"};

/// What nvcc defines in front of a text and other compilers do not.
constexpr std::array<std::string_view, 3> kDefined = {"__NVCC__", "__VECTOR_TYPES_H__",
                                                      "__VECTOR_FUNCTIONS_H__"};

template <std::size_t N>
bool has_one_of(const std::array<std::string_view, N>& words, const std::string& text) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

bool is_defined_by_nvcc(const Token& token) {
  return std::find(kDefined.begin(), kDefined.end(), token.text) != kDefined.end();
}

bool is_vote(const Token& token) {
  return std::find(kVotes.begin(), kVotes.end(), token.text) != kVotes.end();
}

bool is_conditional(const Directive& directive) {
  return !directive.tokens.empty() &&
         (directive.tokens[0].text.starts_with("if") || directive.tokens[0].text.starts_with("elif"));
}

/// Votes that the text defines for itself, as functions or macros.
void add_own(const std::vector<Declaration>& declarations, std::set<std::string_view>& own) {
  for (const Declaration& declaration : declarations) {
    add_own(declaration.members, own);
    if (!declaration.parameters.empty() && !declaration.names.empty()) own.insert(declaration.names.front());
  }
}

void translate_votes(const std::vector<Token>& tokens, const std::set<std::string_view>& own,
                     std::vector<TextEdit>& edits) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!is_vote(tokens[i]) || !tokens[i + 1].is("(") || own.contains(tokens[i].text)) continue;
    edits.push_back({tokens[i].offset, tokens[i + 1].end() - tokens[i].offset,
                     std::string(tokens[i].text) + "_sync(__activemask(), "});
  }
}

/// "const __restrict__ float2* a": nvcc passes over the word where it stands in front of a type.
void leave_out_restrict(const std::vector<Token>& tokens, std::vector<TextEdit>& edits) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i].is("const") && tokens[i + 1].is("__restrict__") && tokens[i + 2].identifier() &&
        !tokens[i + 2].is("const") && (i == 0 || tokens[i - 1].is("(") || tokens[i - 1].is(",")))
      edits.push_back({tokens[i + 1].offset, tokens[i + 1].text.size(), ""});
  }
}

/// "uint32_t __restrict__ n": nvcc and g++ take the word where no pointer is, clang does not.
void leave_out_restrict_of_values(std::string& text) {
  if (text.find("__restrict__") == std::string::npos) return;
  const TokenizedText source = tokenize(text);
  std::vector<TextEdit> edits;
  leave_out_restrict(source.tokens, edits);
  for (std::size_t i = 1; i + 1 < source.tokens.size(); ++i) {
    const Token &before = source.tokens[i - 1], &word = source.tokens[i];
    if (word.is("__restrict__") && before.identifier() && !before.is("const") &&
        source.tokens[i + 1].identifier())
      edits.push_back({word.offset, word.text.size(), ""});
  }
  if (!edits.empty()) text = apply_edits(std::string(text), std::move(edits));
}

void translate(std::string& text) {
  const bool has_vote = has_one_of(kVotes, text);
  const bool has_restrict = text.find("const __restrict__ ") != std::string::npos;
  if (!has_vote && !has_restrict && !has_one_of(kDefined, text)) return;
  const TokenizedText source = tokenize(text);
  std::set<std::string_view> own;
  if (has_vote) add_own(read_declarations(source), own);
  for (const Directive& directive : source.directives) {
    const bool defines = directive.tokens.size() > 1 && directive.tokens[0].is("define");
    if (defines) own.insert(directive.tokens[1].text);
  }
  std::vector<TextEdit> edits;
  translate_votes(source.tokens, own, edits);
  if (has_restrict) leave_out_restrict(source.tokens, edits);
  for (const Directive& directive : source.directives) {
    if (!is_conditional(directive)) translate_votes(directive.tokens, own, edits);
    for (const Token& token : directive.tokens) {
      if (is_conditional(directive) && is_defined_by_nvcc(token))
        edits.push_back({token.offset, token.text.size(), "__CUDACC__"});
    }
  }
  if (!edits.empty()) text = apply_edits(std::string(text), std::move(edits));
}

struct CompilerMacro {
  std::string_view name;
  const char *instead, *value;
};

/// Macros of g++ on x86-64, which nvcc has, too. Defined for whole texts they would change CUDA's headers.
constexpr std::array<CompilerMacro, 5> kCompiler = {{{"__GNUC__", "KILN_GNUC", "12"},
                                                     {"__GNUC_MINOR__", "KILN_GNUC_MINOR", "2"},
                                                     {"__GNUG__", "KILN_GNUC", "12"},
                                                     {"__x86_64__", "KILN_X86_64", "1"},
                                                     {"__x86_64", "KILN_X86_64", "1"}}};

bool name_compiler(std::string& text) {
  const TokenizedText source = tokenize(text);
  std::vector<TextEdit> edits;
  for (const Directive& directive : source.directives) {
    if (!is_conditional(directive)) continue;
    for (const Token& token : directive.tokens) {
      const auto found = std::find_if(kCompiler.begin(), kCompiler.end(),
                                      [&](const CompilerMacro& macro) { return token.is(macro.name); });
      if (found != kCompiler.end()) edits.push_back({token.offset, token.text.size(), found->instead});
    }
  }
  if (edits.empty()) return false;
  text = apply_edits(std::string(text), std::move(edits));
  return true;
}

/// A statement `__constant__ float table[4];`, which may begin with `extern` or `extern "C"`.
struct VariableStatement {
  std::string name;
  std::size_t begin = 0;
  std::size_t words_of_extern = 0;  ///< tokens
  bool sized = true;                ///< not `[]`
};

std::optional<VariableStatement> device_variable(const std::vector<Token>& tokens, std::size_t begin,
                                                 std::size_t end) {
  VariableStatement found;
  found.begin = begin;
  if (tokens[begin].is("extern")) found.words_of_extern = 1;
  if (found.words_of_extern == 1 && begin + 1 < end && tokens[begin + 1].kind == Token::Kind::kString)
    found.words_of_extern = 2;
  bool of_device = false;
  for (std::size_t i = begin + found.words_of_extern; i < end; ++i) {
    const Token& token = tokens[i];
    if (token.is("__shared__") || token.is("__global__") || token.is("typedef")) return std::nullopt;
    of_device = of_device || token.is("__constant__") || token.is("__device__") || token.is("__managed__");
    const bool alignment = i > begin && (tokens[i - 1].is("alignas") || tokens[i - 1].is("__align__"));
    if (token.is("(") && !alignment) return std::nullopt;  // a function
    if (token.is("(") && token.close < end) {
      i = token.close;
    } else if (token.is("[") || token.is("=") || token.is("{") || token.is(",")) {
      found.sized = !token.is("[") || token.close != i + 1;
      break;
    } else if (token.identifier()) {
      found.name = std::string(token.text);
    }
  }
  return of_device && !found.name.empty() ? std::optional(found) : std::nullopt;
}

}  // namespace

void define_external_variables(const std::vector<std::string*>& texts) {
  std::set<std::string> defined;
  std::map<std::string, std::size_t> declared, named;  // how often
  for (const bool collects : {true, false}) {
    for (std::string* text : texts) {
      if (text->find("extern") == std::string::npos && !collects) continue;
      if (text->find("__constant__") == std::string::npos && text->find("__device__") == std::string::npos &&
          text->find("__managed__") == std::string::npos)
        continue;
      const TokenizedText source = tokenize(*text);
      const std::vector<Token>& tokens = source.tokens;
      std::vector<TextEdit> edits;
      std::size_t begin = 0;
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool block = tokens[i].is("{") || tokens[i].is("}");
        if (!block && !tokens[i].is(";")) continue;
        const auto variable =
            !tokens[i].is("}") && begin < i ? device_variable(tokens, begin, i) : std::nullopt;
        begin = i + 1;
        if (!variable) continue;
        const bool external = variable->words_of_extern > 0;
        if (collects && !external) defined.insert(variable->name);
        if (collects && external) ++declared[variable->name];
        if (collects || !external || !tokens[i].is(";") || !variable->sized ||
            named[variable->name] <= declared[variable->name])
          continue;
        const Token &first = tokens[variable->begin],
                    &last = tokens[variable->begin + variable->words_of_extern - 1];
        const bool is_first = defined.insert(variable->name).second;
        if (!is_first) continue;
        edits.push_back(
            {first.offset, last.end() - first.offset, std::string(last.end() - first.offset, ' ')});
      }
      if (!edits.empty()) *text = apply_edits(std::string(*text), std::move(edits));
    }
    if (declared.empty()) return;
    for (const std::string* text : texts) {
      const TokenizedText source = collects ? tokenize(*text) : TokenizedText();
      for (const Token& token : source.tokens) {
        if (const auto one = declared.find(std::string(token.text)); one != declared.end())
          ++named[one->first];
      }
    }
  }
}

std::optional<Specialization> with_compiler_of_nvcc(const Specialization& specialization) {
  Specialization result = specialization;
  bool asks = name_compiler(result.source_text);
  for (IncludedHeader& header : result.headers) asks = name_compiler(header.text) || asks;
  if (!asks) return std::nullopt;
  for (const CompilerMacro& macro : kCompiler) {
    const bool again = std::any_of(result.defines.begin(), result.defines.end(),
                                   [&](const auto& one) { return one.first == macro.instead; });
    if (!again) result.defines.emplace_back(macro.instead, macro.value);
  }
  return result;
}

void translate_nvcc_words(Specialization& specialization) {
  const auto change = specialization.target.backend == "hip" ? leave_out_restrict_of_values : translate;
  change(specialization.source_text);
  std::vector<std::string*> texts = {&specialization.source_text};
  for (IncludedHeader& header : specialization.headers) {
    change(header.text);
    texts.push_back(&header.text);
  }
  define_external_variables(texts);
}

}  // namespace kiln
