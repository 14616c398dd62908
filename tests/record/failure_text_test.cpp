#include "record/failure_text.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(FailureText, SaysEachLineOnce) {
  EXPECT_EQ(log_beside("k.cu:1: error: x", "k.cu: In function 'f':\nk.cu:1: error: x\n  1 | x\n"),
            "k.cu: In function 'f':\n  1 | x\n");
  EXPECT_EQ(log_beside("k.cu:1: error: x; install y", "k.cu:1: error: x\nmore"), "more");
}

TEST(FailureText, KeepsALogThatSaysSomethingElse) {
  EXPECT_EQ(log_beside("timed out", "warning: x\n\n"), "warning: x\n\n");
  EXPECT_EQ(log_beside("", "warning: x"), "warning: x");
}

}  // namespace
}  // namespace kiln
