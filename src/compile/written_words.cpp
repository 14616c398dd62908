#include "compile/written_words.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "base/whole_word.h"
#include "specialize/params_struct.h"

namespace kiln {
namespace {

/// Types of C++ and CUDA that arguments of templates name.
constexpr std::array<const char*, 32> kTypes = {
    "bool",     "char",     "short",    "int",    "long",    "unsigned", "signed",        "float",
    "double",   "void",     "size_t",   "int8_t", "int16_t", "int32_t",  "int64_t",       "uint8_t",
    "uint16_t", "uint32_t", "uint64_t", "float2", "float3",  "float4",   "double2",       "int2",
    "int4",     "uint2",    "uint4",    "half",   "__half",  "__half2",  "__nv_bfloat16", "dim3"};

/// Options of NVRTC, which proposes none itself, as g++ and clang do.
constexpr std::array<const char*, 42> kNvrtcOptions = {"--gpu-architecture",
                                                       "--device-c",
                                                       "--device-debug",
                                                       "--generate-line-info",
                                                       "--dopt",
                                                       "--Ofast-compile",
                                                       "--ptxas-options",
                                                       "--maxrregcount",
                                                       "--ftz",
                                                       "--prec-sqrt",
                                                       "--prec-div",
                                                       "--fmad",
                                                       "--use_fast_math",
                                                       "--extra-device-vectorization",
                                                       "--dlink-time-opt",
                                                       "--define-macro",
                                                       "--undefine-macro",
                                                       "--include-path",
                                                       "--pre-include",
                                                       "--no-source-include",
                                                       "--std",
                                                       "--builtin-move-forward",
                                                       "--builtin-initializer-list",
                                                       "--disable-warnings",
                                                       "--restrict",
                                                       "--device-as-default-execution-space",
                                                       "--optimization-info",
                                                       "--display-error-number",
                                                       "--no-display-error-number",
                                                       "--diag-error",
                                                       "--diag-suppress",
                                                       "--diag-warn",
                                                       "--brief-diagnostics",
                                                       "--time",
                                                       "--split-compile",
                                                       "--fdevice-syntax-only",
                                                       "--minimal",
                                                       "--no-cache",
                                                       "--frandom-seed",
                                                       "--relocatable-device-code",
                                                       "--jump-table-density",
                                                       "--version-ident"};

std::vector<std::string> error_lines(const Diagnostic& diagnostic) {
  std::vector<std::string> lines = split(diagnostic.log, '\n');
  lines.push_back(diagnostic.summary);
  std::erase_if(lines, [](const std::string& line) { return line.find("error") == std::string::npos; });
  for (std::string& line : lines) line.resize(std::min(line.find("did you mean"), line.size()));
  return lines;
}

/// Without the name of the warning, "[-Werror=unused-variable]", whose words are not the text's.
std::string_view without_warning_name(std::string_view line) {
  return line.substr(0, line.find("[-W"));
}

/// The file that Kiln's own lines behind a text have.
constexpr std::string_view kFunctions = "kiln functions";

std::set<std::string> names_of_texts(const Specialization& specialization) {
  const std::string& text = specialization.source_text;
  std::set<std::string> names =
      identifiers_in(text.substr(0, text.find("#line 1 \"" + std::string(kFunctions) + "\"")));
  names.merge(identifiers_in(specialization.params_header));
  for (const IncludedHeader& header : specialization.headers) names.merge(identifiers_in(header.text));
  for (const auto& [name, value] : specialization.defines) names.insert(name);
  return names;
}

/// An option up to its value.
std::string bare_option(const std::string& option) {
  return option.substr(0, option.find('='));
}

struct Cause {
  const WrittenWords* words = nullptr;
  std::string name;  ///< of them, the one that the compiler does not know
  std::vector<std::string> candidates;
};

Cause find_option(const std::vector<std::string>& lines, const Specialization& specialization) {
  for (const WrittenWords& words : specialization.written) {
    if (!words.option || words.text.size() < 2) continue;
    const bool named = std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return has_word(line, words.text) || has_word(line, bare_option(words.text));
    });
    if (!named) continue;
    Cause cause{&words, bare_option(words.text), {}};
    if (specialization.target.backend == "cuda")
      cause.candidates.assign(kNvrtcOptions.begin(), kNvrtcOptions.end());
    return cause;
  }
  return {};
}

/// A function that is passed to a kernel, in Kiln's own line for it: all its names may be known, as the names
/// of a template without its arguments are.
Cause find_function(const Diagnostic& diagnostic, const Specialization& specialization) {
  const auto of_functions = [](const std::string& line) { return line.starts_with(kFunctions); };
  const std::vector<std::string> lines = error_lines(diagnostic);
  if (std::none_of(lines.begin(), lines.end(), of_functions)) return {};
  std::vector<const WrittenWords*> functions;
  for (const WrittenWords& words : specialization.written) {
    const std::string use = " = &" + words.text + ";";
    if (!words.option && specialization.source_text.find(use) != std::string::npos)
      functions.push_back(&words);
  }
  for (const WrittenWords* words : functions) {
    if (functions.size() == 1 || has_word(diagnostic.log, words->text)) return {words, words->text, {}};
  }
  return {};
}

Cause find_name(const std::vector<std::string>& lines, const Specialization& specialization) {
  std::set<std::string> known = names_of_texts(specialization);
  known.insert(kTypes.begin(), kTypes.end());
  for (const WrittenWords& words : specialization.written) {
    if (words.option) continue;
    for (const std::string& name : identifiers_in(words.text)) {
      const bool named = !known.contains(name) && std::any_of(lines.begin(), lines.end(), [&](const auto& l) {
        return has_word(without_warning_name(l), name);
      });
      if (!named) continue;
      return {&words, name, {known.begin(), known.end()}};
    }
  }
  return {};
}

}  // namespace

void name_written_place(Diagnostic& diagnostic, const Specialization& specialization) {
  if (diagnostic.environment || specialization.written.empty()) return;
  const std::vector<std::string> lines = error_lines(diagnostic);
  Cause cause = find_option(lines, specialization);
  if (cause.words == nullptr) cause = find_name(lines, specialization);
  if (cause.words == nullptr) cause = find_function(diagnostic, specialization);
  if (cause.words == nullptr) return;
  const auto is_right = [&](const std::string& one) { return one == cause.name || one == "-" + cause.name; };
  if (std::any_of(cause.candidates.begin(), cause.candidates.end(), is_right)) cause.candidates.clear();
  const auto nearest = nearest_name(cause.name, cause.candidates);
  const std::string place = cause.words->where.to_string() + ": " + cause.words->key + ": " +
                            in_quotes(cause.name) +
                            (nearest ? ", did you mean " + in_quotes(*nearest) + "?" : "") + ": ";
  diagnostic.summary = place + diagnostic.summary;
}

}  // namespace kiln
