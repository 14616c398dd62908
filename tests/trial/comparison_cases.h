#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/clock.h"
#include "config/scalar_dispatch.h"
#include "service/kernel_service.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "trial/device_compare.h"

namespace kiln::test {

constexpr const char* kComparedYaml = R"yaml(workload: compared
parameters:
  V: {type: type, default: double, values: [bool, char, uchar, short, ushort, int, unsigned, long, ulong, float, double, half, bfloat16, fp8_e4m3, fp8_e5m2, size_t]}
  E: {type: type, default: double, values: [bool, char, uchar, short, ushort, int, unsigned, long, ulong, float, double, half, bfloat16, fp8_e4m3, fp8_e5m2, size_t]}
buffers:
  values:   {type: V, shape: [7, 61, 83]}
  expected: {type: E, shape: [7, 61, 83]}
kernels:
  none: {source: none.cu, grid: [1], block: [1], args: [values, expected]}
run: [none]
verify:
  checks:
    - {buffer: values, expected: 0}
)yaml";

/// Numbers of all kinds, near each other and far apart, and many equal ones.
template <class T>
std::vector<T> hostile_numbers(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  using Limits = std::numeric_limits<T>;
  std::vector<T> some = {T(0), T(1), T(1), T(2), T(100), Limits::max(), Limits::lowest(), T(3)};
  if constexpr (std::is_floating_point_v<T>) {
    const std::vector<T> more = {T(-0.0),
                                 T(1) + Limits::epsilon(),
                                 T(-1),
                                 Limits::infinity(),
                                 -Limits::infinity(),
                                 Limits::quiet_NaN(),
                                 Limits::denorm_min(),
                                 Limits::min(),
                                 T(1e-5),
                                 T(0.1),
                                 T(1) / T(3)};
    some.insert(some.end(), more.begin(), more.end());
  }
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    constexpr T kFirstThatADoubleLacks = (T(1) << 53) + 1;
    some.insert(some.end(), {kFirstThatADoubleLacks, kFirstThatADoubleLacks - 1, T(Limits::max() - 1)});
  }
  std::vector<T> numbers(count);
  for (T& number : numbers) {
    number = some[random() % some.size()];
    if (random() % 3 == 0) {
      std::uint64_t bits = random();
      std::memcpy(&number, &bits, sizeof(T));
    }
  }
  return numbers;
}

/// Compares on a device and on the host, and expects the same bits. `Device` and `Compiler` outlive it.
class ComparisonCases {
 public:
  ComparisonCases(std::shared_ptr<Device> device, Compiler& compiler)
      : device_(std::move(device)),
        compiler_(compiler),
        clock_(),
        files_(clock_),
        service_(nullptr, clock_),
        stream_(device_->create_stream()),
        compare_(service_, compiler_, device_, *stream_, pool_, 0) {
    files_.make_directories("/compared", false);
    files_.write_file("/compared/compared.yaml", kComparedYaml, false);
    workload_ = load_workload_file(files_, "/compared/compared.yaml");
  }

  DeviceCompare& compare() { return compare_; }
  Device& device() { return *device_; }
  Stream& stream() { return *stream_; }

  /// Arrays of these types in several regions, with several tolerances.
  void expect_alike(const std::string& values, const std::string& expected) {
    SCOPED_TRACE(values + " and " + expected);
    const Configuration configuration =
        configure(workload_, {{"V", {values, false, {}}}, {"E", {expected, false, {}}}}, device_->info(),
                  files_)
            .configuration;
    Workspace workspace(*device_, *stream_, configuration, files_, pool_);
    workspace.allocate({"values", "expected"});
    fill(workspace, "values", 1);
    fill(workspace, "expected", 2);
    // Half of the elements are close to what is expected.
    if (values == expected) copy_half(workspace);
    const BufferLayout& layout = workspace.layout("values");
    Expected array{"array", std::nullopt, ArrayContent(workspace, "expected"),
                   workspace.layout("expected").scalar.value()};
    for (const Region& region : std::vector<Region>{full_region(layout),
                                                    {{1, 6}, {1, 60}, {1, 82}},
                                                    {{0, 7}, {0, 61}, {82, 83}},
                                                    {{2, 4}, {0, 61}, {0, 83}},
                                                    {{0, 7}, {5, 9}, {0, 83}},
                                                    {{6, 7}, {60, 61}, {82, 83}}}) {
      expect_alike(workspace, region, array);
    }
  }
  /// An array of this type and numbers.
  void expect_alike_with_numbers(const std::string& values) {
    SCOPED_TRACE(values + " and numbers");
    const Configuration configuration =
        configure(workload_, {{"V", {values, false, {}}}}, device_->info(), files_).configuration;
    Workspace workspace(*device_, *stream_, configuration, files_, pool_);
    workspace.allocate({"values"});
    fill(workspace, "values", 3);
    for (const double number : {0.0, 1.0, -2.5, 9007199254740992.0, 18446744073709551616.0, 1e300,
                                std::numeric_limits<double>::infinity()}) {
      Expected expected{"number", number, {}, {}};
      expect_alike(workspace, full_region(workspace.layout("values")), expected);
      expect_alike(workspace, {{0, 7}, {3, 60}, {1, 80}}, expected);
    }
  }

