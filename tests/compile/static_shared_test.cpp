#include "device/cpu/static_shared.h"

#include <gtest/gtest.h>

#include "support/cpu_kernels.h"

namespace kiln::test {
namespace {

TEST(FunctionOf, IsTheNameAlone) {
  for (const auto& [expression, name] :
       std::vector<std::pair<std::string, std::string>>{{"f", "f"},
                                                        {"ns::f", "f"},
                                                        {"f<float, 4>", "f"},
                                                        {"ns::g<std::pair<int, a::b> >", "g"},
                                                        {"void ns::f<4>(float*, std::vector<int>)", "f"},
                                                        {"f(int)", "f"},
                                                        {"void f<(a::E)1>(int (*)(ns::x))", "f"},
                                                        {"", ""}})
    EXPECT_EQ(function_of(expression), name) << expression;
}

TEST(StaticShared, OfWhatIsNoSharedObjectIsNotKnown) {
  EXPECT_TRUE(static_shared_bytes("").empty());
  EXPECT_TRUE(static_shared_bytes("text").empty());
}

class StaticSharedOf : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!make_process_runner()->find_program(GetParam()))
      GTEST_SKIP() << "this machine has no " << GetParam();
  }
  CpuKernels kernels_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Compilers, StaticSharedOf, ::testing::Values("g++", "clang++"), compiler_label);

constexpr const char* kText = R"(
namespace n {
template <int N> __global__ void tiles(float* a) {
  __shared__ float one[N][4], two[16];
  one[threadIdx.x][1] = a[threadIdx.x];
  two[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = one[(threadIdx.x + 1) % 8][1] + two[(threadIdx.x + 1) % 8];
}
}
extern "C" __global__ void huge(char* a) {
  __shared__ char s[10000000];
  s[threadIdx.x * 1000] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = s[(threadIdx.x ^ 1) * 1000];
}
extern "C" __global__ void none(char* a) { a[threadIdx.x] = 1; }
)";

TEST_P(StaticSharedOf, KernelsIsCountedOnTheCpu) {
  Specialization specialization = kernels_.specialize(kText, "n::tiles<8>");
  specialization.entries.push_back({"huge", std::nullopt, ""});
  specialization.entries.push_back({"none", std::nullopt, ""});
  const CodeObject code = kernels_.compile(specialization);
  const auto module = kernels_.device().load(code.binary);
  const auto bytes = [&](const char* kernel) {
    return module->function(code.lowered_names.at(kernel))->attributes().static_shared_bytes;
  };
  EXPECT_EQ(bytes("n::tiles<8>"), 8U * 16 + 64);
  EXPECT_EQ(bytes("huge"), 10'000'000U);
  EXPECT_EQ(bytes("none"), 0U);
  EXPECT_GT(*bytes("huge"), kernels_.device().info().limits.max_shared_bytes_per_block);
}

constexpr const char* kCallingText = R"(
#define TILE __shared__ float
struct Reducer {
  __device__ float sum(float x) const {
    TILE partial[32];
    partial[threadIdx.x] = x;
    __syncthreads();
    return partial[0] + partial[1];
  }
};
__device__ float inner(float x) {
  __shared__ float tile[100];
  tile[threadIdx.x] = x;
  __syncthreads();
  return tile[threadIdx.x ^ 1];
}
__device__ float outer(float x) { return inner(x) + 1; }
template <class T> __device__ T uncalled(T x) {
  __shared__ T much[1000];
  much[threadIdx.x] = x;
  return much[threadIdx.x ^ 1];
}
extern "C" __global__ void caller(float* a) {
  __shared__ float own[8];
  own[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = outer(own[threadIdx.x ^ 1]) + Reducer().sum(1);
}
extern "C" __global__ void other(float* a) { a[threadIdx.x] = uncalled(a[threadIdx.x]); }
extern "C" __global__ void none(float* a) { a[threadIdx.x] = 1; }
)";

TEST_P(StaticSharedOf, FunctionsThatAKernelCallsCountsForTheKernel) {
  Specialization specialization = kernels_.specialize(kCallingText, "caller");
  specialization.entries.push_back({"other", std::nullopt, ""});
  specialization.entries.push_back({"none", std::nullopt, ""});
  const CodeObject code = kernels_.compile(specialization);
  const auto module = kernels_.device().load(code.binary);
  const auto bytes = [&](const char* kernel) {
    return module->function(code.lowered_names.at(kernel))->attributes().static_shared_bytes;
  };
  EXPECT_EQ(bytes("caller"), 4U * (8 + 100 + 32));
  EXPECT_EQ(bytes("other"), 4U * 1000);
  EXPECT_EQ(bytes("none"), 0U);
}

// `neighbour` has a form for a number of the block's and one for numbers of the work-items, `Sum::of` one for
// a named object and one for a temporary one. The last function has a name like a form's.
constexpr const char* kFormsText = R"(
struct Sum {
  __device__ float of(float x) const {
    __shared__ float partial[32];
    partial[threadIdx.x] = x;
    __syncthreads();
    return partial[0] + partial[1];
  }
};
__device__ float neighbour(float x) {
  __shared__ float tile[100];
  tile[threadIdx.x] = x;
  __syncthreads();
  return tile[threadIdx.x ^ 1];
}
__device__ float kiln_s7_neighbour(float x) {
  __shared__ float much[1000];
  much[threadIdx.x] = x;
  __syncthreads();
  return much[threadIdx.x ^ 1];
}
extern "C" __global__ void caller(float* a, float b) {
  __shared__ float own[8];
  own[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  Sum sum;
  const float own_neighbour = neighbour(own[threadIdx.x ^ 1]);
  a[threadIdx.x] = own_neighbour + neighbour(b) + sum.of(1) + Sum().of(a[threadIdx.x]);
}
extern "C" __global__ void other(float* a) { a[threadIdx.x] = kiln_s7_neighbour(a[threadIdx.x]); }
)";

TEST_P(StaticSharedOf, FormsOfAFunctionCountsOnce) {
  Specialization specialization = kernels_.specialize(kFormsText, "caller");
  specialization.entries.push_back({"other", std::nullopt, ""});
  const CodeObject code = kernels_.compile(specialization);
  const auto module = kernels_.device().load(code.binary);
  const FunctionAttributes& caller = module->function(code.lowered_names.at("caller"))->attributes();
  const FunctionAttributes& other = module->function(code.lowered_names.at("other"))->attributes();
  EXPECT_EQ(caller.static_shared_bytes, 4U * (8 + 100 + 32));
  EXPECT_EQ(other.static_shared_bytes, 4U * 1000);
  EXPECT_EQ(caller.fibers_because.value_or(""), "");
  EXPECT_EQ(other.fibers_because.value_or(""), "");
}

}  // namespace
}  // namespace kiln::test
