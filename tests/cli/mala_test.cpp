// The fused network on the CPU against the network in double, and against files of NumPy.
#include <gmock/gmock.h>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"
#include "cli/copied_kernels.h"
#include "cli/workload_case.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class Mala : public CliTest, public ::testing::WithParamInterface<WorkloadCase> {};

TEST_P(Mala, AgreesWithTheNetworkInDouble) {
  const CliResult result = kiln({"run", write("job.yaml", job_text(GetParam(), "cpu"))});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ok"));
}

INSTANTIATE_TEST_SUITE_P(
    All, Mala,
    ::testing::Values(
        WorkloadCase{"Rows", "mala", "sweep: {rows: [1, 97, 1000], T: [float, half, bfloat16]}\n"},
        WorkloadCase{"Sizes", "mala",
                     "set: {rows: 10}\nsweep: {inputs: [1, 91], hidden: [7, 100], outputs: [1, "
                     "17]}\n"},
        WorkloadCase{"BlocksOfWorkItems", "mala",
                     "set: {operation: fma, async: false, block: 64, each_rows: 2, rows: 101, blocks: "
                     "2}\nsweep: {across: [5, 25], stages: [1, 2], T: [float, half]}\n"}),
    [](const auto& test) { return std::string(test.param.name); });

std::string npy(const std::string& shape, const std::vector<float>& numbers) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize((10 + header.size() + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  std::string file = "\x93NUMPY";
  file += '\1';
  file += '\0';
  file += static_cast<char>(header.size() % 256);
  file += static_cast<char>(header.size() / 256);
  file += header;
  file.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
  return file;
}

// Sizes come from the files. y = relu(2 relu(x0 - x1) + 0.5 relu(x0 + x1 + 1) - 1).
TEST_F(Mala, ReadsSizesAndNumbersFromFiles) {
  write("m/w1.npy", npy("2, 2", {1, -1, 1, 1}));
  write("m/b1.npy", npy("2,", {0, 1}));
  write("m/w2.npy", npy("1, 2", {2, 0.5F}));
  write("m/b2.npy", npy("1,", {-1}));
  const std::string x = write("x.npy", npy("3, 2", {3, 1, 0, 0, 1, 5}));
  const std::string model = x.substr(0, x.size() - 5) + "m";
  const std::string right = write("y.npy", npy("3, 1", {5.5F, 0, 2.5F}));
  const std::string wrong = write("z.npy", npy("3, 1", {5.5F, 0.25F, 2.5F}));
  const std::string job =
      "workload: mala\ndevice: cpu\nmeasure: false\nset: {input: " + x + ", model: " + model;
  const CliResult good = kiln({"run", write("good.yaml", job + ", expected: " + right + "}\n")});
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  const CliResult bad = kiln({"run", write("bad.yaml", job + ", expected: " + wrong + "}\n")});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.out + bad.err, HasSubstr("y[1, 0] is 0"));
}

// relu(NaN) is NaN, as in PyTorch: in the kernels, and in the reference, which a kernel of zeros is compared
// with.
TEST_F(Mala, PassesNaNOn) {
  const auto here = [this](const std::string& name, const std::string& text) { return write(name, text); };
  const std::pair<std::string, std::string> fill = {
      "  x[i] = T(", "  x[i] = i / inputs == 1 ? T(__uint_as_float(0x7fc00000u)) : T("};
  copy_kernels(here, *files_, "mala", "broken", {{"mala_data.cu", {fill}}});
  const std::string zeros = write("y.npy", npy("3, 11", std::vector<float>(33)));
  for (const char* more : {"", ", operation: fma, async: false, block: 64, each_rows: 2"}) {
    const CliResult result = kiln(
        {"run", write("job.yaml", "workload: broken\ndevice: cpu\nmeasure: false\nset: {rows: 3, expected: " +
                                      zeros + more + "}\n")});
    EXPECT_EQ(result.code, kExitFailed) << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr("worst: y[1, 0] is nan")) << more;
  }
  copy_kernels(here, *files_, "mala", "zeros", {{"mala_data.cu", {fill}}});
  write(
      "zeros/mala_vectors.cu",
      "#include \"kiln/params.h\"\nextern \"C\" __global__ void mala_vectors(T* y, const T* x, const "
      "unsigned* "
      "packed, const Params p) {\n  for (long long i = 0; i < p.rows * p.outputs; ++i) y[i] = T(0.0f);\n}\n");
  const CliResult result =
      kiln({"run", write("job.yaml", "workload: zeros\ndevice: cpu\nmeasure: false\nset: {rows: 3}\n")});
  EXPECT_EQ(result.code, kExitFailed) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("worst: errors[1, 0] is nan"));
}

}  // namespace
}  // namespace kiln::test
