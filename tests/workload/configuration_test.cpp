#include "workload/configuration.h"

#include <gtest/gtest.h>

#include "support/error_matchers.h"
#include "support/small_workload.h"
#include "workload/device_words.h"

namespace kiln {
namespace {

using test::bad_input_of;
using test::SmallDisk;
using testing::ElementsAre;
using testing::HasSubstr;

ExpressionText text(const std::string& expression) {
  return {expression, {"w.yaml", 9, 3}, "grid[0]"};
}

TEST(Configuration, DefaultsMayDependOnTheBackEnd) {
  SmallDisk disk;
  EXPECT_EQ(disk.configured({}, "cuda").value("block").number(), 256);
  EXPECT_EQ(disk.configured({}, "cpu").value("block").number(), 64);
}

TEST(Configuration, ValuesHaveTheirTypes) {
  SmallDisk disk;
  const Configuration with_double = disk.configured({{"factor", "0.1"}, {"unused", "-3"}});
  EXPECT_EQ(with_double.value("factor").cpp_literal(), "0.1");
  EXPECT_EQ(with_double.value("unused").cpp_literal(), "-3LL");
  EXPECT_EQ(with_double.value("T").cpp_literal(), "double");
  EXPECT_EQ(with_double.value("mode").cpp_literal(), "0");
  const Configuration with_float = disk.configured({{"T", "float"}, {"factor", "2"}});
  EXPECT_EQ(with_float.value("factor").cpp_literal(), "2.0f");
}

TEST(Configuration, ExpressionsSeeParametersLetsTypesAndChoices) {
  SmallDisk disk;
  const Configuration c = disk.configured({{"n", "1001"}, {"mode", "fancy"}, {"T", "float"}});
  EXPECT_EQ(c.evaluate(text("blocks")), 4);
  EXPECT_EQ(c.evaluate(text("bytes")), 8008);
  EXPECT_TRUE(c.evaluate_condition(text("mode == fancy && T == float && !input")));
  EXPECT_EQ(c.evaluate(text("n * time"), {{"time", 2}}), 2002);
}

TEST(Configuration, AFractionWhereAWholeNumberIsNeededSuggestsTheCure) {
  SmallDisk disk;
  const Configuration c = disk.configured({});
  const std::string message =
      bad_input_of([&] { static_cast<void>(c.evaluate_integer(text("n / 3"), 1, 100)); });
  EXPECT_THAT(message, HasSubstr("w.yaml:9:3: grid[0]: 'n / 3' is 333.3"));
  EXPECT_THAT(message, HasSubstr("ceil_div(a, b)"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(c.evaluate_integer(text("n // 3000"), 1, 100)); }),
              HasSubstr("is 0; expected 1 to 100"));
}

TEST(Configuration, BindingsAreThoseAskedForOrFixed) {
  SmallDisk disk;
  const Configuration c = disk.configured({{"bind.n", "run"}});
  EXPECT_EQ(c.value("n").binding, Binding::kRun);
  EXPECT_EQ(c.value("factor").binding, Binding::kCompile);
  EXPECT_EQ(c.value("seed").binding, Binding::kRun);
  const Configuration all = disk.configured({{"bind.all", "run"}, {"bind.factor", "compile"}});
  EXPECT_EQ(all.value("n").binding, Binding::kRun);
  EXPECT_EQ(all.value("block").binding, Binding::kCompile);
  EXPECT_EQ(all.value("factor").binding, Binding::kCompile);
}

struct BadSetting {
  const char* name;
  const char* value;
  const char* message;
};
class ConfigurationError : public testing::TestWithParam<BadSetting> {};
TEST_P(ConfigurationError, SaysWhereAndWhat) {
  SmallDisk disk;
  const std::string message = bad_input_of([&] {
    static_cast<void>(disk.configured({{GetParam().name, GetParam().value}}));
  });
  EXPECT_THAT(message, HasSubstr("job.yaml:4:8"));
  EXPECT_THAT(message, HasSubstr(GetParam().message));
}
INSTANTIATE_TEST_SUITE_P(
    Bad, ConfigurationError,
    testing::Values(BadSetting{"blok", "32", "has no parameter 'blok'; did you mean 'block'?"},
                    BadSetting{"bind.blok", "run", "did you mean 'bind.block'?"},
                    BadSetting{"zzzzz", "1", "it has T, n, block"},
                    BadSetting{"n", "many", "n: expected a whole number (int); found 'many'"},
                    BadSetting{"n", "1.5", "n: expected a whole number; found 1.5"},
                    BadSetting{"n", "3000000000", "does not fit the type int"},
                    BadSetting{"n", "0", "0 is too small; the least is 1"},
                    BadSetting{"block", "100", "100 is not allowed; expected one of 32, 64, 128, 256"},
                    BadSetting{"T", "quarter", "unknown type 'quarter'"},
                    BadSetting{"T", "int", "int is not allowed"},
                    BadSetting{"mode", "fanzy", "fanzy is not allowed; did you mean 'fancy'?"},
                    BadSetting{"factor", "nan", "expected a finite number"},
                    BadSetting{"fast_math", "yes", "fast_math: expected true or false"},
                    BadSetting{"bind.n", "later", "expected compile or run"},
                    BadSetting{"bind.block", "run", "'block' is always bound at compile time"},
                    BadSetting{"input", "nowhere.txt", "no such file or folder: 'nowhere.txt'"}));

TEST(Configuration, AViolatedConstraintIsReturned) {
  SmallDisk disk;
  const ConfigurationResult result = disk.result({{"n", "100000"}});
  ASSERT_TRUE(result.violated);
  EXPECT_EQ(result.violated->text, "n * block <= 1000000");
  EXPECT_FALSE(disk.result({{"n", "100"}}).violated);
}

const char* const kNewerYaml = R"yaml(workload: newer
parameters:
  wide: {type: bool, default: "sm >= 80"}
  method: {type: choice, values: [plain, tensor], default: {cpu: plain, otherwise: "sm >= 90 && wide ? tensor : plain"}}
constraints: ["method != tensor || sm >= 90"]
kernels: {k: {source: k.cu, grid: [1], block: [1], args: []}}
run: [k]
)yaml";

