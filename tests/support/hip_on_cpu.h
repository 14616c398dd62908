#pragma once

#include <string>

#include "compile/hip/hiprtc_unit.h"
#include "specialize/ptx_words.h"
#include "support/cpu_kernels.h"

namespace kiln::test {

/// A text with PTX as it is translated for HIP, to be compiled for the cpu: with the functions of namespace
/// kiln_cuda, whose numbers of 16 bits and addresses of shared memory are the cpu's here, and HIP's <mma.h>.
/// As fibers, because the lanes meet in these functions.
[[nodiscard]] inline Specialization hip_on_cpu(CpuKernels& kernels, const std::string& text) {
  Specialization one = kernels.specialize(ptx_as_hip(text, "kernel.cu"), "k");
  EXPECT_EQ(one.source_text.find("asm"), std::string::npos) << one.source_text;
  one.options = {"-DKILN_FIBERS"};
  constexpr const char *kName = "kiln/cuda_functions.h", *kMatrices = "mma.h";
  Specialization asked = one;
  if (text.find("<mma.h>") != std::string::npos) asked.unseen_headers = {kMatrices};
  bool functions = false;
  for (const auto& [name, header] : make_hiprtc_unit(asked, {}).headers) {
    if (name == kName || name == kMatrices) one.headers.push_back({name, "/" + name, header});
    functions = functions || name == kName;
  }
  if (!functions) return one;
  one.source_text.insert(
      0,
      "#include <cuda_fp16.h>\n#define KILN_CUDA_FUNCTIONS_FOR_CPU\n"
      "#define KILN_FLOAT_OF_HALF(bits) __half2float(__ushort_as_half(static_cast<unsigned short>(bits)))\n"
      "#define KILN_HALF_OF_FLOAT(value) static_cast<unsigned>(__half_as_ushort(__float2half(value)))\n"
      "namespace kiln_cuda {\nusing ::__cvta_generic_to_shared;\nusing ::__cvta_shared_to_generic;\n}\n"
      "#include \"" +
          std::string(kName) + "\"\n");
  return one;
}

}  // namespace kiln::test
