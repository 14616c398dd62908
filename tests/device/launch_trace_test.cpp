#include "device/launch_trace.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(LaunchTrace, NamesTheLastKernelAndSaysWhetherThereWereOthers) {
  const std::string a = "a";
  const std::string b = "b";
  LaunchTrace trace;
  EXPECT_EQ(trace.take(), "");
  trace.note(a);
  trace.note(a);
  EXPECT_EQ(trace.take(), "kernel 'a'");
  trace.note(a);
  trace.note(b);
  trace.note(b);
  EXPECT_EQ(trace.take(), "kernel 'b', or one launched shortly before it");
  EXPECT_EQ(trace.take(), "");
}

}  // namespace
}  // namespace kiln
