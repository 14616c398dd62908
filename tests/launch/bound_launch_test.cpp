#include "launch/bound_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "support/allocation_count.h"
#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/fake_device.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::HasSubstr;

constexpr const char* kWorkload = R"yaml(workload: w
parameters:
  n: {type: int, default: 64}
  rows: {type: int, default: 3}
  block: {type: int, default: 32, bind: compile}
  dt: {type: double, default: 0.5, min: 0, max: 2}
  speed: {type: float, default: 1}
  steps: {type: int, default: 7, values: [1, 7, 9]}
  small: {type: uchar, default: 3}
  flag: {type: bool, default: true}
  big: {type: long, default: 5, max: 9007199254740992}
  width: {type: double, default: 2}
  area: {type: double, default: "width * width"}
  limit: {type: int, default: 1}
  idle: {type: int, default: 1}
let: {blocks: "ceil_div(n, block)"}
constraints: ["limit < 10"]
buffers:
  x: {type: float, shape: [rows, 16]}
  y: {type: float, shape: [16]}
kernels:
  step: {source: k.cu, grid: [blocks], block: [block], args: [y, params, {value: "rows + 1", type: int}, x, dt, null]}
  boxes: {source: k.cu, grid: [4], block: [32], args: [{tensor_map: x, box: [1, 16]}, dt, y]}
  blur: {source: k.cu, grid: [4], block: [32], args: [y, {texture: x, filter: linear, address: border}]}
  boxed: {source: k.cu, grid: [4], block: [32], args: [y, {struct: [x, small, dt, rows]}, rows, {struct: [flag, null]}]}
run: [step]
)yaml";

/// A device whose tensor maps hold the address that they were made for.
class MapDevice : public test::FakeDevice {
 public:
  using FakeDevice::FakeDevice;
  TensorMap encode_tensor_map(const TensorMapLayout& /*layout*/, const void* data) override {
    ++encoded;
    if (data == nullptr) throw bad_input("there is nothing at this address");
    TensorMap map;
    std::memcpy(map.bytes.data(), &data, sizeof data);
    return map;
  }
  std::uint64_t texture(const TextureLayout& layout, const void* data) override {
    if (data == nullptr) throw bad_input("there is nothing at this address");
    textures.push_back(layout);
    return reinterpret_cast<std::uint64_t>(data) + 1;
  }
  int encoded = 0;
  std::vector<TextureLayout> textures;
};

std::string unfit_of(const std::function<void()>& action) {
  return test::message_of(ErrorKind::kUnfit, action);
}

class BoundLaunchTest : public testing::Test {
 protected:
  BoundLaunch bind(const std::string& kernel, const std::vector<std::size_t>& sizes,
                   const BoundLaunch::PlaceOf& place_of = {}) {
    test::FakeKernel fake;
    fake.attributes.parameter_bytes = sizes;
    fake.attributes.max_threads_per_block = 256;
    fake.resident_blocks = resident_blocks_;
    device_.define("_Z" + kernel, fake);
    module_ = device_.load("KILNFAKE 1\n_Z" + kernel + "\n");
    workload_ = parse_workload(YamlNode::parse(kWorkload, "w.yaml"), kWorkload, "/w");
    configuration_ =
        configure(workload_, {{"bind.all", {"run", false, {}}}}, device_.info(), files_).configuration;
    params_ = make_params_struct(
        configuration_, {"block", "dt", "speed", "steps", "small", "flag", "big", "area", "width", "limit"},
        false);
    return BoundLaunch(device_, *module_->function("_Z" + kernel), configuration_,
                       *workload_->find_kernel(kernel), params_, place_of);
  }
  BoundLaunch bind_step(const BoundLaunch::PlaceOf& place_of = {}) {
    return bind("step", {8, 56, 4, 8, 8, 8}, place_of);
  }

