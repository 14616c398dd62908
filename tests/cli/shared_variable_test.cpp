#include "cli/shared_variable_job.h"

#include <gmock/gmock.h>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class SharedVariable : public CliTest {
 protected:
  SharedVariable() { write("k.cu", kSharedVariableText); }
};

TEST_F(SharedVariable, IsOneForInputStepAndReference) {
  const CliResult result = kiln({"run", write("job.yaml", kSharedVariableJob), "--device", "cpu"});
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 ok"));
}

TEST_F(SharedVariable, CompilesForAGpuAsOneUnit) {
  const CliResult result = kiln({"compile", write("job.yaml", kSharedVariableJob), "--arch", "sm_90"});
  if (result.code == kExitEnvironment) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 compiled"));
}

}  // namespace
}  // namespace kiln::test
