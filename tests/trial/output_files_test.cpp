#include "trial/output_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/fake_device.h"
#include "support/memory_file_system.h"
#include "trial/host_fill.h"

namespace kiln {
namespace {

using test::bad_input_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const kYaml = R"yaml(workload: w
types: {Atom: {x: float, y: float}}
buffers:
  u: {type: double, shape: [2, 3], init: {iota: [0, 0.1]}}
  f: {type: float, shape: [3], init: {iota: [0.5, 1]}}
  h: {type: half, shape: [3], init: 1.5}
  b: {type: bool, shape: [3], init: 1}
  n: {type: ulong, shape: [2], init: 18446744073709551615}
  v: {type: float2, shape: [2], init: 3}
  q: {type: fp8_e4m3, shape: [2], init: 2}
  a: {type: Atom, shape: [2], init: 0}
  part: {type: int, shape: [4, 2], used: found, init: {iota: [0, 1]}}
  found_here: {type: int, shape: [1]}
  u2: {type: double, shape: [2, 3], init: {file: {path: /out/u.npy, format: npy}}}
  f2: {type: float, shape: [3], init: {file: {path: /out/f.csv, format: csv, column: f}}}
  v2: {type: float2, shape: [2], init: {file: {path: /out/v.npy, format: npy}}}
kernels: {k: {source: k.cu, grid: [1], block: [1], args: [u, part]}}
run: [{read: {found: found_here}}, k]
)yaml";

class OutputFiles : public testing::Test {
 protected:
  OutputFiles() {
    files_.make_directories("/out", false);
    workspace_.allocate(kBuffers);
    for (const std::string& name : kBuffers) workspace_.fill(name);
  }
  std::string written(const std::string& buffer, const std::string& file, const Variables& variables = {}) {
    kept_ = write_outputs(workspace_, variables, {{buffer, "/out/" + file}}, files_);
    return files_.read_file("/out/" + file).value_or("");
  }
  std::string refusal(const std::string& buffer, const std::string& file) {
    return bad_input_of([&] { require_output_format(workspace_.layout(buffer), file, {"job.yaml", 3, 9}); });
  }

  const std::vector<std::string> kBuffers{"u", "f", "h", "b", "n", "v", "q", "a", "part"};
  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  test::FakeDevice device_{clock_};
  std::unique_ptr<Stream> stream_ = device_.create_stream();
  std::shared_ptr<const Workload> workload_ = parse_workload(YamlNode::parse(kYaml, "w.yaml"), kYaml, "/w");
  Configuration configuration_ = configure(workload_, {}, device_.info(), files_).configuration;
  BufferPool pool_;
  Workspace workspace_{device_, *stream_, configuration_, files_, pool_};
  std::vector<KeptFile> kept_;
};

TEST_F(OutputFiles, TextHasALineForEachRow) {
  EXPECT_EQ(written("u", "u.txt"), "0 0.1 0.2\n0.30000000000000004 0.4 0.5\n");
  EXPECT_EQ(written("f", "f.txt"), "0.5\n1.5\n2.5\n");
  EXPECT_EQ(written("u", "u.csv"), "u0,u1,u2\n0,0.1,0.2\n0.30000000000000004,0.4,0.5\n");
  EXPECT_EQ(written("n", "n.csv"), "n\n18446744073709551615\n18446744073709551615\n");
  EXPECT_EQ(written("b", "b.txt"), "1\n1\n1\n");
  EXPECT_EQ(written("q", "q.txt"), "2\n2\n");
  EXPECT_EQ(written("v", "v.txt"), "3 3\n3 3\n");
}

TEST_F(OutputFiles, NumPysFilesAreAlignedAndNameTheirType) {
  const std::string file = written("u", "u.npy");
  EXPECT_THAT(file, HasSubstr("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"));
  EXPECT_EQ(file.size(), 128U + 48U);
  for (const auto& [buffer, type] : {std::pair{"f", "'<f4'"}, {"h", "'<f2'"}, {"b", "'|b1'"}, {"n", "'<u8'"}})
    EXPECT_THAT(written(buffer, "x.npy"), HasSubstr(type));
  EXPECT_THAT(written("f", "f.npy"), HasSubstr("'shape': (3,), }"));
  EXPECT_EQ(written("f", "f.bin").size(), 12U);
  EXPECT_EQ(written("a", "a.bin").size(), 16U);
}

/// What is kept is an input of the next job.
TEST_F(OutputFiles, FilesReadBack) {
  for (const auto& [buffer, file, again] :
       {std::tuple{"u", "u.npy", "u2"}, {"f", "f.csv", "f2"}, {"v", "v.npy", "v2"}}) {
    static_cast<void>(written(buffer, file));
    const BufferLayout layout = layout_of(configuration_, *workload_->find_buffer(again));
    std::vector<std::byte> content(layout.bytes);
    fill_from_file(configuration_, layout, *layout.spec->init.file, files_, content);
    const HostContent original = workspace_.content(buffer);
    EXPECT_TRUE(std::equal(content.begin(), content.end(), original.bytes.begin(), original.bytes.end()))
        << file;
  }
}

TEST_F(OutputFiles, OnlyWhatIsInUseIsKept) {
  EXPECT_EQ(written("part", "p.txt", {{"found", 3}}), "0 1\n2 3\n4 5\n");
  ASSERT_EQ(kept_.size(), 1U);
  EXPECT_EQ(kept_[0].buffer, "part");
  EXPECT_EQ(kept_[0].file, "/out/p.txt");
  EXPECT_THAT(kept_[0].shape, ElementsAre(3, 2));
  EXPECT_EQ(written("part", "p.txt", {{"found", 0}}), "");
  EXPECT_THAT(written("part", "p.npy", {{"found", 0}}), HasSubstr("'shape': (0, 2), }"));
}

TEST_F(OutputFiles, WhatAFormatCannotHoldIsRefused) {
  EXPECT_THAT(
      refusal("u", "u.dat"),
      HasSubstr(
          "job.yaml:3:9: keep.u: 'u.dat' has no ending of a format; expected one of .npy, .bin, .txt, .csv"));
  EXPECT_THAT(refusal("q", "q.npy"),
              HasSubstr("cannot hold elements of fp8_e4m3, which NumPy does not know"));
  EXPECT_THAT(refusal("a", "a.csv"), HasSubstr("cannot hold records; a file that ends in .bin can"));
}

TEST_F(OutputFiles, AFileThatCannotBeWrittenIsAnErrorThatNamesIt) {
  const Error error = test::error_of([&] {
    static_cast<void>(write_outputs(workspace_, {}, {{"u", "/nowhere/u.npy"}}, files_));
  });
  EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
  EXPECT_THAT(error.what(),
              HasSubstr("keep.u: '/nowhere/u.npy' cannot be written: No such file or directory"));
}

}  // namespace
}  // namespace kiln