class ComputeCapability : public testing::Test {
 protected:
  ConfigurationResult result(const Target& target, const SmallDisk::Settings& settings = {},
                             const std::string& yaml = kNewerYaml) {
    std::vector<std::pair<std::string, RawValue>> assignments;
    for (const auto& [name, value] : settings)
      assignments.emplace_back(name, RawValue{value, false, {"--set " + name, 0, 0}});
    return configure(parse_workload(YamlNode::parse(yaml, "newer.yaml"), yaml, "/"), assignments,
                     unknown_device(target), disk_.files);
  }
  std::string method(const Target& target, const SmallDisk::Settings& settings = {}) {
    return result(target, settings).configuration.value("method").to_string();
  }
  SmallDisk disk_;
};

TEST_F(ComputeCapability, DecidesAChoicesDefault) {
  EXPECT_EQ(method({"cuda", "sm_90a"}), "tensor");
  EXPECT_EQ(method({"cuda", "sm_120"}), "tensor");
  EXPECT_EQ(method({"cuda", "compute_90"}), "tensor");
  EXPECT_EQ(method({"cuda", "sm_90"}, {{"wide", "false"}}), "plain");
  EXPECT_EQ(method({"cuda", "sm_86"}), "plain");
  EXPECT_EQ(method({"hip", "gfx942"}), "plain");
  EXPECT_EQ(method({"cpu", "x86-64 sm_90"}), "plain");
}

TEST_F(ComputeCapability, CanBeAskedForByAConstraint) {
  EXPECT_FALSE(result({"cuda", "sm_90"}, {{"method", "tensor"}}).violated);
  for (const Target& target : {Target{"cuda", "sm_89"}, Target{"hip", "gfx90a"}, Target{"cpu", ""}}) {
    const ConfigurationResult refused = result(target, {{"method", "tensor"}});
    ASSERT_TRUE(refused.violated) << target.to_string();
    EXPECT_EQ(refused.violated->text, "method != tensor || sm >= 90");
  }
}

TEST_F(ComputeCapability, ADefaultThatIsNoWordOfTheChoiceIsRefused) {
  std::string yaml = kNewerYaml;
  const std::string word = "? tensor";
  yaml.replace(yaml.find(word), word.size(), "? wide");
  EXPECT_THAT(bad_input_of([&] {
                static_cast<void>(result({"cuda", "sm_90"}, {}, yaml));
              }),
              HasSubstr("newer.yaml:4:"));
  EXPECT_THAT(bad_input_of([&] {
                static_cast<void>(result({"cuda", "sm_90"}, {}, yaml));
              }),
              HasSubstr("'sm >= 90 && wide ? wide : plain' is not one of plain, tensor"));
}

