#include "base/process_identity.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln {
namespace {

TEST(ProcessIdentity, ThisOneIsAlive) {
  const ProcessIdentity& self = this_process();
  EXPECT_EQ(self.pid, getpid());
  EXPECT_GT(self.start, 0U);
  EXPECT_FALSE(self.machine.empty());
  EXPECT_EQ(self.machine.find(' '), std::string::npos);
  EXPECT_FALSE(has_ended(self));
}

TEST(ProcessIdentity, AnEndedOneIsSeen) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  ProcessIdentity ended = this_process();
  ended.pid = child;
  EXPECT_TRUE(has_ended(ended));
}

TEST(ProcessIdentity, AnotherProcessOfTheSameNumberIsNotIt) {
  ProcessIdentity reused = this_process();
  ++reused.start;
  EXPECT_TRUE(has_ended(reused));
}

TEST(ProcessIdentity, OfAnotherMachineNothingIsKnown) {
  ProcessIdentity remote = this_process();
  remote.machine += "x";
  ++remote.start;
  EXPECT_FALSE(has_ended(remote));
}

TEST(OwnerPrefix, TellsWhoseAFileIs) {
  EXPECT_EQ(owner_state(owner_prefix()), OwnerState::kRuns);
  EXPECT_EQ(owner_state(owner_prefix() + "-anything-else"), OwnerState::kRuns);
  const std::string machine = owner_prefix().substr(0, 12);
  const std::string pid = std::to_string(getpid());
  EXPECT_EQ(owner_state(machine + "-" + pid + "-1-x"), OwnerState::kEnded);
  EXPECT_EQ(owner_state("000000000000-" + pid + "-1-x"), OwnerState::kUnknown);
  for (const std::string name : {"", "old", "a-b-c", "--", "-1-1", "x-1-", "1a2b3c4d-AbCdEf"})
    EXPECT_EQ(owner_state(name), OwnerState::kUnknown) << name;
  EXPECT_EQ(owner_state(machine + "--5-1"), OwnerState::kUnknown);
}

TEST(ProcessIdentity, AForkedChildKnowsItself) {
  const ProcessIdentity parent = this_process();
  const pid_t child = fork();
  if (child == 0) _exit(this_process().pid == getpid() && !(this_process() == parent) ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace kiln
