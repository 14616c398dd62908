// The readers of what searches leave: recorded spaces (journals, cache files of Kernel Tuner, T4 results),
// points of other tuners, and wisdom with the choice of a record. Any of them may come from elsewhere.
#include <string>

#include "fuzz/fuzz_target.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "support/recording_log.h"
#include "support/small_workload.h"
#include "tune/compare.h"
#include "tune/foreign_points.h"
#include "tune/recorded_file.h"
#include "wisdom/wisdom_choice.h"
#include "wisdom/wisdom_file.h"

namespace kiln {
namespace {

using test::attempt;
using test::require;

constexpr std::size_t kMost = 200;  // points that are searched

void search(const RecordedSpace& space) {
  require(space.space.count() == space.points.size());
  if (space.points.size() > kMost) return;
  CompareOptions options;
  options.searchers = {"random"};
  options.seeds = 1;
  const auto results = compare_searchers({space}, options);
  static_cast<void>(scores_to_csv(results));
  static_cast<void>(curves_to_csv(results));
}

/// Points with the names of a record are written and read again as the same ones.
void write_again(FileSystem& files, const std::vector<ForeignPoint>& points) {
  if (points.empty() || points.size() > kMost) return;
  std::vector<WisdomRecord> records;
  for (const ForeignPoint& point : points) {
    require(point.seconds > 0);
    WisdomRecord record;
    record.key.workload = "w";
    record.values = point.values;
    record.result.time = {point.seconds};
    records.push_back(std::move(record));
  }
  attempt([&] {
    files.write_file("/again.wisdom", foreign_text(records, ForeignFormat::kKernelLauncher), false);
    require(read_foreign_points(files, "/again.wisdom").size() == points.size());
  });
}

/// What was read is written, and merged again it is the same text.
void merge_again(const std::vector<WisdomRecord>& records) {
  const std::string text = wisdom_text(merge_wisdom(records));
  require(wisdom_text(merge_wisdom(parse_wisdom(text, "again.wisdom.yaml"))) == text);
}

void choose(FileSystem& files, Log& log, const std::shared_ptr<const Workload>& workload) {
  const WisdomBook book(files, {{"/in", {}, true}}, workload->name, log);
  WisdomQuestion question{workload, {}, unknown_device({"cuda", "sm_90"}), {}};
  question.device.name = "NVIDIA H200";
  question.device.compute_units = 132;
  for (const WisdomChoice& choice : choose_wisdom(book, question, files, kRanks, true))
    static_cast<void>(choice.sentence("2026-11-23"));
}

}  // namespace
}  // namespace kiln

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kiln;
  static test::SmallDisk disk;
  static const std::shared_ptr<const Workload> workload = disk.workload();
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  test::RecordingLog log;
  files.make_directories("/in", false);
  files.write_file("/in/scale.wisdom.yaml", test::text_of(data, size), false);
  test::attempt([&] { search(read_recorded_space(files, "/in/scale.wisdom.yaml")); });
  test::attempt([&] { write_again(files, read_foreign_points(files, "/in/scale.wisdom.yaml")); });
  test::attempt([&] { merge_again(read_wisdom_file(files, "/in/scale.wisdom.yaml")); });
  test::attempt([&] { choose(files, log, workload); });
  return 0;
}
