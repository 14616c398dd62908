#include "compile/option_check.h"

#include "support/error_matchers.h"
#include "support/fake_compiler.h"
#include "support/small_workload.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::HasSubstr;

/// Refuses each "-bad".
class Strict : public test::FakeCompiler {
 public:
  std::optional<RefusedOption> refuse(const std::vector<std::string>& options) const override {
    for (std::size_t i = 0; i < options.size(); ++i) {
      if (options[i] == "-bad") return RefusedOption{i, "it is bad"};
    }
    return std::nullopt;
  }
};

std::shared_ptr<const Workload> with_options(const std::string& options) {
  std::string text = test::kScaleYaml;
  const std::string args = "    args: [y, x, params]\n";
  text.replace(text.find(args), args.size(), args + "    options: " + options + "\n");
  return parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w");
}

TEST(RefuseOptions, NamesPlaceOptionAndReason) {
  EXPECT_THAT(bad_input_of([] { refuse_options(*with_options("[-G, -bad]"), "cuda", Strict()); }),
              HasSubstr("w.yaml:23:19: kernels.scale.options[1]: '-bad': it is bad"));
  EXPECT_THAT(bad_input_of([] { refuse_options(*with_options("{cuda: [-bad]}"), "cuda", Strict()); }),
              HasSubstr("kernels.scale.options.cuda[0]: '-bad': it is bad"));
}

TEST(RefuseOptions, OptionsOfOtherBackEndsAreNotAskedAbout) {
  EXPECT_NO_THROW(refuse_options(*with_options("{cpu: [-bad], cuda: [-G]}"), "cuda", Strict()));
  EXPECT_NO_THROW(refuse_options(*with_options("[-bad]"), "cuda", test::FakeCompiler()));
}

}  // namespace
}  // namespace kiln
