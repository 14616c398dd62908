// Drafts of programs whose kernels access textures and surfaces: the function that a kernel calls says which.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/draft_fixture.h"

namespace kiln {
namespace {

using test::CliResult;
using testing::HasSubstr;
using testing::Not;

class NewTextures : public test::DraftTest {
 protected:
  void runs_with(const std::string& yaml, const std::vector<std::pair<std::string, std::string>>& filled) {
    const CliResult ran = run_with(yaml, filled);
    EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
  }
};

TEST_F(NewTextures, OfTwoDimensionsAreArguments) {
  const std::string yaml = draft(
      "__global__ void sample(float* out, cudaTextureObject_t image, int n) {\n"
      "  if (threadIdx.x < n) out[threadIdx.x] = tex2D<float>(image, threadIdx.x + 0.5f, 2.5f);\n}\n"
      "int main() {\n  float* out;\n  cudaTextureObject_t t;\n  sample<<<1, 64>>>(out, t, 64);\n}\n");
  EXPECT_THAT(yaml, HasSubstr("args: [out, {texture: image}, n]"));
  runs_with(yaml, {{"shape: [64, 64], init: {uniform: [0, 1]}", "shape: [64, 64], init: 3"},
                   {"checks: []", "checks: [{buffer: out, expected: 3}]"}});
}

TEST_F(NewTextures, OfThreeDimensionsAndOfLayersAreArguments) {
  const std::string yaml = draft(R"cuda(
__global__ void sample(float* out, cudaTextureObject_t volume, cudaTextureObject_t pages,
                       const cudaTextureObject_t table, cudaTextureObject_t rows) {
  const int i = threadIdx.x;
  float4 color;
  tex2DLayered(&color, pages, i + 0.5f, 1.5f, 2);
  out[i] = tex3D<float>(volume, 0.5f, 0.5f, i + 0.5f) + color.x + tex1D<unsigned char>(table, i + 0.5f) +
           tex1DLayered<float>(rows, 0.5f, i % 4);
}
int main() {
  float* out;
  cudaTextureObject_t a, b, c, d;
  sample<<<1, 16>>>(out, a, b, c, d);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("args: [out, {texture: volume}, {texture: pages, layers: true}, "
                              "{texture: table}, {texture: rows, layers: true}]"));
  EXPECT_THAT(yaml, HasSubstr("  volume: {type: float, shape: [16, 16, 16], init: {uniform: [0, 1]}}"));
  EXPECT_THAT(yaml, HasSubstr("  pages: {type: float4, shape: [4, 64, 64], init: {uniform: [0, 1]}}"));
  EXPECT_THAT(yaml, HasSubstr("  table: {type: uchar, shape: ["));
  EXPECT_THAT(yaml, HasSubstr("  rows: {type: float, shape: [4, 64], init: {uniform: [0, 1]}}"));
  runs_with(yaml, {{"[16, 16, 16], init: {uniform: [0, 1]}", "[16, 16, 16], init: 2"},
                   {"[4, 64, 64], init: {uniform: [0, 1]}", "[4, 64, 64], init: 3"},
                   {"init: {uniform: [0, 16]}", "init: 4"},
                   {"[4, 64], init: {uniform: [0, 1]}", "[4, 64], init: 5"},
                   {"checks: []", "checks: [{buffer: out, expected: 14, region: [[0, 16]]}]"}});
}

TEST_F(NewTextures, SurfacesAreArguments) {
  const std::string yaml = draft(R"cuda(
__global__ void paint(cudaSurfaceObject_t from, cudaSurfaceObject_t to, cudaSurfaceObject_t cube,
                      cudaSurfaceObject_t pages, cudaSurfaceObject_t copy) {
  const int x = threadIdx.x, y = threadIdx.y;
  uchar4 data;
  surf2Dread(&data, from, x * 4, y);
  surf2Dwrite(make_uchar4(data.x, 2, 3, 4), to, x * 4, y);
  surf3Dwrite<float>(1.0f, cube, x * sizeof(float), y, 0);
  surf2DLayeredwrite(2.0f, pages, x * sizeof(float), y, 1);
  surf2Dwrite(data, copy, x * 4, y);
}
int main() {
  cudaSurfaceObject_t a, b, c, d, e;
  paint<<<1, dim3(16, 16)>>>(a, b, c, d, e);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("args: [{surface: from}, {surface: to}, {surface: cube}, "
                              "{surface: pages, layers: true}, {surface: copy}]"));
  EXPECT_THAT(yaml, HasSubstr("from: {type: uchar4, shape: [64, 64], init: {uniform: [0, 16]}}"));
  EXPECT_THAT(yaml, HasSubstr("to: {type: uchar4, shape: [64, 64], init: 0}"));
  EXPECT_THAT(yaml, HasSubstr("cube: {type: float, shape: [16, 16, 16], init: 0}"));
  EXPECT_THAT(yaml, HasSubstr("pages: {type: float, shape: [4, 64, 64], init: 0}"));
  EXPECT_THAT(yaml, HasSubstr("copy: {type: uchar4, shape: [64, 64], init: 0}"));
  runs_with(yaml, {{"init: {uniform: [0, 16]}", "init: 3"},
                   {"checks: []",
                    "checks: [{buffer: cube, expected: 1, region: [[0, 1], [0, 16], [0, 16]]}, "
                    "{buffer: pages, expected: 2, region: [[1, 2], [0, 16], [0, 16]]}, "
                    "{buffer: copy, expected: 3, region: [[0, 16], [0, 16]]}]"}});
}

TEST_F(NewTextures, OfFunctionsThatKernelsCallAreArguments) {
  const std::string yaml = draft(R"cuda(
struct Grid {
  __device__ static float at(int i, cudaTextureObject_t means) { return tex1Dfetch<float>(means, i); }
};
__device__ float twice(cudaTextureObject_t t, int i) { return 2 * Grid::at(i, t); }
template <class T>
__device__ void paint(cudaSurfaceObject_t s, T value, int i) {
  surf2Dwrite(value, s, i * sizeof(float), 0);
}
__global__ void handed_on(float* out, cudaTextureObject_t t, cudaSurfaceObject_t s) {
  out[threadIdx.x] = twice(t, threadIdx.x);
  paint<float>(s, 4.0f, threadIdx.x);
}
int main() {
  float* out;
  cudaTextureObject_t t;
  cudaSurfaceObject_t s;
  handed_on<<<1, 16>>>(out, t, s);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("args: [out, {texture: t}, {surface: s}]"));
  runs_with(yaml, {{"checks: []",
                    "checks: [{buffer: out, expected: 6, region: [[0, 16]]}, "
                    "{buffer: s, expected: 4, region: [[0, 1], [0, 16]]}]"},
                   {" t: {type: float, shape: [elements], init: {uniform: [0, 1]}",
                    " t: {type: float, shape: [elements], init: 3"}});
}

TEST_F(NewTextures, OthersAreLeftOutWithTheReason) {
  const std::string yaml = draft(
      "__global__ void clear(float* out) { out[0] = 0; }\n"
      "__global__ void sky(float* out, cudaTextureObject_t cube) {\n"
      "  out[0] = texCubemap<float>(cube, 0.5f, 0.5f, 0.5f);\n}\n");
  EXPECT_THAT(yaml,
              HasSubstr("'sky' is left out: its argument 'cube' is a texture or surface that the kernel "
                        "does not access by a function that Kiln knows"));
  EXPECT_THAT(yaml, Not(HasSubstr("{texture:")));
}

}  // namespace
}  // namespace kiln