 private:
  void fill(Workspace& workspace, const std::string& name, unsigned seed) {
    const BufferLayout& layout = workspace.layout(name);
    visit_scalar(layout.scalar.value(), [&]<class T>() {
      const std::vector<T> numbers = hostile_numbers<T>(layout.count, seed);
      device_->copy_to_device(*stream_, workspace.buffer(name).data(), numbers.data(), layout.bytes);
    });
  }
  void copy_half(Workspace& workspace) {
    device_->copy_on_device(*stream_, workspace.buffer("values").data(), workspace.buffer("expected").data(),
                            workspace.layout("values").bytes / 2);
  }
  void expect_alike(Workspace& workspace, const Region& region, const Expected& expected) {
    const ArrayContent values(workspace, "values");
    const BufferLayout& layout = workspace.layout("values");
    for (const Tolerance& tolerance :
         {Tolerance{}, Tolerance{1e-7, 0, 0}, Tolerance{0, 0.5, 0}, Tolerance{0.3, 1e-4, 0},
          Tolerance{1e-3, 0, 2.5}, Tolerance{1e300, 1e300, 0}, Tolerance{0, 0, 1e308}}) {
      const auto found = compare_.compare(layout, region, tolerance, values, expected);
      ASSERT_TRUE(found) << "it did not compare on the device";
      const Comparison wanted = compare_on_host(layout, region, tolerance, values, expected);
      EXPECT_EQ(found->compared, wanted.compared);
      EXPECT_EQ(found->skipped, wanted.skipped);
      EXPECT_EQ(found->mismatches, wanted.mismatches);
      EXPECT_EQ(found->worst_index, wanted.worst_index);
      expect_same_bits(found->worst_value, wanted.worst_value);
      expect_same_bits(found->worst_expected, wanted.worst_expected);
      expect_same_bits(found->max_relative_error, wanted.max_relative_error);
      expect_same_bits(found->worst_excess, wanted.worst_excess);
    }
  }
  static void expect_same_bits(double a, double b) {
    EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0) << a << " and " << b;
  }

  std::shared_ptr<Device> device_;
  Compiler& compiler_;
  FakeClock clock_;
  MemoryFileSystem files_;
  KernelService service_;
  std::shared_ptr<const Workload> workload_;
  BufferPool pool_;
  std::unique_ptr<Stream> stream_;
  DeviceCompare compare_;
};

/// Pieces that differ in one place or in none, of lengths with and without a rest.
inline void expect_same_bits_found(ComparisonCases& cases) {
  constexpr std::size_t kBytes = 100'003;
  std::vector<unsigned char> bytes(kBytes, 5);
  const auto a = cases.device().allocate(kBytes);
  const auto b = cases.device().allocate(kBytes);
  const auto upload = [&](const DeviceBuffer& to) {
    cases.device().copy_to_device(cases.stream(), to.data(), bytes.data(), kBytes);
  };
  upload(*a);
  upload(*b);
  for (const std::size_t length : {kBytes, kBytes - 3, std::size_t{8}, std::size_t{7}})
    EXPECT_EQ(cases.compare().same_bits(a->data(), b->data(), length), true) << length;
  const auto* later = static_cast<const std::byte*>(a->data()) + 16;
  EXPECT_EQ(cases.compare().same_bits(later, a->data(), kBytes - 16), true) << "they overlap";
  for (const std::size_t place :
       {std::size_t{0}, std::size_t{7}, std::size_t{50'000}, kBytes - 4, kBytes - 1}) {
    bytes[place] = 6;
    upload(*b);
    EXPECT_EQ(cases.compare().same_bits(a->data(), b->data(), kBytes), false) << place;
    EXPECT_EQ(cases.compare().same_bits(a->data(), b->data(), place), true) << place;
    bytes[place] = 5;
  }
}

}  // namespace kiln::test
