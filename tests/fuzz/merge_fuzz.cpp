// `kiln merge`: two files of one kind, which a line "---" separates. What was merged does not depend on their
// order, and is the same when it is merged again.
#include <string>

#include "fuzz/fuzz_target.h"
#include "merge/merged.h"
#include "record/record_json.h"
#include "record/study_lines.h"
#include "tune/tune_journal.h"

namespace kiln {
namespace {

using test::attempt;
using test::require;

template <class Merge>
void check(const std::string& one, const std::string& other, std::string_view beginning, Merge merge) {
  const auto input = [&](const std::string& name, const std::string& text) {
    return MergeInput{name, split_json_lines(text, name, beginning)};
  };
  attempt([&] {
    const MergeInput a = input("a", one);
    const MergeInput b = input("b", other);
    const std::string merged = merge({a, b}).text;
    require(merge({b, a}).text == merged);
    require(merge({input("m", merged), b}).text == merged);
    require(merge({input("m", merged)}).text == merged);
  });
}

}  // namespace
}  // namespace kiln

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kiln;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t place = text.find("\n---\n");
  const std::string one = text.substr(0, place);
  const std::string other = place == std::string::npos ? "" : text.substr(place + 5);
  using Inputs = std::vector<MergeInput>;
  check(one, other, kRecordBeginning, [](const Inputs& inputs) { return merge_records(inputs, {}); });
  check(one, other, kRecordBeginning, [](const Inputs& inputs) {
    return merge_records(inputs, {true, true});
  });
  check(one, other, TuneJournal::kBeginning, [](const Inputs& inputs) { return merge_journals(inputs); });
  check(one, other, kStudyBeginning, [](const Inputs& inputs) { return merge_studies(inputs); });
  return 0;
}
