#include "trial/program_run.h"

#include <gtest/gtest.h>

#include <cstring>

#include "service/kernel_service.h"
#include "support/error_matchers.h"
#include "support/fake_compiler.h"
#include "support/fake_device.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::ElementsAre;
using testing::HasSubstr;

/// add: every element of a buffer gets `amount` more. halve: r[0] is halved. scale: by a member of Params.
constexpr const char* kHead = R"yaml(workload: w
parameters:
  n: {type: int, default: 4}
  width: {type: int, default: 1}
  dt: {type: double, default: 0.5}
buffers:
  u: {type: double, shape: [n]}
  v: {type: double, shape: [n]}
  small: {type: double, shape: [2]}
  r: {type: double, shape: [2]}
  count: {type: int, shape: [1]}
kernels:
  add: {source: k.cu, grid: [2], block: [1], args: [u, {value: "1", type: int, name: amount}]}
  halve: {source: k.cu, grid: [1], block: [1], args: [r]}
  shift: {source: k.cu, grid: [1], block: [1], args: [u, params]}
  layer: {source: layer.cu, grid: [1], block: [1], args: [u, params]}
)yaml";

class ProgramRunTest : public testing::Test {
 protected:
  ProgramRunTest() {
    files_.make_directories("/w", false);
    files_.write_file("/w/k.cu",
                      "#include \"kiln/params.h\"\n__global__ void add(); __global__ void halve();"
                      "__global__ void shift(double* u, Params p) { u[0] += p.dt; }",
                      false);
    files_.write_file(
        "/w/layer.cu",
        "#include \"kiln/params.h\"\n__global__ void layer(double* u, Params p) { u[0] = p.width; }", false);
    define("add", [this](const LaunchShape& shape, void* const* arguments) {
      double* data = *static_cast<double* const*>(arguments[0]);
      int amount = 0;
      std::memcpy(&amount, arguments[1], sizeof amount);
      log("add " + std::to_string(amount) + " x" + std::to_string(shape.grid.x), data);
      for (int i = 0; i < 4; ++i) data[i] += amount;
    });
    define("halve", [](const LaunchShape&, void* const* arguments) {
      **static_cast<double* const*>(arguments[0]) /= 2;
    });
    define("shift", [](const LaunchShape&, void* const* arguments) {
      double dt = 0;
      std::memcpy(&dt, arguments[1], sizeof dt);
      **static_cast<double* const*>(arguments[0]) += dt;
    });
    define("layer", [this](const LaunchShape&, void* const*) { log_.emplace_back("layer"); });
  }

  void define(const std::string& name, std::function<void(const LaunchShape&, void* const*)> body) {
    test::FakeKernel kernel;
    kernel.body = std::move(body);
    device_->define("_Z" + name, std::move(kernel));
  }

  /// `what`, and the buffer by the name that it had at first.
  void log(const std::string& what, const double* data) {
    std::string name = "?";
    for (const auto& [known, address] : addresses_) {
      if (address == data) name = known;
    }
    log_.push_back(what + " " + name);
  }

  ProgramRun& bind(const std::string& run) {
    const std::string text = std::string(kHead) + "run:\n" + run;
    workload_ = parse_workload(YamlNode::parse(text, "w.yaml"), text, "/w");
    configuration_ = configure(workload_, {}, device_->info(), files_).configuration;
    workspace_ = std::make_unique<Workspace>(*device_, *stream_, configuration_, files_, pool_);
    workspace_->allocate({"u", "v", "small", "r", "count"});
    for (const char* name : {"u", "v"})
      addresses_[name] = static_cast<double*>(workspace_->buffer(name).data());
    for (const char* name : {"u", "v", "small", "r", "count"}) workspace_->fill_with(name, 0, {});
    program_ = std::make_unique<ProgramRun>(
        configuration_, workload_->run, *workspace_, [this](const LaunchSpec& launch) {
          const Configuration& own = configuration_.of(launch);
          return PreparedKernel(own, *launch.configured, units_for(own, launch.kernel), *workspace_);
        });
    return *program_;
  }