TEST(TypeDefaults, MayBeAnExpression) {
  SmallDisk disk;
  const auto value = [&](const std::string& sum, const std::string& type) {
    const std::string text =
        "workload: t\nparameters:\n  T: {type: type, default: float}\n  Sum: {type: type, " + sum +
        "}\nkernels: {k: {source: k.cu, grid: [1], block: [1], args: []}}\nrun: [k]\n";
    const auto workload = parse_workload(YamlNode::parse(text, "t.yaml"), text, "/");
    return configure(workload, {{"T", RawValue{type, false, {}}}}, unknown_device({"cpu", "host"}),
                     disk.files)
        .configuration.value("Sum")
        .to_string();
  };
  const std::string wider = "default: \"T == half ? float : T\", values: [float, double]";
  EXPECT_EQ(value(wider, "half"), "float");
  EXPECT_EQ(value(wider, "double"), "double");
  EXPECT_EQ(value("default: T", "int"), "int");
  EXPECT_THAT(
      bad_input_of([&] { static_cast<void>(value(wider, "int")); }),
      HasSubstr("t.yaml:4:31: parameters.Sum.default: 'T == half ? float : T' is not one of float, double"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(value("default: \"S == half ? float : T\"", "int")); }),
              HasSubstr("unknown name 'S'"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(value("default: flaot", "int")); }),
              HasSubstr("unknown type 'flaot'; did you mean 'float'?"));
}

TEST(TypeParameters, MayBeVectors) {
  SmallDisk disk;
  const auto configured = [&](const std::string& type) {
    const std::string text =
        "workload: t\nparameters:\n  T: {type: type, default: float}\n  a: {type: int, default: "
        "\"sizeof(T)\"}\n"
        "buffers:\n  x: {type: T, shape: [3]}\n  y: {type: int2, shape: [3]}\n"
        "kernels: {k: {source: k.cu, grid: [1], block: [1], args: [x, y, a]}}\nrun: [k]\n";
    const auto workload = parse_workload(YamlNode::parse(text, "t.yaml"), text, "/");
    return configure(workload, {{"T", RawValue{type, false, {}}}}, unknown_device({"cpu", "host"}),
                     disk.files)
        .configuration;
  };
  const Configuration pairs = configured("double2");
  EXPECT_EQ(pairs.value("T").cpp_literal(), "double2");
  EXPECT_EQ(pairs.value("a").number(), 16);
  const auto element = [](const Configuration& c, const char* buffer) {
    return c.element_type(*c.workload().find_buffer(buffer)).value();
  };
  EXPECT_EQ(element(pairs, "x").bytes(), 16);
  EXPECT_EQ(element(pairs, "x").lanes, 2);
  EXPECT_EQ(element(pairs, "y").lanes, 2);
  EXPECT_EQ(element(configured("half"), "x").bytes(), 2);
  EXPECT_EQ(configured("half").value("a").number(), 2);
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(pairs.scalar_type("T")); }),
              HasSubstr("t.yaml:3:6: 'T' is double2, a vector; expected the type of a number"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(configured("double5")); }), HasSubstr("unknown type"));
}

const char* const kByDeviceYaml = R"yaml(workload: by_device
parameters:
  n: {type: int, default: 8}
  blocks: {type: int, default: {cpu: 1, otherwise: "compute_units > 0 ? 4 * compute_units : 528"}, bind: run}
  method: {type: choice, values: [plain, split], default: {cpu: plain, otherwise: "memory_bandwidth > 4500 ? split : plain"}}
  tile: {type: int, default: "method == split ? n : sm"}
kernels: {k: {source: k.cu, grid: [blocks], block: [1], args: []}}
run: [k]
)yaml";

