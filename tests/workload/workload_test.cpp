#include "workload/workload.h"

#include <gtest/gtest.h>

#include "support/error_matchers.h"
#include "support/small_workload.h"
#include "workload/library.h"

namespace kiln {
namespace {

using test::bad_input_of;
using test::SmallDisk;
using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<const Workload> parse(const std::string& text) {
  return parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w");
}

/// A workload with one thing replaced.
std::string with(const std::string& from, const std::string& to) {
  std::string text = test::kScaleYaml;
  const std::size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

TEST(Workload, ReadsEverySection) {
  const auto workload = parse(test::kScaleYaml);
  EXPECT_EQ(workload->name, "scale");
  EXPECT_EQ(workload->parameters.back().name, "seed");
  const KernelSpec& kernel = *workload->find_kernel("scale");
  EXPECT_EQ(kernel.entry, "scale");
  ASSERT_EQ(kernel.args.size(), 3U);
  EXPECT_EQ(kernel.args[0].kind, ArgumentSpec::Kind::kBuffer);
  EXPECT_EQ(kernel.args[2].kind, ArgumentSpec::Kind::kParams);
  EXPECT_EQ(workload->checks[0].reference_kernel, "scale_reference");
  EXPECT_TRUE(workload->metrics[0].higher_is_better);
  EXPECT_EQ(workload->find_parameter("mode")->kind, ParameterKind::kChoice);
}

TEST(Workload, WhatShapesTheTextIsBoundAtCompileTime) {
  const auto workload =
      parse(with("launch_bounds: [block]", "template_args: [T, n]\n    defines: {FACTOR: unused}"));
  EXPECT_EQ(workload->find_parameter("n")->fixed_binding, Binding::kCompile);
  EXPECT_EQ(workload->find_parameter("unused")->fixed_binding, Binding::kCompile);
  EXPECT_FALSE(workload->find_parameter("factor")->fixed_binding);
}

struct BadWorkload {
  const char* from;
  const char* to;
  const char* message;  ///< a part of it; with $, its end
};
class WorkloadError : public testing::TestWithParam<BadWorkload> {};
TEST_P(WorkloadError, SaysWhereAndWhat) {
  const std::string message = bad_input_of([] { parse(with(GetParam().from, GetParam().to)); });
  EXPECT_THAT(message, HasSubstr("w.yaml:"));
  std::string expected = GetParam().message;
  const bool to_the_end = expected.ends_with('$');
  if (to_the_end) expected.pop_back();
  EXPECT_THAT(message, HasSubstr(expected));
  EXPECT_TRUE(!to_the_end || message.ends_with(expected)) << message;
}
INSTANTIATE_TEST_SUITE_P(
    Bad, WorkloadError,
    testing::Values(
        BadWorkload{"summary:", "sumary:", "w.yaml:2:1: unknown key 'sumary'; did you mean 'summary'?"},
        BadWorkload{"default: 1000", "defualt: 1000", "did you mean 'default'?"},
        BadWorkload{"type: T, default: 3", "type: U, default: 3", "parameters.factor.type: unknown type 'U'"},
        BadWorkload{"blocks: \"ceil_div(n, block)\"", "blocks: \"ceil_div(m, block)\"",
                    "let.blocks: unknown name 'm'"},
        BadWorkload{"grid: [blocks]", "grid: [blokcs]", "did you mean 'blocks'?"},
        BadWorkload{"grid: [blocks]", "grid: [1, 2, 3, 4]", "expected one to 3 extents; found 4"},
        BadWorkload{"args: [y, x, params]", "args: [y, xx, params]",
                    "kernels.scale.args: 'xx' is neither a buffer nor"},
        BadWorkload{"args: [y, x, params]", "args: [y, {struct: []}]", "expected the members of a struct"},
        BadWorkload{"args: [y, x, params]", "args: [y, {struct: [x, params]}]",
                    "kernels.scale.args[1].struct[1]: a struct cannot hold `params`"},
        BadWorkload{"args: [y, x, params]", "args: [y, {struct: [x, {struct: [x]}]}]",
                    "write its members in its place"},
        BadWorkload{"args: [y, x, params]", "args: [y, {struct: [{buffer: x, count: 0}]}]",
                    "expected 1 to 8192 members"},
        BadWorkload{"args: [y, x, params]", "args: [y, {struct: [z]}]", "'z' is neither a buffer"},
        BadWorkload{"args: [y, x, params]", "args: [y, {function: \"\"}]",
                    "args[1].function: expected the name of a device function"},
        BadWorkload{"args: [y, x, params]", "args: [y, {function: f, count: 2}]", "unknown key"},
        BadWorkload{"args: [y, x, params]", "args: [y, {tensor_map: x, box: [1], swizzle: middling}, params]",
                    "swizzle: expected one of none, 32B, 64B, 128B; found 'middling'$"},
        BadWorkload{"args: [y, x, params]", "args: [y, {tensor_map: x, box: [1], swizzle: 64b}, params]",
                    "expected one of none, 32B, 64B, 128B; found '64b'; did you mean '64B'?$"},
        BadWorkload{"run: [scale]", "run: [scal]", "unknown kernel 'scal'; did you mean 'scale'?"},
        BadWorkload{"run: [scale]", "run: []", "expected at least one launch"},
        BadWorkload{"run: [scale]", "inputs: [xx]\nrun: [scale]", "unknown buffer 'xx'"},
        BadWorkload{"run: [scale]", "outputs: [y, y]\nrun: [scale]", "outputs[1]: buffer 'y' is there twice"},
        BadWorkload{"buffer: y,", "buffer: z,", "unknown buffer 'z'"},
        BadWorkload{"init: {iota: [1, 1]}", "init: {iota: [1]}", "expected two numbers; found 1"},
        BadWorkload{
            "init: {iota: [1, 1]}",
            "init: {kernel: scale_reference}}\n  q: {type: T, shape: [n], init: {kernel: scale_reference}",
            "which is not among its args"},
        BadWorkload{"init: {iota: [1, 1]}", "init: {file: {path: \"{nput}/a\"}}",
                    "'{nput}' names no parameter; did you mean 'input'?"},
        BadWorkload{"type: T, shape: [n], init", "type: Atom, shape: [n], init",
                    "buffers.x.type: unknown type 'Atom'"},
        BadWorkload{"scale.time", "scail.time",
                    "metrics.bandwidth.value: unknown name 'scail.time'; did you mean 'scale.time'?"},
        BadWorkload{"values: [plain, fancy]", "help: x", "a choice needs `values`"},
        BadWorkload{"default: plain", "default: plian",
                    "parameters.mode.default: unknown name 'plian'; did you mean 'plain'?"},
        BadWorkload{"n: {type: int, default: 1000, min: 1}", "n: {type: int, default: block}",
                    "parameters.n.default: 'block' is declared below; declare it before"},
        BadWorkload{"  unused: {type: long", "  time: {type: long", "'time' is a word of the format"},
        BadWorkload{"  unused: {type: long", "  2x: {type: long", "'2x' is not a name"},
        BadWorkload{"values: [plain, fancy]", "values: [plain, compute_units]",
                    "'compute_units' is a word of the format"},
        BadWorkload{"values: [plain, fancy]", "values: [plain, factor]",
                    "'factor' is a word of the choice 'mode' and the name of something else"},
        BadWorkload{"  unused: {type: long", "  class: {type: long", "parameters.class: a word of C++"},
        BadWorkload{"  unused: {type: long", "  _pi: {type: long",
                    "parameters._pi: '_pi' is a word of expressions"},
        BadWorkload{"  unused: {type: long", "  sqrt: {type: long",
                    "parameters.sqrt: 'sqrt' is a word of expressions"},
        BadWorkload{"let: {blocks", "let: {max: 1, blocks", "let.max: 'max' is a word of expressions"},
        BadWorkload{"n: {type: int, default: 1000, min: 1}",
                    "k: {type: int, default: 1}\n  n: {type: int, default: 1000, from: {file: \"{k}\"}}",
                    "parameters.n.from.file: 'k' alone names no file; expected a parameter of the type path"},
        BadWorkload{"  unused: {type: long", "  inf: {type: long", "'inf' reads as a number"},
        BadWorkload{"values: [plain, fancy]", "values: [plain, 16B]",
                    "parameters.mode.values[1]: '16B' cannot be a word of a choice"},
        BadWorkload{"values: [plain, fancy]", "values: [plain, a-b]", "'a-b' cannot be a word of a choice"},
        BadWorkload{"values: [plain, fancy]", "values: [plain, a b]", "'a b' cannot be a word of a choice"},
        BadWorkload{"values: [plain, fancy]", "values: [plain, float]", "'float' is a word of the format"},
        BadWorkload{"values: [plain, fancy]", "values: [plain, time]", "'time' is a word of the format"},
        BadWorkload{"n: {type: int, default: 1000, min: 1}",
                    "n: {type: int, default: 1000, from: {file: \"{input}/a\"}}",
                    "parameters.n.from.file: 'input' is declared below; declare it before"},
        BadWorkload{"n: {type: int, default: 1000, min: 1}",
                    "n: {type: int, default: 1000, from: {file: \"{n}\"}}",
                    "'n' is the parameter that the file is to give"},
        BadWorkload{"T: {type: type", "a: {type: T, default: 1}\n  T: {type: type",
                    "parameters.a.type: 'T' is declared below; declare it before"},
        BadWorkload{"n: {type: int, default: 1000, min: 1}", "n: {type: int, default: 1, values: [1, block]}",
                    "parameters.n.values[1]: 'block' is declared below"},
        BadWorkload{"min: 1}", "min: nan}", "parameters.n.min: expected a finite number; found 'nan'"},
        BadWorkload{"n * block <= 1000000", "nan", "constraints[0]: expected a finite number; found 'nan'"},
        BadWorkload{"n * block <= 1000000", "n <= 9007199254740993", "is more exact than the numbers"},
        BadWorkload{"source: scale.cu", "source: \"\"", "kernels.scale.source: expected a file"},
        BadWorkload{"buffer: y_reference}, rtol", "buffer: y}, rtol", "compares buffer 'y' with itself"},
        BadWorkload{"bind: compile", "bind: later", "expected compile or run"},
        BadWorkload{"rtol: 1e-12", "rtol: 1e-12, expected: 3",
                    "expected one of `expected`, `file`, `reference`"},
        BadWorkload{"rtol: 1e-12", "region: [[0, 1], [0, 1]]",
                    "the region has 2 ranges, buffer 'y' has 1 extents"}));

TEST(Workload, BuffersThatStartLikeEachOtherAreRefused) {
  const auto refused = [](const std::string& x, const std::string& y) {
    return bad_input_of([&] {
      std::string yaml =
          with("x: {type: T, shape: [n], init: {iota: [1, 1]}}", "x: {type: T, shape: [n], init: " + x + "}");
      const std::string plain = "y: {type: T, shape: [n]}";
      parse(yaml.replace(yaml.find(plain), plain.size(), "y: {type: T, shape: [n], init: " + y + "}"));
    });
  };
  EXPECT_THAT(refused("{same_as: y}", "{same_as: x}"),
              HasSubstr("buffers.x.init.same_as: the buffers start like each other: x -> y -> x"));
  EXPECT_THAT(refused("{same_as: x}", "0"), HasSubstr("x -> x"));
  EXPECT_THAT(refused("{file: {path: f}, otherwise: {same_as: y}}", "{same_as: x}"),
              HasSubstr("x -> y -> x"));
  EXPECT_THAT(refused("{same_as: y_referense}", "0"),
              HasSubstr("unknown buffer 'y_referense'; did you mean 'y_reference'?"));
  EXPECT_THAT(refused("{same_as: y, otherwise: 0}", "0"), HasSubstr("one way to fill a buffer, not several"));
}

TEST(Workload, MembersOfRecordsAreNamedByTheirType) {
  const auto parsed = [](const std::string& init) {
    return parse(with("buffers:\n",
                      "types: {V: {at: float3}, P: {n: int, next: \"ulong[2]\", v: \"V[2]\"}}\nbuffers:\n"
                      "  p: {type: P, shape: [n], init: " +
                          init + "}\n"));
  };
  const auto refused = [&](const std::string& init) { return bad_input_of([&] { parsed(init); }); };
  const auto workload =
      parsed("{members: {n: n, next: {addresses: [x, null]}, \"v[1]\": [1, n, 3], \"v[0].at.y\": 2}}");
  const InitSpec& init = workload->find_buffer("p")->init;
  ASSERT_EQ(init.members.size(), 4U);
  ASSERT_EQ(init.pointees().size(), 1U);
  EXPECT_EQ(init.pointees()[0].text, "x");
  EXPECT_THAT(refused("{members: {m: 1}}"),
              HasSubstr("buffers.p.init.members: 'P' has no member 'm'; did you mean 'n'?"));
  EXPECT_THAT(refused("{members: {\"v[2]\": 1}}"), HasSubstr("'P' has no member 'v[2]'"));
  EXPECT_THAT(refused("{members: {v: [1, 2]}}"), HasSubstr("'v' has 6 numbers; found 2 values"));
  EXPECT_THAT(refused("{members: {n: [1, 2]}}"), HasSubstr("'n' has 1 number; found 2 values"));
  EXPECT_THAT(refused("{members: {v: 1, \"v[1].at\": 1}}"), HasSubstr("'v[1].at.x' is given twice"));
  EXPECT_THAT(refused("{members: {n: {addresses: x}}}"),
              HasSubstr("'n' is to hold an address; expected type ulong, found int"));
  EXPECT_THAT(refused("{members: {next: {addresses: xx}}}"), HasSubstr("unknown buffer 'xx'"));
  EXPECT_THAT(refused("{members: {next: {address: x}}}"), HasSubstr("did you mean 'addresses'?"));
  EXPECT_THAT(refused("{members: {n: m}}"), HasSubstr("buffers.p.init.members.n: unknown name 'm'"));
  EXPECT_THAT(refused("{addresses: x}"), HasSubstr("addresses are elements of type ulong; the buffer has P"));
  EXPECT_THAT(bad_input_of([] { parse(with("init: {iota: [1, 1]}", "init: {members: {n: 1}}")); }),
              HasSubstr("buffers.x.init.members: the elements are of type T; expected one of `types`"));
  EXPECT_THAT(refused("{file: {path: f, format: binary}, otherwise: {members: {next: {addresses: x}}}}"),
              HasSubstr("addresses of buffers cannot stand in a file's place"));
}

TEST(Workload, RecordsAreComparedWithRecordsOfTheirTypeOnly) {
  const std::string records =
      with("buffers:\n", "types: {P: {x: float}}\nbuffers:\n  p: {type: P, shape: [n]}\n");
  for (const auto& [from, to] :
       {std::pair("buffer: y,", "buffer: p,"), std::pair("buffer: y_reference}, rtol", "buffer: p}, rtol")}) {
    std::string text = records;
    text.replace(text.find(from), std::string(from).size(), to);
    EXPECT_THAT(bad_input_of([&] { parse(text); }),
                HasSubstr("records are compared with records of their own type"));
  }
}

TEST(Workload, CyclesInLetAreShown) {
  const std::string cycle = bad_input_of([] {
    parse(with("let: {blocks: \"ceil_div(n, block)\", bytes",
               "let: {blocks: \"a + 1\", a: \"2 * b\", b: blocks, bytes"));
  });
  EXPECT_THAT(cycle, HasSubstr("the names depend on each other: blocks -> a -> b -> blocks"));
}

TEST(WorkloadLibrary, FindsByNamePathAndFolder) {
  SmallDisk disk;
  const WorkloadLibrary library(disk.files, {"/none", "/kernels"});
  EXPECT_THAT(library.names(), ElementsAre("scale"));
  EXPECT_EQ(library.load("scale", {})->name, "scale");
  EXPECT_EQ(library.load("/kernels/scale/scale.yaml", {})->name, "scale");
  EXPECT_EQ(library.load("/kernels/scale", {})->name, "scale");
  EXPECT_EQ(library.load("../kernels/scale", {"/jobs/j.yaml", 1, 1})->name, "scale");
}

TEST(WorkloadLibrary, FollowsLinks) {
  SmallDisk disk;
  disk.files.make_directories("/links/scale", false);
  disk.files.add_symlink("/elsewhere", "/kernels");
  disk.files.add_symlink("/work", "/kernels/scale");
  disk.files.add_symlink("/links/scale/scale.yaml", "/kernels/scale/scale.yaml");
  disk.files.make_directories("/links/gone", false);
  disk.files.add_symlink("/links/gone/gone.yaml", "/nowhere");
  EXPECT_EQ(WorkloadLibrary(disk.files, {"/elsewhere"}).load("scale", {})->name, "scale");
  const WorkloadLibrary library(disk.files, {"/links"});
  EXPECT_THAT(library.names(), ElementsAre("scale"));
  EXPECT_EQ(library.load("scale", {})->name, "scale");
  disk.files.add_symlink("/scale", "/kernels/scale");
  EXPECT_EQ(library.load("/scale", {})->name, "scale");
  EXPECT_THAT(bad_input_of([&] {
                static_cast<void>(library.load("gone", {"j.yaml", 1, 11}));
              }),
              HasSubstr("/links/gone/gone.yaml: is a symbolic link to a file that does not exist"));
}

TEST(WorkloadLibrary, ChecksWhatItLoadsAndParses) {
  SmallDisk disk;
  int checked = 0;
  const WorkloadLibrary library(disk.files, {"/kernels"}, [&](const Workload& workload) {
    EXPECT_EQ(workload.name, "scale");
    ++checked;
  });
  static_cast<void>(library.load("scale", {}));
  static_cast<void>(library.load("/kernels/scale/scale.yaml", {}));  // the same file
  static_cast<void>(
      library.parse(YamlNode::parse(test::kScaleYaml, "j.yaml"), test::kScaleYaml, "/kernels/scale"));
  EXPECT_EQ(checked, 2);
}

TEST(WorkloadLibrary, ParsesAFileAgainOnlyIfItsTextIsAnother) {
  SmallDisk disk;
  const WorkloadLibrary library(disk.files, {"/kernels"});
  const auto first = library.load("scale", {});
  EXPECT_EQ(library.load("/kernels/scale", {}), first);
  const std::string text = first->text;
  disk.files.write_file("/kernels/scale/scale.yaml", text + "# another line\n", false);
  const auto second = library.load("scale", {});
  EXPECT_NE(second, first);
  EXPECT_EQ(second->text, text + "# another line\n");
}

TEST(WorkloadLibrary, SuggestsTheNearestName) {
  SmallDisk disk;
  const WorkloadLibrary library(disk.files, {"/kernels"});
  const std::string message = bad_input_of([&] {
    static_cast<void>(library.load("scal", {"j.yaml", 1, 11}));
  });
  EXPECT_THAT(message, HasSubstr("j.yaml:1:11: workload: unknown workload 'scal'; did you mean 'scale'?"));
}

}  // namespace
}  // namespace kiln
