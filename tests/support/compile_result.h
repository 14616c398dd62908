#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compile/compiler.h"

namespace kiln::test {

/// The code of a compile that must succeed; a failed test and no code otherwise.
inline CodeObject code_of(CompileResult result) {
  if (const auto* diagnostic = std::get_if<Diagnostic>(&result)) {
    ADD_FAILURE() << diagnostic->summary << "\n" << diagnostic->log;
    return {};
  }
  return std::get<CodeObject>(std::move(result));
}

/// The diagnostic of a compile that must fail; otherwise a failed test and an empty one.
inline Diagnostic diagnostic_of(CompileResult result) {
  if (auto* diagnostic = std::get_if<Diagnostic>(&result)) return std::move(*diagnostic);
  ADD_FAILURE() << "it compiled";
  return {};
}

/// `entries` of a text "kernel.cu" whose `Params` has the constant n = 64.
inline Specialization specialization_of(const std::string& text, const std::vector<std::string>& entries,
                                        const Target& target) {
  Specialization specialization;
  specialization.source_name = "kernel.cu";
  specialization.source_text = text;
  specialization.params_header =
      "#pragma once\n#include \"kiln/portable.h\"\nstruct Params { static constexpr int n = 64; };\n";
  for (const std::string& entry : entries) specialization.entries.push_back({entry, std::nullopt, ""});
  specialization.target = target;
  return specialization;
}

}  // namespace kiln::test
