// The index of made kernels, over requests and kernels that are nothing but values.
#include "embed/kernel_index.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "embed/handles.h"
#include "support/fake_device.h"
#include "support/small_workload.h"

namespace kiln {
namespace {

KernelRequest::Impl request_for(std::int64_t n) {
  KernelRequest::Impl request;
  request.set("n", n);
  return request;
}

std::shared_ptr<const Kernel::Impl> kernel_named(const std::string& name) {
  static test::SmallDisk disk;
  static test::FakeDevice device(disk.clock);
  static const auto module = device.load("KILNFAKE 1\n_Zscale\n");
  static const Configuration configuration = disk.configured({});
  static const BoundLaunch launch(device, *module->function("_Zscale"), configuration,
                                  *configuration.workload().find_kernel("scale"), {});
  auto kernel = std::make_shared<Kernel::Impl>(Kernel::Impl{nullptr, nullptr, launch});
  kernel->key = name;
  return kernel;
}

TEST(KernelIndex, FindsByValues) {
  KernelIndex index;
  EXPECT_EQ(index.find(request_for(1)), nullptr);
  index.add(request_for(1), kernel_named("one"));
  index.add(request_for(2), kernel_named("two"));
  EXPECT_EQ(index.find(request_for(1))->key, "one");
  EXPECT_EQ(index.find(request_for(2))->key, "two");
  EXPECT_EQ(index.find(request_for(3)), nullptr);
  index.add(request_for(1), kernel_named("late"));
  EXPECT_EQ(index.find(request_for(1))->key, "one");
}

TEST(KernelIndex, ForgetsTheOldestAndKeepsNothingOfIt) {
  KernelIndex index(3);
  std::weak_ptr<const Kernel::Impl> first;
  for (std::int64_t n = 0; n < 5; ++n) {
    auto kernel = kernel_named(std::to_string(n));
    if (n == 0) first = kernel;
    index.add(request_for(n), std::move(kernel));
  }
  EXPECT_TRUE(first.expired());
  EXPECT_EQ(index.find(request_for(1)), nullptr);
  for (std::int64_t n = 2; n < 5; ++n) EXPECT_EQ(index.find(request_for(n))->key, std::to_string(n));
}

TEST(KernelIndex, TellsValuesOfOneTextApartByTheirType) {
  KernelIndex index;
  KernelRequest::Impl request;
  request.set("a", KernelRequest::Value(std::int64_t{1}));
  index.add(request, kernel_named("whole"));
  for (const KernelRequest::Value& value :
       {KernelRequest::Value(true), KernelRequest::Value(1.0), KernelRequest::Value(std::string("1"))}) {
    request.set("a", value);
    EXPECT_EQ(index.find(request), nullptr);
  }
}

TEST(KernelIndex, AValueThatIsNoNumberIsFoundAgain) {
  KernelIndex index;
  KernelRequest::Impl request;
  request.set("a", std::numeric_limits<double>::quiet_NaN());
  index.add(request, kernel_named("nan"));
  EXPECT_NE(index.find(request), nullptr);
  request.set("a", 0.0);
  index.add(request, kernel_named("zero"));
  request.set("a", -0.0);
  EXPECT_EQ(index.find(request), nullptr);
}

TEST(KernelIndex, ComparesHeadersByTheirTexts) {
  const auto headers = [](const std::string& text) {
    return std::make_shared<const std::vector<IncludedHeader>>(1, IncludedHeader{"h.h", "", text});
  };
  KernelIndex index;
  KernelRequest::Impl request;
  request.headers = headers("one");
  index.add(request, kernel_named("one"));
  request.headers = headers("one");
  EXPECT_NE(index.find(request), nullptr);
  request.headers = headers("two");
  EXPECT_EQ(index.find(request), nullptr);
  request.headers = nullptr;
  EXPECT_EQ(index.find(request), nullptr);
}

TEST(KernelIndex, ServesManyThreads) {
  KernelIndex index(50);
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::int64_t i = 0; i < 2000; ++i) {
          const std::int64_t n = (i * 7 + thread) % 80;
          const auto found = index.find(request_for(n));
          if (found && found->key != std::to_string(n)) ++wrong;
          if (!found) index.add(request_for(n), kernel_named(std::to_string(n)));
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace kiln