TEST(DeviceWords, DecideDefaultsAndAreZeroWhereNoDeviceIsKnown) {
  SmallDisk disk;
  const auto workload = parse_workload(YamlNode::parse(kByDeviceYaml, "d.yaml"), kByDeviceYaml, "/");
  DeviceInfo device = unknown_device({"cuda", "sm_90"});
  const auto value = [&](const std::string& name) {
    return configure(workload, {}, device, disk.files).configuration.value(name).to_string();
  };
  EXPECT_EQ(value("blocks"), "528");
  EXPECT_EQ(value("method"), "plain");
  EXPECT_EQ(value("tile"), "90");
  device.compute_units = 114;
  device.memory_bandwidth = 4814;
  EXPECT_EQ(value("blocks"), "456");
  EXPECT_EQ(value("method"), "split");
  EXPECT_EQ(value("tile"), "8");
}

TEST(DeviceWords, TellWhichCodeADeviceMayAskForOtherwise) {
  const auto workload = parse_workload(YamlNode::parse(kByDeviceYaml, "d.yaml"), kByDeviceYaml, "/");
  EXPECT_THAT(defaults_by_device(*workload, "cuda"),
              testing::ElementsAre("method"));  // blocks: no code has them
  EXPECT_THAT(defaults_by_device(*workload, "cpu"), testing::IsEmpty());
}

TEST(DeviceWords, AreToldOfADefaultThatIsNotAllowed) {
  SmallDisk disk;
  std::string yaml = kByDeviceYaml;
  yaml.replace(yaml.find("default: 8"), 10, "default: \"8 * compute_units\", min: 1");
  const auto workload = parse_workload(YamlNode::parse(yaml, "d.yaml"), yaml, "/");
  EXPECT_THAT(
      bad_input_of([&] {
        static_cast<void>(configure(workload, {}, unknown_device({"cuda", "sm_90"}), disk.files));
      }),
      HasSubstr("n: 0 is too small; the least is 1; the default is '8 * compute_units' (compute_units "
                "= 0)"));
}

/// `device` as one of the shipped workloads sees it.
std::string shipped_value(const std::string& workload, const std::string& parameter,
                          const DeviceInfo& device) {
  const auto files = make_real_file_system();
  const std::string path =
      std::string(KILN_SOURCE_DIR) + "/kernels_src/" + workload + "/" + workload + ".yaml";
  return configure(load_workload_file(*files, path), {}, device, *files)
      .configuration.value(parameter)
      .to_string();
}

TEST(DeviceWords, AreNotInTheStencilsDefaults) {
  DeviceInfo device = unknown_device({"cuda", "sm_90"});
  const auto values = [&](const std::string& name) { return shipped_value("stencil7", name, device); };
  EXPECT_EQ(values("method"), "march");
  EXPECT_EQ(values("stay"), "1024");
  device.memory_bandwidth = 4814;  // an H200's
  device.compute_units = 132;
  EXPECT_EQ(values("method"), "march");
  EXPECT_EQ(values("stay"), "1024");
  device.target = {"cpu", "native"};
  EXPECT_EQ(values("method"), "single");
}

TEST(DeviceWords, GiveThePublishedDotFourBlocksForEachMultiprocessor) {
  DeviceInfo device = unknown_device({"cuda", "sm_80"});
  EXPECT_EQ(shipped_value("babelstream", "dot_grid", device), "512");
  device.compute_units = 108;  // an A100's
  EXPECT_EQ(shipped_value("babelstream", "dot_grid", device), "432");
}

TEST(DeviceWords, RefuseInstructionsThatTheTargetDoesNotHave) {
  const auto files = make_real_file_system();
  const auto refused = [&](const std::string& workload, const std::string& operation, const Target& target) {
    const std::string path =
        std::string(KILN_SOURCE_DIR) + "/kernels_src/" + workload + "/" + workload + ".yaml";
    const auto result = configure(load_workload_file(*files, path), {{"operation", {operation, false, {}}}},
                                  unknown_device(target), *files);
    return result.violated && result.violated->text.starts_with("operation != " + operation + " ||");
  };
  for (const std::string workload : {"gemm", "conv2d"}) {
    for (const std::string arch : {"gfx90a", "gfx90a:xnack-", "gfx942"})
      EXPECT_FALSE(refused(workload, "mfma", {"hip", arch})) << workload << " " << arch;
    EXPECT_FALSE(refused(workload, "mfma", {"cpu", "native"})) << workload;  // by a model of them
    for (const std::string arch : {"gfx906", "gfx908", "gfx1030"})
      EXPECT_TRUE(refused(workload, "mfma", {"hip", arch})) << workload << " " << arch;
    EXPECT_TRUE(refused(workload, "mfma", {"cuda", "sm_90"})) << workload;
  }
  for (const std::string workload : {"gemm", "gemm_scaled", "conv2d", "layers", "resnet18", "mala"}) {
    EXPECT_FALSE(refused(workload, "vectors", {"cpu", "native"})) << workload;
    EXPECT_TRUE(refused(workload, "vectors", {"cuda", "sm_90"})) << workload;
    EXPECT_TRUE(refused(workload, "vectors", {"hip", "gfx90a"})) << workload;
  }
}

