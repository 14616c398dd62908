#include "job/output_plan.h"

#include <gmock/gmock.h>

#include "job/job_fixture.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::ElementsAre;
using testing::HasSubstr;

class OutputPlan : public test::JobTest {
 protected:
  OutputPlan() { disk_.files.make_directories("/out", false); }

  std::vector<std::string> files_of(const std::string& job) {
    std::vector<std::string> files;
    for (const Variant& variant : plan(job).variants) {
      for (const KeptOutput& output : variant.keep) files.push_back(output.buffer + "=" + output.file);
    }
    return files;
  }
  std::string refusal(const std::string& job) {
    return bad_input_of([&] { plan("workload: scale\n" + job); });
  }
};

TEST_F(OutputPlan, EachVariantHasFilesOfItsOwn) {
  EXPECT_THAT(files_of("workload: scale\nkeep: {y: /out/y.npy, x: /out/x.txt}\n"),
              ElementsAre("y=/out/y.npy", "x=/out/x.txt"));
  EXPECT_THAT(
      files_of("workload: scale\nsweep: {block: [32, 64]}\nkeep: {y: \"/out/{device}-{block}.npy\"}\n"),
      ElementsAre("y=/out/" + device_->info().id + "-32.npy", "y=/out/" + device_->info().id + "-64.npy"));
  EXPECT_THAT(
      files_of("workload: scale\nsweep: {bind.n: [compile, run]}\nkeep: {y: \"/out/{variant}.bin\"}\n"),
      ElementsAre("y=/out/1.bin", "y=/out/2.bin"));
}

TEST_F(OutputPlan, OnlyBuffersThatLastAreKept) {
  edit_workload("buffers:\n",
                "buffers:\n  t: {type: T, shape: [n], temporary: true}\n"
                "  part: {type: T, shape: [1], view: {of: y}}\n");
  edit_workload("run: [scale]", "run: [scale, {copy: {from: y, to: t}}, {fill: {buffer: part, value: 3}}]");
  EXPECT_EQ(refusal("keep: {t: /out/t.npy}\n"),
            "/job.yaml:2:11: keep.t: the buffer is temporary: it has no content after a step");
  EXPECT_THAT(files_of("workload: scale\nkeep: {part: /out/part.npy}\n"), ElementsAre("part=/out/part.npy"));
}

TEST_F(OutputPlan, TwoWritersOfOneFileAreRefused) {
  EXPECT_THAT(
      refusal("sweep: {block: [32, 64]}\nkeep: {y: \"/out/y{n}.npy\"}\n"),
      AllOf(HasSubstr("/job.yaml:3:11: keep.y: '/out/y1000.npy' is written by the variant 'block=32', too"),
            HasSubstr("{variant} or {parameter}")));
  EXPECT_THAT(refusal("keep: {y: /out/a.npy, x: /out/../out/a.npy}\n"),
              HasSubstr("is written by keep.y, too"));
  disk_.files.add_symlink("/link", "/out");
  EXPECT_THAT(refusal("keep: {y: /out/a.npy, x: /link/a.npy}\n"), HasSubstr("is written by keep.y, too"));
}

TEST_F(OutputPlan, WhatTheJobReadsIsNotWritten) {
  disk_.files.write_file("/out/in.txt", "1", false);
  disk_.files.add_symlink("/out/link.txt", "/out/in.txt");
  edit_workload("init: {iota: [1, 1]}", "init: {file: {path: \"{input}\"}, otherwise: 1}");
  EXPECT_THAT(refusal("set: {input: /out/in.txt, n: 1}\nkeep: {y: /out/link.txt}\n"),
              HasSubstr("keep.y: '/out/link.txt' is an input of the job; expected another file"));
  EXPECT_THAT(refusal("keep: {y: /kernels/scale/scale.yaml}\n"), HasSubstr("keep.y: "));
}

TEST_F(OutputPlan, NamesThatMeanNothingAreRefused) {
  EXPECT_THAT(refusal("keep: {z: /out/z.npy}\n"), HasSubstr("keep.z: there is no buffer 'z'"));
  EXPECT_THAT(refusal("keep: {y_referenc: /out/z.npy}\n"), HasSubstr("did you mean 'y_reference'?"));
  EXPECT_THAT(refusal("keep: {y: \"/out/{blok}.npy\"}\n"), HasSubstr("did you mean 'block'?"));
  EXPECT_THAT(refusal("keep: {y: \"/out/{input}.npy\"}\n"),
              HasSubstr("'{input}' cannot stand in the name of a file"));
  EXPECT_THAT(refusal("keep: {y: \"/out/{block.npy\"}\n"), HasSubstr("'{' without '}'"));
  EXPECT_THAT(refusal("keep: {y: /out/y}\n"), HasSubstr("has no ending of a format"));
}

TEST_F(OutputPlan, WhatIsKeptStandsInTheRecord) {
  const std::vector<Record> records =
      run("workload: scale\nmeasure: false\nkeep: {y: /out/y.txt}\nset: {n: 1000}\n");
  ASSERT_EQ(records.size(), 1U);
  ASSERT_EQ(records[0].kept.size(), 1U) << records[0].message;
  EXPECT_EQ(records[0].kept[0].buffer, "y");
  EXPECT_EQ(records[0].kept[0].file, "/out/y.txt");
  EXPECT_THAT(records[0].kept[0].shape, ElementsAre(1000));
  EXPECT_THAT(disk_.files.read_file("/out/y.txt").value_or(""), testing::StartsWith("3\n6\n9\n"));
}

/// A variant whose file is gone, or was not asked for then, is not known.
TEST_F(OutputPlan, AResumedRunMakesTheFilesThatAreMissing) {
  const std::string job = "workload: scale\nmeasure: false\n";
  const std::string keep = "keep: {y: /out/y.txt}\n";
  const auto known = [&](const std::string& text, const std::vector<Record>& records) {
    return find_known(plan(text), records, context()).at(0).has_value();
  };
  const std::vector<Record> without = run(job);
  EXPECT_TRUE(known(job, without));
  EXPECT_FALSE(known(job + keep, without));
  const std::vector<Record> with = run(job + keep);
  EXPECT_TRUE(known(job + keep, with));
  EXPECT_TRUE(known(job, with));
  disk_.files.remove_all("/out/y.txt");
  EXPECT_FALSE(known(job + keep, with));
}

}  // namespace
}  // namespace kiln
