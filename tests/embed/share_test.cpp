// Ranks of a parallel program that share decisions. Here they are threads, each with a service of its own.
#include "base/file.h"
#include "kiln/kiln.h"

#include <gmock/gmock.h>

#include <barrier>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <future>

#include "kiln.h"
#include "support/error_matchers.h"
#include "support/small_workload.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::HasSubstr;

constexpr int kRanks = 3;

/// Broadcasts between threads.
class Threads {
 public:
  bool broadcast(int rank, void* data, std::size_t bytes, int root) {
    if (rank == root) source_ = data;
    arrived_.arrive_and_wait();
    if (rank != root) std::memcpy(data, source_, bytes);
    arrived_.arrive_and_wait();
    return true;
  }
  [[nodiscard]] Communicator of(int rank) {
    return {rank, kRanks, [this, rank](void* data, std::size_t bytes, int root) {
              return broadcast(rank, data, bytes, root);
            }};
  }

 private:
  std::barrier<> arrived_{kRanks};
  void* source_ = nullptr;
};

class Share : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "kiln_share.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    test::write_small_workload(*make_real_file_system(), folder_);
    if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Only rank 0 has wisdom.
  [[nodiscard]] Settings settings_of(int rank) const {
    Settings settings;
    settings.cache_dir = (folder_ / "cache").string();
    settings.workload_path = {folder_.string()};
    settings.log_level = "off";
    settings.wisdom_dir = (folder_ / (rank == 0 ? "wisdom" : "none")).string();
    return settings;
  }
  void write_wisdom(const std::string& values) const {
    const Service service(settings_of(0));
    const DeviceHandle device = service.device("cpu");
    std::filesystem::create_directories(folder_ / "wisdom");
    std::ofstream(folder_ / "wisdom/scale.wisdom.yaml")
        << test::small_workload_wisdom(device.name(), device.arch(), values);
  }
  /// What `work(rank)` says on each rank.
  template <class Work>
  static std::vector<std::string> on_ranks(const Work& work) {
    std::vector<std::future<std::string>> ranks;
    for (int rank = 0; rank < kRanks; ++rank)
      ranks.push_back(std::async(std::launch::async, [&work, rank] { return work(rank); }));
    std::vector<std::string> said;
    for (auto& rank : ranks) said.push_back(rank.get());
    return said;
  }
  [[nodiscard]] std::string key_of(const Service& service, bool wisdom) const {
    KernelRequest request = service.workload("scale").kernel("scale").on(service.device("cpu")).set("n", 100);
    if (wisdom) request.wisdom();
    return request.get().key();
  }

  std::filesystem::path folder_;
};

TEST_F(Share, AllRanksTakeTheWisdomOfRankZero) {
  write_wisdom("{block: 32}");
  Threads threads;
  const std::string plain = key_of(Service(settings_of(1)), true);
  const auto keys = on_ranks([&](int rank) {
    const Service service(settings_of(rank));
    service.share(threads.of(rank));
    return key_of(service, true);
  });
  EXPECT_NE(keys[0], plain);
  EXPECT_THAT(keys, testing::Each(keys[0]));
}

TEST_F(Share, WhatFailsOnRankZeroIsTakenByNoRank) {
  write_wisdom("{block: 32}");
  std::ofstream(folder_ / "scale/scale.cu")
      << "#include \"kiln/params.h\"\nstatic_assert(Params::block != 32, \"planted\");\n"
      << test::kScaleSource;
  Threads threads;
  const std::string plain = key_of(Service(settings_of(1)), false);
  const auto keys = on_ranks([&](int rank) {
    const Service service(settings_of(rank));
    service.share(threads.of(rank));
    return key_of(service, true);
  });
  EXPECT_THAT(keys, testing::Each(plain));
}

TEST_F(Share, WhatRankZeroThrowsAllThrow) {
  Threads threads;
  const auto said = on_ranks([&](int rank) -> std::string {
    const Service service(settings_of(rank));
    service.share(threads.of(rank));
    try {
      static_cast<void>(
          service.workload("scale").kernel("scale").on(service.device("cpu")).wisdom("/nowhere").get());
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  });
  EXPECT_THAT(said[0], HasSubstr("/nowhere"));
  EXPECT_EQ(said[1], "rank 0: " + said[0]);
  EXPECT_EQ(said[2], said[1]);
}

TEST_F(Share, ACommunicatorThatMakesNoSenseIsRefused) {
  const Service service(settings_of(0));
  const auto broadcast = [](void*, std::size_t, int) { return true; };
  EXPECT_THAT(bad_input_of([&] { service.share({0, 1, {}}); }), HasSubstr("broadcast is missing"));
  EXPECT_THAT(bad_input_of([&] {
                service.share({2, 2, broadcast});
              }),
              HasSubstr("rank 2 of 2 does not exist"));
}

struct CRank {
  Threads* threads;
  int rank;
};

TEST_F(Share, TheCInterfaceSharesToo) {
  write_wisdom("{block: 32}");
  Threads threads;
  const auto keys = on_ranks([&](int rank) -> std::string {
    CRank own{&threads, rank};
    const Settings settings = settings_of(rank);
    const std::string lines = "cache_dir: " + settings.cache_dir +
                              "\nlog_level: off\nwisdom_dir: " + settings.wisdom_dir +
                              "\nworkload_path: " + folder_.string() + "\n";
    kiln_service_options options{};
    options.size = sizeof options;
    options.application = "kiln-share-test";
    options.settings = lines.c_str();
    kiln_service* service = nullptr;
    kiln_device* device = nullptr;
    kiln_workload* workload = nullptr;
    kiln_kernel_request* request = nullptr;
    kiln_kernel* kernel = nullptr;
    kiln_communicator communicator{};
    communicator.size = sizeof communicator;
    communicator.user = &own;
    communicator.rank = [](void* user) { return static_cast<CRank*>(user)->rank; };
    communicator.ranks = [](void*) { return kRanks; };
    std::string key;
    if (kiln_service_create(&options, &service) == KILN_OK &&
        kiln_service_share(service, &communicator) == KILN_BAD_INPUT) {  // without broadcast
      communicator.broadcast = [](void* user, void* data, std::size_t bytes, int root) {
        auto* of = static_cast<CRank*>(user);
        return of->threads->broadcast(of->rank, data, bytes, root) ? 0 : 1;
      };
      if (kiln_service_share(service, &communicator) == KILN_OK &&
          kiln_device_open(service, "cpu", &device) == KILN_OK &&
          kiln_workload_load(service, "scale", &workload) == KILN_OK &&
          kiln_kernel_request_create(workload, "scale", device, nullptr, &request) == KILN_OK &&
          kiln_kernel_request_set_int(request, "n", 100) == KILN_OK &&
          kiln_kernel_request_wisdom(request, nullptr) == KILN_OK &&
          kiln_kernel_get(request, &kernel) == KILN_OK)
        key = "got";
    }
    if (key.empty()) key = kiln_last_error_message();
    kiln_kernel_release(kernel);
    kiln_kernel_request_release(request);
    kiln_workload_release(workload);
    kiln_device_release(device);
    kiln_service_release(service);
    return key;
  });
  EXPECT_THAT(keys, testing::Each("got"));
}

}  // namespace
}  // namespace kiln
