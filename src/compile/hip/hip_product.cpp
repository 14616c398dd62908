#include "compile/hip/hip_product.h"

#include "compile/hip/hiprtc_unit.h"
#include "compile/lowered_names.h"
#include "device/hip/code_object.h"
#include "specialize/symbol_expression.h"

namespace kiln {
namespace {

Diagnostic refuse(const std::string& compiler, const std::string& problem, const std::string& log) {
  Diagnostic diagnostic;
  diagnostic.summary = compiler + "'s product cannot be used: " + problem;
  diagnostic.log = diagnostic.summary + "\n" + log;
  return diagnostic;
}

std::string no_kernel(const std::string& symbol, const std::string& expression) {
  return "its code has no kernel '" + symbol + "' for '" + expression + "'";
}

}  // namespace

CompileResult hip_product(const std::string& compiler, CodeObject object,
                          const Specialization& specialization) {
  object.format = "code_object";
  const auto read = read_code_object(object.binary);
  if (const auto* problem = std::get_if<std::string>(&read)) return refuse(compiler, *problem, object.log);
  const auto& contents = std::get<HipCodeObject>(read);
  if (!isa_fits(contents.isa, specialization.target.arch)) {
    return refuse(compiler, "its code is for " + contents.isa + ", not for " + specialization.target.arch,
                  object.log);
  }
  if (object.lowered_names.empty()) {
    std::vector<std::string> symbols;
    for (const auto& [symbol, kernel] : contents.kernels) symbols.push_back(symbol);
    auto names = find_lowered_names(specialization.entries, symbols, specialization.source_text);
    if (const auto* problem = std::get_if<1>(&names)) return refuse(compiler, *problem, object.log);
    object.lowered_names = std::move(std::get<0>(names));
  }
  const int wavefront = compiled_wavefront_size(specialization);
  for (const auto& [expression, symbol] : object.lowered_names) {
    if (names_variable(expression)) continue;
    const auto kernel = contents.kernels.find(symbol);
    if (kernel == contents.kernels.end()) {
      return refuse(compiler, no_kernel(symbol, expression), object.log);
    }
    if (kernel->second.wavefront_size != wavefront) {
      return refuse(compiler,
                    "'" + symbol + "' has wavefronts of " + std::to_string(kernel->second.wavefront_size) +
                        " work-items, but kiln::warp_size was " + std::to_string(wavefront),
                    object.log);
    }
    const FunctionAttributes& use = kernel->second.attributes;
    object.resources[expression] = {use.registers, use.static_shared_bytes, use.local_bytes};
  }
  return object;
}

}  // namespace kiln