  template <class T>
  T argument(std::size_t index, std::size_t offset = 0) const {
    T value;
    std::memcpy(&value, device_.launches().back().arguments.at(index).data() + offset, sizeof value);
    return value;
  }
  template <class T>
  T field(const std::string& name) const {
    for (const ParamsField& known : params_.fields) {
      if (known.name == name) return argument<T>(1, known.offset);
    }
    ADD_FAILURE() << name;
    return {};
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  MapDevice device_{clock_};
  std::unique_ptr<Stream> stream_ = device_.create_stream();
  std::unique_ptr<Module> module_;
  std::shared_ptr<const Workload> workload_;
  Configuration configuration_;
  ParamsStruct params_;
  std::optional<std::uint64_t> resident_blocks_;
  float a_[4] = {}, b_[4] = {}, c_[4] = {};
};

TEST_F(BoundLaunchTest, EverySlotComesToTheFunction) {
  const BoundLaunch launch = bind_step();
  EXPECT_EQ(launch.table_size(), 2U);
  EXPECT_EQ(launch.shape().grid, (Dim3{2, 1, 1}));
  launch.enqueue(*stream_, args(a_, b_));
  EXPECT_EQ(argument<void*>(0), a_);
  EXPECT_EQ(argument<void*>(3), b_);
  EXPECT_EQ(argument<void*>(5), nullptr);
  EXPECT_EQ(argument<int>(2), 4);
  EXPECT_EQ(argument<double>(4), 0.5);
  EXPECT_EQ(field<double>("dt"), 0.5);
  EXPECT_EQ(field<int>("steps"), 7);
  EXPECT_TRUE(launch.bytes_of(0).empty());
  EXPECT_EQ(launch.bytes_of(4).size(), sizeof(double));
}

TEST_F(BoundLaunchTest, PointersArePlacesInATableThatMayBeSwapped) {
  const BoundLaunch launch = bind_step(
      [](const ArgumentSpec& argument) { return argument.name == "x" ? std::size_t{2} : std::size_t{0}; });
  EXPECT_EQ(launch.table_size(), 3U);
  std::array<const void*, 3> table = {a_, b_, c_};
  launch.enqueue(*stream_, table);
  EXPECT_EQ(argument<void*>(0), a_);
  EXPECT_EQ(argument<void*>(3), c_);
  std::swap(table[0], table[2]);
  launch.enqueue(*stream_, table);
  EXPECT_EQ(argument<void*>(0), c_);
  EXPECT_EQ(argument<void*>(3), a_);
}

TEST_F(BoundLaunchTest, AScalarOfOneLaunchStandsWhereverTheKernelTakesItAndIsGoneAfterwards) {
  const BoundLaunch launch = bind_step();
  const std::array<LaunchScalar, 5> scalars = {
      {{"dt", 1.5}, {"steps", 9U}, {"speed", 3}, {"small", 255}, {"flag", false}}};
  launch.enqueue(*stream_, args(a_, b_), scalars);
  EXPECT_EQ(argument<double>(4), 1.5);
  EXPECT_EQ(field<double>("dt"), 1.5);
  EXPECT_EQ(field<int>("steps"), 9);
  EXPECT_EQ(field<float>("speed"), 3.0F);
  EXPECT_EQ(field<unsigned char>("small"), 255);
  EXPECT_EQ(field<unsigned char>("flag"), 0);
  EXPECT_EQ(field<double>("area"), 4.0);
  EXPECT_EQ(argument<int>(2), 4);
  launch.enqueue(*stream_, args(a_, b_));
  EXPECT_EQ(argument<double>(4), 0.5);
  EXPECT_EQ(field<int>("steps"), 7);
}

TEST_F(BoundLaunchTest, ScalarsAtTheEndsOfTheirRangesAreExact) {
  const BoundLaunch launch = bind_step();
  const auto give = [&](const LaunchScalar& scalar) { launch.enqueue(*stream_, args(a_, b_), {&scalar, 1}); };
  const std::int64_t most = 9007199254740992;
  for (const std::int64_t value : {most, most - 1, most - 2, -most - 1, INT64_MIN}) {
    give({"big", value});
    EXPECT_EQ(field<std::int64_t>("big"), value);
  }
  EXPECT_THAT(bad_input_of([&] { give({"big", most + 1}); }), HasSubstr("is too large"));
  give({"dt", 2});
  EXPECT_EQ(field<double>("dt"), 2.0);
  for (const float value : {1e-45F, -3.4028235e38F, 1.1754942e-38F, 0.1F}) {
    give({"speed", value});
    EXPECT_EQ(field<float>("speed"), value);
  }
  EXPECT_THAT(bad_input_of([&] { give({"speed", 1e-50}); }), HasSubstr("does not fit the type float"));
  give({"speed", 16777217});
  EXPECT_EQ(field<float>("speed"), 16777216.0F);
}

TEST_F(BoundLaunchTest, AScalarThatIsSetStaysInACopyAlone) {
  const BoundLaunch launch = bind_step();
  BoundLaunch copy = launch;
  copy.set({"dt", 0.25});
  copy.enqueue(*stream_, args(a_, b_));
  EXPECT_EQ(field<double>("dt"), 0.25);
  launch.enqueue(*stream_, args(a_, b_));
  EXPECT_EQ(field<double>("dt"), 0.5);
}

TEST_F(BoundLaunchTest, WrongScalarsAreRefusedByName) {
  BoundLaunch launch = bind_step();
  const auto refusal = [&](const LaunchScalar& scalar) {
    const std::size_t before = device_.launches().size();
    std::string text = bad_input_of([&] { launch.enqueue(*stream_, args(a_, b_), {&scalar, 1}); });
    EXPECT_EQ(device_.launches().size(), before);
    EXPECT_EQ(bad_input_of([&] { launch.set(scalar); }), text);
    return text;
  };
  EXPECT_EQ(refusal({"dtt", 1.0}), "kernel 'step' has no parameter 'dtt'; did you mean 'dt'?");
  EXPECT_EQ(refusal({"dt", 2.5}), "kernel 'step', scalar 'dt': 2.5 is too large; the most is 2");
  EXPECT_EQ(refusal({"dt", -1}), "kernel 'step', scalar 'dt': -1 is too small; the least is 0");
  EXPECT_EQ(refusal({"dt", true}), "kernel 'step', scalar 'dt': expected a number (double); found true");
  EXPECT_THAT(refusal({"dt", std::nan("")}), HasSubstr("does not fit the type double"));
  EXPECT_THAT(refusal({"speed", 1e60}),
              HasSubstr("'speed': 1e+60 does not fit the type float; expected 0 or"));
  EXPECT_EQ(refusal({"steps", 7.0}), "kernel 'step', scalar 'steps': expected a whole number (int); found 7");
  EXPECT_EQ(refusal({"steps", 8}),
            "kernel 'step', scalar 'steps': 8 is not allowed; expected one of 1, 7, 9");
  EXPECT_EQ(refusal({"steps", std::uint64_t{1} << 63}),
            "kernel 'step', scalar 'steps': 9223372036854775808 does not fit the type int; expected "
            "-2147483648 to 2147483647");
  EXPECT_EQ(refusal({"small", 256}),
            "kernel 'step', scalar 'small': 256 does not fit the type uchar; expected 0 to 255");
  EXPECT_EQ(refusal({"flag", 1}), "kernel 'step', scalar 'flag': expected true or false; found 1");
}

TEST_F(BoundLaunchTest, WhatTheLaunchKeepsWasMadeOfIsNotGivenAtALaunch) {
  const BoundLaunch launch = bind_step();
  const auto reason = [&](const char* name) {
    const LaunchScalar scalar(name, 1);
    const std::string text = bad_input_of([&] { launch.enqueue(*stream_, args(a_, b_), {&scalar, 1}); });
    const std::string start = "cannot be given at a launch: ";
    const std::size_t found = text.find(start);
    return found == std::string::npos ? text : text.substr(found + start.size());
  };
  EXPECT_EQ(reason("n"), "the kernel does not take it");
  EXPECT_EQ(reason("idle"), "the kernel does not take it");
  EXPECT_EQ(reason("block"),
            "it is bound at compile time; KernelRequest::set(\"bind.block\", \"run\") changes that");
  EXPECT_EQ(reason("width"), "the default of 'area' depends on it");
  EXPECT_EQ(reason("limit"), "the constraint 'limit < 10' depends on it");
}

TEST_F(BoundLaunchTest, ScalarsAreThoseOfTheOtherLaunchToo) {
  BoundLaunch launch = bind_step();
  std::vector<RunTimeScalar> other =
      run_time_scalars(configuration_, *workload_->find_kernel("step"), params_);
  for (RunTimeScalar& scalar : other) {
    if (scalar.name == "dt") scalar.frozen = "it is a constant there";
  }
  launch.restrict_scalars(other);
  EXPECT_EQ(bad_input_of([&] {
              launch.set({"dt", 1.0});
            }),
            "kernel 'step', scalar 'dt': it cannot be given at a launch: it is a constant there");
  launch.set({"steps", 9});
}

TEST_F(BoundLaunchTest, AShapeIsCheckedWheneverItIsSet) {
  resident_blocks_ = 8;
  BoundLaunch launch = bind_step();
  launch.set_shape({{100, 2, 1}, {64, 1, 1}, 1024});
  launch.enqueue(*stream_, args(a_, b_));
  EXPECT_EQ(device_.launches().back().shape.grid, (Dim3{100, 2, 1}));
  EXPECT_EQ(device_.launches().back().shape.dynamic_shared_bytes, 1024U);
  EXPECT_EQ(unfit_of([&] {
              launch.set_shape({{0, 1, 1}, {64, 1, 1}});
            }),
            "w.yaml:22:9: kernel 'step' cannot be launched: its grid is 0 x 1 x 1; every extent must be at "
            "least 1");
  EXPECT_THAT(unfit_of([&] {
                launch.set_shape({{1, 1, 1}, {512, 1, 1}});
              }),
              HasSubstr("the kernel as compiled takes at most 256"));
  EXPECT_THAT(unfit_of([&] {
                launch.set_shape({{1, 1, 1}, {64, 1, 1}, 1 << 20});
              }),
              HasSubstr("1048576 bytes of dynamic shared memory"));
  EXPECT_EQ(launch.shape().grid, (Dim3{100, 2, 1})) << "what was refused changes nothing";
  LaunchShape shape = launch.shape();
  const std::size_t before = test::allocation_count();
  for (shape.grid.x = 1; shape.grid.x < 100; ++shape.grid.x) launch.set_shape(shape);
  EXPECT_EQ(test::allocation_count(), before);
}

TEST_F(BoundLaunchTest, MapsAreMadeForTheAddressOfTheLaunchUnlessTheyAreKept) {
  BoundLaunch launch = bind("boxes", {128, 8, 8});
  launch.enqueue(*stream_, args(a_, b_));
  EXPECT_EQ(argument<void*>(0), a_);
  EXPECT_EQ(device_.encoded, 1);
  launch.keep_maps(args(a_, b_));
  launch.keep_maps(args(c_, b_));
  EXPECT_EQ(device_.encoded, 3);
  for (const void* x : {a_, c_, a_}) {
    launch.enqueue(*stream_, args(x, b_));
    EXPECT_EQ(argument<const void*>(0), x);
    EXPECT_EQ(argument<void*>(2), b_);
  }
  EXPECT_EQ(device_.encoded, 3);
  EXPECT_THAT(unfit_of([&] { launch.enqueue(*stream_, args((float*)nullptr, b_)); }),
              HasSubstr("w.yaml:23:56: tensor_map of 'x': there is nothing at this address"));
}

TEST_F(BoundLaunchTest, TexturesAreThoseOfTheLaunchesAddress) {
  BoundLaunch launch = bind("blur", {8, 8});
  launch.keep_maps(args(b_, a_));
  ASSERT_EQ(device_.textures.size(), 1U);
  EXPECT_EQ(device_.textures[0].width, 16U);
  EXPECT_EQ(device_.textures[0].height, 3U);
  EXPECT_EQ(device_.textures[0].pitch, 64U);
  EXPECT_TRUE(device_.textures[0].linear);
  for (const void* x : {a_, c_}) {
    launch.enqueue(*stream_, args(b_, x));
    EXPECT_EQ(argument<void*>(0), b_);
    EXPECT_EQ(argument<std::uint64_t>(1), reinterpret_cast<std::uint64_t>(x) + 1);
  }
  EXPECT_EQ(device_.textures.size(), 2U);
  EXPECT_THAT(unfit_of([&] { launch.enqueue(*stream_, args(b_, (float*)nullptr)); }),
              HasSubstr("w.yaml:24:58: texture of 'x': there is nothing at this address"));
}

TEST_F(BoundLaunchTest, MembersOfAStructLieAsInCpp) {
  struct Box {
    const void* x;
    unsigned char small;
    double dt;
    int rows;
  };
  struct Flag {
    bool flag;
    void* none;
  };
  const BoundLaunch launch = bind("boxed", {8, sizeof(Box), 4, sizeof(Flag)});
  launch.enqueue(*stream_, args(b_, c_));
  EXPECT_EQ(argument<const void*>(0), b_);
  EXPECT_EQ(argument<const void*>(1, offsetof(Box, x)), c_);
  EXPECT_EQ(argument<unsigned char>(1, offsetof(Box, small)), 3);
  EXPECT_EQ(argument<double>(1, offsetof(Box, dt)), 0.5);
  EXPECT_EQ(argument<int>(1, offsetof(Box, rows)), 3);
  EXPECT_EQ(argument<int>(2), 3);
  EXPECT_EQ(argument<bool>(3, offsetof(Flag, flag)), true);
  EXPECT_EQ(argument<void*>(3, offsetof(Flag, none)), nullptr);
  const LaunchScalar dt("dt", 1.25);
  launch.enqueue(*stream_, args(b_, a_), {&dt, 1});
  EXPECT_EQ(argument<const void*>(1, offsetof(Box, x)), a_);
  EXPECT_EQ(argument<double>(1, offsetof(Box, dt)), 1.25);
  EXPECT_THAT(bad_input_of([&] {
                bind("boxed", {8, 24, 4, 16});
              }),
              HasSubstr("argument 2 of kernel 'boxed' is 32 bytes, the kernel takes 24"));
}

TEST_F(BoundLaunchTest, ArgumentsThatTheFunctionDoesNotTakeAreRefused) {
  EXPECT_THAT(bad_input_of([&] {
                bind("boxes", {128, 8});
              }),
              HasSubstr("kernel 'boxes' takes 2 arguments, 3 are given"));
  EXPECT_THAT(bad_input_of([&] {
                bind("boxes", {128, 4, 8});
              }),
              HasSubstr("argument 2 of kernel 'boxes' is 8 bytes, the kernel takes 4"));
}

TEST_F(BoundLaunchTest, AShapeThatDoesNotFitIsExplainedByTheValuesItWasMadeOf) {
  resident_blocks_ = 0;
  EXPECT_THAT(unfit_of([&] { bind_step(); }),
              HasSubstr("too much shared memory (grid: [blocks], block: [block], block = 32, blocks = 2)"));
}

}  // namespace
}  // namespace kiln
