#include "specialize/unit.h"

#include <gtest/gtest.h>

#include <cstring>

#include "specialize/nvcc_words.h"
#include "support/error_matchers.h"
#include "support/small_workload.h"

namespace kiln {
namespace {

using test::bad_input_of;
using test::SmallDisk;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const Target kGpu{"cuda", "sm_90", 32};
const Target kCpu{"cpu", "x86-64", 32};

Unit scale_unit(SmallDisk& disk, const SmallDisk::Settings& settings, Role role = Role::kRun,
                const Target& target = kGpu) {
  return make_units(disk.configured(settings), {"scale"}, role, target, disk.files).at(0);
}

TEST(ParamsHeader, HoldsWhatTheTextMentionsAndNothingElse) {
  SmallDisk disk;
  EXPECT_EQ(scale_unit(disk, {}).specialization.params_header,
            "#pragma once\n#include \"kiln/portable.h\"\nusing T = double;\nstruct Params {\n"
            "  static constexpr int n = 1000;\n  static constexpr int block = 256;\n"
            "  static constexpr double factor = 3.0;\n};\n"
            "#ifndef KILN_LAUNCH_BOUNDS_scale\n#define KILN_LAUNCH_BOUNDS_scale\n#endif\n");
}

TEST(ParamsHeader, RunTimeValuesAreMembers) {
  SmallDisk disk;
  const Unit unit = scale_unit(disk, {{"bind.all", "run"}});
  EXPECT_THAT(unit.specialization.params_header, HasSubstr("  int n;\n"));
  EXPECT_THAT(unit.specialization.params_header, HasSubstr("  static constexpr int block = 256;\n"));
  EXPECT_THAT(unit.specialization.params_header, HasSubstr("  double factor;\n"));
}

TEST(ParamsHeader, AValueBoundAtRunTimeDoesNotChangeTheUnit) {
  SmallDisk disk;
  const Unit one = scale_unit(disk, {{"bind.n", "run"}, {"n", "10"}});
  const Unit two = scale_unit(disk, {{"bind.n", "run"}, {"n", "20"}});
  EXPECT_EQ(one.specialization.params_header, two.specialization.params_header);
  const Unit constant = scale_unit(disk, {{"n", "20"}});
  EXPECT_NE(one.specialization.params_header, constant.specialization.params_header);
}

TEST(ParamsHeader, DataKernelsTakeTheirValuesAtRunTime) {
  SmallDisk disk;
  const auto units = make_units(disk.configured({{"fast_math", "true"}}), {"scale_reference"}, Role::kData,
                                kGpu, disk.files);
  EXPECT_THAT(units.at(0).specialization.params_header, HasSubstr("  int n;\n"));
  EXPECT_FALSE(units.at(0).specialization.fast_math);
}

TEST(PackParams, FollowsTheLayoutOfAStruct) {
  struct Expected {
    int n;
    double factor;
    long long unused;
    bool flag;
  };
  SmallDisk disk;
  const Configuration c =
      disk.configured({{"bind.all", "run"}, {"n", "7"}, {"factor", "0.25"}, {"unused", "-9"}});
  const ParamsStruct params = make_params_struct(c, {"n", "factor", "unused"}, false);
  ASSERT_EQ(params.bytes, 24U);
  const auto bytes = pack_params(params, c);
  Expected read{};
  std::memcpy(&read, bytes.data(), bytes.size());
  EXPECT_EQ(read.n, 7);
  EXPECT_EQ(read.factor, 0.25);
  EXPECT_EQ(read.unused, -9);
}

TEST(PackParams, AnEmptyStructIsOneByte) {
  SmallDisk disk;
  const Configuration c = disk.configured({});
  EXPECT_EQ(pack_params(make_params_struct(c, {"n"}, false), c).size(), 1U);
}

TEST(Identifiers, LeaveOutCommentsAndLiterals) {
  EXPECT_THAT(identifiers_in("int a_1; // b\n/* c\n d */ f(\"e\\\" g\", 'h', 0x1f, 1'000, i);"),
              ElementsAre("a_1", "f", "i", "int"));
}

TEST(Unit, TheBlockShapeIsPartOfTheCodeOnTheCpuOnly) {
  SmallDisk disk;
  EXPECT_FALSE(scale_unit(disk, {}).specialization.entries.at(0).fixed_block);
  const Unit unit = scale_unit(disk, {}, Role::kRun, kCpu);
  EXPECT_EQ(unit.specialization.entries.at(0).fixed_block, (Dim3{256, 1, 1}));
}

TEST(Unit, LaunchBoundsCanBeSwitchedOff) {
  SmallDisk disk;
  EXPECT_EQ(scale_unit(disk, {}).specialization.entries.at(0).launch_bounds, "256");
  EXPECT_EQ(scale_unit(disk, {{"launch_bounds", "false"}}).specialization.entries.at(0).launch_bounds, "");
}

TEST(Unit, LaunchBoundsOfNoBlocksNameNone) {
  SmallDisk disk;
  const auto bounds = [&](const std::string& blocks) {
    std::string yaml = test::kScaleYaml;
    yaml.replace(yaml.find("launch_bounds: [block]"), 22, "launch_bounds: [block, " + blocks + "]");
    disk.files.write_file("/kernels/scale/scale.yaml", yaml, false);
    return scale_unit(disk, {}).specialization.entries.at(0).launch_bounds;
  };
  EXPECT_EQ(bounds("2"), "256, 2");
  EXPECT_EQ(bounds("0"), "256");
}

TEST(Unit, AMissingSourceIsNamedWithTheKernelsPlace) {
  SmallDisk disk;
  disk.files.remove_all("/kernels/scale/scale.cu");
  const std::string message = bad_input_of([&] { scale_unit(disk, {}); });
  EXPECT_THAT(message, HasSubstr("/kernels/scale/scale.yaml:19:"));
  EXPECT_THAT(message, HasSubstr("kernels.scale.source: no such file: '/kernels/scale/scale.cu'"));
}

const char* const kForeignYaml = R"yaml(workload: foreign
parameters:
  T: {type: type, default: float}
  unroll: {type: int, default: 4}
  tile: {type: int, default: 16}
  n: {type: int, default: 100}
buffers: {x: {type: T, shape: [n], init: 0}}
kernels:
  a: {source: f.cu, entry: axpy, grid: [1], block: [32], args: [x, n], template_args: [T, unroll]}
  b: {source: f.cu, entry: axpy, grid: [1], block: [32], args: [x, n], template_args: [double, 1]}
  c: {source: f.cu, entry: tiled, grid: [1], block: [32], args: [x, n], defines: {TILE: tile, AREA: {expr: "tile * tile"}, NAME: text}, options: {cuda: [-lineinfo]}}
run: [a, b, c]
)yaml";

class ForeignUnits : public testing::Test {
 protected:
  std::vector<Unit> units(const Target& target) {
    disk_.files.write_file("/f.cu", "template <typename T, int U> __global__ void axpy(T* x, int n) {}\n",
                           false);
    const auto workload = parse_workload(YamlNode::parse(kForeignYaml, "f.yaml"), kForeignYaml, "/");
    const Configuration c = configure(workload, {}, unknown_device(target), disk_.files).configuration;
    return make_units(c, {"a", "b", "c"}, Role::kRun, target, disk_.files);
  }
  SmallDisk disk_;
};

TEST_F(ForeignUnits, InstantiationsShareAUnitAndMacrosSplitIt) {
  const auto found = units(kGpu);
  ASSERT_EQ(found.size(), 2U);
  const Specialization& templates = found[0].specialization;
  ASSERT_EQ(templates.entries.size(), 2U);
  EXPECT_EQ(templates.entries[0].name_expression, "axpy<float, 4>");
  EXPECT_EQ(templates.entries[1].name_expression, "axpy<double, 1>");
  EXPECT_EQ(templates.params_header, "");
  const Specialization& macros = found[1].specialization;
  using Macros = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(macros.defines, (Macros{{"TILE", "16"}, {"AREA", "256"}, {"NAME", "text"}}));
  EXPECT_THAT(macros.options, ElementsAre("-lineinfo"));
}

TEST_F(ForeignUnits, OptionsAreForTheirBackEnd) {
  EXPECT_TRUE(units(kCpu)[1].specialization.options.empty());
}

TEST_F(ForeignUnits, FoldersOfIncludeOptionsAreTheWorkloadsAndTheirHeadersPartOfTheUnit) {
  disk_.files.make_directories("/w/include", false);
  disk_.files.make_directories("/abs", false);
  disk_.files.write_file("/w/f.cu", "#include <near.h>\n#include \"far.h\"\n", false);
  disk_.files.write_file("/w/include/near.h", "int near_one;\n", false);
  disk_.files.write_file("/abs/far.h", "int far_one;\n", false);
  const std::string text =
      "workload: w\nkernels:\n  f: {source: f.cu, grid: [1], block: [1], args: [], "
      "options: [-Iinclude, -DX=1, -I, /abs]}\nrun: [f]\n";
  const auto workload = parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w");
  const Configuration c =
      configure(workload, {}, unknown_device({"cuda", "sm_90"}), disk_.files).configuration;
  const Specialization spec = make_units(c, {"f"}, Role::kRun, kGpu, disk_.files).at(0).specialization;
  EXPECT_THAT(spec.options, ElementsAre("-DX=1"));
  EXPECT_THAT(spec.include_directories, ElementsAre("/w", "/w/include", "/abs"));
  ASSERT_EQ(spec.headers.size(), 2U);
  EXPECT_EQ(spec.headers[0].text, "int near_one;\n");
  EXPECT_EQ(spec.headers[1].text, "int far_one;\n");
  EXPECT_TRUE(spec.unseen_headers.empty());
  EXPECT_EQ(spec.unknown_input, "");
}

TEST_F(ForeignUnits, SystemFoldersComeAfterTheOthersAndOptionsThatBringFilesAreNamed) {
  for (const char* folder : {"/w/one", "/w/two"}) disk_.files.make_directories(folder, false);
  disk_.files.write_file("/w/f.cu", "#include <a.h>\n", false);
  disk_.files.write_file("/w/one/a.h", "int one;\n", false);
  disk_.files.write_file("/w/two/a.h", "int two;\n", false);
  const std::string text =
      "workload: w\nkernels:\n  f: {source: f.cu, grid: [1], block: [1], args: [], "
      "options: [-isystem, one, -Itwo, -include, more.h]}\nrun: [f]\n";
  const auto workload = parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w");
  const Configuration c =
      configure(workload, {}, unknown_device({"cuda", "sm_90"}), disk_.files).configuration;
  const Specialization spec = make_units(c, {"f"}, Role::kRun, kGpu, disk_.files).at(0).specialization;
  EXPECT_THAT(spec.options, ElementsAre("-include", "more.h"));
  EXPECT_THAT(spec.include_directories, ElementsAre("/w", "/w/two", "/w/one"));
  ASSERT_EQ(spec.headers.size(), 1U);
  EXPECT_EQ(spec.headers[0].text, "int two;\n");
  EXPECT_THAT(spec.unknown_input, HasSubstr("'-include'"));
}

/// A header beside the workload for a source above it.
TEST_F(ForeignUnits, HeadersInFrontAreFoundFromSourcesAboveTheWorkload) {
  disk_.files.make_directories("/w/jobs", false);
  disk_.files.make_directories("/w/src/deep", false);
  disk_.files.write_file("/w/src/deep/f.cu", "__global__ void f() {}\n", false);
  disk_.files.write_file("/w/jobs/front.h", "int front;\n", false);
  const std::string text =
      "workload: w\nkernels:\n  f: {source: ../src/deep/f.cu, grid: [1], block: [1], args: [], "
      "options: [-include, front.h]}\nrun: [f]\n";
  for (const char* folder : {"/w/jobs", "/w/src/../jobs"}) {
    const auto workload = parse_workload(YamlNode::parse(text, "w.yaml"), text, folder);
    const Configuration c =
        configure(workload, {}, unknown_device({"cuda", "sm_90"}), disk_.files).configuration;
    const Specialization spec = make_units(c, {"f"}, Role::kRun, kGpu, disk_.files).at(0).specialization;
    EXPECT_THAT(spec.options, IsEmpty()) << folder;
    ASSERT_EQ(spec.headers.size(), 1U) << folder;
    EXPECT_EQ(spec.headers[0].text, "int front;\n") << folder;
  }
}

/// nvcc defines what a program of one file only declares.
TEST_F(ForeignUnits, VariablesOfTheDeviceThatNoTextDefinesAreDefined) {
  const std::string text =
      "namespace n {\nextern \"C\" __constant__ float4 first;\nextern __device__ int second[2];\n}\n"
      "extern __constant__ float third;\n__constant__ float third = 3;\nextern __device__ void f(int);\n"
      "extern __constant__ int unused;\nextern __constant__ int unsized[];\n"
      "__device__ float g() { return n::first.x + n::second[0] + third + unsized[0]; }\n";
  std::string program = text, header = "extern __device__ int second[2];\n";
  define_external_variables({&program, &header});
  EXPECT_EQ(program.size(), text.size());
  EXPECT_THAT(program, HasSubstr("\n           __constant__ float4 first;"));
  EXPECT_THAT(program, HasSubstr("\n       __device__ int second[2];"));
  EXPECT_THAT(program, HasSubstr("\nextern __constant__ float third;"));
  EXPECT_THAT(program, HasSubstr("\nextern __device__ void f(int);"));
  EXPECT_THAT(program, HasSubstr("\nextern __constant__ int unused;"));
  EXPECT_THAT(program, HasSubstr("\nextern __constant__ int unsized[];"));
  EXPECT_EQ(header, "extern __device__ int second[2];\n");
}

TEST(Unit, HeadersInMemoryComeFirst) {
  SmallDisk disk;
  disk.files.write_file("/kernels/scale/scale.cu", "#include \"kiln/params.h\"\n#include \"tuning.h\"\n",
                        false);
  disk.files.write_file("/kernels/scale/tuning.h", "int on_disk;\n", false);
  const Unit unit = make_units(disk.configured({}), {"scale"}, Role::kRun, kGpu, disk.files,
                               {{"tuning.h", "", "constexpr int n_half = Params::n / 2;\n"}})
                        .at(0);
  ASSERT_EQ(unit.specialization.headers.size(), 1U);
  EXPECT_EQ(unit.specialization.headers[0].path, "");
  EXPECT_THAT(unit.specialization.headers[0].text, HasSubstr("n_half"));
  EXPECT_THAT(unit.specialization.params_header, HasSubstr(" n = 1000"));
}

TEST_F(ForeignUnits, LineInformationIsASwitch) {
  SmallDisk disk;
  EXPECT_FALSE(scale_unit(disk, {}).specialization.lineinfo);
  const Specialization spec = scale_unit(disk, {{"lineinfo", "true"}}).specialization;
  EXPECT_TRUE(spec.lineinfo);
  EXPECT_EQ(source_line_name(spec), "/kernels/scale/scale.cu");
}

}  // namespace
}  // namespace kiln
