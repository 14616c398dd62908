#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compile/unsupported.h"
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

/// A sentence for a failed compile whose text uses a built-in function of AMD's compiler on another back end;
/// empty for all other logs.
[[nodiscard]] std::string advice_on_amd_builtins(const Specialization& specialization,
                                                 const std::string& log);

/// A sentence for a failed compile whose log names one of CUB's algorithms for the whole device; empty for
/// all other logs.
[[nodiscard]] std::string advice_on_device_algorithms(const std::string& log);

/// Calls `compile` with the specialization. If that fails for a header that may be left out, calls it again
/// without the header. The result names the missing headers: in the summary of a failure, and in the log of
/// code.
template <class Compile>
auto compile_without_missing_headers(const Specialization& specialization, const Compile& compile) {
  constexpr std::size_t kMostHeaders = 32;
  std::vector<std::string> missing;
  auto result = compile(specialization);
  Specialization reduced;
  while (const auto* diagnostic = std::get_if<1>(&result)) {
    const auto header = missing_header_in(diagnostic->log);
    const Specialization& last = missing.empty() ? specialization : reduced;
    if (!header || missing.size() == kMostHeaders || !may_be_left_out(last, *header)) break;
    reduced = without_header(last, *header);
    missing.push_back(*header);
    result = compile(static_cast<const Specialization&>(reduced));
  }
  if (auto* diagnostic = std::get_if<1>(&result)) {
    // What the compiler or the assembler says about a line that Kiln does not have misleads.
    const std::string cause = advice_on_unsupported(specialization, diagnostic->summary);
    if (!cause.empty()) diagnostic->summary = cause;
    for (const std::string& advice :
         {advice_on_amd_builtins(specialization, diagnostic->log),
          advice_on_device_algorithms(diagnostic->log),
          cause.empty() ? advice_on_unsupported(specialization, diagnostic->log) : std::string()}) {
      if (!advice.empty()) diagnostic->summary += "; " + advice;
    }
  }
  if (missing.empty()) return result;
  if (auto* diagnostic = std::get_if<1>(&result)) {
    diagnostic->summary += "; " + left_out_headers(missing);
  } else {
    auto& code = std::get<0>(result);
    if (!code.log.empty() && code.log.back() != '\n') code.log += '\n';
    code.log += left_out_headers(missing) + "\n";
  }
  return result;
}

}  // namespace kiln