  const std::vector<LoadedUnit>& units_for(const Configuration& configuration, const std::string& kernel) {
    std::vector<LoadedUnit>& loaded = units_[{&configuration, kernel}];
    if (!loaded.empty()) return loaded;
    for (Unit& unit : make_units(configuration, {kernel}, Role::kRun, device_->info().target, files_)) {
      auto result = std::get<ServiceResult>(service_.get(unit.specialization, compiler_, device_));
      loaded.push_back({std::move(unit), std::move(result.code)});
    }
    return loaded;
  }

  void run() {
    program_->run([this](std::size_t, PreparedKernel& kernel) {
      kernel.enqueue();
      ++launched_;
    });
  }

  double at(const std::string& name, std::uint64_t element = 0) { return workspace_->number(name, element); }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  std::shared_ptr<test::FakeDevice> device_ = std::make_shared<test::FakeDevice>(clock_);
  std::unique_ptr<Stream> stream_ = device_->create_stream();
  test::FakeCompiler compiler_;
  KernelService service_{nullptr, clock_};
  BufferPool pool_;
  std::shared_ptr<const Workload> workload_;
  Configuration configuration_;
  std::unique_ptr<Workspace> workspace_;
  std::map<std::pair<const Configuration*, std::string>, std::vector<LoadedUnit>> units_;
  std::unique_ptr<ProgramRun> program_;
  std::map<std::string, const double*> addresses_;
  std::vector<std::string> log_;
  int launched_ = 0;
};

TEST_F(ProgramRunTest, AnIndexStandsInArgumentsGridsAndConditions) {
  bind(R"yaml(
  - repeat: {index: k, from: 1, to: 6, by: 2}
    do:
      - {kernel: add, args: {amount: "10 * k"}, grid: [k], when: "k != 3"}
)yaml");
  run();
  EXPECT_THAT(log_, ElementsAre("add 10 x1 u", "add 50 x5 u"));
  EXPECT_EQ(program_->variables().at("k"), 7);
  EXPECT_TRUE(program_->is_static());
}

TEST_F(ProgramRunTest, ARangeMayRunDownwards) {
  bind("  - {repeat: {index: k, from: 2, to: -1, by: -1}, do: {kernel: add, args: {amount: k}}}\n");
  run();
  EXPECT_THAT(log_, ElementsAre("add 2 x2 u", "add 1 x2 u", "add 0 x2 u"));
}

TEST_F(ProgramRunTest, LoopsNest) {
  bind(R"yaml(
  - repeat: {index: i, count: 2}
    do:
      - repeat: {index: j, from: "i + 1", to: 3}
        do: {kernel: add, args: {amount: "10 * i + j"}}
)yaml");
  run();
  EXPECT_THAT(log_, ElementsAre("add 1 x2 u", "add 2 x2 u", "add 12 x2 u"));
}

TEST_F(ProgramRunTest, SwappedBuffersStaySwappedFromStepToStep) {
  bind("  - add\n  - swap: [u, v]\n");
  run();
  EXPECT_EQ(at("v"), 1);
  EXPECT_EQ(at("u"), 0);
  run();
  run();
  EXPECT_THAT(log_, ElementsAre("add 1 x2 u", "add 1 x2 v", "add 1 x2 u"));
  EXPECT_EQ(at("v"), 2);
  EXPECT_EQ(at("u"), 1);
}

TEST_F(ProgramRunTest, CopiesAndFills) {
  bind(
      "  - {fill: {buffer: u, value: 2.5}}\n  - copy: {from: u, to: v}\n  - {fill: {buffer: u, value: 0}}\n  "
      "- halve\n");
  run();
  EXPECT_EQ(at("u", 3), 0);
  EXPECT_EQ(at("v", 0), 2.5);
  EXPECT_EQ(at("v", 3), 2.5);
}

TEST_F(ProgramRunTest, WhatIsReadIsAVariableOfLaterStatements) {
  bind(R"yaml(
  - {fill: {buffer: r, value: 3}}
  - read: {amount_read: {buffer: r, element: 1}}
  - {kernel: add, args: {amount: amount_read}, when: "amount_read > 2"}
  - {set: {twice: "2 * amount_read"}}
  - {kernel: add, args: {amount: twice}, when: "amount_read > 4"}
)yaml");
  run();
  EXPECT_THAT(log_, ElementsAre("add 3 x2 u"));
  EXPECT_EQ(program_->variables().at("twice"), 6);
  EXPECT_EQ(program_->waits(), 1U);
  EXPECT_FALSE(program_->is_static());
}

