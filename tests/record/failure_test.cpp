#include "record/failure.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(Failure, OfAKernelGivesItsVariantAStatusAndEveryOtherEndsTheJob) {
  EXPECT_EQ(failure_of(ErrorKind::kCompile).status, RunStatus::kCompileFailed);
  EXPECT_EQ(failure_of(ErrorKind::kUnfit).status, RunStatus::kUnfit);
  EXPECT_EQ(failure_of(ErrorKind::kDeviceFault).status, RunStatus::kFaulted);
  EXPECT_EQ(failure_of(ErrorKind::kDeviceLost).status, RunStatus::kFaulted);
  for (const ErrorKind kind : {ErrorKind::kBadInput, ErrorKind::kEnvironment, ErrorKind::kInternal})
    EXPECT_EQ(failure_of(kind).status, std::nullopt);
}

TEST(Failure, OfTheUsersInputExitsWith2OfTheMachineWith3AndABugWith70) {
  for (const ErrorKind kind : {ErrorKind::kBadInput, ErrorKind::kCompile, ErrorKind::kUnfit})
    EXPECT_EQ(failure_of(kind).exit_code, 2);
  for (const ErrorKind kind : {ErrorKind::kEnvironment, ErrorKind::kDeviceFault, ErrorKind::kDeviceLost})
    EXPECT_EQ(failure_of(kind).exit_code, 3);
  EXPECT_EQ(failure_of(ErrorKind::kInternal).exit_code, 70);
}

TEST(Failure, IsKnownByTheStatusThatItGives) {
  ASSERT_NE(failure_of(RunStatus::kUnfit), nullptr);
  EXPECT_EQ(failure_of(RunStatus::kUnfit)->kind, ErrorKind::kUnfit);
  EXPECT_EQ(failure_of(RunStatus::kWrong), nullptr);
  EXPECT_EQ(failure_of(RunStatus::kOk), nullptr);
}

}  // namespace
}  // namespace kiln
