// Headers of libcu++ that the names of a text stand for.
#include "compile/cuda_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> implied(const std::string& text, const std::vector<std::string>& included = {},
                                 const std::string& lacks = "") {
  return implied_cuda_headers({"// nothing", text}, included,
                              [&](const std::string& name) { return name != lacks; });
}

TEST(CudaNames, OfEachHeader) {
  const struct {
    const char* text;
    std::vector<std::string> headers;
  } cases[] = {
      {"cuda::std::optional<int> a;", {"cuda/std/optional"}},
      {"return ::cuda::std::nullopt;", {"cuda/std/optional"}},
      {"a.load(cuda::memory_order_relaxed);", {"cuda/atomic"}},
      {"cuda::atomic_ref<int, cuda::thread_scope_device> r(x);", {"cuda/atomic"}},
      {"using o = cuda::std::optional<cuda::std::pair<int, int>>;",
       {"cuda/std/optional", "cuda/std/utility"}},
      {"x = cuda::std::clamp(x, 0, 1);", {"cuda/std/algorithm", "cuda/std/__algorithm/clamp.h"}},
      {"cuda::ceil_div(a, b)", {"cuda/cmath"}},
      {"using namespace cuda; cuda::barrier<cuda::thread_scope_block> b;", {"cuda/atomic", "cuda/barrier"}},
  };
  for (const auto& [text, headers] : cases) EXPECT_EQ(implied(text), headers) << text;
}

TEST(CudaNames, OfOtherNamespacesAndOfIncludedHeadersStandForNone) {
  for (const char* text :
       {"std::optional<int> a;", "cv::cuda::std::optional<int> a;", "mycuda::atomic x;", "cuda::mine(3);",
        "namespace cuda { template <class T> struct atomic {}; }\ncuda::atomic<int> a;",
        "namespace cuda = mine::cuda;\ncuda::atomic<int> a;", "T<int>::cuda::atomic x;"})
    EXPECT_THAT(implied(text), IsEmpty()) << text;
  EXPECT_THAT(implied("cuda::atomic<int> a;", {"cuda/atomic"}), IsEmpty());
  EXPECT_THAT(implied("cuda::std::max(1, 2);", {}, "cuda/std/algorithm"),
              ElementsAre("cuda/std/__algorithm/max.h"));
  EXPECT_THAT(implied("namespace cudalib {}\ncuda::std::span<int> s;"), ElementsAre("cuda/std/span"));
}

}  // namespace
}  // namespace kiln
