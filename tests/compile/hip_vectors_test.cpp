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

TEST_F(HipTexts, ConstructorsOfVectorsFillOrTakeAllElements) {
  EXPECT_THAT(
      values<double>(
          "double",
          "float4 a = float4(2.0f), b = float4(1, 2, 3, 4);\nint3 c = int3(3);\n"
          "double2 d = double2(make_int2(5, 6));\nfloat4 e = float4(b) * float4(a.x + 1);\n"
          "half2 h = half2(0), g = half2(half(1.5f), half(2.5f));\nfloat2 z = float2();",
          {"a.x + a.w", "b.z", "c.x + c.z", "d.x + 10 * d.y", "e.w", "float(h.y)", "float(g.y)", "z.y"}),
      ElementsAre(4, 3, 6, 65, 12, 0, 2.5, 0));
  Specialization specialization = kernels_.specialize(
      "#include <hip/hip_runtime.h>\nfloat4 (*chosen)(float4);\nstruct S { operator float4() const; };\n",
      "k");
  specialization.unseen_headers = {"hip/hip_runtime.h"};
  const std::string before = specialization.source_text.substr(specialization.source_text.find('\n'));
  translate_hip_words(specialization);
  EXPECT_EQ(specialization.source_text.substr(specialization.source_text.find('\n')), before);
}

TEST_F(HipTexts, FieldsBytesAndMedians) {
  EXPECT_THAT(
      values<int>("int", "int w = 0x12348678;\nunsigned a = 0x84838281u, b = 0x14131211u;",
                  {"__builtin_amdgcn_sbfe(w, 8, 8)", "__builtin_amdgcn_sbfe(w, 28, 8)",
                   "__builtin_amdgcn_sbfe(w, 4, 0)", "(int)__builtin_amdgcn_perm(a, b, 0x07060100u)",
                   "(int)__builtin_amdgcn_perm(a, b, 0x0c0d0b08u)", "(int)__builtin_amdgcn_fmed3f(3, 1, 2)",
                   "(int)__builtin_amdgcn_fmed3f(5, 7, 9)"}),
      ElementsAre(static_cast<int>(0xffffff86), 1, 0, static_cast<int>(0x84831211), 0x00ffff00, 2, 7));
}

/// The reduction of a warp as AMD's libraries write it, and a table of where values come from.
TEST_F(HipTexts, LanesMoveByDpp) {
  Specialization specialization = kernels_.specialize(R"(#include <hip/hip_runtime.h>
extern "C" __global__ void k(int* out) {
  const int lane = threadIdx.x;
  int v = lane + 1;
  v += __builtin_amdgcn_update_dpp(0, v, 0x111, 0xf, 0xf, false);
  v += __builtin_amdgcn_update_dpp(0, v, 0x112, 0xf, 0xf, false);
  v += __builtin_amdgcn_update_dpp(0, v, 0x114, 0xf, 0xf, false);
  v += __builtin_amdgcn_update_dpp(0, v, 0x118, 0xf, 0xf, false);
  v += __builtin_amdgcn_update_dpp(0, v, 0x142, 0xa, 0xf, false);
  out[lane] = v;
  out[32 + lane] = __builtin_amdgcn_mov_dpp(lane, 0x1b, 0xf, 0xf, true);
  out[64 + lane] = __builtin_amdgcn_update_dpp(-1, lane, 0x101, 0xf, 0xf, false);
  out[96 + lane] = __builtin_amdgcn_update_dpp(-1, lane, 0x140, 0xf, 0x5, false);
  out[128 + lane] = __builtin_amdgcn_update_dpp(-1, lane, 0x123, 0xf, 0xf, true);
  out[160 + lane] = __builtin_amdgcn_ds_swizzle(lane, 0x401f);
})",
                                                      "k");
  specialization.unseen_headers = {"hip/hip_runtime.h"};
  translate_hip_words(specialization);
  std::vector<int> out(192);
  DeviceFunction& k = kernels_.build(specialization);
  kernels_.run(k, {{1, 1, 1}, {32, 1, 1}, 0}, out.data());
  for (int lane = 0; lane < 32; ++lane) {
    const int row = lane / 16 * 16, in_row = lane % 16;
    const auto got = [&](int table) { return out[static_cast<std::size_t>(32 * table + lane)]; };
    EXPECT_EQ(got(0), (lane + 1) * (lane + 2) / 2) << lane;
    EXPECT_EQ(got(1), lane / 4 * 4 + 3 - lane % 4) << lane;
    EXPECT_EQ(got(2), in_row == 15 ? -1 : lane + 1) << lane;
    EXPECT_EQ(got(3), in_row / 4 % 2 == 0 ? row + 15 - in_row : -1) << lane;
    EXPECT_EQ(got(4), row + (in_row + 13) % 16) << lane;
    EXPECT_EQ(got(5), lane ^ 16) << lane;
  }
}

