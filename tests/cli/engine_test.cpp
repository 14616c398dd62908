// The parts that a command works with, as an end of its process finds them.
#include "embed/engine.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/clock.h"
#include "cli/cli_fixture.h"
#include "service/statistics_file.h"
#include "support/fake_compiler.h"
#include "support/recording_log.h"

namespace kiln {
namespace {

class EngineTest : public test::CliTest {
 protected:
  std::uint64_t compiled() {
    return StatisticsFile(*files_, *clock_, path("cache")).read().counters.compiled;
  }

  std::unique_ptr<Clock> clock_ = make_system_clock();
  test::RecordingLog log_;
};

/// A rank of MPI may be killed before its engine goes.
TEST_F(EngineTest, WhatWasCountedIsKeptOnceItIsFinished) {
  if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
  Settings settings;
  settings.cache_dir = path("cache");
  {
    Engine engine(settings, *files_, *clock_, log_);
    Compiler& compiler = *engine.compilers("none").at("cpu");
    Specialization wanted =
        test::make_specialization("extern \"C\" __global__ void axpy(float* y) { y[0] = 1; }");
    wanted.params_header = "#pragma once\nstruct Params {};\n";
    wanted.target = compiler.target_for("native");
    ASSERT_TRUE(std::holds_alternative<ServiceResult>(engine.service().get(wanted, compiler, nullptr)));
    EXPECT_EQ(compiled(), 0U);
    engine.finish();
    EXPECT_EQ(compiled(), 1U);
  }
  EXPECT_EQ(compiled(), 1U) << "not twice";
}

}  // namespace
}  // namespace kiln