TEST(DeviceWords, AreNoNamesForAnythingElse) {
  for (const std::string& word : device_words()) {
    std::string yaml = kByDeviceYaml;
    yaml.insert(yaml.find("  n:"), "  " + word + ": {type: int, default: 1}\n");
    EXPECT_THAT(
        bad_input_of([&] { static_cast<void>(parse_workload(YamlNode::parse(yaml, "d.yaml"), yaml, "/")); }),
        HasSubstr("'" + word + "' is a word of the format"));
  }
}

TEST(DeviceWords, AreSuggested) {
  std::string yaml = kByDeviceYaml;
  yaml.replace(yaml.find("memory_bandwidth"), 16, "memory_bandwith");
  EXPECT_THAT(
      bad_input_of([&] { static_cast<void>(parse_workload(YamlNode::parse(yaml, "d.yaml"), yaml, "/")); }),
      HasSubstr("unknown name 'memory_bandwith'; did you mean 'memory_bandwidth'?"));
}

const char* const kHeaderYaml = R"yaml(workload: h
parameters:
  file: {type: path}
  folder: {type: path}
  g: {type: int, default: 3, from: {file: "{file}", format: text, index: 0}}
  n: {type: int, default: 4, from: {file: "{file}", format: text, index: 1, at_most: true}}
  atoms: {type: int, default: 5, from: {file: "{folder}/atoms.bin", record_bytes: 16}}
kernels: {k: {source: k.cu, grid: [1], block: [1], args: []}}
run: [k]
)yaml";

class HeaderParameters : public testing::Test {
 protected:
  HeaderParameters() {
    disk_.files.make_directories("/data", false);
    disk_.files.write_file("/data/he", "3  64\n 6.3 0.1\n", false);
    disk_.files.write_file("/data/atoms.bin", std::string(160, 'x'), false);
  }
  Configuration configured(const SmallDisk::Settings& settings) {
    std::vector<std::pair<std::string, RawValue>> assignments;
    for (const auto& [name, value] : settings)
      assignments.emplace_back(name, RawValue{value, false, {"--set " + name, 0, 0}});
    const auto workload = parse_workload(YamlNode::parse(yaml_, "h.yaml"), yaml_, "/");
    return configure(workload, assignments, unknown_device({"cpu", ""}), disk_.files).configuration;
  }
  SmallDisk disk_;
  std::string yaml_ = kHeaderYaml;
};

TEST_F(HeaderParameters, WithoutAFileTheDefaultHolds) {
  EXPECT_EQ(configured({}).value("n").number(), 4);
  EXPECT_EQ(configured({}).value("atoms").number(), 5);
}

TEST_F(HeaderParameters, AreReadFromTheFile) {
  const Configuration c = configured({{"file", "/data/he"}, {"folder", "/data"}});
  EXPECT_EQ(c.value("g").number(), 3);
  EXPECT_EQ(c.value("n").number(), 64);
  EXPECT_EQ(c.value("atoms").number(), 10);
}

TEST_F(HeaderParameters, ThatDoNotFitNameTheFile) {
  yaml_.replace(yaml_.find("default: 5"), 10, "default: 5, min: 11");
  EXPECT_THAT(bad_input_of([&] {
                configured({{"folder", "/data"}});
              }),
              HasSubstr("atoms: 10 is too small; the least is 11; it is that of '/data/atoms.bin'"));
}

