#include "device/context_faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "kiln/error.h"

namespace kiln {
namespace {

using testing::HasSubstr;

std::string fault_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const DeviceFault& fault) {
    return fault.what();
  } catch (const Error& error) {
    return std::string("error: ") + error.what();
  }
  return "";
}

TEST(ContextFaults, RemembersTheFirstStickyFaultAndNoOther) {
  ContextFaults faults;
  EXPECT_EQ(fault_of([&] { faults.fail([] { throw bad_input("no memory"); }); }), "error: no memory");
  EXPECT_EQ(fault_of([&] { faults.fail([] { throw DeviceFault("trap", false); }); }), "trap");
  EXPECT_EQ(fault_of([&] { faults.fail([] { throw DeviceFault("illegal address", true); }); }),
            "illegal address");
  EXPECT_THAT(fault_of([&] { faults.fail([] { throw bad_input("later"); }); }),
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
