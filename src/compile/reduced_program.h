#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compile/unsupported.h"
#include "specialize/failed_host_code.h"
#include "specialize/nvcc_words.h"
#include "specialize/specialization.h"

namespace kiln {

/// The header that a compiler's log reports as missing, in the words of NVRTC, g++ or clang.
[[nodiscard]] std::optional<std::string> missing_header_in(const std::string& log);

/// Whether a compile may go on without this header. The text is then a whole program whose host code is left
/// out and includes it by that name. A header of CUDA, HIP or the standard library is never left out: the
/// message for it says what to install.
[[nodiscard]] bool may_be_left_out(const Specialization& specialization, const std::string& header);

/// The specialization with an empty header of that name.
[[nodiscard]] Specialization without_header(Specialization specialization, const std::string& header);

/// "'helper.h' was not found and is left out", for one or more headers; empty for an empty list.
[[nodiscard]] std::string left_out_headers(const std::vector<std::string>& headers);

/// "<set> is no header of this compiler and is left out as host code"; empty for an empty list.
[[nodiscard]] std::string left_out_headers_of_std(const std::vector<std::string>& headers);

/// A sentence for a failed compile whose text uses a built-in function of AMD's compiler on another back end;
/// empty for all other logs.
[[nodiscard]] std::string advice_on_amd_builtins(const Specialization& specialization,
                                                 const std::string& log);

/// A sentence for a failed compile whose log names one of CUB's algorithms for the whole device; empty for
/// all other logs.
[[nodiscard]] std::string advice_on_device_algorithms(const std::string& log);

/// The lines in which a compiler has found errors, in the words of NVRTC, g++ or clang.
[[nodiscard]] std::vector<TextLine> error_lines_in(const std::string& log);

/// The names that a compiler does not know, in the words of NVRTC, g++ or clang, with their lines.
[[nodiscard]] std::vector<UnknownName> unknown_names_in(const std::string& log);

/// The functions that are defined again although Kiln's own headers have them.
[[nodiscard]] std::vector<Redefinition> redefinitions_in(const std::string& log);

/// "'__hmax_nan' is defined by CUDA, too, and left out"; empty for an empty list.
[[nodiscard]] std::string left_out_redefinitions(const std::vector<std::string>& names);

/// "'filter' does not compile and is left out, because no kernel that is compiled here uses it"; empty for an
/// empty list.
[[nodiscard]] std::string left_out_unreached(const std::vector<std::string>& names);

/// "'Logger', 'load' do not compile for a device and are left out as host code"; empty for an empty list.
[[nodiscard]] std::string left_out_declarations(const std::vector<std::string>& names);

/// "'ns::x' is no variable of the kernel text and its headers", for one or more; empty for an empty list.
[[nodiscard]] std::string left_out_variables(const std::vector<std::string>& names);

/// What a compile of a whole program goes on without.
struct LeftOut {
  std::vector<std::string> headers, declarations;
  std::vector<std::string> variables;  ///< of the workload's `symbols` that the texts do not have
  std::vector<std::string> of_std;     ///< headers of the standard library that the compiler does not have
  std::vector<std::string> redefined;  ///< functions for the device
  std::vector<std::string> unreached;  ///< what no kernel uses
  int rounds = 0;                      ///< in which declarations were left out

  [[nodiscard]] bool host_code() const {
    return !declarations.empty() || !of_std.empty() || !unreached.empty();
  }
};

/// Leaves out of a whole program, whose compile has failed, the header that is missing or has errors, the
/// entries of variables that are not there, or the host code with the errors; or defines functions of the
/// runtime for the host that functions for both sides call; or leaves out functions for the device that
/// Kiln's headers have; or lets g++ take what nvcc takes. False: nothing of that helps.
[[nodiscard]] bool reduce_program(Specialization& specialization, const std::string& log, LeftOut& left_out);

/// Adds to the summary of a failure what is known of its causes.
template <class Failure>
void advise(const Specialization& specialization, Failure& diagnostic) {
  // What the compiler or the assembler says about a line that Kiln does not have misleads.
  const std::string cause = advice_on_unsupported(specialization, diagnostic.summary);
  if (!cause.empty()) diagnostic.summary = cause;
  for (const std::string& advice :
       {advice_on_amd_builtins(specialization, diagnostic.log), advice_on_device_algorithms(diagnostic.log),
        cause.empty() ? advice_on_unsupported(specialization, diagnostic.log) : std::string()}) {
    if (!advice.empty()) diagnostic.summary += "; " + advice;
  }
}

/// Calls `compile` with the specialization. If that fails for a header of a whole program that may be left
/// out, or for errors in its host code, calls it again without them. The result names what was left out: in
/// the summary of a failure the headers, and in the log of code. A failure is that of the last compile before
/// host code was left out.
template <class Compile>
auto compile_without_host_code(const Specialization& specialization, const Compile& compile) {
  LeftOut left_out;
  std::vector<std::string> headers;  // left out before host code was
  auto result = compile(specialization);
  std::optional<Specialization> reduced;
  std::optional<decltype(result)> failure;
  while (const auto* diagnostic = std::get_if<1>(&result)) {
    if (diagnostic->environment || diagnostic->compiler_fault) break;
    if (!reduced) reduced = specialization;
    const bool first = !left_out.host_code();
    const std::string log = diagnostic->log;
    if (!reduce_program(*reduced, log, left_out)) break;
    if (first && left_out.host_code()) failure = std::move(result);
    if (!failure) headers = left_out.headers;
    result = compile(static_cast<const Specialization&>(*reduced));
  }
  if (result.index() == 1 && failure) result = *std::move(failure);
  if (auto* diagnostic = std::get_if<1>(&result)) {
    advise(specialization, *diagnostic);
    if (!headers.empty()) diagnostic->summary += "; " + left_out_headers(headers);
    return result;
  }
  auto& code = std::get<0>(result);
  for (const std::string& note :
       {left_out_headers(left_out.headers), left_out_headers_of_std(left_out.of_std),
        left_out_declarations(left_out.declarations), left_out_variables(left_out.variables),
        left_out_redefinitions(left_out.redefined), left_out_unreached(left_out.unreached)}) {
    if (note.empty()) continue;
    if (!code.log.empty() && code.log.back() != '\n') code.log += '\n';
    code.log += note + "\n";
  }
  return result;
}

/// As compile_without_host_code. Where that fails by NVRTC, it is tried once more with the conditionals that
/// ask for the compiler of the host as nvcc takes them; a failure is the first one.
template <class Compile>
auto compile_reduced(const Specialization& specialization, const Compile& compile) {
  auto result = compile_without_host_code(specialization, compile);
  const auto* diagnostic = std::get_if<1>(&result);
  if (diagnostic == nullptr || diagnostic->environment || diagnostic->compiler_fault ||
      specialization.target.backend != "cuda")
    return result;
  const std::optional<Specialization> as_nvcc = with_compiler_of_nvcc(specialization);
  if (!as_nvcc) return result;
  auto second = compile_without_host_code(*as_nvcc, compile);
  return second.index() == 0 ? second : result;
}

}  // namespace kiln
