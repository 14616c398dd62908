#include "compile/hip/hipcc_compiler.h"

#include "base/text.h"
#include "compile/hip/hip_product.h"
#include "compile/hip/hiprtc_unit.h"
#include "device/hip/code_object.h"
#include "kiln/error.h"

namespace kiln {
namespace {

/// hipRTC has HIP's own headers built in, hipcc reads them.
RtcUnit make_unit(const Specialization& specialization) {
  RtcUnit unit = make_hiprtc_unit(specialization, {});
  std::erase_if(unit.headers, [](const auto& header) { return header.first.starts_with("hip/"); });
  for (auto& [name, text] : unit.headers) {
    if (name == "cuda_fp16.h") text = "#include <hip/hip_fp16.h>\n";
  }
  unit.text = "#include <hip/hip_runtime.h>\n" + unit.text;
  return unit;
}

std::vector<std::string> hipcc_options(const Specialization& specialization) {
  std::vector<std::string> options = {"-x", "hip", "-O3", "--offload-device-only", "--no-gpu-bundle-output"};
  for (std::string& option : hiprtc_options(specialization)) options.push_back(std::move(option));
  options.emplace_back("-c");
  return options;
}

CompileResult product(std::string binary, std::string log, const Specialization& specialization) {
  CodeObject object;
  object.binary = std::move(binary);
  object.log = std::move(log);
  return hip_product("hipcc", std::move(object), specialization);
}

Target target_for(const std::string& arch) {
  if (!arch.starts_with("gfx"))
    throw bad_input("unknown architecture '" + arch + "': hipcc knows gfx90a, gfx942, ...");
  return {"hip", arch, wavefront_size(arch)};
}

}  // namespace

std::unique_ptr<Compiler> make_hipcc_compiler(const std::string& program, const HipPlaces& places,
                                              ProgramCompilerOptions options, ProcessRunner& processes,
                                              FileSystem& files, Log& log) {
  CompilerRecipe recipe;
  recipe.name = "hipcc";
  recipe.programs = program.empty() ? hip_programs("hipcc", places, files) : std::vector{program};
  recipe.advice = program.empty() ? "looked in ROCM_PATH, HIP_PATH, PATH and /opt/rocm*; it goes with ROCm"
                                  : "'" + program + "' is not a program that can be run";
  recipe.version_in = [](const std::string& answer) { return split(answer, '\t').front(); };
  recipe.make_unit = make_unit;
  recipe.options = hipcc_options;
  recipe.source_file = "unit.hip";
  recipe.product = product;
  recipe.target_for = target_for;
  return make_program_compiler(std::move(recipe), std::move(options), processes, files, log);
}

}  // namespace kiln
