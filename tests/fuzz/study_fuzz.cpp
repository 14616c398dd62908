// The two readers of a study's file: the report's, with everything that shows a study, and that of a study
// that goes on.
#include <string>

#include "base/text.h"
#include "fuzz/fuzz_target.h"
#include "record/study_reader.h"
#include "report/page_data.h"
#include "report/portability_text.h"
#include "report/study_report.h"
#include "study/study_file.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using test::require;

void show(const std::vector<StudyReport>& reports) {
  for (const StudyReport& report : reports) {
    static_cast<void>(study_to_terminal(report, TextStyle{100, true, false}));
    const std::string markdown = study_to_markdown(report);
    require(printable(markdown) == markdown);
  }
  const std::string csv = studies_to_csv(reports);
  require(printable(csv) == csv);
  static_cast<void>(portability_to_json({}, reports));
  static_cast<void>(page_data_json({{}, {}, {}, reports}));
}

/// The first "digest" of a text, so that the study is taken for the one that is asked for.
std::string digest_in(const std::string& text) {
  const std::string key = "\"digest\":\"";
  const std::size_t at = text.find(key);
  return at == std::string::npos
             ? ""
             : text.substr(at + key.size(), text.find('"', at + key.size()) - at - key.size());
}

}  // namespace
}  // namespace kiln

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kiln;
  const std::string text = test::text_of(data, size);
  test::attempt([&] { show(study_from_text(text, "study.jsonl").reports); });
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  files.make_directories("/study", false);
  files.write_file("/study/study.jsonl", text, false);
  test::attempt([&] { static_cast<void>(StudyFile(files, "/study").resume(digest_in(text))); });
  return 0;
}
