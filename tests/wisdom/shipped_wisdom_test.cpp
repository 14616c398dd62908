// The wisdom that is shipped beside the workloads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "wisdom/wisdom_choice.h"
#include "wisdom/wisdom_file.h"
#include "workload/library.h"

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::Gt;
using testing::IsEmpty;

DeviceInfo gpu(const std::string& name, const std::string& arch, int units, double bandwidth) {
  DeviceInfo device = unknown_device({"cuda", arch});
  device.name = name;
  device.compute_units = units;
  device.memory_bandwidth = bandwidth;
  device.limits.max_shared_bytes_per_block = 227 << 10;
  return device;
}

class ShippedWisdom : public testing::Test {
 protected:
  ShippedWisdom() : library_(*files_, {std::string(KILN_SOURCE_DIR) + "/kernels_src"}) {}
  std::filesystem::path file_of(const Workload& workload) {
    return workload.directory / wisdom_file_name(workload.name);
  }
  std::string method(const DeviceInfo& device, const std::string& nx, const std::string& type = "double") {
    const auto workload = library_.load("stencil7", {});
    const WisdomBook book(*files_, usual_wisdom(*workload, "", {}), workload->name, *log_);
    WisdomQuestion question{workload, {}, device, {}};
    question.set = {{"nx", {nx, false, {}}}, {"T", {type, false, {}}}};
    const auto choices = choose_wisdom(book, question, *files_);
    if (choices.empty()) return "none";
    for (const auto& [name, value] : choices[0].record.values) {
      if (name == "method") return value;
    }
    return "no method";
  }
  std::unique_ptr<FileSystem> files_ = make_real_file_system();
  std::unique_ptr<Log> log_ = make_stderr_log(LogLevel::kOff);
  WorkloadLibrary library_;
};

TEST_F(ShippedWisdom, IsAsKilnWritesIt) {
  int found = 0;
  for (const std::string& name : library_.names()) {
    const std::filesystem::path file = file_of(*library_.load(name, {}));
    if (!files_->target_status(file)) continue;
    ++found;
    EXPECT_EQ(files_->read_file(file).value(), wisdom_text(merge_wisdom(read_wisdom_file(*files_, file))))
        << "kiln wisdom merge writes it";
  }
  EXPECT_THAT(found, Gt(0));
}

TEST_F(ShippedWisdom, EachRecordAnswersItsOwnKey) {
  for (const std::string& name : library_.names()) {
    const auto workload = library_.load(name, {});
    const std::filesystem::path file = file_of(*workload);
    if (!files_->target_status(file)) continue;
    for (const WisdomRecord& record : read_wisdom_file(*files_, file)) {
      EXPECT_EQ(record.key.workload, name);
      WisdomQuestion question{workload,
                              {},
                              unknown_device({record.key.device.backend, record.key.device.arch}),
                              {},
                              record.key.objective};
      question.device.name = record.key.device.name;
      question.device.compute_units = record.key.device.units;
      question.device.memory_bandwidth = record.key.device.bandwidth;
      question.device.limits.max_shared_bytes_per_block = 227 << 10;
      for (const auto& [type, value] : record.key.types) question.set.push_back({type, {value, false, {}}});
      for (const auto& [size, value] : record.key.size)
        question.set.push_back({size, {std::to_string(value), false, {}}});
      const auto choices = choose_wisdom(WisdomBook({record}), question, *files_);
      ASSERT_EQ(choices.size(), 1U) << record.where.file << ":" << record.where.line;
      EXPECT_EQ(choices[0].nearness, DeviceNearness::kSame);
      EXPECT_EQ(choices[0].distance, 0);
    }
  }
}

TEST_F(ShippedWisdom, GivesTheStencilTheMethodThatWasFastestOnTheDevice) {
  const DeviceInfo h200 = gpu("NVIDIA H200", "sm_90", 132, 4814);
  const DeviceInfo h100 = gpu("NVIDIA H100 80GB HBM3", "sm_90", 132, 3352);
  EXPECT_EQ(method(h200, "512"), "halves");
  EXPECT_EQ(method(h200, "128"), "march");   // fits into the cache
  EXPECT_EQ(method(h200, "1024"), "march");  // planes of 8 MiB
  EXPECT_EQ(method(h200, "512", "float"), "march");
  EXPECT_EQ(method(h100, "512"), "march");
  EXPECT_EQ(method(h100, "128"), "march");
  EXPECT_EQ(method(gpu("NVIDIA A100", "sm_80", 108, 1555), "512"), "none");
}

}  // namespace
}  // namespace kiln
