#include "report/html_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/process.h"
#include "report/device_records.h"
#include "report/sample_study.h"

namespace kiln {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Two sizes of two parameters on two devices, one of them wrong, with labels that are markup.
std::vector<Record> sweep() {
  std::vector<Record> records;
  for (const char* device : {"GPU <A> & \"B\"", "CPU"}) {
    for (int ppwi = 1; ppwi <= 4; ppwi *= 2) {
      for (const int wg : {8, 64}) {
        const std::string label = "ppwi=" + std::to_string(ppwi) + " wg=" + std::to_string(wg) + " m=<i>&'";
        records.push_back(test::result(label, device, ppwi * wg));
        records.back().metrics.push_back({"arithmetic", "GFLOP/s", 100.0 * ppwi, true});
      }
    }
  }
  records.push_back(test::on_device(test::wrong_record("ppwi=8 wg=8 m=</table>"), "CPU", "cuda", 0));
  return records;
}

std::vector<DeviceCeilings> ceilings() {
  DeviceCeilings device;
  device.device_name = "CPU";
  device.ceilings = {{"triad", "GB/s", 20, 19, 21, ""}, {"fma double", "GFLOP/s", 1000, 990, 1010, ""}};
  return {device};
}

std::string page() {
  const std::vector<Record> records = sweep();
  return html_page({records, compare_devices(records, {}, {}), ceilings(), {}});
}

TEST(HtmlPage, TextOfRecordsIsNeverMarkup) {
  const std::string text = page();
  EXPECT_THAT(text, HasSubstr("\"label\":\"ppwi=8 wg=8 m=\\u003c/table>\"")) << "in an element <script>";
  EXPECT_THAT(text, HasSubstr("GPU &lt;A&gt; &amp; &quot;B&quot;"));
  EXPECT_THAT(text, HasSubstr("m=&lt;i&gt;&amp;&#39;"));
  EXPECT_THAT(text, Not(HasSubstr("m=<")));
  EXPECT_THAT(text, Not(HasSubstr("<A>")));
}

/// By a parser that is not ours, where there is one.
TEST(HtmlPage, AllRecordsTellWhatEachKernelUses) {
  std::vector<Record> records = {test::ok_record("one", 1), test::ok_record("two", 1),
                                 test::uncompiled_record("none")};
  for (Record& record : records) {
    for (LaunchUse& launch : record.launches) launch.attributes.binary_bytes.reset();
  }
  FunctionAttributes& attributes = records[0].launches[0].attributes;
  attributes.registers = 41;
  attributes.local_bytes = 32;
  attributes.static_shared_bytes = 2049;
  attributes.max_threads_per_block = 768;
  attributes.binary_bytes = 12345;
  records[1].launches.push_back(records[1].launches[0]);
  records[1].launches[0].step = "copy";
  records[1].launches[1].step = "dot";
  records[1].launches[0].attributes.static_shared_bytes = 0;
  records[1].launches[1].attributes.static_shared_bytes = 1024;
  const std::string text = html_page({records, {}, {}, {}});
  for (const char* title :
       {"registers", "local bytes", "static shared bytes", "most threads of a block", "binary bytes"})
    EXPECT_THAT(text, HasSubstr("<th class=\"number\">" + std::string(title) + "</th>"));
  EXPECT_THAT(text, Not(HasSubstr("occupancy"))) << "no record has it";
  for (const char* value : {"41", "32", "2049", "768", "12345", "copy 0; dot 1024", ""})
    EXPECT_THAT(text, HasSubstr("<td class=\"number\">" + std::string(value) + "</td>"));
}

TEST(HtmlPage, IsWholeAndNeedsNothingFromElsewhere) {
  const auto processes = make_process_runner();
  if (!processes->run({"python3", {"--version"}, "", ""}).ok()) GTEST_SKIP() << "python3 is not installed";
  const auto script = std::filesystem::path(KILN_SOURCE_DIR) / "tests" / "report" / "check_page.py";
  const ProcessResult result = processes->run({"python3", {script.string()}, page(), ""});
  ASSERT_TRUE(result.ok()) << result.error;
  const auto found = nlohmann::json::parse(result.output);
  EXPECT_THAT(found["plots"], ElementsAre("times", "maps", "curves", "rooflines"));
  EXPECT_EQ(found["data"]["records"].size(), 13U);
  EXPECT_EQ(found["tables"], 3) << "two figures, and all records";
  EXPECT_EQ(found["rows"], 2 * (1 + 1 + 7) + 1 + 13);
  for (const char* damage :
       {"<b>", "</p>", "<img src=\"http://example.org/x.png\">",
        "<script src=\"http://example.org/x.js\"></script>", "<a href=\"#nowhere\">x</a>"}) {
    EXPECT_FALSE(processes->run({"python3", {script.string()}, page() + damage, ""}).ok()) << damage;
  }
}

TEST(HtmlPage, AStudyHasItsPicturesItsTableAndItsWords) {
  const std::vector<StudyReport> studies = {test::study_report()};
  const std::string text = html_page({{}, {}, {}, studies});
  EXPECT_THAT(
      text,
      HasSubstr("<section id=\"study-1\" data-study=\"0\">\n<h2>Study: poly on Example &lt;GPU&gt;</h2>"));
  EXPECT_THAT(text, HasSubstr("<a href=\"#study-1\">"));
  EXPECT_THAT(text, HasSubstr("Amortisation: speed-up over aot_generic"));
  EXPECT_THAT(text, HasSubstr("<li>n at compile time: 1.10x [1.05, 1.15] as fast</li>"));
  EXPECT_THAT(text, Not(HasSubstr("All records")));
  EXPECT_THAT(text, Not(HasSubstr("<GPU>")));
}

TEST(HtmlPage, WithoutALibraryItHasTablesAloneAndSaysWhy) {
  const std::vector<Record> records = sweep();
  const PageContent content{records, {}, {}, {}};
  EXPECT_THAT(html_page(content, ""),
              AllOf(HasSubstr("kiln was built without Chart.js (package libjs-chart.js"),
                    HasSubstr("aria-label=\"All records\"")));
  EXPECT_THAT(html_page(content, "draw();"),
              AllOf(HasSubstr("<script>draw();</script>"), Not(HasSubstr("libjs-chart.js"))));
}

TEST(HtmlPage, OnlyALivePageAsksAServerAndThatIsItsOwn) {
  const std::vector<Record> records = sweep();
  const PageContent content{records, {}, {}, {}};
  EXPECT_THAT(html_page(content), AllOf(HasSubstr("connect-src 'none'"), Not(HasSubstr("id=\"live\""))));
  EXPECT_THAT(live_page(content), AllOf(HasSubstr("connect-src 'self'"), HasSubstr("id=\"live\"")));
  const auto update = nlohmann::json::parse(page_update_json(content, "7"));
  EXPECT_EQ(update["version"], "7");
  EXPECT_EQ(update["data"]["records"].size(), records.size());
  EXPECT_THAT(update["content"].get<std::string>(), HasSubstr("<h2>All records</h2>"));
}

TEST(HtmlPage, RowsAndColumnsSayWhichRecordsAndDevicesTheyShow) {
  const std::string text = page();
  EXPECT_THAT(text, HasSubstr("<th class=\"number\" data-device=\"CPU\">CPU</th>"));
  EXPECT_THAT(text, HasSubstr("<tr data-records=\"12\">")) << "the wrong one, in the table of all records";
}

}  // namespace
}  // namespace kiln