TEST_F(ProgramRunTest, AParameterThatChangesIsAMemberOfParams) {
  bind("  - shift\n  - {set: {dt: \"2 * dt\"}}\n  - shift\n");
  run();
  EXPECT_EQ(at("u"), 1.5);
  run();  // each run begins with the configuration's value
  EXPECT_EQ(at("u"), 3);
}

TEST_F(ProgramRunTest, UntilEndsWhenTheConditionHolds) {
  bind(R"yaml(
  - {fill: {buffer: r, value: 1}}
  - repeat: {until: "residual < 0.1", most: 100, index: iteration, read: {residual: r}}
    do: [halve]
)yaml");
  run();
  EXPECT_EQ(program_->variables().at("iteration"), 4);
  EXPECT_EQ(program_->waits(), 4U);
  EXPECT_EQ(launched_, 4);
}

TEST_F(ProgramRunTest, UntilLooksOnlyNowAndThen) {
  bind(R"yaml(
  - {fill: {buffer: r, value: 1}}
  - repeat: {until: "residual < 0.1", most: 100, every: 3, index: iteration, read: {residual: r}}
    do: [halve]
)yaml");
  run();
  EXPECT_EQ(program_->variables().at("iteration"), 6);
  EXPECT_EQ(program_->waits(), 2U);
}

TEST_F(ProgramRunTest, UntilEndsAfterItsLimit) {
  bind("  - {repeat: {until: \"residual < 0\", most: 5, every: 3, read: {residual: r}}, do: [halve]}\n");
  run();
  EXPECT_EQ(launched_, 5);
  EXPECT_EQ(program_->waits(), 2U);
}

TEST_F(ProgramRunTest, EqualValuesOfWithShareCode) {
  bind(R"yaml(
  - {kernel: layer, with: {width: 8}}
  - {kernel: layer, with: {width: "4 + 4"}}
  - {kernel: layer, with: {width: 2}}
  - {kernel: layer, with: {dt: 7}}    # the text does not look at it
  - layer
)yaml");
  run();
  EXPECT_EQ(log_.size(), 5U);
  EXPECT_EQ(compiler_.compiles(), 3);
}

TEST_F(ProgramRunTest, BuffersOfSwapAndCopyAreAlike) {
  EXPECT_THAT(
      bad_input_of([&] { bind("  - add\n  - swap: [u, small]\n"); }),
      HasSubstr(
          "swap: expected two buffers of one type and size; 'u' has 4 elements of 8 bytes, 'small' has 2"));
  EXPECT_THAT(bad_input_of([&] { bind("  - add\n  - copy: {from: count, to: u}\n"); }),
              HasSubstr("copy: expected"));
}

TEST_F(ProgramRunTest, WhatGoesWrongInARunIsUnfitWithItsPlace) {
  const auto unfit = [&](const std::string& program) {
    bind(program);
    try {
      run();
    } catch (const UnfitKernel& problem) {
      return std::string(problem.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(unfit("  - {repeat: {index: k, count: 2}, do: {kernel: add, grid: [k]}}\n"),
              HasSubstr("run[0].do.grid[0]: 'k' is 0; expected 1 to"));
  EXPECT_THAT(unfit("  - {repeat: {index: k, count: 2}, do: {kernel: add, args: {amount: \"k / 2\"}}}\n"),
              HasSubstr("'k / 2' is 0.5; a whole number is needed"));
  EXPECT_THAT(unfit("  - {read: {x: {buffer: r, element: n}}}\n  - add\n"), HasSubstr("expected 0 to 1"));
  EXPECT_THAT(unfit("  - {repeat: {index: k, to: 2, by: \"n - 4\"}, do: add}\n"), HasSubstr("would not end"));
  EXPECT_THAT(unfit("  - {fill: {buffer: count, value: \"n / 8\"}}\n  - add\n"),
              HasSubstr("'n / 8' is 0.5, which is no element of buffer 'count'"));
}

}  // namespace
}  // namespace kiln
