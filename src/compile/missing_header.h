#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "specialize/specialization.h"

namespace kiln {

/// The header that a compiler's log says is not there, in the words of NVRTC, g++ or clang.
[[nodiscard]] std::optional<std::string> missing_header_in(const std::string& log);

/// Whether a compile may go on without this header: the text is a whole program whose host code is left out
/// and includes it by that name, and it is neither one of CUDA's or HIP's nor of the standard library, which
/// say what to install.
[[nodiscard]] bool may_be_left_out(const Specialization& specialization, const std::string& header);

/// The same with an empty header of that name.
[[nodiscard]] Specialization without_header(Specialization specialization, const std::string& header);

/// "'helper.h' was not found and is left out", of one or more; empty for none.
[[nodiscard]] std::string left_out_headers(const std::vector<std::string>& headers);

/// Of a failed compile's log, where the text uses a built-in function of AMD's compiler on another back end:
/// a sentence that says so; empty for all else.
[[nodiscard]] std::string advice_on_amd_builtins(const Specialization& specialization,
                                                 const std::string& log);

/// Of a failed compile's log that names one of CUB's algorithms for the whole device: a sentence that says
/// what they are; empty for all else.
[[nodiscard]] std::string advice_on_device_algorithms(const std::string& log);

/// Calls `compile` with the specialization; where that fails for a header that may be left out, again without
/// the header. The headers that were not there are added to the result: to a failure's summary, and to the
/// log of code.
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
    for (const std::string& advice : {advice_on_amd_builtins(specialization, diagnostic->log),
                                      advice_on_device_algorithms(diagnostic->log)}) {
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
