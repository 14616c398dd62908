// Parts of the CPU's shim that a unit is spared where its text names nothing of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "compile/cpu/embedded_shim.h"
#include "support/cpu_kernels.h"

namespace kiln::test {
namespace {

/// Names that a part defines for kernels: its functions, and what its macros define by their first argument.
std::vector<std::string> defined_names(const std::string& text) {
  std::vector<std::string> names;
  const std::regex function(R"(^ *KILN_SHIM [^\n(]*?(\w+)\()",
                            std::regex::ECMAScript | std::regex::multiline);
  const std::regex macro(R"(^(?:KILN_[A-Z_]+\(|#define )(\w+))",
                         std::regex::ECMAScript | std::regex::multiline);
  for (const std::regex& pattern : {function, macro}) {
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
      const std::string name = (*at)[1];
      const bool own = name.starts_with("KILN_") || name == "name" || name.starts_with("_r");  // of a macro
      const bool type = name == "int" || name == "unsigned" || name == "long";
      if (!own && !type && !name.starts_with("__builtin_")) names.push_back(name);
    }
  }
  return names;
}

TEST(ShimParts, AreInATextThatNamesWhatTheyDefine) {
  int checked = 0;
  for (const ShimPart& part : cpu_shim_parts()) {
    if (part.names.empty()) continue;
    ++checked;
    const std::vector<std::string> names = defined_names(std::string(part.text));
    EXPECT_GT(names.size(), 10U) << part.name;
    for (const std::string& name : names) {
      // A text is preprocessed: of macros for other functions nothing is left.
      if (part.text.find("#define " + name + " ") != std::string_view::npos) continue;
      EXPECT_TRUE(std::any_of(part.names.begin(), part.names.end(),
                              [&](std::string_view word) { return name.starts_with(word); }))
          << part.name << " defines " << name;
    }
  }
  EXPECT_EQ(checked, 4);
}

/// The unit of a split kernel has only the parts that it needs, and still runs.
TEST(ShimParts, OfASplitKernelDefineWhatItsHelpersNeed) {
  CpuKernels kernels;
  DeviceFunction& k = kernels.build(
      "__device__ int bits(unsigned x) { return __popc(x); }\n"
      "__global__ void other(int* out) { __shared__ int s[4]; s[0] = 1; __syncthreads(); out[0] = s[0]; }\n"
      "__global__ void k(int* out) {\n"
      "  __shared__ int sum;\n"
      "  if (threadIdx.x == 0) sum = 0;\n"
      "  __syncthreads();\n"
      "  atomicAdd(&sum, bits(threadIdx.x));\n"
      "  __syncthreads();\n"
      "  out[threadIdx.x] = sum;\n"
      "}\n",
      "k");
  EXPECT_EQ(k.attributes().fibers_because.value_or(""), "");
  std::vector<int> out(64);
  kernels.run(k, {{1, 1, 1}, {64, 1, 1}, 0}, out.data());
  EXPECT_EQ(out, std::vector<int>(64, 6 * 32));
}

}  // namespace
}  // namespace kiln::test