/// Extents of arrays, columns and matrices are what shapes and grids are made of.
TEST_F(HeaderParameters, AreExtentsOfTheFile) {
  yaml_.replace(yaml_.find("  g: "), yaml_.find("kernels:") - yaml_.find("  g: "), R"yaml(
  rows: {type: int, from: {file: "{folder}/a.mtx", format: mtx, part: rows}}
  columns: {type: int, from: {file: "{folder}/a.mtx", format: mtx, part: columns}}
  nonzeros: {type: long, from: {file: "{folder}/a.mtx", format: mtx, part: nonzeros}}
  first: {type: int, from: {file: "{folder}/a.npy", format: npy}}
  second: {type: int, from: {file: "{folder}/a.npy", format: npy, index: 1}}
  cells: {type: int, from: {file: "{folder}/a.csv", format: csv, column: y}}
)yaml");
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (7, 9), }\n";
  disk_.files.write_file("/data/a.npy",
                         std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size()) + '\0' + header,
                         false);
  disk_.files.write_file("/data/a.csv", "x,y\n1,2\n\n3,4\n", false);
  disk_.files.write_file("/data/a.mtx",
                         "%%MatrixMarket matrix coordinate real symmetric\n5 5 2\n1 1 5\n5 1 -3\n", false);
  const Configuration c = configured({{"folder", "/data"}});
  for (const auto& [name, value] :
       {std::pair{"rows", 5}, {"columns", 5}, {"nonzeros", 3}, {"first", 7}, {"second", 9}, {"cells", 2}})
    EXPECT_EQ(c.value(name).number(), value) << name;
  const auto refusal = [&](const std::string& part, const std::string& by) {
    yaml_.replace(yaml_.find(part), part.size(), by);
    return bad_input_of([&] { configured({{"folder", "/data"}}); });
  };
  EXPECT_THAT(
      refusal("index: 1", "index: 2"),
      HasSubstr("/data/a.npy: has the shape (7, 9), and so no extent 2, counted from 0, which is to give"));
  EXPECT_THAT(refusal(", column: y", ""), HasSubstr("goes with `format: csv`"));
  EXPECT_THAT(refusal("part: nonzeros", "part: entries"),
              HasSubstr("expected one of rows, columns, nonzeros"));
  EXPECT_THAT(refusal(", part: columns", ""),
              HasSubstr("`part` (rows, columns or nonzeros of a matrix) goes with"));
}

/// A key that the file lacks leaves the default; what the file says wrongly is an error at its place.
TEST_F(HeaderParameters, AreValuesOfKeys) {
  yaml_.replace(yaml_.find("  g: "), yaml_.find("kernels:") - yaml_.find("  g: "), R"yaml(
  cells: {type: int, default: 10, min: 2, from: {file: "{file}", format: keys, key: x_cells}}
  length: {type: double, default: "cells / 2", from: {file: "{file}", format: keys, key: length}}
  states: {type: int, from: {file: "{file}", format: keys, records: state, ignored: [profiler_on]}}
)yaml");
  const std::string records = R"yaml(buffers:
  s: {type: double, shape: [states, 2], init: {file: {path: "{file}", format: keys, records: state, columns: [a, b]}}}
kernels:)yaml";
  yaml_.replace(yaml_.find("kernels:"), 8, records);
  const auto values = [&](const std::string& text) {
    disk_.files.write_file("/data/deck", text, false);
    const Configuration c = configured({{"file", "/data/deck"}});
    return std::vector<double>{c.value("cells").number(), c.value("length").number(),
                               c.value("states").number()};
  };
  EXPECT_THAT(values("state 1 a=1\nstate 2 b=1\nlength=0.25\nprofiler_on\n"), ElementsAre(10, 0.25, 2));
  EXPECT_THAT(values("x_cells=960\n"), ElementsAre(960, 480, 0));
  const auto refused = [&](const std::string& text) { return bad_input_of([&] { values(text); }); };
  EXPECT_THAT(refused("\nx_cells=1\n"), HasSubstr("/data/deck:2:9: cells: 1 is too small; the least is 2"));
  EXPECT_THAT(refused("x_cells=2.5\n"),
              HasSubstr("/data/deck:1:9: cells: expected a whole number; found 2.5"));
  EXPECT_THAT(refused("y_cells=2\n"),
              HasSubstr("/data/deck:1:1: unknown key 'y_cells'; did you mean 'x_cells'?"));
  const auto refusal = [&](const std::string& part, const std::string& by) {
    yaml_.replace(yaml_.find(part), part.size(), by);
    return bad_input_of([&] { values("x_cells=960\n"); });
  };
  EXPECT_THAT(refusal(", columns: [a, b]", ""),
              HasSubstr("`records` and `columns`, beside them `words`, go with `format: keys`"));
  EXPECT_THAT(refusal(", key: length", ""), HasSubstr("one of `key` and `records`"));
  EXPECT_THAT(refusal("default: 10, ", ""), HasSubstr("the key 'default' is missing"));
}

