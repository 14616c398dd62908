#include "merge/merged.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/text.h"
#include "kiln/error.h"
#include "merge/merge_files.h"
#include "record/record_json.h"
#include "record/study_content.h"
#include "record/study_lines.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "support/recording_log.h"
#include "tune/tune_journal.h"

namespace kiln {
namespace {

using testing::AllOf;
using testing::HasSubstr;

MergeInput input(const std::string& file, const std::vector<std::string>& lines, std::string_view beginning) {
  return {file, split_json_lines(join(lines, "\n") + "\n", file, beginning)};
}

MergeInput again(const Merged& merged, std::string_view beginning) {
  return {"merged", split_json_lines(merged.text, "merged", beginning)};
}

template <class Merge>
std::string refusal(Merge merge) {
  try {
    static_cast<void>(merge());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "";
}

Record record(const std::string& block, const std::string& time, const std::string& device = "cuda:0") {
  Record made;
  made.run_id = "r";
  made.time = time;
  made.kiln_version = "1.0";
  made.workload = "scale";
  made.source_digest = "abc";
  made.label = "block=" + block;
  made.device.id = device;
  made.device.name = "GPU";
  made.device.target = {"cuda", "sm_90"};
  made.parameters = {{"block", block}};
  return made;
}

MergeInput records(const std::string& file, const std::vector<Record>& all) {
  std::vector<std::string> lines;
  for (const Record& one : all) lines.push_back(record_to_json(one));
  return input(file, lines, kRecordBeginning);
}

TEST(MergeRecords, OneForEachVariantAndClassOfDeviceInAnyOrder) {
  const MergeInput a = records("a", {record("32", "2026-01-01"), record("64", "2026-01-02")});
  const MergeInput b = records("b", {record("32", "2026-01-03", "cuda:1"), record("128", "2026-01-01")});
  const Merged merged = merge_records({a, b}, {});
  EXPECT_EQ(merged.kept, 3U);
  EXPECT_EQ(merged.dropped, 1U);
  EXPECT_THAT(merged.text, AllOf(HasSubstr("2026-01-03"), HasSubstr("cuda:1")));
  EXPECT_EQ(merge_records({b, a}, {}).text, merged.text);
  EXPECT_EQ(merge_records({again(merged, kRecordBeginning), b}, {}).text, merged.text) << "idempotent";
  EXPECT_EQ(merge_records({a, b}, {.all = true}).kept, 4U);
  EXPECT_EQ(merge_records({a, a, b}, {.all = true}).kept, 4U) << "the same line once";
}

TEST(MergeRecords, CasesOfAStudyWithTheSameCodeStay) {
  Record other = record("32", "2026-01-02");
  other.label = "jit_generic";
  EXPECT_EQ(merge_records({records("a", {record("32", "2026-01-01"), other})}, {}).kept, 2U);
}

TEST(MergeRecords, WhatWasNotRunStandsForNothing) {
  Record lost = record("32", "2026-02-01");
  lost.status = RunStatus::kNotRun;
  const Merged merged = merge_records({records("a", {record("32", "2026-01-01"), lost})}, {});
  EXPECT_EQ(merged.kept, 1U);
  EXPECT_THAT(merged.text, HasSubstr("2026-01-01"));
}

TEST(MergeRecords, RefusesOtherSourcesAndVersions) {
  Record other = record("64", "2026-01-02");
  other.source_digest = "def";
  const auto both = [&](const MergeOptions& options) {
    return merge_records({records("a", {record("32", "2026-01-01")}), records("b", {other})}, options);
  };
  EXPECT_THAT(refusal([&] { return both({}); }),
              AllOf(HasSubstr("the source of scale is abc in a:1, and def in b:1"), HasSubstr("--mixed")));
  EXPECT_EQ(both({.mixed = true}).kept, 2U);
  other = record("64", "2026-01-02");
  other.kiln_version = "2.0";
  EXPECT_THAT(refusal([&] { return both({}); }), HasSubstr("Kiln is 1.0"));
  EXPECT_THAT(refusal([] { return merge_records({input("c", {"no record"}, kRecordBeginning)}, {}); }),
              HasSubstr("c:1"));
}

std::string outcome_line(const std::string& block, const std::string& time, double value) {
  return R"({"event":"outcome","label":"block=)" + block + R"(","values":[")" + block +
         R"("],"identity":"i)" + block + R"(","sizes":[{"size":null,"record":")" + time +
         R"(","status":"ok","interval":[1,2]}],"outcome":{"kind":"value","value":)" + std::to_string(value) +
         "}}";
}

std::string header_line(const std::string& space, std::uint64_t seed) {
  return R"({"event":"tune","format":1,"kiln":"1.0","workload":"scale","space":")" + space +
         R"(","names":["block"],"searcher":"exhaustive","seed":)" + std::to_string(seed) +
         R"(,"device":"GPU"})";
}

TEST(MergeJournals, OneOutcomeForEachPoint) {
  const auto journal = [](const std::string& file, const std::vector<std::string>& lines) {
    return input(file, lines, TuneJournal::kBeginning);
  };
  const MergeInput a =
      journal("a", {header_line("s", 1), outcome_line("32", "2026-01-01", 1),
                    R"({"event":"ask","wanted":1,"points":[["64"]]})", outcome_line("64", "2026-01-02", 2)});
  const MergeInput b = journal("b", {header_line("s", 2), outcome_line("32", "2026-01-03", 3),
                                     R"({"event":"end","reason":"every point is known"})"});
  const Merged merged = merge_journals({a, b});
  EXPECT_EQ(merged.kept, 2U);
  EXPECT_EQ(merged.dropped, 1U);
  EXPECT_EQ(merge_journals({b, a}).text, merged.text);
  EXPECT_EQ(merge_journals({a, again(merged, TuneJournal::kBeginning)}).text, merged.text);
  const auto events = journal_events(again(merged, TuneJournal::kBeginning).lines, "merged");
  ASSERT_EQ(events.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<JournalHeader>(events[0]));
  EXPECT_EQ(std::get<Evaluation>(events[2]).outcome.value, 3);
  EXPECT_THAT(refusal([&] {
                return merge_journals({a, journal("c", {header_line("other", 1)})});
              }),
              HasSubstr("the space is s in a:1, and other in c:1"));
}

