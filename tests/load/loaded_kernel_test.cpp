#include "load/loaded_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kiln/error.h"
#include "support/fake_compiler.h"
#include "support/fake_device.h"

namespace kiln {
namespace {

class LoadedCodeTest : public testing::Test {
 protected:
  static std::string message_of(const LoadedCode& code, const std::string& name) {
    try {
      (void)code.function(name);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  test::FakeClock clock_;
  std::shared_ptr<test::FakeDevice> device_ = std::make_shared<test::FakeDevice>(clock_);
  test::FakeCompiler compiler_;
  CodeObject code_ = std::get<CodeObject>(compiler_.compile(test::make_specialization()));
};

TEST_F(LoadedCodeTest, FindsTheFunctionByItsNameExpression) {
  const LoadedCode loaded(code_, device_);
  EXPECT_EQ(loaded.function("axpy").name(), "_Zaxpy");
  EXPECT_NE(loaded.module(), nullptr);
  EXPECT_EQ(loaded.code().binary, code_.binary);
}

TEST_F(LoadedCodeTest, UnknownNameSuggestsTheNearest) {
  const LoadedCode loaded(code_, device_);
  EXPECT_EQ(message_of(loaded, "axpi"),
            "there is no kernel 'axpi' in the compiled code; did you mean 'axpy'?");
}

TEST_F(LoadedCodeTest, LoweredNameWithoutASymbolIsABug) {
  code_.lowered_names["axpy"] = "_Zother";
  const LoadedCode loaded(code_, device_);
  EXPECT_THAT(message_of(loaded, "axpy"), testing::HasSubstr("'_Zother'"));
}

TEST_F(LoadedCodeTest, WithoutADeviceOnlyHoldsTheCode) {
  const LoadedCode loaded(code_, nullptr);
  EXPECT_EQ(loaded.module(), nullptr);
  EXPECT_EQ(loaded.code().binary, code_.binary);
  EXPECT_THAT(message_of(loaded, "axpy"), testing::HasSubstr("without a device"));
}

TEST_F(LoadedCodeTest, KeepsTheDeviceAlive) {
  const std::weak_ptr<Device> watched = device_;
  auto loaded = std::make_unique<LoadedCode>(code_, device_);
  device_.reset();
  EXPECT_FALSE(watched.expired());
  loaded.reset();
  EXPECT_TRUE(watched.expired());
}

TEST_F(LoadedCodeTest, ModuleGoesWithTheLastHolder) {
  auto first = std::make_shared<LoadedCode>(code_, device_);
  const auto second = first;
  first.reset();
  EXPECT_EQ(device_->live_modules(), 1);
  EXPECT_EQ(second.use_count(), 1);
}

TEST_F(LoadedCodeTest, RefusedBinaryThrows) {
  code_.binary = "not for this device";
  EXPECT_THROW(LoadedCode(code_, device_), Error);
  EXPECT_EQ(device_->live_modules(), 0);
}

}  // namespace
}  // namespace kiln
