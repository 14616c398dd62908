#include "device/context_faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kiln/error.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

using test::bad_input_of;
using test::message_of;
using testing::HasSubstr;

TEST(ContextFaults, RemembersTheFirstStickyFaultAndNoOther) {
  ContextFaults faults;
  EXPECT_EQ(bad_input_of([&] { faults.fail([] { throw bad_input("no memory"); }); }), "no memory");
  EXPECT_EQ(message_of(ErrorKind::kDeviceFault, [&] { faults.fail([] { throw device_fault("trap"); }); }),
            "trap");
  EXPECT_EQ(
      message_of(ErrorKind::kDeviceLost, [&] { faults.fail([] { throw device_lost("illegal address"); }); }),
      "illegal address");
  EXPECT_THAT(message_of(ErrorKind::kDeviceLost, [&] { faults.fail([] { throw bad_input("later"); }); }),
              HasSubstr("since an earlier fault: illegal address"));
}

TEST(ContextFaults, KeepsANameAtOneAddress) {
  ContextFaults faults;
  const std::string& name = faults.keep_name("axpy");
  EXPECT_EQ(&faults.keep_name("axpy"), &name);
  EXPECT_NE(&faults.keep_name("other"), &name);
}

}  // namespace
}  // namespace kiln