StudyHeader study_header(const std::string& digest, const std::string& time) {
  StudyHeader header;
  header.run_id = "run" + digest;
  header.time = time;
  header.kiln_version = "1.0";
  header.sections = {{"scale", "scale"}, {"sum", "sum"}};
  header.digest = digest;
  header.rounds = 6;
  header.devices = {"cuda:0"};
  return header;
}

/// A section's block: a case, a visit and, if `result`, its end.
std::vector<std::string> block(const std::string& section, const std::string& device, const std::string& name,
                               bool result = true) {
  CaseLine line;
  line.section = section;
  line.device = device;
  line.which.name = "jit_generic";
  line.compiled_by = "NVRTC";
  Record made = record("32", "2026-01-01", device);
  made.device.name = name;
  std::vector<std::string> lines = {study_line(line, made)};
  lines.push_back(study_line(VisitLine{section, device, "jit_generic", 1, {{0.5}, {0.5}}}));
  StudyResult end;
  end.section = section;
  end.device = device;
  end.cases.emplace_back().name = "jit_generic";
  if (result) lines.push_back(study_line(end));
  return lines;
}

MergeInput study(const std::string& file, const StudyHeader& header,
                 const std::vector<std::vector<std::string>>& blocks) {
  std::vector<std::string> lines = {study_line(header)};
  for (const auto& one : blocks) lines.insert(lines.end(), one.begin(), one.end());
  return input(file, lines, kStudyBeginning);
}

TEST(MergeStudies, JoinsTheBlocksOfShards) {
  const MergeInput a = study("a", study_header("d", "2026-01-01"), {block("scale", "cuda:0", "H100")});
  const MergeInput b = study("b", study_header("d", "2026-01-02"),
                             {block("sum", "cuda:0", "H100"), block("scale", "cuda:0", "H100", false)});
  const Merged merged = merge_studies({a, b});
  EXPECT_EQ(merged.kept, 2U);
  EXPECT_EQ(merged.dropped, 1U) << "the one without a result";
  EXPECT_EQ(merge_studies({b, a}).text, merged.text);
  EXPECT_EQ(merge_studies({again(merged, kStudyBeginning), b}).text, merged.text);
  const StudyContent content = study_content(again(merged, kStudyBeginning).lines, "merged");
  EXPECT_EQ(content.header.digest, "d");
  EXPECT_TRUE(content.blocks.at({"scale", "cuda:0"}).result);
  EXPECT_TRUE(content.blocks.at({"sum", "cuda:0"}).result);
}

TEST(MergeStudies, DevicesOfOneIdAreToldApartByTheirNames) {
  const MergeInput a = study("a", study_header("d1", "2026-01-01"), {block("scale", "cuda:0", "H100")});
  const MergeInput b = study("b", study_header("d2", "2026-01-02"), {block("scale", "cuda:0", "H200")});
  const Merged merged = merge_studies({a, b});
  EXPECT_EQ(merge_studies({b, a}).text, merged.text);
  EXPECT_EQ(merge_studies({again(merged, kStudyBeginning), a}).text, merged.text);
  const StudyContent content = study_content(again(merged, kStudyBeginning).lines, "merged");
  EXPECT_THAT(content.header.devices, testing::ElementsAre("cuda:0@H100", "cuda:0@H200"));
  EXPECT_EQ(content.header.digest, "d1+d2");
  EXPECT_TRUE(content.blocks.at({"scale", "cuda:0@H200"}).result);
}

TEST(MergeStudies, RefusesAnotherStudy) {
  StudyHeader other = study_header("d", "2026-01-01");
  other.seed = 2;
  const MergeInput a = study("a", study_header("d", "2026-01-01"), {block("scale", "cuda:0", "H100")});
  EXPECT_THAT(refusal([&] {
                return merge_studies({a, study("b", other, {})});
              }),
              HasSubstr("the seed is 1 in a, and 2 in b"));
}

TEST(JoinShards, JoinsThemWithWhatIsThereAndSetsThemAside) {
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  test::RecordingLog log;
  files.make_directories("/results", false);
  const auto write = [&](const std::string& name, const std::string& block) {
    files.write_file("/results/" + name, record_to_json(record(block, "2026-11-24T10:00:00Z")) + "\n", false);
  };
  write("records.jsonl", "64");
  write("records-shard-1-of-2.jsonl", "128");
  write("records-shard-2-of-2.jsonl", "256");
  EXPECT_EQ(shard_files(files, "/results").size(), 2U);
  join_shards(files, "/results", {true, true}, log);
  EXPECT_EQ(split(trim(*files.read_file("/results/records.jsonl")), '\n').size(), 3U);
  EXPECT_TRUE(shard_files(files, "/results").empty());
  EXPECT_TRUE(files.status("/results/records-shard-1-of-2.jsonl.merged"));
  join_shards(files, "/results", {true, true}, log);
  EXPECT_EQ(split(trim(*files.read_file("/results/records.jsonl")), '\n').size(), 3U) << "nothing to join";
}

}  // namespace
}  // namespace kiln