/// AMD's formats: one more as the bias of the exponent, and NaN in place of -0.
TEST_F(HipTexts, Fp8OfCdna3) {
  const std::string text = R"(#include <hip/hip_runtime.h>
#include <hip/hip_fp8.h>
extern "C" __global__ void k(float* out, const float* in) {
  const int i = threadIdx.x;
  __hip_fp8_e4m3_fnuz a;
  a.__x = i;
  __hip_fp8_e5m2_fnuz b;
  b.__x = i;
  out[i] = float(a);
  out[256 + i] = float(b);
  out[512 + i] = __hip_cvt_float_to_fp8(in[i], __HIP_SATFINITE, __hip_fp8_e4m3_fnuz::__default_interpret);
  out[768 + i] = __hip_cvt_float_to_fp8(in[i], __HIP_NOSAT, __HIP_E5M2_FNUZ);
})";
  Specialization specialization = kernels_.specialize(text, "k");
  specialization.unseen_headers = {"hip/hip_fp8.h", "hip/hip_runtime.h"};
  translate_hip_words(specialization);
  std::vector<float> out(1024), in(256);
  const float some[] = {0.0F,    -0.0F,         1.0F,    -1.0F,    240.0F,   247.0F,
                        248.0F,  1e9F,          -1e9F,   NAN,      INFINITY, 1.0625F,
                        1.1875F, 0.0009765625F, 0.0004F, 57344.0F, 61439.0F, 61440.0F};
  std::copy(std::begin(some), std::end(some), in.begin());
  kernels_.run(kernels_.build(specialization), {{1, 1, 1}, {256, 1, 1}, 0}, out.data(), in.data());
  for (int code = 0; code < 256; ++code) {
    const double sign = code < 128 ? 1 : -1;
    const auto at = static_cast<std::size_t>(code);
    if (code == 128) {
      EXPECT_TRUE(std::isnan(out[at]) && std::isnan(out[256 + at]));
      continue;
    }
    const int e4 = code / 8 % 16, e5 = code / 4 % 32;
    EXPECT_EQ(out[at], sign * std::ldexp(e4 == 0 ? code % 8 : 8 + code % 8, (e4 == 0 ? 1 : e4) - 8 - 3))
        << code;
    EXPECT_EQ(out[256 + at],
              sign * std::ldexp(e5 == 0 ? code % 4 : 4 + code % 4, (e5 == 0 ? 1 : e5) - 16 - 2))
        << code;
  }
  const std::vector<float> e4m3(out.begin() + 512, out.begin() + 512 + 18);
  EXPECT_THAT(e4m3, ElementsAre(0, 0, 0x40, 0xc0, 0x7f, 0x7f, 0x7f, 0x7f, 0xff, 0x80, 0x7f, 0x40, 0x42, 1, 0,
                                0x7f, 0x7f, 0x7f));
  const std::vector<float> e5m2(out.begin() + 768, out.begin() + 768 + 18);
  EXPECT_THAT(e5m2, ElementsAre(0, 0, 0x40, 0xc0, 0x60, 0x60, 0x60, 0x80, 0x80, 0x80, 0x80, 0x40, 0x41, 0x18,
                                0x13, 0x7f, 0x7f, 0x80));
}

}  // namespace
}  // namespace kiln::test
