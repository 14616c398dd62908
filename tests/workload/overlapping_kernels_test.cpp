// Kernels that may start before the launch before has ended read nothing through `const T* __restrict__` that
// a launch may have written (docs/workload_format.md, run).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/file.h"
#include "base/text.h"
#include "base/whole_word.h"
#include "workload/workload.h"

namespace kiln::test {
namespace {

/// The parameters of a kernel in its text, each with its type; empty if there is no definition.
std::vector<std::string> parameters_of(const std::string& text, const std::string& kernel) {
  for (std::size_t at = text.find(kernel + "("); at != std::string::npos;
       at = text.find(kernel + "(", at + 1)) {
    const bool part = at > 0 && text[at - 1] != ' ' && text[at - 1] != '\n';
    const std::size_t open = at + kernel.size(), close = text.find(')', open);
    if (!part && close != std::string::npos && text.find('{', close) == close + 2)
      return split(text.substr(open + 1, close - open - 1), ',');
  }
  return {};
}

TEST(OverlappingKernels, ReadOnlyConstantsThroughRestrictedPointers) {
  const auto files = make_real_file_system();
  std::set<std::string> seen;
  for (const char* name : {"gemm", "gemm_scaled", "conv2d", "layers", "resnet18"}) {
    const auto workload = load_workload_file(
        *files, std::string(KILN_SOURCE_DIR) + "/kernels_src/" + name + "/" + name + ".yaml");
    for (const KernelSpec& kernel : workload->kernels) {
      if (!kernel.overlap) continue;
      const std::string entry = kernel.entry.empty() ? kernel.name : kernel.entry;
      const std::string text = files->read_file((workload->directory / kernel.source).string()).value_or("");
      const std::vector<std::string> parameters = parameters_of(text, entry);
      EXPECT_FALSE(parameters.empty()) << name << " " << kernel.source << " " << entry;
      for (const std::string& parameter : parameters) {
        if (!has_word(parameter, "const") || !has_word(parameter, "__restrict__")) continue;
        EXPECT_TRUE(has_word(parameter, "bias")) << name << " " << kernel.name << ":" << parameter;
      }
      seen.insert(entry);
    }
  }
  EXPECT_THAT(seen, ::testing::IsSupersetOf({"gemm_wgmma", "gemm_fma_async", "add_splits", "conv2d_wgmma",
                                             "gemm_scaled_wgmma", "convolve_wgmma", "max_pool"}));
}

}  // namespace
}  // namespace kiln::test