TEST_F(HeaderParameters, ALinkIsMeasuredAsWhatItLeadsTo) {
  disk_.files.make_directories("/links", false);
  disk_.files.add_symlink("/links/atoms.bin", "/data/atoms.bin");  // a text of 15 characters
  disk_.files.add_symlink("/data/he16characters", "/data/he");
  EXPECT_EQ(configured({{"folder", "/links"}}).value("atoms").number(), 10);
  EXPECT_EQ(configured({{"file", "/data/he16characters"}}).value("n").number(), 64);
  disk_.files.remove_all("/data/atoms.bin");
  EXPECT_THAT(bad_input_of([&] {
                configured({{"folder", "/links"}});
              }),
              HasSubstr("/links/atoms.bin: is a symbolic link to a file that does not exist"));
}

TEST_F(HeaderParameters, WhatAlwaysComesFromTheFileNeedsNoDefault) {
  yaml_ = kHeaderYaml;
  yaml_.replace(yaml_.find("default: 5, "), 12, "");
  EXPECT_EQ(configured({{"folder", "/data"}}).value("atoms").number(), 10);
  EXPECT_EQ(configured({{"atoms", "7"}}).value("atoms").number(), 7);
  EXPECT_THAT(
      bad_input_of([&] { configured({}); }),
      HasSubstr("h.yaml:7:10: parameters.atoms: the file '{folder}/atoms.bin' gives it, and a path in this "
                "name is not set; set that, or 'atoms'"));
}

TEST_F(HeaderParameters, ANumberIsReadWithAllItsDigits) {
  disk_.files.write_file("/data/he", "3\n  9007199254740993", false);
  EXPECT_THAT(bad_input_of([&] {
                configured({{"file", "/data/he"}});
              }),
              HasSubstr("n: 9007199254740993 does not fit the type int"));
  yaml_ = kHeaderYaml;
  yaml_.replace(yaml_.find("n: {type: int"), 13, "n: {type: long");
  EXPECT_EQ(configured({{"file", "/data/he"}}).value("n").to_string(), "9007199254740993");
}

TEST_F(HeaderParameters, ABinaryFileIsNotShown) {
  disk_.files.write_file("/data/he",
                         std::string("\x01\x00\x7f"
                                     "ELF",
                                     6),
                         false);
  EXPECT_THAT(bad_input_of([&] {
                configured({{"file", "/data/he"}});
              }),
              HasSubstr("/data/he: looks like a binary file; expected numbers separated by white space; "
                        "`record_bytes` counts the records"));
}

TEST_F(HeaderParameters, WhatIsSetMustAgree) {
  EXPECT_THAT(bad_input_of([&] {
                configured({{"file", "/data/he"}, {"g", "6"}});
              }),
              HasSubstr("is set to 6, but '/data/he' has 3"));
  EXPECT_EQ(configured({{"file", "/data/he"}, {"n", "10"}}).value("n").number(), 10);
  EXPECT_THAT(bad_input_of([&] {
                configured({{"file", "/data/he"}, {"n", "65"}});
              }),
              HasSubstr("but '/data/he' has 64"));
}

TEST_F(HeaderParameters, ABrokenFileIsNamed) {
  disk_.files.write_file("/data/atoms.bin", std::string(161, 'x'), false);
  EXPECT_THAT(bad_input_of([&] {
                configured({{"folder", "/data"}});
              }),
              HasSubstr("/data/atoms.bin: holds 161 bytes"));
  disk_.files.write_file("/data/he", "3", false);
  EXPECT_THAT(bad_input_of([&] { configured({{"file", "/data/he"}}); }), HasSubstr("ends before number 2"));
  disk_.files.write_file("/data/he", "three 4", false);
  EXPECT_THAT(bad_input_of([&] {
                configured({{"file", "/data/he"}});
              }),
              HasSubstr("/data/he:1:1: expected a finite number; found 'three'"));
}

}  // namespace
}  // namespace kiln
