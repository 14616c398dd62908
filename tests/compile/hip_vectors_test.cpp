// HIP texts on the cpu: operators of vectors and AMD's built-in functions give what HIP gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "specialize/hip_words.h"
#include "support/cpu_kernels.h"

namespace kiln::test {
namespace {

using ::testing::ElementsAre;

class HipTexts : public ::testing::Test {
 protected:
  /// out[i] is what the i-th of `expressions` gives, after the statements `before`.
  template <class V>
  std::vector<V> values(const std::string& type, const std::string& before,
                        const std::vector<std::string>& expressions) {
    std::string text =
        "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n"
        "extern \"C\" __global__ void k(" +
        type + "* out) {\n" + before + "\n";
    for (std::size_t i = 0; i < expressions.size(); ++i)
      text += "  out[" + std::to_string(i) + "] = " + expressions[i] + ";\n";
    Specialization specialization = kernels_.specialize(text + "}\n", "k");
    specialization.unseen_headers = {"hip/hip_runtime.h", "hip/hip_fp16.h"};
    translate_hip_words(specialization);
    std::vector<V> out(expressions.size());
    kernels_.run(kernels_.build(specialization), {{1, 1, 1}, {1, 1, 1}, 0}, out.data());
    return out;
  }

  CpuKernels kernels_;
};

TEST_F(HipTexts, VectorsHaveOperators) {
  EXPECT_THAT(values<double>("double",
                             "float4 a = make_float4(1, 2, 3, 4), b = a + 2.0f * a - a / 4;\n"
                             "b *= a;\nb -= 1;\nfloat3 c = -(make_float3(1, 2, 3) * 3.0);\n"
                             "double2 d = 1.0 / make_double2(2, 4);\nfloat2 e = make_float2(5, 6);\ne /= 2;\n"
                             "float1 f = make_float1(3);\nf += f;",
                             {"b.x", "b.y", "b.z", "b.w", "c.x + 10 * c.y + 100 * c.z", "d.x + d.y", "e.x",
                              "e.y", "a == make_float4(1, 2, 3, 4)", "a != make_float4(1, 2, 3, 5)", "f.x"}),
              ElementsAre(1.75, 10, 23.75, 43, -963, 0.75, 2.5, 3, 1, 1, 6));
  EXPECT_THAT(
      values<int>("int",
                  "int4 a = make_int4(1, 2, 3, 4) << 2, b = ~a;\na |= make_int4(1, 1, 1, 1);\n"
                  "uint2 c = make_uint2(17, 23) % 5u;\nint4 d = a++;\n--c;\n"
                  "short2 s = make_short2(7, 9) & make_short2(3, 8);\nuchar4 u = make_uchar4(200, 1, 2, 3);\n"
                  "u += u;",
                  {"a.x", "a.w", "b.y", "c.x + 10 * c.y", "d.z", "s.x + 10 * s.y", "u.x"}),
      ElementsAre(6, 18, -9, 1 + 20, 13, 3 + 80, 144));
}

/// A text's own operator goes before.
TEST_F(HipTexts, ATextMayHaveOperatorsOfVectors) {
  EXPECT_THAT(values<int>("int",
                          "struct Own { int4 a; int4 operator+(int4 b) const { return b; } };\n"
                          "int4 a = Own{make_int4(1, 2, 3, 4)} + make_int4(5, 6, 7, 8);",
                          {"a.x", "a.w"}),
              ElementsAre(5, 8));
}

TEST_F(HipTexts, BuiltInFunctionsOfAmd) {
  EXPECT_THAT(values<double>(
                  "double", "float x = 0.25f;",
                  {"__builtin_amdgcn_sinf(x)", "__builtin_amdgcn_cosf(2 * x)", "__builtin_amdgcn_exp2f(3.0f)",
                   "__builtin_amdgcn_logf(8.0f)", "__builtin_amdgcn_ldexpf(3.0f, 2)",
                   "__builtin_amdgcn_rcp(4.0)", "__builtin_amdgcn_sqrt(16.0)"}),
              ElementsAre(1, -1, 8, 3, 12, 0.25, 4));
  EXPECT_THAT(values<unsigned>(
                  "unsigned", "unsigned w = 0x12345678u, sum = 5;\n__hip_atomic_fetch_add(&sum, 3u, 0, 0);",
                  {"__builtin_amdgcn_ubfe(w, 8, 12)", "__builtin_amdgcn_alignbit(1u, w, 4)",
                   "__builtin_amdgcn_alignbyte(0xabu, w, 1)", "__builtin_amdgcn_sad_u8(w, 0u, 7u)",
                   "__builtin_amdgcn_udot4(w, 0x01010101u, 1u, false)", "__lane_id()", "sum",
                   "__builtin_amdgcn_grid_size_x()"}),
              ElementsAre(0x456, 0x11234567, 0xab123456, 0x12 + 0x34 + 0x56 + 0x78 + 7,
                          0x12 + 0x34 + 0x56 + 0x78 + 1, 0, 8, 1));
}

}  // namespace
}  // namespace kiln::test
