#include "cli/struct_argument_job.h"

#include <gmock/gmock.h>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

TEST_F(CliTest, KernelsTakeStructsByValue) {
  write("k.cu", kStructArgumentText);
  const CliResult result = kiln({"run", write("job.yaml", kStructArgumentJob), "--device", "cpu"});
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 ok"));
}

TEST_F(CliTest, AStructOfAnotherSizeIsRefusedBeforeTheLaunch) {
  write("k.cu", kStructArgumentText);
  std::string job = kStructArgumentJob;
  const std::string member = "slope, ";
  job.erase(job.find(member), member.size());
  const CliResult result = kiln({"run", write("job.yaml", job), "--device", "cpu"});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("argument 1 of kernel 'evaluate' is 16 bytes, the kernel takes 32"));
}

}  // namespace
}  // namespace kiln::test
