// The readers of records.jsonl and of ceilings, and everything that shows what they hold: a record from
// elsewhere may hold anything.
#include <string>

#include "base/text.h"
#include "fuzz/fuzz_target.h"
#include "record/known_records.h"
#include "record/record_file.h"
#include "record/record_json.h"
#include "report/ceilings.h"
#include "report/csv.h"
#include "report/html_page.h"
#include "report/portability_text.h"
#include "report/record_table.h"
#include "report/result_files.h"
#include "report/run_summary.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "support/recording_log.h"

namespace kiln {
namespace {

using test::attempt;
using test::require;

/// What is written for people holds nothing that a terminal would obey.
void require_printable(const std::string& text) {
  require(printable(text) == text);
}

void show(const std::vector<Record>& records) {
  const TextStyle style{100, true, false};
  require_printable(render_terminal(record_table(records, style), style));
  require_printable(run_heading(records, style));
  require_printable(summary_line(records, style));
  require_printable(problem_paragraphs(records, style));
  require_printable(render_markdown(record_table(records, style)));
  require_printable(records_to_csv(records));
  attempt([&] {
    const Portability report = compare_devices(records, {}, {});
    static_cast<void>(portability_to_terminal(report, style));
    require_printable(portability_to_markdown(report));
    require_printable(portability_to_csv(report));
    static_cast<void>(portability_to_json(report, {}));
    require_printable(html_page({records, report, {}, {}}));
  });
  static_cast<void>(find_known_records(records, records));
}

/// What was read is written and read again as the same.
void write_again(const Record& record) {
  const std::string line = record_to_json(record);
  require(line.find('\n') == std::string::npos);
  require(record_to_json(record_from_json(line, "again.jsonl", 1)) == line);
}

}  // namespace
}  // namespace kiln

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kiln;
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  test::RecordingLog log;
  files.make_directories("/results/sub", false);
  files.write_file("/results/sub/records.jsonl", test::text_of(data, size), false);
  test::attempt([&] { static_cast<void>(read_ceilings(files, "/results/sub/records.jsonl")); });
  test::attempt([&] {
    const auto records = read_records(files, find_result_files(files, {"/results"}).records, log);
    if (records.empty() || records.size() > 20) return;
    for (const Record& record : records) write_again(record);
    show(records);
  });
  test::attempt([&] {
    const RecordFile file(files, "/results/sub");
    static_cast<void>(file.read(log));
  });
  return 0;
}
