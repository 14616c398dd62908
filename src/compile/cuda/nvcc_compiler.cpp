#include "compile/cuda/nvcc_compiler.h"

#include "base/text.h"
#include "compile/cuda/cubin_resources.h"
#include "compile/cuda/nvrtc_unit.h"
#include "compile/lowered_names.h"
#include "device/cuda/arch_name.h"
#include "device/elf_file.h"
#include "kiln/error.h"

namespace kiln {
namespace {

/// "13.0.88" of "... Cuda compilation tools, release 13.0, V13.0.88 ...".
std::string version_in(const std::string& answer) {
  constexpr std::string_view kBefore = ", V";
  const std::size_t at = answer.find(kBefore);
  if (at == std::string::npos) return answer;
  const std::size_t begin = at + kBefore.size();
  return answer.substr(begin, answer.find_first_not_of("0123456789.", begin) - begin);
}

std::vector<std::string> nvcc_options(const Specialization& specialization) {
  const NvrtcArch arch{"-arch=" + compiled_arch(specialization), false, ""};
  std::vector<std::string> options = {"-cubin"};
  for (std::string& option : nvrtc_options(specialization, arch, {})) options.push_back(std::move(option));
  return options;
}

/// The kernels of a cubin, and other functions with code of their own.
std::vector<std::string> functions_of(const std::string& cubin) {
  constexpr std::string_view kText = ".text.";
  const ElfFile file(cubin);
  std::vector<std::string> names;
  for (const ElfFile::Section& section : file.sections()) {
    if (section.name.starts_with(kText)) names.emplace_back(section.name.substr(kText.size()));
  }
  return names;
}

CompileResult product(std::string binary, std::string log, const Specialization& specialization) {
  CodeObject object;
  object.format = "cubin";
  object.binary = std::move(binary);
  object.log = std::move(log);
  std::string problem;
  try {
    auto names =
        find_lowered_names(specialization.entries, functions_of(object.binary), specialization.source_text);
    if (auto* found = std::get_if<0>(&names)) {
      object.lowered_names = std::move(*found);
      object.resources = cubin_resources(object.binary, object.lowered_names);
      return object;
    }
    problem = std::get<1>(names);
  } catch (const BadElf& error) {
    problem = error.what();
  }
  return Diagnostic{"nvcc's product cannot be used: " + problem, object.log, ""};
}

Target target_for(const std::string& arch) {
  const auto name = parse_arch_name(arch);
  if (!name || name->prefix != "sm_") {
    const std::string likely = likely_arch_name(arch);
    throw bad_input("unknown architecture '" + arch + "'" +
                    (likely.empty() ? ": " : "; did you mean '" + likely + "'? ") +
                    "nvcc makes machine code for sm_80, sm_90a, ...");
  }
  return {"cuda", arch, 32};
}

}  // namespace

std::unique_ptr<Compiler> make_nvcc_compiler(const std::string& program, const CudaPlaces& places,
                                             ProgramCompilerOptions options, ProcessRunner& processes,
                                             FileSystem& files, Log& log) {
  CompilerRecipe recipe;
  recipe.name = "nvcc";
  recipe.programs = program.empty() ? cuda_programs("nvcc", places, files) : std::vector{program};
  recipe.advice = program.empty() ? "looked in CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda* and /opt/cuda*; "
                                    "it goes with a CUDA toolkit"
                                  : "'" + program + "' is not a program that can be run";
  recipe.version_in = version_in;
  recipe.make_unit = [](const Specialization& specialization) { return make_nvrtc_unit(specialization, {}); };
  recipe.options = nvcc_options;
  recipe.source_file = "unit.cu";
  recipe.product = product;
  recipe.target_for = target_for;
  return make_program_compiler(std::move(recipe), std::move(options), processes, files, log);
}

}  // namespace kiln
